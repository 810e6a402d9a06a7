#include "taut/solve/matrix_exponential.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace taut {
namespace {

using Eigen::MatrixXd;

// e^X - 1 for |X| below 0.95, where the approximant of degree 7 is exact to rounding: with the numerator V + U and the
// denominator V - U, that is (V - U)⁻¹ 2U.
MatrixXd small_exponential(const MatrixXd& X) {
  const MatrixXd I = MatrixXd::Identity(X.rows(), X.cols());
  const MatrixXd X2 = X * X, X4 = X2 * X2, X6 = X4 * X2;
  const MatrixXd U = X * (X6 + 1512.0 * X4 + 277200.0 * X2 + 8648640.0 * I);
  const MatrixXd V = 56.0 * X6 + 25200.0 * X4 + 1995840.0 * X2 + 17297280.0 * I;
  return MatrixXd(V - U).partialPivLu().solve(MatrixXd(2.0 * U));
}

// With so many doublings more than are needed.
MatrixXd by_doubling(const MatrixXd& A, int more) {
  if (A.size() == 0) return A;
  const double norm = A.cwiseAbs().colwise().sum().maxCoeff();
  if (!std::isfinite(norm)) return MatrixXd::Constant(A.rows(), A.cols(), NAN);
  const int doublings = more + (norm > 0.95 ? static_cast<int>(std::ceil(std::log2(norm / 0.95))) : 0);
  MatrixXd E = small_exponential(A * std::ldexp(1.0, -doublings));
  for (int i = 0; i < doublings; ++i) E = MatrixXd(2.0 * E + E * E);
  return E + MatrixXd::Identity(A.rows(), A.cols());
}

}  // namespace

MatrixXd matrix_exponential(const MatrixXd& A) { return by_doubling(A, 0); }

double exponential_error(const MatrixXd& A, const MatrixXd& power) {
  if (A.size() == 0) return 0.0;
  // One doubling more begins with other rounding, and the doublings carry it on as they did with that of `power`.
  const MatrixXd other = by_doubling(A, 1);
  return (other - power).cwiseAbs().maxCoeff() / power.cwiseAbs().maxCoeff();
}

}  // namespace taut
