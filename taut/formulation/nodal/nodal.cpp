#include "taut/formulation/nodal/nodal.h"

#include <algorithm>
#include <cmath>

#include "taut/model/shape/body_mass.h"

namespace taut {

// Bars, bodies and constraint rows that touch something movable, less what they take away.
int Nodal::count_redundant(int free) const {
  const auto movable = [&](int node, int axis) { return !model_->nodes[node].fixed[axis]; };
  int rows = 0;
  for (const RigidBar& bar : model_bars_) {
    bool touches = false;
    if (!model_->bars[bar.bar].attached.empty()) continue;
    for (int axis = 0; axis < 3; ++axis) touches |= movable(bar.a, axis) || movable(bar.b, axis);
    rows += touches;
  }
  for (const Constraint& constraint : model_->constraints)
    for (int axis = 0; axis < 3; ++axis)
      rows += constraint.axes[axis] && std::any_of(constraint.terms.begin(), constraint.terms.end(),
                                                   [&](const auto& term) { return movable(term.first, axis); });
  for (const Body& body : rigid_bodies(*model_)) rows += rigid_rank(*model_, body.nodes);
  return std::max(0, rows - (free - facts_.degrees_of_freedom));
}

void Nodal::fill_facts() {
  facts_.bars_are_constraints = true;
  facts_.constraints = static_cast<int>(rigid_.size() + linear_.size());
  facts_.state_names.resize(facts_.nq + facts_.nv);
  int free = 0;
  for (std::size_t i = 0; i < model_->nodes.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      if (model_->nodes[i].fixed[axis]) continue;
      ++free;
      facts_.state_names[3 * i + axis] = model_->nodes[i].name + '.' + "xyz"[axis];
      facts_.state_names[facts_.nq + 3 * i + axis] = model_->nodes[i].name + ".v" + "xyz"[axis];
    }
  const int group = static_cast<int>(group_bars_.size() + group_rows_.size()) - left_out_;
  facts_.degrees_of_freedom = free - static_cast<int>(free_bars_.size() + guided_bars_.size()) - group;
  facts_.redundant_constraints = count_redundant(free);
}

State Nodal::start() const {
  State state(facts_.nq, facts_.nv);
  for (std::size_t i = 0; i < model_->nodes.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      state.q()[3 * i + axis] = model_->nodes[i].position[axis];
      state.v()[3 * i + axis] = model_->nodes[i].fixed[axis] ? 0.0 : model_->nodes[i].velocity[axis];
    }
  for (const Bar& bar : model_->bars) carry_attached(bar, state.v());
  stretch_driven(state);
  return state;
}

// Driven bars that move from the start on do so.
void Nodal::stretch_driven(State& state) const {
  const bool moves =
      std::any_of(driven_.begin(), driven_.end(), [&](int k) { return length_of(group_bars_[k], 0.0).rate != 0.0; });
  if (!moves) return;
  Terms terms = make_terms();
  project_group(state.q(), state.v(), terms);
}

// Nodes attached to a bar move with its ends and its spin, unless they have velocities of their own.
void Nodal::carry_attached(const Bar& bar, double* v) const {
  const auto& nodes = model_->nodes;
  for (int i : bar.attached)
    if (nodes[i].velocity != Vec3::Zero()) return;
  const Vec3 b = nodes[bar.b].position - nodes[bar.a].position;
  const Vec3 omega =
      b.cross(nodes[bar.b].velocity - nodes[bar.a].velocity) / b.squaredNorm() + bar.spin * b.normalized();
  for (int i : bar.attached) {
    const Vec3 carried = nodes[bar.a].velocity + omega.cross(nodes[i].position - nodes[bar.a].position);
    for (int axis = 0; axis < 3; ++axis)
      if (!nodes[i].fixed[axis]) v[3 * i + axis] = carried[axis];
  }
}

Terms Nodal::make_terms() const {
  Terms terms;
  for (AlignedDoubles* array : {&terms.x, &terms.xd, &terms.force}) array->assign(4 * model_->nodes.size(), 0.0);
  terms.lambda.assign(rigid_.size() + linear_.size(), 0.0);
  const std::size_t size = saddle_.unknowns() + saddle_.constraints();
  Coupled& own = terms.own.emplace<Coupled>();
  own.rhs.assign(size, 0.0);
  own.scratch.assign(size, 0.0);
  own.jacobian.assign(group_entries_.size(), 0.0);
  own.factor = saddle_.make_factor();
  for (const RigidBar& bar : group_bars_) own.lengths.push_back(length_of(bar, 0.0));
  // A projection may come before the first acceleration and takes what factors there are.
  if (size > 0) {
    std::vector<double> x;
    for (const Node& node : model_->nodes) x.insert(x.end(), node.position.data(), node.position.data() + 3);
    group_jacobian(x.data(), 3, own);
    saddle_.factorise(own.jacobian.data(), own.factor);
  }
  return terms;
}

void Nodal::place_nodes(const double* q, const double* v, Terms& terms) const {
  const int nodes = static_cast<int>(model_->nodes.size());
  double* const x = terms.x.data();
  double* const xd = terms.xd.data();
  for (int i = 0; i < nodes; ++i) {
    store4(x + 4 * i, load3(q + 3 * i));
    store4(xd + 4 * i, load3(v + 3 * i));
  }
}

void Nodal::take_nodes(const Terms& terms, double* q, double* v) const {
  for (std::size_t i = 0; i < model_->nodes.size(); ++i) {
    store3(q + 3 * i, load4(terms.x.data() + 4 * i));
    store3(v + 3 * i, load4(terms.xd.data() + 4 * i));
  }
}

void Nodal::coordinate_rates(const double*, const double* v, double* q_rate) const {
  std::copy(v, v + facts_.nv, q_rate);
}

void Nodal::accelerate(const double*, const double*, const DriftGains& gains, Terms& terms, double* v_rate) const {
  const double* const x = terms.x.data();
  const double* const v = terms.xd.data();
  const double* const f = terms.force.data();
  for (int coordinate : still_) v_rate[coordinate] = 0.0;
  for (const LoneNode& n : lone_nodes_) store3(v_rate + 3 * n.node, n.inverse * load4(f + 4 * n.node));
  for (const auto& bar : free_bars_) terms.lambda[bar.row] = taut::accelerate(bar, x, v, f, gains, v_rate);
  for (const auto& bar : guided_bars_) terms.lambda[bar.row] = taut::accelerate(bar, x, v, f, gains, v_rate);
  if (unknowns_.empty()) return;
  solve_group(gains, terms);
  const double* const rhs = coupled(terms).rhs.data();
  for (std::size_t k = 0; k < unknowns_.size(); ++k) v_rate[unknowns_[k]] = rhs[k];
  if (!driven_.empty()) terms.work_power += group_drive_power(terms);
}

void Nodal::node_accelerations(const double*, const double*, const double* v_rate, Terms&, double* a) const {
  for (std::size_t i = 0; i < model_->nodes.size(); ++i) std::copy_n(v_rate + 3 * i, 3, a + 4 * i);
}

double Nodal::project(double* q, double* v, Terms& terms) const {
  double moved = 0.0;
  for (const auto& bar : free_bars_) moved = std::max(moved, taut::project(bar, q, v));
  for (const auto& bar : guided_bars_) moved = std::max(moved, taut::project(bar, q, v));
  if (unknowns_.empty()) return moved;
  const double group = project_group(q, v, terms);
  return group < 0.0 ? group : std::max(moved, group);
}

void Nodal::leap(double h, Terms& terms) const {
  double* const x = terms.x.data();
  double* const v = terms.xd.data();
  const double* const f = terms.force.data();
  for (const LoneNode& n : lone_nodes_) {
    const Vec4 moved = load4(v + 4 * n.node) + h * n.inverse * load4(f + 4 * n.node);
    store4(v + 4 * n.node, moved);
    store4(x + 4 * n.node, load4(x + 4 * n.node) + h * moved);
  }
  for (const auto& bar : free_bars_) terms.lambda[bar.row] = taut::leap(bar, h, x, v, f);
  for (const auto& bar : guided_bars_) terms.lambda[bar.row] = taut::leap(bar, h, x, v, f);
  if (!unknowns_.empty()) leap_group(h, terms);
}

void Nodal::kick(double h, Terms& terms) const {
  const double* const x = terms.x.data();
  double* const v = terms.xd.data();
  const double* const f = terms.force.data();
  for (const LoneNode& n : lone_nodes_)
    store4(v + 4 * n.node, load4(v + 4 * n.node) + h * n.inverse * load4(f + 4 * n.node));
  for (const auto& bar : free_bars_) taut::kick(bar, h, x, v, f);
  for (const auto& bar : guided_bars_) taut::kick(bar, h, x, v, f);
  if (unknowns_.empty()) return;
  Coupled& own = factorise_group(terms);
  double* const rhs = own.rhs.data();
  const int n = saddle_.unknowns();
  std::fill(own.rhs.begin() + n, own.rhs.end(), 0.0);
  for (int k = 0; k < n; ++k) rhs[k] = h * f[place(unknowns_[k], 4)];
  for (int k : driven_) rhs[n + k] = own.lengths[k].momentum();
  for (std::size_t k = 0; k < group_entries_.size(); ++k)
    rhs[n + group_entries_[k].row] -= own.jacobian[k] * v[place(unknowns_[group_entries_[k].column], 4)];
  saddle_.solve(own.factor, rhs, own.scratch.data());
  for (int k = 0; k < n; ++k) v[place(unknowns_[k], 4)] += rhs[k];
}

double Nodal::kinetic_energy(const double*, const double* v, double) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < node_mass_.size(); ++i)
    sum += 0.5 * node_mass_[i] * dot(load3(v + 3 * i), load3(v + 3 * i));
  for (const MassPair& pair : mass_pairs_) sum += pair.mass * dot(load3(v + 3 * pair.a), load3(v + 3 * pair.b));
  return sum;
}

ConstraintErrors Nodal::constraint_errors(const double* q, double t) const {
  ConstraintErrors error;
  for (const auto* distances : {&model_bars_, &body_distances_})
    for (const RigidBar& bar : *distances) {
      const Vec4 b = load3(q + 3 * bar.b) - load3(q + 3 * bar.a);
      const double length = std::sqrt(dot(b, b)), wanted = length_of(bar, t).length;
      error.length = std::max(error.length, std::abs(length - wanted));
      if (bar.bar >= 0) error.bars = std::max(error.bars, std::abs(length / wanted - 1.0));
    }
  for (const LinearRow& row : linear_) {
    double g = -row.value;
    for (const auto& [coordinate, coefficient] : row.terms) g += coefficient * q[coordinate];
    error.length = std::max(error.length, std::abs(g));
  }
  return error;
}

}  // namespace taut
