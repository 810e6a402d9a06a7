#include "taut/equilibrium/balance.h"

#include <algorithm>
#include <cmath>

#include "taut/dynamics/dynamics.h"
#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/node_balance.h"
#include "taut/equilibrium/static_forces.h"
#include "taut/equilibrium/supports.h"

namespace taut {

namespace {

// Whether nothing holds a part along the direction of gravity.
std::vector<char> falls_freely(const Model& model, const Parts& parts) {
  std::vector<char> falls;
  for (const Axes& held : held_axes(model, parts)) {
    falls.push_back(1);
    for (int axis = 0; axis < 3; ++axis)
      if (held[axis] && model.gravity[axis] != 0.0) falls.back() = 0;
  }
  return falls;
}

bool goes_slack(const Cable& cable) { return cable.law.kind == LawKind::linear || cable.law.kind == LawKind::table; }

// A structure that is just slack: its forces are rounding, and become 0.
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
  const Model still = at_rest(model);
  const Dynamics dynamics(still, "nodal", ConstraintMethod::none);
  const Formulation& formulation = dynamics.formulation();
  const int nodes = static_cast<int>(model.nodes.size());
  const State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  terms.contact.keep_forces = true;
  dynamics.forces(0.0, state.q(), state.v(), terms);

  Balance balance;
  // Forces with gravity, less the weight of falling parts.
  Model weightless = still;
  weightless.gravity.setZero();
  const Dynamics without(weightless, "nodal", ConstraintMethod::none);
  Terms light = without.make_terms();
  without.forces(0.0, state.q(), state.v(), light);
  const Parts parts = find_parts(model);
  std::vector<char> falls = falls_freely(model, parts);
  for (std::size_t k = 0; k < terms.contact.force.size(); ++k)
    if (model.ground && terms.contact.force[k] != 0.0) falls[parts.of_node[k / 4]] = 0;
  Eigen::VectorXd force(3 * nodes);
  for (int i = 0; i < nodes; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const bool fall = falls[parts.of_node[i]] && model.gravity[axis] != 0.0;
      balance.weight_left_out |= fall;
      force[3 * i + axis] = (fall ? light : terms).force[4 * i + axis];
    }

  NodeBalance split(model, formulation);
  split.place(state.q());
  const Eigen::VectorXd multiplier = split.split(force);
  for (int i = 0; i < nodes; ++i) balance.net_force.emplace_back(force.segment<3>(3 * i));
  // Members.
  double sum = 0.0;
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    balance.cable_tension.push_back(terms.cables.tension[dynamics.cables().slot_of_cable(i)]);
    sum += std::abs(balance.cable_tension.back());
    if (goes_slack(model.cables[i]) && !(balance.cable_tension.back() > 0.0)) balance.slack.push_back(i);
  }
  // The constraints act on the nodes by -Gᵀμ.
  for (long k = 0; k < multiplier.size(); ++k) terms.lambda[k] = -multiplier[k];
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
