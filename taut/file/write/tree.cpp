#include "taut/file/write/tree.h"

#include "taut/file/write/tree_parts.h"
#include "taut/model/words.h"

namespace taut {

Value number_list(const std::vector<double>& values) {
  List list;
  for (const double value : values) list.push_back({value});
  return {std::move(list)};
}

Value vector_list(const Vec3& v) { return number_list({v.x(), v.y(), v.z()}); }

Value name_list(const Model& model, const std::vector<int>& nodes) {
  List list;
  for (const int node : nodes) list.push_back({model.nodes[node].name});
  return {std::move(list)};
}

Value rows_list(const std::vector<double>& values, std::size_t width) {
  List rows;
  for (std::size_t i = 0; i + width <= values.size(); i += width) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(i);
    rows.push_back(number_list({row, row + static_cast<std::ptrdiff_t>(width)}));
  }
  return {std::move(rows)};
}

namespace {

Value axes_list(const Axes& axes) {
  List list;
  for (int i = 0; i < 3; ++i)
    if (axes[i]) list.push_back({std::string(1, "xyz"[i])});
  return {std::move(list)};
}

Table nodes_tree(const Model& model) {
  // A body that says how it moves says it for its nodes.
  std::vector<char> carried(model.nodes.size(), 0);
  for (const Body& body : model.bodies)
    if (body.velocity || body.angular_velocity)
      for (int i : body.nodes) carried[i] = 1;
  Table nodes;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Node& node = model.nodes[i];
    Table t;
    t.add("at", vector_list(node.position));
    if (node.fixed == Axes{true, true, true})
      t.add("fixed", {true});
    else if (node.fixed != Axes{false, false, false})
      t.add("fixed", axes_list(node.fixed));
    if (node.mass != 0.0) t.add("mass", {node.mass});
    if (node.velocity != Vec3::Zero() && !carried[i]) t.add("velocity", vector_list(node.velocity));
    if (!node.contact) t.add("contact", {false});
    nodes.add(node.name, t.items.size() == 1 ? std::move(t.items.front().value) : Value{std::move(t)});
  }
  return nodes;
}

List constraints_tree(const Model& model) {
  const Constraint standard;
  List list;
  for (const Constraint& constraint : model.constraints) {
    Table t;
    if (!constraint.name.empty()) t.add("name", {constraint.name});
    List sum;
    for (const auto& [node, coefficient] : constraint.terms)
      sum.push_back({List{{model.nodes[node].name}, {coefficient}}});
    t.add("sum", {std::move(sum)});
    if (constraint.value != standard.value) t.add("value", vector_list(constraint.value));
    if (constraint.axes != standard.axes) t.add("axes", axes_list(constraint.axes));
    list.push_back({std::move(t)});
  }
  return list;
}

Value signal_tree(const Signal& s) {
  if (s.kind == SignalKind::constant) return {s.value};
  Table t;
  t.add("kind", {name(s.kind)});
  const auto add = [&t](std::initializer_list<std::pair<const char*, double>> numbers) {
    for (const auto& [key, number] : numbers) t.add(key, {number});
  };
  switch (s.kind) {
    case SignalKind::constant:
      break;
    case SignalKind::step:
      add({{"before", s.before}, {"after", s.after}, {"at", s.at}});
      break;
    case SignalKind::ramp:
    case SignalKind::cosine:
      add({{"from", s.from}, {"to", s.to}, {"start", s.start}, {"end", s.end}});
      break;
    case SignalKind::sine:
      add({{"mean", s.mean}, {"amplitude", s.amplitude}, {"period", s.period}, {"phase", s.phase}, {"ramp", s.ramp}});
      break;
    case SignalKind::hermite:
    case SignalKind::table:
      t.add("t", number_list(s.times));
      t.add("values", number_list(s.values));
      if (s.kind == SignalKind::hermite) t.add("slopes", number_list(s.slopes));
      break;
  }
  return {std::move(t)};
}

List actuators_tree(const Model& model) {
  List list;
  for (const JointDrive& drive : model.drives) {
    const JointSpec& joint = model.joints[drive.joint];
    Table t;
    t.add("joint", {joint.name});
    if (joint_velocities(joint.type) > 1) t.add("coordinate", {drive.coordinate});
    t.add(drive.imposed ? "position" : "torque", signal_tree(drive.signal));
    list.push_back({std::move(t)});
  }
  for (const Actuator& actuator : model.actuators) {
    Table t;
    t.add("cable", {model.cables[actuator.cable].name});
    t.add("rest_length", signal_tree(actuator.rest_length));
    list.push_back({std::move(t)});
  }
  for (const BarDrive& drive : model.bar_drives) {
    const Bar& bar = model.bars[drive.bar];
    Table t;
    t.add("bar", {bar.name});
    t.add(bar.elastic ? "rest_length" : "length", signal_tree(drive.length));
    list.push_back({std::move(t)});
  }
  return list;
}

List loads_tree(const Model& model) {
  const Load standard;
  List list;
  for (const Load& load : model.loads) {
    Table t;
    t.add("node", {model.nodes[load.node].name});
    t.add("force", vector_list(load.force));
    if (load.from != standard.from) t.add("from", {load.from});
    if (load.to != standard.to) t.add("to", {load.to});
    list.push_back({std::move(t)});
  }
  return list;
}

List targets_tree(const Model& model) {
  List list;
  for (const WantedTension& wanted : model.wanted_tensions) {
    Table t;
    List cables;
    for (const int cable : wanted.cables) cables.push_back({cable_name(model, cable)});
    t.add("cables", {std::move(cables)});
    t.add(wanted.mean ? "mean_tension" : "tension", {wanted.tension});
    list.push_back({std::move(t)});
  }
  return list;
}

Table simulation_tree(const RunSettings& simulation) {
  const RunSettings standard;
  Table t;
  t.add("formulation", {simulation.formulation});
  t.add("integrator", {simulation.integrator});
  t.add("step", {simulation.step});
  t.add("tolerance", {simulation.tolerance});
  t.add("duration", {simulation.duration});
  t.add("output_step", {simulation.output_step});
  t.add("constraints", {name(simulation.constraints)});
  if (simulation.k_s != standard.k_s) t.add("k_s", {simulation.k_s});
  if (simulation.k_d != standard.k_d) t.add("k_d", {simulation.k_d});
  if (simulation.corrections != standard.corrections)
    t.add("corrections", {static_cast<double>(simulation.corrections)});
  if (simulation.settle) t.add("settle", {true});
  return t;
}

}  // namespace

Table tree_of(const Scenario& scenario) {
  const Model& model = scenario.model;
  Table root;
  const auto add = [&root](const char* section, List entries) {
    if (!entries.empty()) root.add(section, {std::move(entries)});
  };
  root.add("name", {model.name});
  root.add("environment", {environment_tree(model)});
  root.add("nodes", {nodes_tree(model)});
  add("bars", bars_tree(model));
  add("bodies", bodies_tree(model));
  add("joints", joints_tree(model));
  add("pulleys", pulleys_tree(model));
  add("cables", cables_tree(model));
  add("constraints", constraints_tree(model));
  add("actuators", actuators_tree(model));
  add("controllers", controllers_tree(model));
  add("loads", loads_tree(model));
  add("outputs", outputs_tree(model));
  add("targets", targets_tree(model));
  root.add("simulation", {simulation_tree(scenario.simulation)});
  return root;
}

Table tree_of(const Scenario& scenario, const Source& source) {
  Table root = tree_of(scenario);
  set_source(root, source);
  return root;
}

}  // namespace taut
