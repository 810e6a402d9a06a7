#include "taut/generators/assemble/machine_bodies.h"

#include <array>
#include <cmath>

namespace taut {

namespace {

// What is nothing but the rounding of numbers of that size is 0: processors round differently, files should not differ.
template <class Entries>
Entries tidy(const Entries& entries, double size) {
  return entries.unaryExpr([&](double x) { return std::abs(x) < 1e-15 * size ? 0.0 : x; });
}

}  // namespace

Carrier add_body(Model& model, const std::string& name, const Shape& shape, double density) {
  Body body;
  body.name = name;
  body.centre = tidy(shape.centre, 1.0);
  body.mass = density * shape.volume;
  body.inertia = inertia_of(shape, body.mass);
  body.inertia = tidy(body.inertia, body.inertia.trace());
  body.shape = shape.drawn;
  body.shape.first = tidy(body.shape.first, 1.0);
  body.shape.second = tidy(body.shape.second, 1.0);
  model.bodies.push_back(std::move(body));
  return {Carrier::Kind::body, static_cast<int>(model.bodies.size()) - 1};
}

Carrier add_massless(Model& model, const std::string& name, const Vec3& centre) {
  Body body;
  body.name = name;
  body.centre = tidy(centre, 1.0);
  model.bodies.push_back(std::move(body));
  return {Carrier::Kind::body, static_cast<int>(model.bodies.size()) - 1};
}

Carrier add_tube(Model& model, const std::string& name, int a, int b, double density, double radius, double inner) {
  Bar bar;
  bar.name = name;
  bar.a = a;
  bar.b = b;
  const Vec3 from = model.nodes[a].position, to = model.nodes[b].position;
  const Shape shape = tube_shape(0.5 * (from + to), to - from, (to - from).norm(), radius, inner);
  bar.mass = density * shape.volume;
  const double square = radius * radius + inner * inner, length = (to - from).norm();
  bar.inertia = bar.mass * (square / 4.0 + length * length / 12.0);
  bar.axial_inertia = bar.mass * square / 2.0;
  bar.radius = radius;
  bar.rest_length = length;
  model.bars.push_back(std::move(bar));
  return {Carrier::Kind::bar, static_cast<int>(model.bars.size()) - 1};
}

void add_winch(Model& model, const std::string& name, const std::string& spin, const WinchBlock& winch,
               const Carrier& base, const Vec3& block_axis, const Vec3& centre, const Vec3& pulley_axis, int node) {
  Mat3 axes;  // of the block: its last edge along its axis, its first along the pulley's
  axes.col(2) = block_axis;
  axes.col(0) = pulley_axis;
  axes.col(1) = block_axis.cross(pulley_axis);
  const Carrier block = add_body(model, name + "-block", box_shape(centre, winch.block, axes), winch.density);
  const Carrier pulley =
      add_body(model, name + "-pulley", tube_shape(centre, pulley_axis, winch.width, winch.radius, 0.0), winch.density);
  add_joint(model, name + "-blockJt", JointType::revolute, base, block, centre, frame_about(block_axis));
  JointSpec& turn = add_joint(model, spin, JointType::revolute, block, pulley, centre, frame_about(pulley_axis));
  if (winch.bearing > 0.0) turn.damping = {winch.bearing};
  drive_torque(model, static_cast<int>(model.joints.size()) - 1, constant_signal(winch.torque));
  PulleySpec cable;
  cable.name = name;
  cable.wheel = {pulley, centre, winch.radius};
  cable.axis = pulley_axis;
  cable.node = node;
  cable.variant = winch.variant;
  if (winch.variant != PulleyVariant::rigid) {
    cable.EA = winch.EA;
    cable.damping = winch.damping;
    cable.strain = winch.strain;
  }
  model.pulleys.push_back(cable);
}

Parameter variant_parameter() {
  return {"variant", 2.0, "the cables' second coordinate: 0 none (rigid), 1 u, 2 epsilon, 3 l", true};
}

PulleyVariant read_variant(Numbers& numbers) {
  constexpr std::array<PulleyVariant, 4> variants = {PulleyVariant::rigid, PulleyVariant::u, PulleyVariant::epsilon,
                                                     PulleyVariant::l};
  return variants[numbers.count("variant", 0, 3)];
}

}  // namespace taut
