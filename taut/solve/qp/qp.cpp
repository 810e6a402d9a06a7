#include "taut/solve/qp/qp.h"

#include <algorithm>
#include <cmath>

#include "taut/base/text/enum_name.h"
#include "taut/solve/qp/qp_scratch.h"

namespace taut {

namespace {

constexpr double accurate = 1e-9;  // residuals above this are not called optimal

double largest_entry(const Eigen::VectorXd& v) { return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff(); }

void clear(const Qp& problem, QpSolution& solution) {
  solution.status = QpStatus::invalid;
  solution.x.setZero(problem.q.size());
  solution.y.setZero(problem.A.rows());
  solution.z.setZero(problem.C.rows());
  solution.w.setZero(problem.q.size());
  solution.active.rows.assign(static_cast<std::size_t>(problem.C.rows()), QpSide::none);
  solution.active.bounds.assign(static_cast<std::size_t>(problem.q.size()), QpSide::none);
  solution.objective = solution.stationarity = solution.infeasibility = 0.0;
  solution.iterations = 0;
  solution.conflict.clear();
  solution.direction.resize(0);
  solution.message.clear();
}

// The iterate in the problem's own units.
void unscale(const QpScratch& s, const Qp& problem, QpSolution& solution) {
  // No multiplier has the wrong sign; without an objective all are 0. An x that is nothing but rounding is 0.
  const bool flat = s.curvature == 0.0 && largest_entry(s.q) == 0.0;
  const double free = s.J.rightCols(s.n - s.k).squaredNorm() * qp_gradient_size(s);
  const bool nothing = largest_entry(s.x) <= 4e-16 * free + qp_refined * s.reach;
  if (!nothing) solution.x = s.x.cwiseProduct(s.column_scale);
  for (int j = 0; j < s.k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const int c = s.set[at];
    const bool allowed = !flat && (s.is_fixed(c) || s.multiplier[j] > 0.0);
    const double multiplier = allowed ? s.side[at] * s.multiplier[j] / s.objective_scale : 0.0;
    const QpSide side = s.side[at] > 0.0 ? QpSide::lower : QpSide::upper;
    if (c < s.equalities) {
      solution.y[c] = multiplier * s.row_scale[c];
    } else if (c < s.rows) {
      solution.z[c - s.equalities] = multiplier * s.row_scale[c];
      solution.active.rows[static_cast<std::size_t>(c - s.equalities)] = side;
    } else {
      const int i = c - s.rows;
      solution.w[i] = multiplier / s.column_scale[i];
      solution.x[i] = side == QpSide::lower ? problem.lower[i] : problem.upper[i];
      solution.active.bounds[static_cast<std::size_t>(i)] = side;
    }
  }
}

// Objective and residuals from the problem as it was given.
void judge(const Qp& problem, QpSolution& solution, QpScratch& s) {
  const Eigen::VectorXd& x = solution.x;
  s.residual = problem.q;
  double size = largest_entry(problem.q);
  solution.objective = problem.q.dot(x);
  if (problem.P.size() > 0) {
    s.product.noalias() = problem.P * x;
    solution.objective += 0.5 * x.dot(s.product);
    s.residual += s.product;
    size = std::max(size, problem.P.cwiseAbs().maxCoeff() * largest_entry(x));
  }
  const auto subtract = [&](const Eigen::MatrixXd& rows, const Eigen::VectorXd& multipliers) {
    if (rows.rows() == 0) return;
    s.residual.noalias() -= rows.transpose() * multipliers;
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      size = std::max(size, rows.row(i).cwiseAbs().maxCoeff() * std::abs(multipliers[i]));
  };
  subtract(problem.A, solution.y);
  subtract(problem.C, solution.z);
  s.residual -= solution.w;
  size = std::max(size, largest_entry(solution.w));
  solution.stationarity = size > 0.0 ? largest_entry(s.residual) / size : 0.0;

  const double reach = largest_entry(x);
  const auto violated = [&](double amount, double side, double magnitude) {
    if (amount > 0.0 && std::isfinite(side))
      solution.infeasibility = std::max(solution.infeasibility, amount / (std::abs(side) + magnitude));
  };
  for (Eigen::Index i = 0; i < problem.A.rows(); ++i) {
    const double value = problem.A.row(i).dot(x), magnitude = problem.A.row(i).cwiseAbs().maxCoeff() * reach;
    violated(std::abs(value - problem.b[i]), problem.b[i], magnitude);
  }
  for (Eigen::Index i = 0; i < problem.C.rows(); ++i) {
    const double value = problem.C.row(i).dot(x), magnitude = problem.C.row(i).cwiseAbs().maxCoeff() * reach;
    if (problem.l.size() > 0) violated(problem.l[i] - value, problem.l[i], magnitude);
    if (problem.u.size() > 0) violated(value - problem.u[i], problem.u[i], magnitude);
  }
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (problem.lower.size() > 0) violated(problem.lower[i] - x[i], problem.lower[i], reach);
    if (problem.upper.size() > 0) violated(x[i] - problem.upper[i], problem.upper[i], reach);
  }
}

// The proof of infeasibility in the problem's own units, its largest multiplier 1.
void write_conflict(const QpScratch& s, std::vector<QpConflict>& conflict) {
  const auto write = [&](int c, double side, double factor) {
    const double multiplier = side * factor * (c < s.rows ? s.row_scale[c] : 1.0 / s.column_scale[c - s.rows]);
    const QpSide which = multiplier > 0.0 ? QpSide::lower : QpSide::upper;
    if (c < s.equalities) {
      conflict.push_back({QpKind::equality, c, QpSide::none, multiplier});
    } else if (c < s.rows) {
      conflict.push_back({QpKind::row, c - s.equalities, which, multiplier});
    } else {
      conflict.push_back({QpKind::bound, c - s.rows, which, multiplier});
    }
  };
  write(s.broken, s.broken_side, 1.0);
  for (int j = 0; j < s.k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (s.r[j] != 0.0) write(s.set[at], s.side[at], -s.r[j]);
  }
  double largest = 0.0;
  for (const QpConflict& term : conflict) largest = std::max(largest, std::abs(term.multiplier));
  for (QpConflict& term : conflict) term.multiplier /= largest;
}

QpStatus solve_scaled(QpScratch& s) {
  // Proximal steps, each followed by a move along the working set; where that is slow, with a smaller proximal term.
  for (int pass = 0;; ++pass) {
    const QpInner inner = qp_minimise(s);
    ++s.iterations;
    if (inner == QpInner::infeasible) return QpStatus::infeasible;
    if (inner == QpInner::limit) return QpStatus::iteration_limit;
    const QpOuter outer = qp_polish(s);
    if (outer == QpOuter::optimal) return QpStatus::optimal;
    if (outer == QpOuter::unbounded) return QpStatus::unbounded;
    if (s.iterations >= s.limit) return QpStatus::iteration_limit;
    if (pass % 6 == 5 && s.proximal > 1e-13) qp_soften(s);
  }
}

}  // namespace

std::string_view name(QpStatus status) {
  return enum_name<QpStatus::invalid>(
      status, {"optimal", "infeasible", "unbounded", "iteration limit", "inaccurate", "invalid"});
}

void remember(const QpActiveSet& active, std::span<double> numbers) {
  std::fill(numbers.begin(), numbers.end(), 0.0);
  for (std::size_t i = 0; i < std::min(numbers.size(), active.bounds.size()); ++i)
    numbers[i] = static_cast<double>(active.bounds[i]);
}

void recall(std::span<const double> numbers, QpActiveSet& active) {
  active.bounds.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) active.bounds[i] = static_cast<QpSide>(static_cast<int>(numbers[i]));
}

QpWorkspace::QpWorkspace() : scratch_(std::make_unique<QpScratch>()) {}
QpWorkspace::~QpWorkspace() = default;
QpWorkspace::QpWorkspace(QpWorkspace&&) noexcept = default;
QpWorkspace& QpWorkspace::operator=(QpWorkspace&&) noexcept = default;

void solve_qp(const Qp& problem, QpWorkspace& workspace, QpSolution& solution, const QpOptions& options) {
  QpScratch& s = workspace.scratch();
  std::string message;
  if (qp_is_invalid(problem, message) || !qp_scale(problem, s, message)) {
    clear(problem, solution);
    solution.message = std::move(message);
    return;
  }
  s.limit = options.iteration_limit > 0 ? options.iteration_limit : 20 * (s.n + s.constraints) + 100;
  if (s.n > 0) qp_start(s, options.start);
  clear(problem, solution);
  if (qp_contradicts_itself(problem, solution.conflict)) {
    solution.status = QpStatus::infeasible;
    return;
  }
  solution.status = s.n > 0 ? solve_scaled(s) : QpStatus::optimal;
  solution.iterations = s.iterations;
  if (s.n > 0) unscale(s, problem, solution);
  judge(problem, solution, s);
  if (solution.status == QpStatus::infeasible) write_conflict(s, solution.conflict);
  if (solution.status == QpStatus::unbounded) {
    solution.direction = s.ray.cwiseProduct(s.column_scale);
    solution.direction /= solution.direction.cwiseAbs().maxCoeff();
  }
  const bool exact = solution.stationarity <= accurate && solution.infeasibility <= accurate;
  if (solution.status == QpStatus::optimal && !(exact && std::isfinite(solution.objective)))
    solution.status = QpStatus::inaccurate;
  if (!solution.x.allFinite()) solution.x.setZero();
}

QpSolution solve_qp(const Qp& problem, const QpOptions& options) {
  QpWorkspace workspace;
  QpSolution solution;
  solve_qp(problem, workspace, solution, options);
  return solution;
}

}  // namespace taut
