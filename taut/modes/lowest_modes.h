// The slowest small motions of a structure at rest about its start shape:
//
//   K s = ω² M s,  G s = 0,        K the stiffness of static_forces.h, undamped, by block Lanczos (modes/lanczos.h);
//
// unstable shapes, ω² < 0, have an answer too.
#pragma once

#include <Eigen/Core>

#include "taut/model/model.h"

namespace taut {

struct Modes {
  Eigen::VectorXd square;  // ω², (rad/s)², ascending
  Eigen::MatrixXd shapes;  // columns, 3 per node, of unit modal mass
  bool converged = false;
};

// At most `count` modes; none where the matrices are not finite. Throws InputError when the nodal formulation refuses the model.
Modes lowest_modes(const Model& model, int count);

// ω/2π in Hz; negative for ω² < 0, where a motion grows.
double frequency(double square);

}  // namespace taut
