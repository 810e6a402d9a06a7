// What only tests ask of dense matrices; the decompositions of the library are in taut/solve/dense.h.
#pragma once

#include <Eigen/Core>

namespace taut::testing {

Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);  // descending
long dense_rank(const Eigen::MatrixXd& A);                  // to rounding
Eigen::MatrixXd dense_inverse(const Eigen::MatrixXd& A);
double determinant(const Eigen::MatrixXd& A);
double reciprocal_condition(const Eigen::MatrixXd& A);  // estimate in the 1-norm
Eigen::MatrixXd matrix_exponential(const Eigen::MatrixXd& A);

}  // namespace taut::testing
