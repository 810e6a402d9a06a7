#include "taut/model/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/model/member_defaults.h"

namespace taut {

namespace {

template <class List>
int index_of(const List& list, const std::string& name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  throw InputError("there is no " + name);
}

template <class List>
int put(List& list, typename List::value_type part) {
  list.push_back(std::move(part));
  return static_cast<int>(list.size()) - 1;
}

// Its own, or the nodes' with a number where that is taken.
template <class List>
std::string member_name(const Model& model, const List& members, const std::string& given, int a, int b) {
  if (!given.empty()) return given;
  const std::string joined =
      model.nodes[static_cast<std::size_t>(a)].name + "-" + model.nodes[static_cast<std::size_t>(b)].name;
  std::string name = joined;
  const auto taken = [&](const auto& member) { return member.name == name; };
  for (int number = 2; std::any_of(members.begin(), members.end(), taken); ++number)
    name = joined + "-" + std::to_string(number);
  return name;
}

}  // namespace

int add_node(Model& model, std::string name, const Vec3& position, const NodeOptions& options) {
  Node node;
  node.name = std::move(name);
  node.position = position;
  node.velocity = options.velocity;
  node.fixed = options.fixed;
  node.mass = options.mass;
  node.contact = options.contact;
  return put(model.nodes, std::move(node));
}

int add_node(Model& model, const Vec3& position, const NodeOptions& options) {
  return add_node(model, "n" + std::to_string(model.nodes.size() + 1), position, options);
}

int add_bar(Model& model, int a, int b, const BarOptions& options) {
  Bar bar;
  bar.name = member_name(model, model.bars, options.name, a, b);
  bar.a = a;
  bar.b = b;
  bar.mass = options.mass;
  bar.com = options.com;
  bar.axial_inertia = options.axial_inertia;
  bar.radius = options.radius;
  bar.drag = options.drag;
  bar.elastic = options.EA > 0.0;
  bar.EA = options.EA;
  const double length = start_length(model, bar);
  bar.rest_length = options.rest_length.value_or(length);
  if (!bar.elastic) bar.inertia = options.inertia.value_or(default_inertia(options.mass, length));
  return put(model.bars, std::move(bar));
}

int add_cable(Model& model, std::vector<int> path, const CableOptions& options) {
  Cable cable;
  cable.name = member_name(model, model.cables, options.name, path.front(), path.back());
  cable.path = std::move(path);
  cable.law.by_EA = options.EA.has_value();
  cable.law.stiffness = options.EA.value_or(options.stiffness);
  cable.law.damping = options.damping;
  if (options.law) cable.law = *options.law;
  cable.mass = options.mass;
  cable.friction = options.friction;
  cable.rest_length = options.rest_length
                          ? *options.rest_length
                          : rest_length_for_tension(cable.law, start_length(model, cable), options.tension);
  if (std::isnan(cable.rest_length))
    throw InputError(
        fmt::format("cable \"{}\": no rest length makes a tension of {:g} N", cable.name, options.tension));
  return put(model.cables, std::move(cable));
}

void add_support(Model& model, int node, const Axes& axes) {
  Axes& fixed = model.nodes[static_cast<std::size_t>(node)].fixed;
  for (std::size_t axis = 0; axis < 3; ++axis) fixed[axis] = fixed[axis] || axes[axis];
}

void add_load(Model& model, int node, const Vec3& force, double from, double to) {
  model.loads.push_back({node, force, from, to});
}

int add_actuator(Model& model, int cable, Signal rest_length) {
  return put(model.actuators, {cable, std::move(rest_length)});
}

int drive_length(Model& model, int bar, Signal length) { return put(model.bar_drives, {bar, std::move(length)}); }

Signal constant_signal(double value) { return {.value = value}; }

Signal step_signal(double before, double after, double at) {
  return {.kind = SignalKind::step, .before = before, .after = after, .at = at};
}

Signal ramp_signal(double from, double to, double start, double end) {
  return {.kind = SignalKind::ramp, .from = from, .to = to, .start = start, .end = end};
}

Signal sine_signal(double mean, double amplitude, double period, double phase) {
  return {.kind = SignalKind::sine, .mean = mean, .amplitude = amplitude, .period = period, .phase = phase};
}

Carrier body_carrier(const Model& model, const std::string& name) {
  return {Carrier::Kind::body, index_of(model.bodies, name)};
}

Carrier bar_carrier(const Model& model, const std::string& name) {
  return {Carrier::Kind::bar, index_of(model.bars, name)};
}

JointSpec& add_joint(Model& model, const std::string& name, JointType type, const Carrier& predecessor,
                     const Carrier& successor, const Vec3& at, const Mat3& frame) {
  JointSpec joint;
  joint.name = name;
  joint.type = type;
  joint.predecessor = predecessor;
  joint.successor = successor;
  joint.at_predecessor = joint.at_successor = at;
  joint.frame = frame;
  model.joints.push_back(std::move(joint));
  return model.joints.back();
}

void drive_torque(Model& model, int joint, Signal torque, int coordinate) {
  model.drives.push_back({joint, coordinate, false, std::move(torque)});
}

void drive_position(Model& model, int joint, Signal position, int coordinate) {
  model.drives.push_back({joint, coordinate, true, std::move(position)});
}

}  // namespace taut
