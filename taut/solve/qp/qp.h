// Convex quadratic programmes, dense and small (a handful to some hundreds of variables).
//
//   minimise  ½ xᵀP x + qᵀx   subject to   A x = b,   l ≤ C x ≤ u,   lower ≤ x ≤ upper
//
// P is symmetric and positive semi-definite; P = 0 makes it a linear programme. Sides may be ±infinity (as
// are those beyond 1e100); l = u and lower = upper hold as equalities. At the solution, with one multiplier for each
// constraint,
//
//   P x + q = Aᵀ y + Cᵀ z + w,    z_i ≥ 0 where C x = l,   z_i ≤ 0 where C x = u,   z_i = 0 in between,   w alike,
//
// so that a multiplier is ∂(objective)/∂(right-hand side): what it would cost to raise that b, l, u or bound by one.
//
// The method is a dual active set (Goldfarb and Idnani), which cannot cycle on degenerate problems and whose failure is
// a smallest set of constraints in conflict; around it, where P is singular or nearly so, proximal-point steps that a
// solution on the working set ends exactly. See docs/theory/qp.md.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Whatever does not occur may stay empty: P (then 0), A and b, C with l and u, either of l and u, lower, upper.
struct Qp {
  Eigen::MatrixXd P;             // n × n
  Eigen::VectorXd q;             // n: sets the number of variables
  Eigen::MatrixXd A;             // equalities × n
  Eigen::VectorXd b;             // equalities
  Eigen::MatrixXd C;             // rows × n
  Eigen::VectorXd l, u;          // rows
  Eigen::VectorXd lower, upper;  // n: bounds of the variables
};

enum class QpStatus {
  optimal,          // residuals as QpSolution says, 1e-9 or better
  infeasible,       // `conflict` says which constraints exclude each other
  unbounded,        // `direction` leads down for ever
  iteration_limit,  // x is the last iterate, in general not feasible
  inaccurate,       // finished, but the residuals are above 1e-9: the problem is too ill-conditioned
  invalid           // sizes, NaN, or P not convex: `message` says which
};
std::string_view name(QpStatus status);

enum class QpSide : signed char { none = 0, lower = 1, upper = -1 };
enum class QpKind : signed char { equality, row, bound };

// Which inequalities hold with equality and count in the solution (linearly independent, multipliers may be 0).
struct QpActiveSet {
  std::vector<QpSide> rows, bounds;  // of C and of the variables
};

// The bounds of an active set as numbers to be kept, and back: 1 lower, -1 upper, 0 none; rows are left out.
void remember(const QpActiveSet& active, std::span<double> numbers);
void recall(std::span<const double> numbers, QpActiveSet& active);

// One term of a proof that no x exists: Σ multiplier · (row of A or C, or unit vector) = 0, while
// Σ multiplier · (right-hand side: b, or the side named) > 0. Multipliers are ≥ 0 on lower, ≤ 0 on upper sides; the
// largest is 1 in magnitude. The set is minimal: without any one of them the others could be met.
struct QpConflict {
  QpKind kind = QpKind::row;
  int index = 0;
  QpSide side = QpSide::none;  // none for an equality
  double multiplier = 0.0;
};

struct QpSolution {
  QpStatus status = QpStatus::invalid;
  Eigen::VectorXd x;
  Eigen::VectorXd y, z, w;  // multipliers of equalities, rows, bounds
  double objective = 0.0;
  QpActiveSet active;
  int iterations = 0;          // constraints taken into or out of the working set, and passes over all of them
  double stationarity = 0.0;   // largest |P x + q − Aᵀy − Cᵀz − w| over its largest term (entry times entry)
  double infeasibility = 0.0;  // largest violation over |side| + (largest entry of the row)·(largest |x_i|)
  std::vector<QpConflict> conflict;  // infeasible only
  Eigen::VectorXd direction;         // unbounded only: P d = 0, qᵀd < 0, no constraint is ever left; largest entry 1
  std::string message;               // invalid only
};

struct QpOptions {
  int iteration_limit = 0;             // 0: 20 times the number of variables and constraints, and 100
  const QpActiveSet* start = nullptr;  // warm start; sizes that do not fit are ignored
};

// Scratch that keeps its size: solving again with as many variables and constraints allocates nothing.
struct QpScratch;
class QpWorkspace {
 public:
  QpWorkspace();
  ~QpWorkspace();
  QpWorkspace(QpWorkspace&&) noexcept;
  QpWorkspace& operator=(QpWorkspace&&) noexcept;
  QpScratch& scratch() { return *scratch_; }

 private:
  std::unique_ptr<QpScratch> scratch_;
};

// Throws nothing for any input; the status says how it ended. `options.start` may point into `solution.active`.
void solve_qp(const Qp& problem, QpWorkspace& workspace, QpSolution& solution, const QpOptions& options = {});
QpSolution solve_qp(const Qp& problem, const QpOptions& options = {});

}  // namespace taut
