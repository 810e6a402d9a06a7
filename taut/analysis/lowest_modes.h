// The slowest small motions of a structure at rest about its start shape:
//
//   K s = ω² M s,  G s = 0,        K the stiffness of static_forces.h, undamped,
//
// by subspace iteration with the sparse factors of K + σM, σ raised until it is positive definite along the constraints
// (so that also unstable shapes, ω² < 0, have an answer).
#pragma once

#include <Eigen/Core>

#include "taut/model/model.h"

namespace taut {

struct Modes {
  Eigen::VectorXd square;  // ω², (rad/s)², ascending
  Eigen::MatrixXd shapes;  // columns, 3 per node, of unit modal mass
  bool converged = false;
};

// At most `count` modes. Throws InputError when the nodal formulation refuses the model.
Modes lowest_modes(const Model& model, int count);

// ω/2π in Hz; negative for ω² < 0, where a motion grows.
double frequency(double square);

}  // namespace taut
