#include "taut/statics/forces.h"

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/tolerances.h"
#include "taut/solve/qp/qp.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Choice {
 public:
  explicit Choice(const ForceProblem& problem)
      : p_(problem), members_(static_cast<long>(problem.rows->members.size())), states_(problem.self_stress->cols()) {
    for (long i = 0; i < members_; ++i) {
      for (double side : {p_.least[i], p_.most[i]})
        if (std::isfinite(side)) scale_ = std::max(scale_, std::abs(side));
      scale_ = std::max(scale_, std::abs(p_.balance[i]));
    }
    if (!(scale_ > 0.0)) scale_ = 1.0;
    kept_.assign(members_, 1);
  }

  ForceAnswer answer() {
    ForceAnswer result;
    QpSolution solution = solve();
    result.feasible = solved(solution);
    result.conflict = members_of(solution.conflict);
    if (!result.feasible) solution = relaxed(std::move(solution));
    result.forces = forces_of(solution);
    for (int i = 0; i < members_; ++i)
      if (out_of_bounds(result.forces, i)) result.offending.push_back(i);
    if (result.feasible) result.offending.clear();
    return result;
  }

 private:
  static bool solved(const QpSolution& s) {
    return s.status == QpStatus::optimal ||
           (s.status == QpStatus::inaccurate && s.stationarity < 1e-7 && s.infeasibility < 1e-8);
  }

  bool bounded(long i) const { return kept_[i] && (std::isfinite(p_.least[i]) || std::isfinite(p_.most[i])); }

  bool out_of_bounds(const VectorXd& forces, int i) const {
    const double slip = no_force * std::max(scale_, forces.head(members_).cwiseAbs().maxCoeff());
    return forces[i] < p_.least[i] - slip || forces[i] > p_.most[i] + slip;
  }

  bool by_largest() const { return p_.choice == ForceChoice::bounded; }

  // In units of the scale: variables c, and the largest force where that is what counts.
  Qp objective() const {
    const long n = states_ + by_largest();
    Qp qp;
    qp.q = VectorXd::Zero(n);
    if (p_.choice == ForceChoice::least_norm) {
      qp.P = MatrixXd::Identity(n, n);
      qp.q = p_.self_stress->topRows(members_).transpose() * p_.balance.head(members_) / scale_;
    } else if (by_largest()) {
      qp.q[n - 1] = 1.0;
    } else {
      for (int i = 0; i < members_; ++i)
        if (p_.rows->members[i].cable >= 0) qp.q += p_.self_stress->row(i).transpose();
    }
    return qp;
  }

  // The bounds of member i.
  void set_bounds(int i, long row, Qp& qp) const {
    qp.C.row(row).head(states_) = p_.self_stress->row(i);
    qp.l[row] = (p_.least[i] - p_.balance[i]) / scale_;
    qp.u[row] = (p_.most[i] - p_.balance[i]) / scale_;
    // What no self-stress reaches must fit by itself, up to rounding.
    if (!(p_.self_stress->row(i).norm() > no_force)) {
      qp.C.row(row).setZero();
      if (std::abs(qp.l[row]) <= no_force) qp.l[row] = 0.0;
      if (std::abs(qp.u[row]) <= no_force) qp.u[row] = 0.0;
    }
  }

  QpSolution solve() {
    Qp qp = objective();
    const long n = qp.q.size();
    of_row_.clear();
    for (int i = 0; i < members_; ++i)
      if (bounded(i)) of_row_.push_back(i);
    const long sides = static_cast<long>(of_row_.size()), cuts = p_.cuts.rows();
    const long rows = sides + cuts + (by_largest() ? 2 * members_ : 0);
    qp.C = MatrixXd::Zero(rows, n);
    qp.l = VectorXd::Constant(rows, -INFINITY);
    qp.u = VectorXd::Constant(rows, INFINITY);
    for (long k = 0; k < sides; ++k) set_bounds(of_row_[k], k, qp);
    if (cuts > 0) {
      qp.C.block(sides, 0, cuts, states_) = p_.cuts;
      qp.l.segment(sides, cuts) = p_.cut_least / scale_;
    }
    for (long i = 0; by_largest() && i < members_; ++i)
      for (long side : {0, 1}) {
        const long row = sides + cuts + 2 * i + side;
        qp.C.row(row).head(states_) = (side == 0 ? 1.0 : -1.0) * p_.self_stress->row(i);
        qp.C(row, n - 1) = 1.0;
        qp.l[row] = (side == 0 ? -1.0 : 1.0) * p_.balance[i] / scale_;
      }
    return solve_qp(qp);
  }

  VectorXd forces_of(const QpSolution& solution) const {
    VectorXd forces = p_.balance;
    if (solution.x.size() >= states_ && solution.x.allFinite())
      forces += scale_ * (*p_.self_stress * solution.x.head(states_));
    return forces;
  }

  std::vector<int> members_of(const std::vector<QpConflict>& conflict) const {
    std::vector<int> members;
    for (const QpConflict& c : conflict)
      if (c.kind == QpKind::row && c.index < static_cast<int>(of_row_.size())) members.push_back(of_row_[c.index]);
    std::sort(members.begin(), members.end());
    return members;
  }

  // With one state: the sense that leaves fewer members out of their bounds. Else bounds in conflict are given up one
  // by one, those that weigh most first.
  QpSolution relaxed(QpSolution solution) {
    if (states_ == 1 && p_.balance.head(members_).isZero(0.0)) {
      const VectorXd state = p_.self_stress->col(0).head(members_);
      const auto wrong = [&](double sign) {
        long count = 0;
        for (long i = 0; i < members_; ++i)
          count += sign * state[i] < -no_force * state.cwiseAbs().maxCoeff() && p_.least[i] >= 0.0;
        return count;
      };
      double reach = 0.0;
      const double sign = wrong(1.0) <= wrong(-1.0) ? 1.0 : -1.0;
      for (long i = 0; i < members_; ++i)
        if (sign * state[i] > no_force && std::isfinite(p_.least[i]))
          reach = std::max(reach, p_.least[i] / (sign * state[i]));
      solution.x = VectorXd::Constant(1, sign * (reach > 0.0 ? reach : 1.0) / scale_);
      return solution;
    }
    for (long pass = 0; pass < members_ && solution.status == QpStatus::infeasible; ++pass) {
      int worst = -1;
      double weight = 0.0;
      for (const QpConflict& c : solution.conflict)
        if (c.kind == QpKind::row && c.index < static_cast<int>(of_row_.size()) && std::abs(c.multiplier) > weight)
          worst = of_row_[c.index], weight = std::abs(c.multiplier);
      if (worst < 0) break;
      kept_[worst] = 0;
      solution = solve();
    }
    return solution;
  }

  const ForceProblem& p_;
  long members_, states_;
  double scale_ = 0.0;
  std::vector<char> kept_;   // members whose bounds still count
  std::vector<int> of_row_;  // member of each of the first rows
};

}  // namespace

ForceAnswer choose_forces(const ForceProblem& problem) {
  if (problem.self_stress->cols() > 0) return Choice(problem).answer();
  // Nothing to choose.
  ForceAnswer result;
  result.forces = problem.balance;
  const long members = static_cast<long>(problem.rows->members.size());
  const double scale = members > 0 ? problem.balance.head(members).cwiseAbs().maxCoeff() : 0.0;
  for (int i = 0; i < members; ++i) {
    const double slip = no_force * std::max(scale, std::isfinite(problem.least[i]) ? std::abs(problem.least[i]) : 0.0);
    if (result.forces[i] < problem.least[i] - slip || result.forces[i] > problem.most[i] + slip)
      result.offending.push_back(i);
  }
  // Each alone cannot be.
  if (!result.offending.empty()) result.conflict = {result.offending.front()};
  result.feasible = result.offending.empty();
  return result;
}

}  // namespace taut
