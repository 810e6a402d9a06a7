#include "taut/equilibrium/force_balance.h"

#include <cmath>

#include "taut/equilibrium/members.h"

namespace taut {

ForceBalance::ForceBalance(const Model& model, const std::vector<WantedTension>& wanted,
                           const std::vector<char>& derived)
    : model_(model), wanted_tensions_(wanted), statics_(model), derived_(derived) {
  for (int s = 0; s < cables().slots(); ++s) {
    const int p = cables().piece_begin(s);
    if (cables().piece_a(p) != cables().piece_b(p) || cables().piece_end(s) > p + 1) slots_.push_back(s);
  }
  column_of_slot_.assign(cables().slots(), -1);
  for (int k = 0; k < forces(); ++k) column_of_slot_[slots_[k]] = k;
  unknown_of_.assign(3 * model.nodes.size(), -1);
  for (int i = 0; i < unknowns(); ++i) unknown_of_[statics_.unknowns()[i]] = i;
  measure_scales();
}

void ForceBalance::measure_scales() {
  if (const double length = mean_piece_length(model_, positions(model_)); length > 0.0) length_ = length;
  double sum = 0.0;
  for (const WantedTension& t : wanted_tensions_) sum += std::abs(t.tension);
  if (sum > 0.0) force_ = sum / static_cast<double>(wanted_tensions_.size());
}

// G at x.
void ForceBalance::refresh(const Eigen::VectorXd& x) {
  statics_.net_force(x);
  jacobian_ = statics_.jacobian_values();
}

// Calls add(member, node a, node b, direction from a to b, length) for every straight piece.
template <typename Add>
void ForceBalance::each_direction(const Eigen::VectorXd& x, const Add& add) const {
  for (int k = 0; k < forces(); ++k)
    for (int p = cables().piece_begin(slots_[k]); p < cables().piece_end(slots_[k]); ++p) {
      const int a = cables().piece_a(p), b = cables().piece_b(p);
      const Vec3 d = x.segment<3>(3 * b) - x.segment<3>(3 * a);
      const double l = d.norm();
      if (l > 0.0) add(k, a, b, Vec3(d / l), l);
    }
}

Eigen::VectorXd ForceBalance::imbalance(const Candidate& at) {
  refresh(at.x);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(at.x.size());
  for (std::size_t i = 0; i < model_.nodes.size(); ++i) r.segment<3>(3 * static_cast<long>(i)) = statics_.external()[i];
  each_direction(at.x, [&](int k, int a, int b, const Vec3& u, double) {
    r.segment<3>(3 * a) += at.tension[k] * u;
    r.segment<3>(3 * b) -= at.tension[k] * u;
  });
  Eigen::VectorXd on_unknowns(unknowns());
  for (int i = 0; i < unknowns(); ++i) on_unknowns[i] = r[statics_.unknowns()[i]];
  const auto& pattern = statics_.jacobian_pattern();
  for (std::size_t k = 0; k < pattern.size(); ++k)
    on_unknowns[pattern[k].column] -= jacobian_[k] * at.multiplier[pattern[k].row];
  return on_unknowns / force_;
}

void ForceBalance::add_wanted_tensions(int first, EqualityQp& qp, std::vector<double>& right) const {
  for (const WantedTension& wanted : wanted_tensions_) {
    const double share = wanted.mean ? 1.0 / static_cast<double>(wanted.cables.size()) : 1.0;
    for (std::size_t k = 0; k < wanted.cables.size(); ++k) {
      if (k == 0 || !wanted.mean) right.push_back(wanted.tension / force_);
      qp.jacobian.push_back({static_cast<int>(right.size()) - 1, first + column_of_cable(wanted.cables[k]), share});
    }
  }
}

void ForceBalance::add_held(int first, EqualityQp& qp, std::vector<double>& right) const {
  for (int cable : held_) {
    qp.jacobian.push_back({static_cast<int>(right.size()), first + column_of_cable(cable), 1.0});
    right.push_back(held_tension_ / force_);
  }
}

void ForceBalance::hold(const std::vector<int>& cables_to_hold, double tension) {
  held_ = cables_to_hold;
  held_tension_ = tension;
}

void ForceBalance::add_forces(const Eigen::VectorXd& x, int first, EqualityQp& qp) const {
  each_direction(x, [&](int k, int a, int b, const Vec3& u, double) {
    for (int axis = 0; axis < 3; ++axis) {
      if (const int i = unknown_of_[3 * a + axis]; i >= 0) qp.jacobian.push_back({i, first + k, u[axis]});
      if (const int i = unknown_of_[3 * b + axis]; i >= 0) qp.jacobian.push_back({i, first + k, -u[axis]});
    }
  });
  const auto& pattern = statics_.jacobian_pattern();
  for (std::size_t k = 0; k < pattern.size(); ++k)
    qp.jacobian.push_back({pattern[k].column, first + forces() + pattern[k].row, -jacobian_[k] / length_});
}

void ForceBalance::add_constraints(int first, int row, EqualityQp& qp) const {
  const auto& pattern = statics_.jacobian_pattern();
  for (std::size_t k = 0; k < pattern.size(); ++k)
    qp.jacobian.push_back({row + pattern[k].row, first + pattern[k].column, jacobian_[k] / length_});
}

// Where nothing else says, forces stay near those that were best for the start, at first near the scale.
void ForceBalance::set_wanted(int first, EqualityQp& qp) const {
  for (int k = 0; k < forces(); ++k)
    qp.linear[first + k] = faint_weight * (wanted_.tension.size() > 0 ? wanted_.tension[k] / force_ : 1.0);
  for (int k = 0; k < wanted_.multiplier.size(); ++k)
    qp.linear[first + forces() + k] = faint_weight * wanted_.multiplier[k] * length_ / force_;
}

void ForceBalance::add_geometric_stiffness(const Candidate& at, int first, EqualityQp& qp) const {
  const double scale = length_ / force_;
  const auto add = [&](int node, int other, int r, int c, double value) {
    const int i = unknown_of_[3 * node + r], j = unknown_of_[3 * other + c];
    if (i >= 0 && j >= 0) qp.jacobian.push_back({i, first + j, -scale * value});
  };
  const auto add_pair = [&](int a, int b, int r, int c, double value) {
    add(a, a, r, c, value), add(b, b, r, c, value), add(a, b, r, c, -value), add(b, a, r, c, -value);
  };
  each_direction(at.x, [&](int k, int a, int b, const Vec3& u, double l) {
    const Mat3 across = at.tension[k] / l * (Mat3::Identity() - u * u.transpose());
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) add_pair(a, b, r, c, across(r, c));
  });
  for (int row = 0; row < rows(); ++row)
    if (const auto [a, b] = statics_.ends_of_row(row); a >= 0)
      for (int axis = 0; axis < 3; ++axis) add_pair(a, b, axis, axis, at.multiplier[row]);
}

Candidate ForceBalance::best_forces(const Eigen::VectorXd& x) {
  refresh(x);
  const int n = unknowns(), count = forces() + rows();
  EqualityQp qp;
  qp.weight = Eigen::VectorXd::Constant(n + count, faint_weight);
  qp.weight.head(n).setOnes();
  qp.linear = Eigen::VectorXd::Zero(n + count);
  std::vector<double> right(n);
  for (int i = 0; i < n; ++i) {
    qp.jacobian.push_back({i, i, -1.0});
    right[i] = -load_on(i);
  }
  add_forces(x, n, qp);
  set_wanted(n, qp);
  add_wanted_tensions(n, qp, right);
  add_held(n, qp, right);
  qp.right = Eigen::Map<Eigen::VectorXd>(right.data(), static_cast<long>(right.size()));
  const EqualityQpSolution solution = solve_equality_qp(qp);
  Candidate best{x, Eigen::VectorXd::Zero(forces()), Eigen::VectorXd::Zero(rows())};
  if (!solution.solved) return best;
  best.tension = force_ * solution.z.segment(n, forces());
  best.multiplier = force_ / length_ * solution.z.segment(n + forces(), rows());
  if (wanted_.tension.size() == 0) wanted_ = best;
  return best;
}

EqualityQpSolution ForceBalance::nearer(const Candidate& at, const Eigen::VectorXd& start) {
  refresh(at.x);
  const int n = unknowns(), count = forces() + rows();
  EqualityQp qp;
  qp.weight = Eigen::VectorXd::Constant(n + count, faint_weight);
  qp.linear = Eigen::VectorXd::Zero(n + count);
  std::vector<double> right(n + rows(), 0.0);
  for (int i = 0; i < n; ++i) {
    const int c = statics_.unknowns()[i];
    qp.weight[i] = weight_of(i);
    qp.linear[i] = qp.weight[i] * (start[c] - at.x[c]) / length_;
    right[i] = -load_on(i);
  }
  add_forces(at.x, n, qp);
  set_wanted(n, qp);
  add_geometric_stiffness(at, 0, qp);
  add_constraints(0, n, qp);
  add_wanted_tensions(n, qp, right);
  add_held(n, qp, right);
  qp.right = Eigen::Map<Eigen::VectorXd>(right.data(), static_cast<long>(right.size()));
  return solve_equality_qp(qp);
}

bool ForceBalance::take(const Candidate& at, const EqualityQpSolution& step, double part, Candidate& there) {
  const int n = unknowns();
  there = at;
  for (int i = 0; i < n; ++i) there.x[statics_.unknowns()[i]] += part * length_ * step.z[i];
  there.tension += part * (force_ * step.z.segment(n, forces()) - at.tension);
  there.multiplier += part * (force_ / length_ * step.z.segment(n + forces(), rows()) - at.multiplier);
  return statics_.project(there.x);
}

double ForceBalance::distance_square(const Eigen::VectorXd& x, const Eigen::VectorXd& start) const {
  double sum = 0.0;
  for (int i : statics_.unknowns())
    sum += (derived_[i / 3] ? faint_weight : 1.0) * (x[i] - start[i]) * (x[i] - start[i]);
  return sum / (length_ * length_);
}

}  // namespace taut
