// e^A of a dense matrix, small enough for that. In a file of its own because it takes long to compile.
#pragma once

#include <Eigen/Core>

namespace taut {

Eigen::MatrixXd matrix_exponential(const Eigen::MatrixXd& A);

}  // namespace taut
