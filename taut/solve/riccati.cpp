#include "taut/solve/riccati.h"

#include <vector>

#include "taut/solve/dense.h"

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
  MatrixXd a = A, g = B * Cholesky(R).solve(B.transpose()), h = Q;
  for (int i = 0; i < most_doublings && !result.converged; ++i) {
    const Lu W(MatrixXd::Identity(n, n) + g * h);
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
    return solve_symmetric(R + BX * B, BX * A);
  };
  result.X = h;
  result.K = gain(h);
  for (int i = 0; i < 2; ++i) {
    const MatrixXd X = cost_of(A - B * result.K, Q + result.K.transpose() * R * result.K);
    if (!X.allFinite()) break;
    result.X = X;
    result.K = gain(X);
  }
  result.spectral_radius = n > 0 ? general_eigenvalues(A - B * result.K).cwiseAbs().maxCoeff() : 0.0;
  return result;
}

MatrixXd observable_basis(const MatrixXd& A, const MatrixXd& C, double tolerance) {
  const long n = A.rows(), m = C.rows();
  if (n == 0 || m == 0 || C.norm() == 0.0) return MatrixXd(n, 0);
  // y(k) for k = 0 ... n at three paces: what is slow shows late. What grows is left when it drowns the rest.
  constexpr double drowned = 1e3;
  constexpr int longer = 4;  // squarings between paces
  std::vector<MatrixXd> blocks;
  MatrixXd step = A;
  for (int pace = 0; pace < 3; ++pace) {
    MatrixXd rows = C;
    for (long k = 0; k <= n && rows.norm() < drowned * C.norm(); ++k) {
      blocks.push_back(rows);
      rows = rows * step;
    }
    for (int i = 0; i < longer; ++i) step = (step * step).eval();
  }
  MatrixXd shown(n, m * static_cast<long>(blocks.size()));
  for (std::size_t b = 0; b < blocks.size(); ++b) shown.middleCols(m * static_cast<long>(b), m) = blocks[b].transpose();
  const PivotedQr qr(shown);
  const VectorXd pivots = qr.pivots();
  const long rank = (pivots.array() > tolerance * pivots[0]).count();
  return qr.basis(rank);
}

}  // namespace taut
