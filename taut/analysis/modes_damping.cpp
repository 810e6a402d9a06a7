#include "taut/analysis/modes_damping.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <tuple>

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Complex = std::complex<double>;

constexpr double good = 1e-10;  // residual at which a pair counts as found
constexpr long widest = 400;    // of the space, unless more modes are given
constexpr int rounds = 12;

// What swings on the space W: λ with Im λ > 0 and y in the coordinates of W.
struct Pairs {
  std::vector<Complex> value;
  Eigen::MatrixXcd y;
};

Pairs swinging_pairs(const MatrixXd& K, const MatrixXd& C) {
  const long p = K.rows();
  MatrixXd A = MatrixXd::Zero(2 * p, 2 * p);
  A.topRightCorner(p, p).setIdentity();
  A.bottomLeftCorner(p, p) = -K;
  A.bottomRightCorner(p, p) = -C;
  // Displacements and velocities on one scale.
  const double scale = std::sqrt(std::max(K.cwiseAbs().maxCoeff(), 1e-300));
  A.topRightCorner(p, p) *= scale;
  A.bottomLeftCorner(p, p) /= scale;
  const Eigen::EigenSolver<MatrixXd> solver(A);
  Pairs pairs;
  std::vector<long> which;
  // Equal real values part into a pair by rounding.
  for (long i = 0; i < 2 * p; ++i)
    if (const Complex value = solver.eigenvalues()[i]; value.imag() > 1e-7 * std::abs(value))
      which.push_back(i), pairs.value.push_back(value);
  pairs.y.resize(p, static_cast<long>(which.size()));
  const Eigen::MatrixXcd vectors = solver.eigenvectors();
  for (std::size_t k = 0; k < which.size(); ++k)
    pairs.y.col(static_cast<long>(k)) = vectors.col(which[k]).head(p).normalized();
  return pairs;
}

// For each column of W the pair that is mostly it, or -1.
std::vector<int> assign(const Pairs& pairs) {
  std::vector<std::tuple<double, int, int>> shares;  // share, column, pair
  for (long j = 0; j < pairs.y.cols(); ++j)
    for (long i = 0; i < pairs.y.rows(); ++i)
      if (const double share = std::norm(pairs.y(i, j)); share > 1e-6)
        shares.emplace_back(share, static_cast<int>(i), static_cast<int>(j));
  std::sort(shares.begin(), shares.end(), std::greater<>());
  std::vector<int> pair_of(pairs.y.rows(), -1), column_of(pairs.y.cols(), -1);
  for (const auto& [share, i, j] : shares)
    if (pair_of[i] < 0 && column_of[j] < 0) pair_of[i] = j, column_of[j] = i;
  return pair_of;
}

// Adds the columns to W, orthonormal in M; those that are in it already fall away.
void extend(const QuadraticProblem& problem, MatrixXd& W, const MatrixXd& columns) {
  for (long j = 0; j < columns.cols(); ++j) {
    VectorXd w = columns.col(j);
    const double before = std::sqrt(std::max(w.dot(VectorXd(problem.M(w))), 0.0));
    for (int sweep = 0; sweep < 2; ++sweep) w -= W * (W.transpose() * VectorXd(problem.M(w)));
    const double after = std::sqrt(std::max(w.dot(VectorXd(problem.M(w))), 0.0));
    if (!(after > 1e-7 * before) || !std::isfinite(after)) continue;
    W.conservativeResize(Eigen::NoChange, W.cols() + 1);
    W.col(W.cols() - 1) = w / after;
  }
}

}  // namespace

DampedModes damped_modes(const QuadraticProblem& problem, const MatrixXd& modes, const VectorXd& square, long wanted) {
  DampedModes result;
  result.eigenvalues = Eigen::VectorXcd::Zero(wanted);
  result.overdamped.assign(wanted, 0);
  // A mode by itself: λ² + d λ + ω² = 0.
  const MatrixXd D = modes.transpose() * problem.C(modes);
  const auto alone = [&](long k) {
    const double half = 0.5 * D(k, k);
    const Complex root = std::sqrt(Complex(half * half - square[k], 0.0));
    return root.imag() > 0.0 ? -half + root : Complex(-half + root.real());
  };
  for (long k = 0; k < wanted; ++k) {
    result.eigenvalues[k] = alone(k);
    result.overdamped[k] = square[k] > 0.0 && result.eigenvalues[k].imag() == 0.0;
  }
  // Damping that couples nothing leaves it at that.
  MatrixXd W = modes;
  MatrixXd KW = problem.K(W), CW = problem.C(W), MW = problem.M(W);
  const double size = CW.cwiseAbs().maxCoeff();
  if (!(size > 0.0)) return result;
  const MatrixXd left = CW - MW * D;
  if (left.cwiseAbs().maxCoeff() <= 1e-14 * size &&
      (D - MatrixXd(D.diagonal().asDiagonal())).cwiseAbs().maxCoeff() <= 1e-14 * D.cwiseAbs().maxCoeff())
    return result;

  for (int round = 0; round < rounds; ++round) {
    const Pairs pairs = swinging_pairs(W.transpose() * KW, W.transpose() * CW);
    const std::vector<int> pair_of = assign(pairs);
    // What each pair leaves of the equation, as a force that (K + σM)⁻¹ turns into a motion.
    MatrixXd missing(W.rows(), 0);
    result.residual = 0.0;
    for (long k = 0; k < wanted; ++k) {
      if (!(square[k] > 0.0)) continue;
      result.overdamped[k] = pair_of[k] < 0;
      if (pair_of[k] < 0) continue;
      const Complex lambda = result.eigenvalues[k] = pairs.value[pair_of[k]];
      const Eigen::VectorXcd y = pairs.y.col(pair_of[k]);
      const Eigen::VectorXcd My = MW.cast<Complex>() * y, Cy = CW.cast<Complex>() * y, Ky = KW.cast<Complex>() * y;
      const Eigen::VectorXcd left_over = lambda * lambda * My + lambda * Cy + Ky;
      MatrixXd parts(W.rows(), 2);
      parts << left_over.real(), left_over.imag();
      MatrixXd motion = problem.solve(parts);
      // Its size in the metric of the energy, beside that of the pair.
      const double energy = std::max((motion.transpose() * parts).trace(), 0.0);
      const double residual = std::sqrt(energy) / std::abs(lambda);
      result.residual = std::max(result.residual, residual);
      if (residual <= good) continue;
      missing.conservativeResize(Eigen::NoChange, missing.cols() + 2);
      missing.rightCols(2) = motion;
    }
    if (missing.cols() == 0 || W.cols() + missing.cols() > std::max(widest, modes.cols() + wanted)) break;
    const long before = W.cols();
    extend(problem, W, missing);
    if (W.cols() == before) break;
    const MatrixXd fresh = W.rightCols(W.cols() - before);
    const auto append = [&](MatrixXd& to, const MatrixXd& more) {
      to.conservativeResize(Eigen::NoChange, W.cols());
      to.rightCols(more.cols()) = more;
    };
    append(KW, problem.K(fresh));
    append(CW, problem.C(fresh));
    append(MW, problem.M(fresh));
  }
  // An overdamped mode is told by itself.
  for (long k = 0; k < wanted; ++k)
    if (result.overdamped[k]) result.eigenvalues[k] = alone(k);
  return result;
}

}  // namespace taut
