#include "taut/solve/riccati.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// X = AᵀX A + Q of a stable A, by doubling; not finite where it is not stable.
MatrixXd cost_of(MatrixXd A, MatrixXd Q) {
  for (int i = 0; i < 60; ++i) {
    const MatrixXd step = A.transpose() * Q * A;
    Q += 0.5 * (step + step.transpose());
    if (step.norm() <= 1e-17 * Q.norm() || !Q.allFinite()) break;
    A = (A * A).eval();
  }
  return Q;
}

}  // namespace

Feedback optimal_feedback(const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R) {
  constexpr int most_doublings = 80;
  Feedback result;
  const long n = A.rows();
  MatrixXd a = A, g = B * R.llt().solve(B.transpose()), h = Q;
  for (int i = 0; i < most_doublings && !result.converged; ++i) {
    const Eigen::PartialPivLU<MatrixXd> W(MatrixXd::Identity(n, n) + g * h);
    const MatrixXd Wa = W.solve(a), Wg = W.solve(g);
    const MatrixXd step = a.transpose() * h * Wa;
    g += a * Wg * a.transpose();
    a = a * Wa;
    h += step;
    g = 0.5 * (g + g.transpose()).eval();
    h = 0.5 * (h + h.transpose()).eval();
    if (!h.allFinite() || !g.allFinite()) return result;
    result.converged = step.norm() <= 1e-14 * h.norm();
  }
  // Newton's steps make up for the rounding of a long way: the cost of the feedback found, then the feedback for that.
  const auto gain = [&](const MatrixXd& X) -> MatrixXd {
    const MatrixXd BX = B.transpose() * X;
    return (R + BX * B).ldlt().solve(BX * A);
  };
  result.X = h;
  result.K = gain(h);
  for (int i = 0; i < 2; ++i) {
    const MatrixXd X = cost_of(A - B * result.K, Q + result.K.transpose() * R * result.K);
    if (!X.allFinite()) break;
    result.X = X;
    result.K = gain(X);
  }
  const Eigen::EigenSolver<MatrixXd> closed(A - B * result.K, false);
  result.spectral_radius = n > 0 ? closed.eigenvalues().cwiseAbs().maxCoeff() : 0.0;
  return result;
}

// Rows C, C A, C A² ..., each made orthogonal to those before; what vanishes then adds nothing.
MatrixXd observable_basis(const MatrixXd& A, const MatrixXd& C, double tolerance) {
  const long n = A.rows();
  MatrixXd V(n, 0), fresh = C.transpose();
  double scale = C.norm();  // beside which a new direction is rounding
  while (fresh.cols() > 0 && V.cols() < n) {
    // Twice is enough against rounding.
    VectorXd sizes(fresh.cols());
    for (long j = 0; j < fresh.cols(); ++j) sizes[j] = fresh.col(j).norm();
    for (int pass = 0; pass < 2; ++pass) fresh -= V * (V.transpose() * fresh);
    for (long j = 0; j < fresh.cols(); ++j)
      if (sizes[j] > tolerance * scale)
        fresh.col(j) /= sizes[j];
      else
        fresh.col(j).setZero();
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(fresh);
    const VectorXd pivots = qr.matrixR().diagonal().head(std::min(fresh.rows(), fresh.cols())).cwiseAbs();
    const long rank = (pivots.array() > tolerance).count();
    if (rank == 0) break;
    const MatrixXd added = (qr.householderQ() * MatrixXd::Identity(n, rank)).eval();
    MatrixXd wider(n, V.cols() + rank);
    wider << V, added;
    V = std::move(wider);
    fresh = A.transpose() * added;
    scale = A.norm();
  }
  return V;
}

}  // namespace taut
