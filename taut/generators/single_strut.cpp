// `single_strut`: Lieskovský (2022), 5.1.1. A strut on a universal joint and three cables from its tip to pulleys
// around it, each on a block that turns about a vertical axis through the pulley's centre. At a = l - √2 R from the
// foot the cables leave the upright strut at 45°.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/machine_bodies.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

// A ball at the end of the last pulley's cable that turns with the cable.
void add_end(Model& model, int tip, double mass, double radius) {
  PulleySpec& cable = model.pulleys.back();
  Body ball;
  ball.name = cable.name + "-end";
  ball.nodes = {tip};
  ball.mass = mass;
  ball.centre = model.nodes[tip].position;
  ball.inertia = 0.4 * mass * radius * radius * Mat3::Identity();
  cable.second.body = {Carrier::Kind::body, static_cast<int>(model.bodies.size())};
  model.bodies.push_back(std::move(ball));
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double l = numbers.positive("length"), diameter = numbers.positive("diameter");
  WinchBlock winch;
  winch.radius = numbers.positive("pulley_radius");
  winch.width = numbers.positive("pulley_width");
  winch.density = numbers.positive("density");
  const double E = numbers.positive("modulus"), r = numbers.positive("cable_radius"), area = std::numbers::pi * r * r;
  winch.EA = E * area;
  winch.damping = numbers.not_negative("viscosity") * area;
  winch.variant = read_variant(numbers);
  const double torques[3] = {numbers.number("torque_1"), numbers.number("torque_2"), numbers.number("torque_3")};
  const double azimuth = numbers.number("azimuth") * std::numbers::pi / 180.0,
               gravity = numbers.not_negative("gravity");
  const double end_mass = numbers.not_negative("end_mass"), end_radius = numbers.not_negative("end_radius");
  const double Q = std::numbers::sqrt2 * winch.radius, a = l - Q;
  numbers.throw_if_wrong();
  if (!(a > winch.radius)) numbers.wrong("pulley_radius", "the pulleys touch the strut: expected a smaller radius");
  // At the strain that the second torque holds, if no other is given.
  winch.strain = numbers.given("strain") ? numbers.number("strain") : torques[1] / (winch.radius * winch.EA);
  if (!(winch.strain > -1.0)) numbers.wrong("strain", fmt::format("must be above -1, got {}", winch.strain));
  numbers.throw_if_wrong();
  winch.block = Vec3::Constant(Q);

  Scenario scenario = weightless("single strut");
  Model& model = scenario.model;
  model.gravity = {0.0, 0.0, -gravity};
  const Vec3 up(0.0, 0.0, 1.0);
  const int foot = add_node(model, "foot", Vec3::Zero()), tip = add_node(model, "tip", l * up);
  model.nodes[foot].fixed = {true, true, true};
  const Carrier strut = add_tube(model, "strut", foot, tip, winch.density, 0.5 * diameter, 0.0);
  add_joint(model, "universalJt", JointType::universal, Carrier{}, strut, Vec3::Zero()).at_nodes = {foot};
  for (int i = 0; i < 3; ++i) {
    const double angle = azimuth + 2.0 * std::numbers::pi / 3.0 * i;
    const Vec3 radial(std::cos(angle), std::sin(angle), 0.0);
    const std::string name = "B" + std::to_string(i + 1);
    const int centre = add_node(model, name + "-centre", a * radial);
    model.nodes[centre].fixed = {true, true, true};
    winch.torque = torques[i];
    // The cable leaves over the outer, upper side: along × outward.
    add_winch(model, name, name + "-pulleyJt", winch, Carrier{}, up, a * radial,
              (up - radial).cross(up + radial).normalized(), tip);
    if (end_mass > 0.0) add_end(model, tip, end_mass, end_radius);
  }
  scenario.simulation.formulation = "multibody";
  scenario.simulation.duration = 1.0;
  scenario.simulation.tolerance = 1e-10;
  return scenario;
}

}  // namespace

Generator single_strut() {
  return {"single_strut",
          "a strut on a universal joint, held by three cables that wind on pulleys (Lieskovský 2022)",
          {{"length", 1.0, "m, of the strut"},
           {"diameter", 0.04, "m, of the strut"},
           {"pulley_radius", 0.07, "m"},
           {"pulley_width", 0.01, "m"},
           {"density", 2700.0, "kg/m³, of strut, pulleys and blocks"},
           {"modulus", 50e6, "Pa, of the cables"},
           {"cable_radius", 1e-3, "m"},
           {"viscosity", 0.0, "Pa s, of the cables"},
           {"strain", std::nullopt, "of the cables at the start; left out: what the second torque holds"},
           {"torque_1", 0.1001, "N m, on the first pulley"},
           {"torque_2", 0.1, "N m"},
           {"torque_3", 0.1, "N m"},
           {"azimuth", 0.0, "degrees, of the first block from the x axis"},
           {"gravity", 9.81, "m/s², along -z"},
           {"end_mass", 0.0, "kg, of the ball at the end of each cable; 0: none"},
           {"end_radius", 0.02, "m, of that ball, which turns with its cable"},
           variant_parameter()},
          build};
}

}  // namespace taut
