#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/solve/qp/qp_scratch.h"

namespace taut {

namespace {

bool wrong_size(Eigen::Index size, Eigen::Index expected, const char* what, std::string& message) {
  if (size == expected) return false;
  message = fmt::format("{} has {} entries, expected {}", what, size, expected);
  return true;
}

// Numbers: finite and of a size that can be squared.
bool wild(const double* entries, Eigen::Index size, const char* what, std::string& message) {
  for (Eigen::Index i = 0; i < size; ++i) {
    if (std::abs(entries[i]) <= qp_largest) continue;
    message = fmt::format("{} contains {}, expected numbers of magnitude {:g} at most", what, entries[i], qp_largest);
    return true;
  }
  return false;
}

// Sides may be infinite, but not on the wrong side.
bool wild_side(const Eigen::VectorXd& sides, double forbidden, const char* what, std::string& message) {
  for (const double side : sides) {
    if (!std::isnan(side) && !(std::abs(side) >= qp_largest && (side > 0.0) == (forbidden > 0.0))) continue;
    message = fmt::format("{} contains {}, expected a number or {}", what, side, -forbidden);
    return true;
  }
  return false;
}

}  // namespace

bool qp_is_invalid(const Qp& problem, std::string& message) {
  const Eigen::Index n = problem.q.size(), rows = problem.C.rows();
  const auto wrong_columns = [&](const Eigen::MatrixXd& m, const char* what) {
    if (m.rows() == 0 || m.cols() == n) return false;
    message = fmt::format("{} has {} columns, expected {} (one for each entry of q)", what, m.cols(), n);
    return true;
  };
  if (problem.P.size() > 0 && (problem.P.rows() != n || problem.P.cols() != n)) {
    message = fmt::format("P is {} × {}, expected {} × {}", problem.P.rows(), problem.P.cols(), n, n);
    return true;
  }
  if (wrong_columns(problem.A, "A") || wrong_columns(problem.C, "C")) return true;
  if (wrong_size(problem.b.size(), problem.A.rows(), "b", message)) return true;
  if (problem.l.size() > 0 && wrong_size(problem.l.size(), rows, "l", message)) return true;
  if (problem.u.size() > 0 && wrong_size(problem.u.size(), rows, "u", message)) return true;
  if (problem.lower.size() > 0 && wrong_size(problem.lower.size(), n, "lower", message)) return true;
  if (problem.upper.size() > 0 && wrong_size(problem.upper.size(), n, "upper", message)) return true;

  const auto wild_numbers = [&](const auto& m, const char* what) { return wild(m.data(), m.size(), what, message); };
  return wild_numbers(problem.P, "P") || wild_numbers(problem.q, "q") || wild_numbers(problem.A, "A") ||
         wild_numbers(problem.b, "b") || wild_numbers(problem.C, "C") ||
         wild_side(problem.l, qp_infinity, "l", message) || wild_side(problem.u, -qp_infinity, "u", message) ||
         wild_side(problem.lower, qp_infinity, "lower", message) ||
         wild_side(problem.upper, -qp_infinity, "upper", message);
}

bool qp_contradicts_itself(const Qp& problem, std::vector<QpConflict>& conflict) {
  const auto crossed = [&](QpKind kind, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
    for (Eigen::Index i = 0; i < std::min(lower.size(), upper.size()); ++i) {
      if (!(lower[i] - upper[i] > qp_feasible * std::max(std::abs(lower[i]), std::abs(upper[i])))) continue;
      const int index = static_cast<int>(i);
      conflict = {{kind, index, QpSide::lower, 1.0}, {kind, index, QpSide::upper, -1.0}};
      return true;
    }
    return false;
  };
  // A row of zeros holds for every x or for none.
  const auto unmet = [&](QpKind kind, const Eigen::MatrixXd& m, const Eigen::VectorXd& lo, const Eigen::VectorXd& up) {
    for (Eigen::Index i = 0; i < m.rows(); ++i) {
      if (m.cols() > 0 && m.row(i).cwiseAbs().maxCoeff() > 0.0) continue;
      const bool below = lo.size() > 0 && lo[i] > 0.0, above = up.size() > 0 && up[i] < 0.0;
      if (!below && !above) continue;
      const QpSide side = kind == QpKind::equality ? QpSide::none : below ? QpSide::lower : QpSide::upper;
      conflict = {{kind, static_cast<int>(i), side, below ? 1.0 : -1.0}};
      return true;
    }
    return false;
  };
  return crossed(QpKind::row, problem.l, problem.u) || crossed(QpKind::bound, problem.lower, problem.upper) ||
         unmet(QpKind::equality, problem.A, problem.b, problem.b) ||
         unmet(QpKind::row, problem.C, problem.l, problem.u);
}

}  // namespace taut
