#include "taut/solve/matrix_exponential.h"

#include <unsupported/Eigen/MatrixFunctions>

namespace taut {

Eigen::MatrixXd matrix_exponential(const Eigen::MatrixXd& A) { return A.exp(); }

}  // namespace taut
