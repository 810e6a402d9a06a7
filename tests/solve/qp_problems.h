// Random convex programmes for the tests of the QP solver, and checks of an answer that use only its definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "taut/solve/qp/qp.h"

namespace taut::testing {

constexpr double infinity = std::numeric_limits<double>::infinity();

enum class Curvature { definite, semidefinite, none };

struct ProblemKind {
  Curvature curvature = Curvature::definite;
  int variables = 6, equalities = 1, rows = 8;
  bool integers = false;  // small integers: degenerate corners, repeated and dependent rows, multipliers of 0
  bool feasible = true;   // sides are set around a point that satisfies them all
  double scale = 0.0;     // rows are multiplied by 10^(−scale ... scale)
};

inline Eigen::VectorXd side_or(const Eigen::VectorXd& sides, Eigen::Index size, double infinite) {
  return sides.size() > 0 ? sides : Eigen::VectorXd::Constant(size, infinite);
}

inline Qp random_problem(const ProblemKind& kind, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto chance = [&](double p) { return std::uniform_real_distribution<double>()(random) < p; };
  const auto number = [&] { return kind.integers ? std::round(1.2 * normal(random)) : normal(random); };
  const auto matrix = [&](int rows, int columns) {
    return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(rows, columns, [&](auto, auto) { return number(); }));
  };
  const int n = kind.variables;
  Qp qp;
  qp.q = 3.0 * matrix(n, 1);
  const int rank = kind.curvature == Curvature::definite       ? n
                   : kind.curvature == Curvature::semidefinite ? std::uniform_int_distribution<int>(1, n)(random)
                                                               : 0;
  const Eigen::MatrixXd root = matrix(n, rank);
  if (rank > 0) qp.P = root * root.transpose();
  if (kind.curvature == Curvature::definite) qp.P.diagonal().array() += kind.integers ? 1.0 : 0.1;
  const Eigen::VectorXd inner = matrix(n, 1);

  qp.A = matrix(kind.equalities, n);
  if (kind.equalities > 1 && kind.integers && chance(0.5)) qp.A.row(1) = 2.0 * qp.A.row(0);
  qp.b = kind.feasible || chance(0.7) ? Eigen::VectorXd(qp.A * inner) : Eigen::VectorXd(matrix(kind.equalities, 1));

  // Two-sided, one-sided and equal sides; small integers repeat rows and their sums.
  qp.C = matrix(kind.rows, n);
  if (kind.integers && kind.rows > 3) {
    if (chance(0.3)) qp.C.row(1) = qp.C.row(0);
    if (chance(0.3)) qp.C.row(2) = -qp.C.row(0);
    if (chance(0.3)) qp.C.row(3) = qp.C.row(0) + qp.C.row(1);
    if (chance(0.1)) qp.C.row(0).setZero();
  }
  const auto sides = [&](const Eigen::VectorXd& middle, Eigen::VectorXd& lower, Eigen::VectorXd& upper) {
    lower = upper = middle;
    for (Eigen::Index i = 0; i < middle.size(); ++i) {
      const double shift = kind.feasible ? 0.0 : number();
      lower[i] += shift - (kind.integers && chance(0.4) ? 0.0 : std::abs(number()));
      upper[i] += shift + (kind.integers && chance(0.4) ? 0.0 : std::abs(number()));
      if (chance(0.3)) lower[i] = -infinity;
      if (chance(0.3)) upper[i] = infinity;
    }
  };
  sides(qp.C * inner, qp.l, qp.u);
  sides(inner, qp.lower, qp.upper);
  for (int i = 0; i < kind.rows && kind.scale > 0.0; ++i) {
    const double factor = std::pow(10.0, std::uniform_real_distribution<double>(-kind.scale, kind.scale)(random));
    qp.C.row(i) *= factor;
    qp.l[i] *= factor;
    qp.u[i] *= factor;
  }
  return qp;
}

// The largest violation of the optimality conditions, each relative to the magnitude of its terms; infinite where a
// multiplier has the wrong sign or stands on a side that is not reached.
inline double optimality_error(const Qp& qp, const QpSolution& s) {
  const Eigen::Index n = qp.q.size();
  if (!s.x.allFinite() || !s.y.allFinite() || !s.z.allFinite() || !s.w.allFinite()) return infinity;
  Eigen::VectorXd rest = qp.q - s.w;
  if (qp.P.size() > 0) rest += qp.P * s.x;
  if (qp.C.rows() > 0) rest -= qp.C.transpose() * s.z;
  if (qp.A.rows() > 0) rest -= qp.A.transpose() * s.y;
  double size = std::max({qp.q.cwiseAbs().maxCoeff(), s.w.cwiseAbs().maxCoeff(), 1e-300});
  if (qp.C.rows() > 0) size = std::max(size, (s.z.asDiagonal() * qp.C).cwiseAbs().maxCoeff());
  if (qp.A.rows() > 0) size = std::max(size, (s.y.asDiagonal() * qp.A).cwiseAbs().maxCoeff());
  if (qp.P.size() > 0) size = std::max(size, qp.P.cwiseAbs().maxCoeff() * s.x.cwiseAbs().maxCoeff());
  double error = rest.cwiseAbs().maxCoeff() / size;

  const double reach = s.x.cwiseAbs().maxCoeff();
  const auto check = [&](double value, double entry, double lower, double upper, double multiplier) {
    const double scale = entry * reach + (std::isfinite(lower) ? std::abs(lower) : 0.0) +
                         (std::isfinite(upper) ? std::abs(upper) : 0.0) + 1e-300;
    error = std::max({error, (lower - value) / scale, (value - upper) / scale});
    if (multiplier > 0.0) error = std::max(error, std::abs(value - lower) / scale);
    if (multiplier < 0.0) error = std::max(error, std::abs(value - upper) / scale);
  };
  for (Eigen::Index i = 0; i < qp.A.rows(); ++i)
    check(qp.A.row(i).dot(s.x), qp.A.row(i).cwiseAbs().maxCoeff(), qp.b[i], qp.b[i], s.y[i]);
  const Eigen::VectorXd l = side_or(qp.l, qp.C.rows(), -infinity), u = side_or(qp.u, qp.C.rows(), infinity);
  for (Eigen::Index i = 0; i < qp.C.rows(); ++i)
    check(qp.C.row(i).dot(s.x), qp.C.row(i).cwiseAbs().maxCoeff(), l[i], u[i], s.z[i]);
  const Eigen::VectorXd lower = side_or(qp.lower, n, -infinity), upper = side_or(qp.upper, n, infinity);
  for (Eigen::Index i = 0; i < n; ++i) check(s.x[i], 1.0, lower[i], upper[i], s.w[i]);
  return error;
}

// Farkas: how far the proof's normals are from adding up to 0, over the sum of their magnitudes; infinite where it
// proves nothing (no gap between the sides, or a multiplier of the wrong sign).
inline double conflict_error(const Qp& qp, const QpSolution& s) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(qp.q.size());
  double gap = 0.0, size = 0.0;
  for (const QpConflict& term : s.conflict) {
    const Eigen::Index i = term.index;
    if (term.kind != QpKind::equality && (term.multiplier > 0.0) != (term.side == QpSide::lower)) return infinity;
    const bool lower = term.side == QpSide::lower;
    if (term.kind == QpKind::equality) {
      sum += term.multiplier * qp.A.row(i).transpose();
      gap += term.multiplier * qp.b[i];
      size += std::abs(term.multiplier) * qp.A.row(i).cwiseAbs().maxCoeff();
    } else if (term.kind == QpKind::row) {
      sum += term.multiplier * qp.C.row(i).transpose();
      gap += term.multiplier * (lower ? qp.l[i] : qp.u[i]);
      size += std::abs(term.multiplier) * qp.C.row(i).cwiseAbs().maxCoeff();
    } else {
      sum[i] += term.multiplier;
      gap += term.multiplier * (lower ? qp.lower[i] : qp.upper[i]);
      size += std::abs(term.multiplier);
    }
  }
  if (!(gap > 0.0) || !std::isfinite(gap)) return infinity;
  return size > 0.0 ? sum.cwiseAbs().maxCoeff() / size : 0.0;
}

// A ray that leads down for ever: the largest violation of P d = 0 and of the constraints' recession, |d| = 1.
inline double ray_error(const Qp& qp, const QpSolution& s) {
  const Eigen::VectorXd& d = s.direction;
  if (d.size() != qp.q.size() || !(qp.q.dot(d) < 0.0)) return infinity;
  double error = 0.0;
  if (qp.P.size() > 0) error = (qp.P * d).cwiseAbs().maxCoeff() / (qp.P.cwiseAbs().maxCoeff() + 1e-300);
  const auto check = [&](double rate, double magnitude, double lower, double upper) {
    if (std::isfinite(lower)) error = std::max(error, -rate / (magnitude + 1e-300));
    if (std::isfinite(upper)) error = std::max(error, rate / (magnitude + 1e-300));
  };
  for (Eigen::Index i = 0; i < qp.A.rows(); ++i) check(qp.A.row(i).dot(d), qp.A.row(i).cwiseAbs().sum(), 0.0, 0.0);
  for (Eigen::Index i = 0; i < qp.C.rows(); ++i)
    check(qp.C.row(i).dot(d), qp.C.row(i).cwiseAbs().sum(), qp.l[i], qp.u[i]);
  for (Eigen::Index i = 0; i < d.size(); ++i) check(d[i], 1.0, qp.lower[i], qp.upper[i]);
  return error;
}

}  // namespace taut::testing
