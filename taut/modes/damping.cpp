#include "taut/modes/damping.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <tuple>

#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Complex = std::complex<double>;

constexpr double small_residual = 1e-10;  // residual at which a pair counts as found
constexpr long widest = 400;              // of the space, unless more modes are given
constexpr int rounds = 12;

// All that is damped on the space W: one value of each kind, y in the coordinates of W. What swings is the λ with
// Im λ > 0 of a pair. Of the real ones half are slow and half are fast: those of one mode alone are the two roots of
// λ² + d λ + ω², on either side of -d/2, so that yᵀ(2λ + C)y is positive for the slow one. It keeps its sign where
// modes are coupled, and as many have either.
struct Damped {
  std::vector<Complex> value;
  std::vector<char> swings;
  Eigen::MatrixXcd y;
};

Damped damped_values(const MatrixXd& K, const MatrixXd& C) {
  const long p = K.rows();
  MatrixXd A = MatrixXd::Zero(2 * p, 2 * p);
  A.topRightCorner(p, p).setIdentity();
  A.bottomLeftCorner(p, p) = -K;
  A.bottomRightCorner(p, p) = -C;
  // Displacements and velocities on one scale.
  const double scale = std::sqrt(std::max(K.cwiseAbs().maxCoeff(), 1e-300));
  A.topRightCorner(p, p) *= scale;
  A.bottomLeftCorner(p, p) /= scale;
  const GeneralEigen solver = general_eigen(A);
  const Eigen::VectorXcd& values = solver.values;
  const Eigen::MatrixXcd vectors = solver.vectors.topRows(p).colwise().normalized();
  // Equal real values part into a pair by rounding.
  std::vector<long> swinging;
  std::vector<std::pair<double, long>> real;
  for (long i = 0; i < 2 * p; ++i) {
    if (std::abs(values[i].imag()) > 1e-7 * std::abs(values[i])) {
      if (values[i].imag() > 0.0) swinging.push_back(i);
      continue;
    }
    const VectorXd y = vectors.col(i).real();
    const double middle = y.dot(C * y) / y.squaredNorm(), twice = 2.0 * values[i].real();
    real.emplace_back((twice + middle) / std::max(std::abs(twice) + std::abs(middle), 1e-300), i);
  }
  std::sort(real.begin(), real.end(), std::greater<>());
  Damped damped;
  damped.y.resize(p, static_cast<long>(swinging.size() + real.size() / 2));
  const auto take = [&](long i, bool swings) {
    damped.y.col(static_cast<long>(damped.value.size())) = vectors.col(i);
    damped.value.push_back(swings ? values[i] : Complex(values[i].real()));
    damped.swings.push_back(swings);
  };
  for (const long i : swinging) take(i, true);
  for (std::size_t k = 0; k < real.size() / 2; ++k) take(real[k].second, false);
  return damped;
}

// For each column of W the value whose y is mostly it; every value goes to one.
std::vector<int> assign(const Damped& damped) {
  std::vector<std::tuple<double, int, int>> shares;  // share, column, value
  for (long j = 0; j < damped.y.cols(); ++j)
    for (long i = 0; i < damped.y.rows(); ++i)
      shares.emplace_back(std::norm(damped.y(i, j)), static_cast<int>(i), static_cast<int>(j));
  std::sort(shares.begin(), shares.end(), std::greater<>());
  std::vector<int> value_of(damped.y.rows(), -1), column_of(damped.y.cols(), -1);
  for (const auto& [share, i, j] : shares)
    if (value_of[i] < 0 && column_of[j] < 0) value_of[i] = j, column_of[j] = i;
  return value_of;
}

// Adds the columns to W, orthonormal in M; those that are in it already fall away.
void extend(const QuadraticProblem& problem, MatrixXd& W, const MatrixXd& columns) {
  for (long j = 0; j < columns.cols(); ++j) {
    VectorXd w = columns.col(j);
    const double before = std::sqrt(std::max(w.dot(VectorXd(problem.M(w))), 0.0));
    for (int sweep = 0; sweep < 2; ++sweep) w -= W * (W.transpose() * VectorXd(problem.M(w)));
    const double after = std::sqrt(std::max(w.dot(VectorXd(problem.M(w))), 0.0));
    if (!(after > 1e-7 * before) || !std::isfinite(after)) continue;
    w /= after;
    if (problem.back) {
      w = problem.back(w);
      w -= W * (W.transpose() * VectorXd(problem.M(w)));
      const double size = std::sqrt(std::max(w.dot(VectorXd(problem.M(w))), 0.0));
      if (!(size > 0.5) || !std::isfinite(size)) continue;  // it was rounding
      w /= size;
    }
    W.conservativeResize(Eigen::NoChange, W.cols() + 1);
    W.col(W.cols() - 1) = w;
  }
}

}  // namespace

DampedModes damped_modes(const QuadraticProblem& problem, const MatrixXd& modes, const VectorXd& square, long wanted) {
  DampedModes result;
  result.eigenvalues = Eigen::VectorXcd::Zero(wanted);
  result.overdamped.assign(wanted, 0);
  // A mode by itself: λ² + d λ + ω² = 0; of two real roots the slower, or the one that grows.
  const MatrixXd D = modes.transpose() * problem.C(modes);
  const auto alone = [&](long k) {
    const double half = 0.5 * D(k, k), under = half * half - square[k];
    if (under < 0.0) return Complex(0.0 - half, std::sqrt(-under));
    const double far = half + std::sqrt(under);
    return Complex(far > 0.0 ? 0.0 - square[k] / far : -half + std::sqrt(under));
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
    const Damped damped = damped_values(W.transpose() * KW, W.transpose() * CW);
    const std::vector<int> value_of = assign(damped);
    // What each pair leaves of the equation, as a force that (K + σM)⁻¹ turns into a motion.
    MatrixXd missing(W.rows(), 0);
    result.residual = 0.0;
    for (long k = 0; k < wanted; ++k) {
      // What has no frequency has the root 0.
      const int at = value_of[k];
      if (square[k] == 0.0 || at < 0 || (square[k] < 0.0 && damped.swings[at])) continue;
      result.overdamped[k] = square[k] > 0.0 && !damped.swings[at];
      const Complex lambda = result.eigenvalues[k] = damped.value[at];
      const Eigen::VectorXcd y = damped.y.col(at);
      const Eigen::VectorXcd My = MW.cast<Complex>() * y, Cy = CW.cast<Complex>() * y, Ky = KW.cast<Complex>() * y;
      const Eigen::VectorXcd left_over = lambda * lambda * My + lambda * Cy + Ky;
      MatrixXd parts(W.rows(), 2);
      parts << left_over.real(), left_over.imag();
      MatrixXd motion = problem.solve(parts);
      // Its size in the metric of the energy, beside that of the pair.
      const double energy = std::max((motion.transpose() * parts).trace(), 0.0);
      const double residual = std::sqrt(energy) / std::max(std::abs(lambda), std::sqrt(std::abs(square[k])));
      result.residual = std::max(result.residual, residual);
      if (residual <= small_residual) continue;
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
  return result;
}

}  // namespace taut
