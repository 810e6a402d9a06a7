#include "taut/analysis/balance.h"

#include <algorithm>
#include <cmath>

#include "taut/analysis/parts.h"
#include "taut/analysis/static_forces.h"
#include "taut/dynamics/dynamics.h"
#include "taut/formulation/nodal.h"
#include "taut/solve/saddle.h"

namespace taut {

namespace {

// Whether the supports and constraints of a part let it move along the direction of gravity.
std::vector<char> falls_freely(const Model& model, const Parts& parts) {
  std::vector<char> falls(parts.count, 1);
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (model.nodes[i].fixed[axis] && model.gravity[axis] != 0.0) falls[parts.of_node[i]] = 0;
  for (const Constraint& constraint : model.constraints)
    for (int axis = 0; axis < 3; ++axis) {
      double sum = 0.0, size = 0.0;
      for (const auto& [node, coefficient] : constraint.terms) sum += coefficient, size += std::abs(coefficient);
      if (constraint.axes[axis] && model.gravity[axis] != 0.0 && std::abs(sum) > 1e-12 * size)
        falls[parts.of_node[constraint.terms.front().first]] = 0;
    }
  return falls;
}

bool goes_slack(const Cable& cable) { return cable.law.kind == LawKind::linear || cable.law.kind == LawKind::table; }

// Forces of rounding are none: a structure that is just slack.
void take_nothing(const Model& model, Balance& balance) {
  balance.mean_force = 0.0;
  balance.worst_node = -1;
  for (Vec3& force : balance.net_force) force.setZero();
  std::fill(balance.cable_tension.begin(), balance.cable_tension.end(), 0.0);
  std::fill(balance.bar_force.begin(), balance.bar_force.end(), 0.0);
  balance.slack.clear();
  for (std::size_t i = 0; i < model.cables.size(); ++i)
    if (goes_slack(model.cables[i])) balance.slack.push_back(static_cast<int>(i));
}

}  // namespace

Balance start_balance(const Model& model) {
  const Dynamics dynamics(model, "nodal", ConstraintMethod::none);
  const Formulation& formulation = dynamics.formulation();
  const int nodes = static_cast<int>(model.nodes.size());
  State state = dynamics.start();
  std::fill_n(state.v(), state.nv, 0.0);
  Terms terms = dynamics.make_terms();
  terms.contact.keep_forces = true;
  dynamics.forces(0.0, state.q(), state.v(), terms);

  Balance balance;
  // Forces with gravity, less the weight of falling parts.
  Model weightless = model;
  weightless.gravity.setZero();
  const Dynamics without(weightless, "nodal", ConstraintMethod::none);
  Terms light = without.make_terms();
  without.forces(0.0, state.q(), state.v(), light);
  const Parts parts = find_parts(model);
  std::vector<char> falls = falls_freely(model, parts);
  for (std::size_t k = 0; k < terms.contact.force.size(); ++k)
    if (model.ground && terms.contact.force[k] != 0.0) falls[parts.of_node[k / 4]] = 0;
  std::vector<int> unknown_of(3 * nodes, -1), coordinate_of;
  Eigen::VectorXd force(3 * nodes);
  for (int i = 0; i < nodes; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const bool fall = falls[parts.of_node[i]] && model.gravity[axis] != 0.0;
      balance.weight_left_out |= fall;
      force[3 * i + axis] = (fall ? light : terms).force[4 * i + axis];
      if (model.nodes[i].fixed[axis]) continue;
      unknown_of[3 * i + axis] = static_cast<int>(coordinate_of.size());
      coordinate_of.push_back(3 * i + axis);
    }

  // The least residual: a saddle point with unit weights.
  const SparseMatrix jacobian = formulation.constraint_jacobian(state.q());
  const int n = static_cast<int>(coordinate_of.size()), m = static_cast<int>(jacobian.rows());
  std::vector<SparseEntry> unit, entries;
  for (int k = 0; k < n; ++k) unit.push_back({k, k, 1.0});
  std::vector<double> values;
  const Nodal& nodal = static_cast<const Nodal&>(formulation);
  for (int column = 0; column < jacobian.outerSize(); ++column)
    for (SparseMatrix::InnerIterator it(jacobian, column); it; ++it)
      if (unknown_of[column] >= 0) {
        entries.push_back({static_cast<int>(it.row()), unknown_of[column], it.value()});
        values.push_back(it.value());
      }
  const Saddle saddle(n, m, unit, entries, 1e-12, nodal.linear_rows());
  SaddleFactor factor = saddle.make_factor();
  saddle.factorise(values.data(), factor);
  std::vector<double> rhs(n + m, 0.0), scratch(n + m);
  for (int k = 0; k < n; ++k) rhs[k] = force[coordinate_of[k]];
  saddle.solve(factor, rhs.data(), scratch.data());

  balance.net_force.assign(nodes, Vec3::Zero());
  for (int k = 0; k < n; ++k) balance.net_force[coordinate_of[k] / 3][coordinate_of[k] % 3] = rhs[k];
  // Members.
  double sum = 0.0;
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    balance.cable_tension.push_back(terms.cables.tension[dynamics.cables().slot_of_cable(i)]);
    sum += std::abs(balance.cable_tension.back());
    if (goes_slack(model.cables[i]) && !(balance.cable_tension.back() > 0.0)) balance.slack.push_back(i);
  }
  // The constraints act on the nodes by -Gᵀμ.
  for (int k = 0; k < m; ++k) rhs[n + k] = -rhs[n + k];
  nodal.take_multipliers(rhs.data() + n, terms);
  balance.bar_force.resize(model.bars.size());
  formulation.bar_forces(terms, balance.bar_force.data());
  for (int i = 0; i < static_cast<int>(model.bars.size()); ++i) {
    if (const int slot = dynamics.cables().slot_of_bar(i); slot >= 0) balance.bar_force[i] = terms.cables.tension[slot];
    sum += std::abs(balance.bar_force[i]);
  }
  const std::size_t members = model.cables.size() + model.bars.size();
  balance.mean_force = members > 0 ? sum / static_cast<double>(members) : 0.0;
  double largest = 0.0;
  for (int i = 0; i < nodes; ++i)
    if (const double size = balance.net_force[i].norm(); size > largest) largest = size, balance.worst_node = i;
  double reach = 0.0;
  for (const Node& node : model.nodes) reach = std::max(reach, node.position.cwiseAbs().maxCoeff());
  if (only_rounding(dynamics.cables(), terms.cables, reach, balance.mean_force, largest))
    take_nothing(model, balance), largest = 0.0;
  if (largest > 0.0) balance.imbalance = balance.mean_force > 0.0 ? largest / balance.mean_force : 1.0;
  return balance;
}

}  // namespace taut
