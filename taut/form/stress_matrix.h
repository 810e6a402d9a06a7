// The stress matrix of straight members with force densities q (force over length, N/m, tension positive):
//
//   D = Σ_k q_k c_k c_kᵀ,   c_k = e_a - e_b,        D x = p along each axis: balance of the loads p.
//
// D 1 = 0 always. A free structure in d dimensions is in balance without loads where D has d null vectors besides: its
// coordinates. It is then super-stable if no eigenvalue is negative and the nullity is d + 1.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "taut/solve/sparse/saddle.h"

namespace taut {

// D on and above the diagonal, each place once.
std::vector<SparseEntry> stress_matrix(int nodes, const std::vector<std::pair<int, int>>& members,
                                       const Eigen::VectorXd& q);
// D y for one axis.
Eigen::VectorXd stress_product(const std::vector<std::pair<int, int>>& members, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& y);

struct LowestEigenvectors {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // columns, orthonormal, orthogonal to 1
  double size = 0.0;        // a bound of |D|: the largest row sum
  bool converged = false;
};

enum class EigenMethod { by_size, dense, sparse };

// The `count` algebraically lowest eigenpairs of D on the vectors orthogonal to 1: densely, or by block Lanczos
// (solve/spectrum.h) with the factors of D + σ, σ raised until it is positive definite. `guess` (may be empty) starts it.
LowestEigenvectors lowest_eigenvectors(int nodes, const std::vector<std::pair<int, int>>& members,
                                       const Eigen::VectorXd& q, int count, const Eigen::MatrixXd& guess = {},
                                       EigenMethod method = EigenMethod::by_size);

}  // namespace taut
