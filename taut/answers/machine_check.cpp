#include "taut/answers/machine_check.h"

#include <cmath>

#include "taut/dynamics/dynamics.h"
#include "taut/formulation/matrices.h"
#include "taut/formulation/multibody/system/connected_bodies.h"
#include "taut/formulation/multibody/system/system.h"

namespace taut {

namespace {

// Parts that no joint, cable, bar or constraint connects; the ground is one with all that hangs on it.
int count_parts(const multibody::System& system, const Model& model) {
  const std::size_t bodies = system.machine.bodies.size();
  multibody::ConnectedBodies connected(bodies);
  int parts = static_cast<int>(bodies) + 1;
  const auto join = [&](int a, int b) { parts -= connected.join(a, b); };
  const int joints = static_cast<int>(system.machine.joints.size()) - system.topology.floating;
  for (int i = 0; i < joints; ++i)
    if (const auto& c = system.machine.joints[i]; !std::holds_alternative<multibody::Floating>(c.joint.kind))
      join(c.predecessor, c.successor);
  const auto body = [&](int node) { return system.machine.points[node].body; };
  for (const Cable& cable : model.cables)
    for (int node : cable.path) join(body(cable.path.front()), body(node));
  for (const Bar& bar : model.bars)
    if (bar.elastic) join(body(bar.a), body(bar.b));
  for (const multibody::Distance& d : system.machine.distances) join(body(d.a), body(d.b));
  for (const Constraint& constraint : model.constraints)
    for (const auto& [node, c] : constraint.terms) join(body(constraint.terms.front().first), body(node));
  // The ground alone is no part.
  bool alone = true;
  for (const multibody::Connection& c : system.machine.joints)
    alone = alone && (c.predecessor != multibody::ground || std::holds_alternative<multibody::Floating>(c.joint.kind));
  for (const multibody::Point& p : system.machine.points) alone = alone && p.body != multibody::ground;
  return parts - (alone ? 1 : 0);
}

}  // namespace

MachineCheck inspect_machine(const Scenario& scenario, const State* at) {
  const Model& model = scenario.model;
  const Dynamics dynamics(model, natural_formulation(model), ConstraintMethod::none);
  const Formulation& formulation = dynamics.formulation();
  const multibody::System& system = formulation.joints()->system();
  MachineCheck check;
  check.topology = describe(system.machine, system.topology);
  check.degrees_of_freedom = system.degrees_of_freedom;
  for (const char imposed : system.tree.imposed) check.imposed += imposed;
  check.loops = static_cast<int>(system.loops.joints.size() + system.loops.distances.size());
  check.constraints = system.loops.rows;
  check.redundant = system.redundant;
  check.parts = count_parts(system, model);

  // At rest: what is left of the forces on each coordinate.
  State state = at ? *at : dynamics.start();
  std::fill_n(state.v(), formulation.facts().nv, 0.0);
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size());
  dynamics.recall(state, terms);
  dynamics.rhs(state.t, state.y.data(), rate.data(), terms);
  const Eigen::VectorXd net = formulation.matrices(state.q(), nullptr, {.M = true}).M *
                              rate.segment(formulation.facts().nq, formulation.facts().nv);
  std::vector<double> forces(model.bars.size());
  formulation.bar_forces(terms, forces.data());
  for (int i = 0; i < static_cast<int>(model.bars.size()); ++i)
    if (const int slot = dynamics.cables().slot_of_bar(i); slot >= 0) forces[i] = terms.cables.tension[slot];
  double sum = 0.0;
  for (double force : forces) sum += std::abs(force);
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    const double tension = terms.cables.tension[dynamics.cables().slot_of_cable(i)];
    sum += std::abs(tension);
    if (tension == 0.0) check.slack.push_back(model.cables[i].name);
  }
  const std::vector<std::string> columns = joint_columns(model);
  std::vector<double> values(columns.size());
  formulation.joints()->joint_values(state.q(), state.v(), terms, values.data());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].ends_with(".tension")) continue;
    sum += std::abs(values[i]);
    if (values[i] == 0.0) check.slack.push_back(columns[i].substr(0, columns[i].rfind('.')));
  }
  const auto members = static_cast<double>(model.bars.size() + model.cables.size() + model.pulleys.size());
  check.mean_force = members > 0.0 ? sum / members : 0.0;
  const std::vector<std::string> names = formulation.facts().state_names;
  for (int c = 0; c < formulation.facts().nv; ++c) {
    if (system.tree.imposed[c] || !(std::abs(net[c]) > std::abs(check.net))) continue;
    check.net = net[c];
    check.worst = names[formulation.facts().nq + c];
  }
  const double scale = check.mean_force > 0.0 ? check.mean_force * system.length : std::abs(check.net);
  check.imbalance = scale > 0.0 ? std::abs(check.net) / scale : 0.0;
  return check;
}

}  // namespace taut
