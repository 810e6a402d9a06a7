#include "taut/model/write_toml.h"

#include <fmt/format.h>

#include "taut/model/toml_writer.h"

namespace taut {

std::string vector_text(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", toml_number(v.x()), toml_number(v.y()), toml_number(v.z()));
}

namespace {

std::string axes_text(const Axes& axes) {
  std::string result = "[";
  for (int i = 0; i < 3; ++i) {
    if (axes[i]) result += fmt::format("{}\"{}\"", result.size() > 1 ? ", " : "", "xyz"[i]);
  }
  return result + "]";
}

void write_nodes(TomlWriter& w) {
  w.header("[nodes]");
  for (const Node& node : w.model().nodes) {
    std::string extra;
    if (node.fixed == Axes{true, true, true}) {
      extra += ", fixed = true";
    } else if (node.fixed != Axes{false, false, false}) {
      extra += ", fixed = " + axes_text(node.fixed);
    }
    if (node.mass != 0.0) extra += ", mass = " + toml_number(node.mass);
    if (node.velocity != Vec3::Zero()) extra += ", velocity = " + vector_text(node.velocity);
    if (!node.contact) extra += ", contact = false";
    const std::string at = vector_text(node.position);
    w.line(toml_key(node.name), extra.empty() ? at : fmt::format("{{ at = {}{} }}", at, extra));
  }
}

void write_constraints(TomlWriter& w) {
  const Constraint standard;
  for (const Constraint& constraint : w.model().constraints) {
    w.header("[[constraints]]");
    if (!constraint.name.empty()) w.line("name", toml_string(constraint.name));
    std::string sum;
    for (const auto& [node, coefficient] : constraint.terms) {
      sum += fmt::format("{}[{}, {}]", sum.empty() ? "" : ", ", w.node(node), toml_number(coefficient));
    }
    w.line("sum", "[" + sum + "]");
    if (constraint.value != standard.value) w.line("value", vector_text(constraint.value));
    if (constraint.axes != standard.axes) w.line("axes", axes_text(constraint.axes));
  }
}

std::string signal_text(const Signal& s) {
  const auto n = [](double v) { return toml_number(v); };
  switch (s.kind) {
    case SignalKind::constant:
      return n(s.value);
    case SignalKind::step:
      return fmt::format(R"({{ kind = "step", before = {}, after = {}, at = {} }})", n(s.before), n(s.after), n(s.at));
    case SignalKind::ramp:
    case SignalKind::cosine:
      return fmt::format(R"({{ kind = "{}", from = {}, to = {}, start = {}, end = {} }})", name(s.kind), n(s.from),
                         n(s.to), n(s.start), n(s.end));
    case SignalKind::sine:
      return fmt::format(R"({{ kind = "sine", mean = {}, amplitude = {}, period = {}, phase = {}, ramp = {} }})",
                         n(s.mean), n(s.amplitude), n(s.period), n(s.phase), n(s.ramp));
    case SignalKind::table:
      return fmt::format(R"({{ kind = "table", t = {}, values = {} }})", numbers_text(s.times), numbers_text(s.values));
    case SignalKind::hermite:
      return fmt::format(R"({{ kind = "hermite", t = {}, values = {}, slopes = {} }})", numbers_text(s.times),
                         numbers_text(s.values), numbers_text(s.slopes));
  }
  return "";
}

void write_actuators(TomlWriter& w) {
  for (const JointDrive& drive : w.model().drives) {
    const JointSpec& joint = w.model().joints[drive.joint];
    w.header("[[actuators]]");
    w.line("joint", toml_string(joint.name));
    if (joint_velocities(joint.type) > 1) w.line("coordinate", std::to_string(drive.coordinate));
    w.line(drive.imposed ? "position" : "torque", signal_text(drive.signal));
  }
  for (const Actuator& actuator : w.model().actuators) {
    w.header("[[actuators]]");
    w.line("cable", toml_string(w.model().cables[actuator.cable].name));
    w.line("rest_length", signal_text(actuator.rest_length));
  }
}

void write_loads(TomlWriter& w) {
  const Load standard;
  for (const Load& load : w.model().loads) {
    w.header("[[loads]]");
    w.line("node", w.node(load.node));
    w.line("force", vector_text(load.force));
    if (load.from != standard.from) w.number("from", load.from);
    if (load.to != standard.to) w.number("to", load.to);
  }
}

void write_targets(TomlWriter& w) {
  for (const Target& target : w.model().targets) {
    w.header("[[targets]]");
    std::string names;
    for (int cable : target.cables) names += (names.empty() ? "" : ", ") + toml_string(w.model().cables[cable].name);
    w.line("cables", "[" + names + "]");
    w.number(target.mean ? "mean_tension" : "tension", target.tension);
  }
}

void write_simulation(TomlWriter& w, const Simulation& simulation) {
  w.header("[simulation]");
  w.line("formulation", toml_string(simulation.formulation));
  w.line("integrator", toml_string(simulation.integrator));
  w.number("step", simulation.step);
  w.number("tolerance", simulation.tolerance);
  w.number("duration", simulation.duration);
  w.number("output_step", simulation.output_step);
  w.line("constraints", toml_string(name(simulation.constraints)));
  const Simulation standard;
  if (simulation.k_s != standard.k_s) w.number("k_s", simulation.k_s);
  if (simulation.k_d != standard.k_d) w.number("k_d", simulation.k_d);
  if (simulation.corrections != standard.corrections) w.number("corrections", simulation.corrections);
  if (simulation.settle) w.line("settle", "true");
}

}  // namespace

std::string to_toml(const Scenario& scenario) {
  TomlWriter w(scenario.model);
  w.line("name", toml_string(scenario.model.name));
  write_environment(w);
  write_nodes(w);
  write_bars(w);
  write_bodies(w);
  write_joints(w);
  write_cables(w);
  write_constraints(w);
  write_actuators(w);
  write_controllers(w);
  write_loads(w);
  write_outputs(w);
  write_targets(w);
  write_simulation(w, scenario.simulation);
  return w.take();
}

}  // namespace taut
