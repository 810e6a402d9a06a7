// `tensegrity_manipulator`: Lieskovský (2022), 5.1.2. Three tubes as face diagonals of a prism of height a = l/√2 over
// an equilateral triangle of side a, on universal joints; at each end of each a block that turns about the tube and
// carries a pulley, whose cable runs to the tip of the tube before; three links without mass from the tips to the
// end-effector.
#include <array>
#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/machine_bodies.h"
#include "taut/generators/kinds.h"

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

struct Manipulator {
  double l, a, outer, inner;  // m: struts, links, diameters
  double twist, gravity;      // rad, m/s²
  WinchBlock winch;
  double Q;            // m, from the end of a strut to the middle of the block there
  double reach, base;  // m: height of the end-effector, radius of the feet
  std::array<int, 3> foot, tip;
  std::array<Vec3, 3> foot_at, tip_at, direction;
};

Manipulator read(Numbers& numbers) {
  Manipulator m{};
  WinchBlock& winch = m.winch;
  m.l = numbers.positive("length");
  m.outer = numbers.positive("diameter");
  m.inner = numbers.positive("inner_diameter");
  winch.radius = numbers.positive("pulley_radius");
  const double h = numbers.positive("width");
  winch.density = numbers.positive("density");
  const double E = numbers.positive("modulus"), r = numbers.positive("cable_radius"), area = std::numbers::pi * r * r;
  winch.EA = E * area;
  winch.damping = numbers.not_negative("viscosity") * area;
  winch.variant = read_variant(numbers);
  winch.bearing = numbers.not_negative("bearing_damping");
  winch.strain = numbers.not_negative("stress") / E;
  m.twist = numbers.positive("twist") * std::numbers::pi / 180.0;
  m.gravity = numbers.not_negative("gravity");
  m.Q = std::numbers::sqrt2 * winch.radius;
  numbers.throw_if_wrong();
  if (!(m.inner < m.outer)) numbers.wrong("inner_diameter", "expected less than the diameter");
  m.a = m.l / std::numbers::sqrt2;
  if (!(4.0 * winch.radius < m.a)) numbers.wrong("pulley_radius", "the pulleys do not fit: expected a smaller radius");
  numbers.throw_if_wrong();
  winch.width = 2.0 * h;
  winch.block = Vec3(3.0 * h, m.Q, 2.0 * m.Q);
  winch.torque = winch.EA * winch.strain * winch.radius;
  m.reach = (1.0 + std::sqrt(2.0 / 3.0)) * m.a;
  m.base = m.a / std::numbers::sqrt3;
  return m;
}

void add_ends_of_struts(Model& model, Manipulator& m, Numbers& numbers) {
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * std::numbers::pi / 3.0 * i;
    m.foot_at[i] = m.base * Vec3(std::cos(angle), std::sin(angle), 0.0);
    m.foot[i] = add_node(model, "foot" + std::to_string(i + 1), m.foot_at[i]);
    model.nodes[m.foot[i]].fixed = {true, true, true};
  }
  const auto [radius, height] = tips(m.l, m.a, m.base, m.reach, m.twist);
  if (!(radius > 0.0)) numbers.wrong("twist", "struts and links do not meet: expected 120 to 180 degrees or so");
  numbers.throw_if_wrong();
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * std::numbers::pi / 3.0 * i + m.twist;
    m.tip_at[i] = Vec3(radius * std::cos(angle), radius * std::sin(angle), height);
    m.tip[i] = add_node(model, "tip" + std::to_string(i + 1), m.tip_at[i]);
    m.direction[i] = (m.tip_at[i] - m.foot_at[i]) / m.l;
  }
}

// The end-effector and its links.
void add_effector(Model& model, const Manipulator& m) {
  const Vec3 up(0.0, 0.0, 1.0), hand_at = m.reach * up;
  const int hand = add_node(model, "end-effector", hand_at);
  const Carrier effector = add_massless(model, "end-effector", hand_at);
  model.bodies.back().nodes = {hand};
  add_joint(model, "floatingJt", JointType::floating, Carrier{}, effector, hand_at).role = JointRole::tree;
  for (int i = 0; i < 3; ++i) {
    const int other = (i + 2) % 3;
    Bar link;
    link.name = branch(i) + "-link";
    link.a = hand;
    link.b = m.tip[other];
    link.rest_length = (m.tip_at[other] - hand_at).norm();
    model.bars.push_back(link);
    const Vec3 axis = up.cross(m.tip_at[other] - hand_at).normalized();
    add_joint(model, branch(i) + "-linkJt", JointType::revolute, effector, bar_carrier(model, link.name), hand_at,
              frame_about(axis));
  }
}

// On dummies, which make universal joints: the first axis of each is level, so that a third of a turn takes one strut
// with its joints into the next.
void add_struts(Model& model, const Manipulator& m) {
  for (int i = 0; i < 3; ++i) {
    const Carrier dummy = add_massless(model, branch(i) + "-dummy", m.foot_at[i]);
    const Carrier strut =
        add_tube(model, branch(i) + "-strut", m.foot[i], m.tip[i], m.winch.density, 0.5 * m.outer, 0.5 * m.inner);
    const Vec3 level = Vec3::UnitZ().cross(m.direction[i]).normalized();
    add_joint(model, branch(i) + "-dummyJt", JointType::revolute, Carrier{}, dummy, m.foot_at[i], frame_about(level));
    add_joint(model, branch(i) + "-strutJt", JointType::revolute, dummy, strut, m.foot_at[i],
              frame_about(m.direction[i].cross(level)));
  }
}

void add_winches(Model& model, const Manipulator& m) {
  for (int i = 0; i < 3; ++i) {
    const int other = (i + 2) % 3;
    for (const bool top : {true, false}) {
      const Vec3 vertex = top ? m.tip_at[i] : m.foot_at[i], inwards = top ? Vec3(-m.direction[i]) : m.direction[i];
      const Vec3 edge = (m.tip_at[other] - vertex).normalized();
      add_winch(model, branch(i) + (top ? "-top" : "-bot"), branch(i) + (top ? "-top" : "-bot") + "-revoluteJt",
                m.winch, bar_carrier(model, branch(i) + "-strut"), m.direction[i], vertex + m.Q * inwards,
                edge.cross(edge - std::numbers::sqrt2 * inwards).normalized(), m.tip[other]);
    }
  }
}

void join_links_with_struts(Model& model, const Manipulator& m) {
  for (int i = 0; i < 3; ++i) {
    const int other = (i + 2) % 3;
    JointSpec& level = add_joint(model, branch(i) + "-level-loopJt", JointType::spherical,
                                 bar_carrier(model, branch(other) + "-strut"), bar_carrier(model, branch(i) + "-link"),
                                 m.tip_at[other]);
    level.role = JointRole::loop;
    level.at_nodes = {m.tip[other]};
  }
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  Manipulator manipulator = read(numbers);
  Scenario scenario = weightless("tensegrity manipulator");
  Model& model = scenario.model;
  model.gravity = {0.0, 0.0, -manipulator.gravity};
  add_ends_of_struts(model, manipulator, numbers);
  add_effector(model, manipulator);
  add_struts(model, manipulator);
  add_winches(model, manipulator);
  join_links_with_struts(model, manipulator);
  scenario.simulation.formulation = "multibody";
  scenario.simulation.duration = 1.0;
  return scenario;
}

}  // namespace

Generator tensegrity_manipulator() {
  return {"tensegrity_manipulator",
          "three struts, six cables on pulleys and an end-effector on links (Lieskovský 2022)",
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
