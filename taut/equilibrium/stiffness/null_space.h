// What rows of constraints allow.
#pragma once

#include <Eigen/Core>

namespace taut {

// Orthonormal columns Z with G Z = 0. Rows of G count by their direction; the rank is judged as the sparse elimination
// does, by dependent_direction (tolerances.h).
Eigen::MatrixXd null_space(const Eigen::MatrixXd& G);

}  // namespace taut
