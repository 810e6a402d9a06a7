#include "apps/taut/check_mechanism.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "taut/dynamics/dynamics.h"
#include "taut/formulation/multibody/multibody.h"
#include "taut/model/words.h"

namespace taut {

namespace {

constexpr double balanced = 1e-6;  // what rounding of the numbers in a file leaves

std::string plural(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// Parts that neither joints nor cables connect; the ground is one with all that hangs on it.
int count_parts(const multibody::System& system, const Model& model) {
  std::vector<int> group(system.mechanism.bodies.size() + 1);
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<int>(i);
  const auto join = [&](int a, int b) {
    const int from = group[b + 1], to = group[a + 1];
    for (int& g : group)
      if (g == from) g = to;
  };
  const int joints = static_cast<int>(system.mechanism.joints.size()) - system.topology.floating;
  for (int i = 0; i < joints; ++i)
    if (const auto& c = system.mechanism.joints[i]; !std::holds_alternative<multibody::Floating>(c.joint.kind))
      join(c.predecessor, c.successor);
  const auto body = [&](int node) { return system.mechanism.points[node].body; };
  for (const Cable& cable : model.cables)
    for (int node : cable.path) join(body(cable.path.front()), body(node));
  for (const multibody::Distance& d : system.mechanism.distances) join(body(d.a), body(d.b));
  std::sort(group.begin(), group.end());
  const auto parts = std::unique(group.begin(), group.end()) - group.begin();
  // The ground alone is no part.
  bool alone = true;
  for (const multibody::Connection& c : system.mechanism.joints)
    alone = alone && (c.predecessor != multibody::ground || std::holds_alternative<multibody::Floating>(c.joint.kind));
  for (const multibody::Point& p : system.mechanism.points) alone = alone && p.body != multibody::ground;
  return static_cast<int>(parts) - (alone ? 1 : 0);
}

}  // namespace

MechanismCheck inspect_mechanism(const Scenario& scenario) {
  const Model& model = scenario.model;
  const Dynamics dynamics(model, "multibody", ConstraintMethod::none);
  const auto& formulation = static_cast<const Multibody&>(dynamics.formulation());
  const multibody::System& system = formulation.system();
  MechanismCheck check;
  check.topology = describe(system.mechanism, system.topology);
  check.degrees_of_freedom = system.degrees_of_freedom;
  for (const char imposed : system.tree.imposed) check.imposed += imposed;
  check.loops = static_cast<int>(system.loops.joints.size() + system.loops.distances.size());
  check.constraints = system.loops.rows;
  check.redundant = system.redundant;
  check.parts = count_parts(system, model);

  // At rest: what is left of the forces on each coordinate.
  State state = dynamics.start();
  std::fill_n(state.v(), formulation.velocities(), 0.0);
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size());
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  const Eigen::VectorXd net =
      formulation.mass_matrix(state.q()) * rate.segment(formulation.coordinates(), formulation.velocities());
  std::vector<double> forces(model.bars.size());
  formulation.bar_forces(terms, forces.data());
  double sum = 0.0;
  for (double force : forces) sum += std::abs(force);
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    const double tension = terms.cables.tension[dynamics.cables().slot_of_cable(i)];
    sum += std::abs(tension);
    if (tension == 0.0) check.slack.push_back(model.cables[i].name);
  }
  const std::vector<std::string> columns = joint_columns(model);
  std::vector<double> values(columns.size());
  formulation.joint_values(state.q(), state.v(), terms, values.data());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].ends_with(".tension")) continue;
    sum += std::abs(values[i]);
    if (values[i] == 0.0) check.slack.push_back(columns[i].substr(0, columns[i].rfind('.')));
  }
  const auto members = static_cast<double>(model.bars.size() + model.cables.size() + model.pulleys.size());
  check.mean_force = members > 0.0 ? sum / members : 0.0;
  const std::vector<std::string> names = formulation.state_names();
  for (int c = 0; c < formulation.velocities(); ++c) {
    if (system.tree.imposed[c] || !(std::abs(net[c]) > std::abs(check.net))) continue;
    check.net = net[c];
    check.worst = names[formulation.coordinates() + c];
  }
  const double scale = check.mean_force > 0.0 ? check.mean_force * system.length : std::abs(check.net);
  check.imbalance = scale > 0.0 ? std::abs(check.net) / scale : 0.0;
  return check;
}

void print_text(const MechanismCheck& check, const Model& model) {
  fmt::print("{}: {}; {}\n", model.name.empty() ? "model" : model.name, counts_text(model),
             plural(static_cast<std::size_t>(check.degrees_of_freedom), "degree of freedom", "degrees of freedom"));
  if (check.imposed > 0)
    fmt::print("{} imposed and not counted.\n",
               check.imposed == 1 ? "1 coordinate is" : fmt::format("{} coordinates are", check.imposed));
  fmt::print("{}", check.topology);
  fmt::print("{}, closed by {}", plural(static_cast<std::size_t>(check.loops), "loop", "loops"),
             plural(static_cast<std::size_t>(check.constraints), "constraint", "constraints"));
  if (check.redundant > 0)
    fmt::print(", {} of them redundant: {} what the others say already", check.redundant,
               check.redundant == 1 ? "it repeats" : "they repeat");
  fmt::print(".\n");
  if (check.imbalance <= balanced)
    fmt::print("The start shape is in balance.\n");
  else
    fmt::print("The start shape is out of balance: {:.4g} (N or N m) on {}; it will move.\n", check.net, check.worst);
  if (!check.slack.empty()) fmt::print("No tension at the start: {}.\n", fmt::join(check.slack, ", "));
  if (check.parts > 1) fmt::print("It falls into {} parts that nothing connects.\n", check.parts);
}

void print_json(const MechanismCheck& check) {
  nlohmann::ordered_json object;
  object["ok"] = true;
  object["errors"] = nlohmann::ordered_json::array();
  object["imbalance"] = check.imbalance;
  object["in_balance"] = check.imbalance <= balanced;
  object["worst_coordinate"] = check.worst.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(check.worst);
  object["mean_member_force"] = check.mean_force;
  object["slack"] = check.slack;
  object["degrees_of_freedom"] = check.degrees_of_freedom;
  object["imposed_coordinates"] = check.imposed;
  object["loops"] = check.loops;
  object["loop_constraints"] = check.constraints;
  object["redundant_constraints"] = check.redundant;
  object["parts"] = check.parts;
  object["topology"] = check.topology;
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace taut
