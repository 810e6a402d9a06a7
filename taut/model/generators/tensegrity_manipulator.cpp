// `tensegrity_manipulator`: seed 000, 5.1.2. Three tubes as face diagonals of a prism of height a = l/√2 over an
// equilateral triangle of side a, on universal joints; at each end of each a block that turns about the tube and
// carries a pulley, whose cable runs to the tip of the tube before; three links without mass from the tips to the
// end-effector.
#include <array>
#include <cmath>
#include <numbers>

#include "taut/model/generators/kinds.h"
#include "taut/model/generators/mechanism_parts.h"
#include "taut/model/generators/parts.h"

namespace taut {

namespace {

std::string branch(int i) { return "B" + std::to_string(i + 1); }

// Radius ρ and height z of the tips when struts of length l from a circle of radius `base` are turned by `twist`, and
// links of length a meet at the height `reach`:
//
//   ρ² + base² - 2 ρ base cos(twist) + z² = l²,   ρ² + (reach - z)² = a²
//
// Their difference gives z as a line in ρ; then a quadratic equation, of which the wider one is taken. Not positive:
// there is none.
std::pair<double, double> tips(double l, double a, double base, double reach, double twist) {
  const double slope = base * std::cos(twist) / reach,
               shift = (l * l - base * base - a * a + reach * reach) / (2.0 * reach);  // z = slope ρ + shift
  const double A = 1.0 + slope * slope, B = slope * (shift - reach), C = (shift - reach) * (shift - reach) - a * a;
  const double root = B * B - A * C;
  const double radius = root >= 0.0 ? (-B + std::sqrt(root)) / A : 0.0;
  return {radius, slope * radius + shift};
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double l = numbers.positive("length"), outer = numbers.positive("diameter"),
               inner = numbers.positive("inner_diameter");
  WinchBlock winch;
  winch.radius = numbers.positive("pulley_radius");
  const double h = numbers.positive("width");
  winch.density = numbers.positive("density");
  const double E = numbers.positive("modulus"), r = numbers.positive("cable_radius"), area = std::numbers::pi * r * r;
  winch.EA = E * area;
  winch.damping = numbers.not_negative("viscosity") * area;
  winch.variant = read_variant(numbers);
  winch.bearing = numbers.not_negative("bearing_damping");
  winch.strain = numbers.not_negative("stress") / E;
  const double twist = numbers.positive("twist") * std::numbers::pi / 180.0;
  const double gravity = numbers.not_negative("gravity"), Q = std::numbers::sqrt2 * winch.radius;
  numbers.throw_if_wrong();
  if (!(inner < outer)) numbers.wrong("inner_diameter", "expected less than the diameter");
  const double a = l / std::numbers::sqrt2;
  if (!(4.0 * winch.radius < a)) numbers.wrong("pulley_radius", "the pulleys do not fit: expected a smaller radius");
  numbers.throw_if_wrong();
  winch.width = 2.0 * h;
  winch.block = Vec3(3.0 * h, Q, 2.0 * Q);
  winch.torque = winch.EA * winch.strain * winch.radius;

  Scenario scenario = weightless("tensegrity manipulator");
  Model& model = scenario.model;
  model.gravity = {0.0, 0.0, -gravity};
  const Vec3 up(0.0, 0.0, 1.0);
  const double reach = (1.0 + std::sqrt(2.0 / 3.0)) * a, base = a / std::numbers::sqrt3;
  std::array<int, 3> foot, tip;
  std::array<Vec3, 3> foot_at, tip_at, direction;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * std::numbers::pi / 3.0 * i;
    foot_at[i] = base * Vec3(std::cos(angle), std::sin(angle), 0.0);
    foot[i] = add_node(model, "foot" + std::to_string(i + 1), foot_at[i]);
    model.nodes[foot[i]].fixed = {true, true, true};
  }
  const auto [radius, height] = tips(l, a, base, reach, twist);
  if (!(radius > 0.0)) numbers.wrong("twist", "struts and links do not meet: expected 120 to 180 degrees or so");
  numbers.throw_if_wrong();
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * std::numbers::pi / 3.0 * i + twist;
    tip_at[i] = Vec3(radius * std::cos(angle), radius * std::sin(angle), height);
    tip[i] = add_node(model, "tip" + std::to_string(i + 1), tip_at[i]);
    direction[i] = (tip_at[i] - foot_at[i]) / l;
  }
  const Vec3 hand_at = reach * up;
  const int hand = add_node(model, "end-effector", hand_at);

  // The end-effector and its links.
  const Carrier effector = add_massless(model, "end-effector", hand_at);
  model.bodies.back().nodes = {hand};
  add_joint(model, "floatingJt", JointType::floating, Carrier{}, effector, hand_at).role = JointRole::tree;
  for (int i = 0; i < 3; ++i) {
    const int other = (i + 2) % 3;
    Bar link;
    link.name = branch(i) + "-link";
    link.a = hand;
    link.b = tip[other];
    link.rest_length = (tip_at[other] - hand_at).norm();
    model.bars.push_back(link);
    const Vec3 axis = up.cross(tip_at[other] - hand_at).normalized();
    add_joint(model, branch(i) + "-linkJt", JointType::revolute, effector, bar_carrier(model, link.name), hand_at,
              frame_about(axis));
  }

  // The struts on dummies, which make universal joints, and their winches.
  for (int i = 0; i < 3; ++i) {
    const Carrier dummy = add_massless(model, branch(i) + "-dummy", foot_at[i]);
    const Carrier strut =
        add_tube(model, branch(i) + "-strut", foot[i], tip[i], winch.density, 0.5 * outer, 0.5 * inner);
    const Mat3 frame = frame_about(direction[i]);
    add_joint(model, branch(i) + "-dummyJt", JointType::revolute, Carrier{}, dummy, foot_at[i],
              frame_about(frame.row(0)));
    add_joint(model, branch(i) + "-strutJt", JointType::revolute, dummy, strut, foot_at[i], frame_about(frame.row(1)));
  }
  for (int i = 0; i < 3; ++i) {
    const int other = (i + 2) % 3;
    for (const bool top : {true, false}) {
      const Vec3 vertex = top ? tip_at[i] : foot_at[i], inwards = top ? Vec3(-direction[i]) : direction[i];
      const Vec3 edge = (tip_at[other] - vertex).normalized();
      add_winch(model, branch(i) + (top ? "-top" : "-bot"), branch(i) + (top ? "-top" : "-bot") + "-revoluteJt", winch,
                bar_carrier(model, branch(i) + "-strut"), direction[i], vertex + Q * inwards,
                edge.cross(edge - std::numbers::sqrt2 * inwards).normalized(), tip[other]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    const int other = (i + 2) % 3;
    JointSpec& level =
        add_joint(model, branch(i) + "-level-loopJt", JointType::spherical,
                  bar_carrier(model, branch(other) + "-strut"), bar_carrier(model, branch(i) + "-link"), tip_at[other]);
    level.role = JointRole::loop;
    level.at_nodes = {tip[other]};
  }
  scenario.simulation.formulation = "multibody";
  scenario.simulation.duration = 1.0;
  return scenario;
}

}  // namespace

Generator tensegrity_manipulator() {
  return {"tensegrity_manipulator",
          "three struts, six cables on pulleys and an end-effector on links (seed 000)",
          {{"length", 1.0, "m, of the struts"},
           {"diameter", 0.035, "m, of the struts"},
           {"inner_diameter", 0.032, "m, of the struts"},
           {"pulley_radius", 0.05, "m"},
           {"width", 0.01, "m: pulleys are twice, blocks three times as wide"},
           {"density", 2700.0, "kg/m³, of struts, pulleys and blocks"},
           {"modulus", 2e9, "Pa, of the cables"},
           {"cable_radius", 1e-3, "m"},
           {"viscosity", 1e6, "Pa s, of the cables"},
           {"stress", 20e6, "Pa, of the cables at the start; the torques hold it"},
           {"bearing_damping", 0.5, "N m s, of the pulleys"},
           {"gravity", 9.81, "m/s², along -z"},
           {"twist", 120.0,
            "degrees, of the tips against the feet; in balance only where a controller holds it, as at 150"},
           variant_parameter()},
          build};
}

}  // namespace taut
