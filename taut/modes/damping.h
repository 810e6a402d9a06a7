// Damped motions that grow out of undamped modes: (λ² M + λ C + K) y = 0 along the constraints. Modes Φ with
// ΦᵀMΦ = 1 and ΦᵀKΦ = Ω² are given; the problem is solved on the space that they span, and the space grows by
// (K + σM)⁻¹ times what the pairs leave of the equation until they satisfy it (Davidson), so that also modes that were
// not asked for count.
//
// A pair belongs to the mode of which its y holds most, each to one. A mode to which two real values belong instead is
// overdamped; the slower is given.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace taut {

struct QuadraticProblem {
  using Product = std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>;
  Product K, M, C;
  Product solve;  // (K + σM)⁻¹ along the constraints
  Product back;   // onto the constraints, what rounding has taken off them; empty: there are none
};

struct DampedModes {
  Eigen::VectorXcd eigenvalues;  // λ, Im λ > 0; of an overdamped mode the slower, of one that grows the growing root
  std::vector<char> overdamped;
  double residual = 0.0;  // largest of |Q(λ) y| over the size of its parts, with y of unit modal mass
};

// For the first `wanted` columns of Φ, whose squares are given.
DampedModes damped_modes(const QuadraticProblem& problem, const Eigen::MatrixXd& modes, const Eigen::VectorXd& square,
                         long wanted);

}  // namespace taut
