// Eigen's decompositions for the tests, compiled once.
#include "tests/support/dense.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>

namespace taut::testing {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A) { return Eigen::BDCSVD<Eigen::MatrixXd>(A).singularValues(); }
long dense_rank(const Eigen::MatrixXd& A) { return A.size() == 0 ? 0 : A.fullPivLu().rank(); }
Eigen::MatrixXd dense_inverse(const Eigen::MatrixXd& A) { return A.inverse(); }
double determinant(const Eigen::MatrixXd& A) { return A.determinant(); }
double reciprocal_condition(const Eigen::MatrixXd& A) { return A.fullPivLu().rcond(); }

// exp(A) = exp(A/2ˢ)^(2ˢ), |A/2ˢ| below 1/8: there twelve terms of the series are exact to rounding.
Eigen::MatrixXd matrix_exponential(const Eigen::MatrixXd& A) {
  int halvings = 0;
  for (double size = A.norm(); size > 0.125; size /= 2.0) ++halvings;
  const Eigen::MatrixXd small = std::ldexp(1.0, -halvings) * A;
  Eigen::MatrixXd term = Eigen::MatrixXd::Identity(A.rows(), A.cols()), sum = term;
  for (int k = 1; k <= 12; ++k) {
    term = (term * small / k).eval();
    sum += term;
  }
  for (int k = 0; k < halvings; ++k) sum = (sum * sum).eval();
  return sum;
}

}  // namespace taut::testing
