// `three_dof_mechanism`: seed 002. Three legs of two rods with knees between them, on universal joints at A_i; A_1 is
// fixed, A_2 runs on the x axis, A_3 in the plane. Springs of no free length A_iA_j and A_iC_j, i ≠ j; cables C_iC_j
// that keep their length. It starts in the equilibrium of the first knee angles, which is known in closed form:
//
//   a_i the corners of a triangle with sides L;  c_i = x + ā - a_i;  |c_i - a_i| = 2 L_s |cos(θ_i/2)|
//
// so that the end-effector x is where three spheres about 2 a_i - ā meet. In the frame of a leg (e₁ from A_i to the
// centroid, e₂ = Z, e₃ = e₁ × e₂) the rods point along d(β) and d(β + θ), d(x) = cos α cos x e₁ + sin α cos x e₂ -
// sin x e₃.
#include <array>
#include <cmath>
#include <numbers>

#include "taut/model/generators/kinds.h"
#include "taut/model/generators/mechanism_parts.h"
#include "taut/model/generators/parts.h"

namespace taut {

namespace {

constexpr double degree = std::numbers::pi / 180.0;

// Where spheres about points of the plane z = 0 meet, above it.
std::optional<Vec3> meeting_point(const std::array<Vec3, 3>& p, const std::array<double, 3>& radius) {
  const Vec3 u = p[1] - p[0], w = p[2] - p[0], first = u.normalized(), third = u.cross(w).normalized();
  const Vec3 second = third.cross(first);
  const double r0 = radius[0] * radius[0], d = u.norm(), i = first.dot(w), j = second.dot(w);
  const double x = (r0 - radius[1] * radius[1] + d * d) / (2.0 * d);
  const double y = (r0 - radius[2] * radius[2] + i * i + j * j - 2.0 * i * x) / (2.0 * j), square = r0 - x * x - y * y;
  if (!(square > 0.0)) return std::nullopt;
  return p[0] + x * first + y * second + std::sqrt(square) * Vec3::UnitZ();
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double Ls = numbers.positive("strut_length"), L = numbers.positive("side"), m = numbers.positive("mass");
  const double K = numbers.positive("stiffness"), C = numbers.not_negative("damping"),
               hinge = numbers.not_negative("joint_damping");
  const double start = numbers.not_negative("start"), end = numbers.positive("end");
  std::array<double, 3> from, to, reach;
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    from[i] = numbers.between("from_" + number, -180.0, 0.0) * degree;
    to[i] = numbers.between("to_" + number, -180.0, 0.0) * degree;
    reach[i] = 2.0 * Ls * std::cos(0.5 * from[i]);
  }
  numbers.throw_if_wrong();
  if (!(end > start)) numbers.wrong("end", "expected a time after start");
  numbers.throw_if_wrong();

  Scenario scenario = weightless("spatial 3-DOF mechanism");
  Model& model = scenario.model;
  const std::array<Vec3, 3> a = {Vec3::Zero(), Vec3(L, 0.0, 0.0), Vec3(0.5 * L, 0.5 * std::numbers::sqrt3 * L, 0.0)};
  const Vec3 middle = (a[0] + a[1] + a[2]) / 3.0, up = Vec3::UnitZ();
  const auto hand = meeting_point({2.0 * a[0] - middle, 2.0 * a[1] - middle, 2.0 * a[2] - middle}, reach);
  if (!hand) {
    numbers.wrong("from_1", "the legs do not meet with these angles: expected straighter knees");
    numbers.throw_if_wrong();
  }

  std::array<int, 3> node_a, node_c;
  std::array<Vec3, 3> b, c;
  struct Leg {
    double alpha, beta;
    Vec3 hinge, knee;  // axes: e₃ and across the leg's plane
  };
  std::array<Leg, 3> legs;
  for (int i = 0; i < 3; ++i) {
    const Vec3 e1 = (middle - a[i]).normalized(), e3 = e1.cross(up), w = *hand + middle - 2.0 * a[i];
    const double along = std::hypot(w.dot(e1), w.dot(up));
    Leg& leg = legs[i];
    leg.alpha = std::atan2(w.dot(up), w.dot(e1));
    leg.beta = std::atan2(-w.dot(e3), along) - 0.5 * from[i];
    leg.hinge = e3;
    leg.knee = std::cos(leg.alpha) * up - std::sin(leg.alpha) * e1;
    const Vec3 plane = std::cos(leg.alpha) * e1 + std::sin(leg.alpha) * up;
    b[i] = a[i] + Ls * (std::cos(leg.beta) * plane - std::sin(leg.beta) * e3);
    c[i] = *hand + middle - a[i];
    const std::string number = std::to_string(i + 1);
    node_a[i] = add_node(model, "a" + number, a[i]);
    add_node(model, "b" + number, b[i]);
    node_c[i] = add_node(model, "c" + number, c[i]);
  }
  model.nodes[node_a[0]].fixed = {true, true, true};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 2; ++k) {
      Pairs pair = {{node_a[i] + k, node_a[i] + k + 1}};
      add_bars(model, pair, m);
      model.bars.back().name = (k == 0 ? "proximal" : "distal") + std::to_string(i + 1);
    }
  for (int i = 0; i < 3; ++i) {
    Pairs pair = {{node_c[i], node_c[(i + 1) % 3]}};
    add_bars(model, pair, 0.0);
    model.bars.back().name = "cable" + std::to_string(i + 1);
  }

  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    Carrier base;
    const auto slide = [&](const char* axis, const Vec3& direction) {
      const Carrier carriage = add_massless(model, "carriage" + number + axis, a[i]);
      model.bodies.back().nodes = {};
      add_joint(model, "slide" + number + axis, JointType::prismatic, base, carriage, a[i], frame_about(direction))
          .position = {direction.dot(a[i])};
      base = carriage;
    };
    if (i > 0) slide("x", Vec3::UnitX());
    if (i == 2) slide("y", Vec3::UnitY());
    const Carrier upper = bar_carrier(model, "proximal" + number), lower = bar_carrier(model, "distal" + number);
    const Mat3 cross = frame_of(legs[i].hinge, legs[i].knee);
    JointSpec& universal = add_joint(model, "universal" + number, JointType::universal, base, upper, a[i], cross);
    universal.at_nodes = {node_a[i]};
    universal.position = {legs[i].alpha, legs[i].beta};
    if (hinge > 0.0) universal.damping = {hinge, hinge};
    JointSpec& knee =
        add_joint(model, "knee" + number, JointType::revolute, upper, lower, b[i], frame_about(legs[i].knee));
    knee.at_nodes = {node_a[i] + 1};
    knee.position = {from[i]};
    JointDrive drive;
    drive.joint = static_cast<int>(model.joints.size()) - 1;
    drive.imposed = true;
    drive.signal.kind = SignalKind::cosine;
    drive.signal.from = from[i];
    drive.signal.to = to[i];
    drive.signal.start = start;
    drive.signal.end = end;
    model.drives.push_back(drive);
  }

  CableLaw law;
  law.kind = LawKind::spring;
  law.stiffness = K;
  law.damping = C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) {
      const int other = j < 3 ? node_a[j] : node_c[j - 3];
      if (j == i + 3 || j <= i) continue;
      Cable spring;
      spring.name = model.nodes[node_a[i]].name + "-" + model.nodes[other].name;
      spring.path = {node_a[i], other};
      spring.law = law;
      model.cables.push_back(spring);
    }
  scenario.simulation.formulation = "multibody";
  scenario.simulation.duration = 10.0;
  scenario.simulation.output_step = 0.05;
  scenario.simulation.tolerance = 1e-10;
  return scenario;
}

}  // namespace

Generator three_dof_mechanism() {
  return {"three_dof_mechanism",
          "three legs with driven knees, springs and rigid cables, in equilibrium (seed 002)",
          {{"strut_length", std::numbers::sqrt2, "m, of each of the six rods"},
           {"side", std::numbers::sqrt2 / 2.0, "m, of the triangle of rigid cables"},
           {"mass", 2.5, "kg, of each rod"},
           {"stiffness", 1000.0, "N/m, of the springs"},
           {"damping", 100.0, "N s/m, of the springs"},
           {"joint_damping", 0.0, "N m s, in both axes of the universal joints"},
           {"from_1", -90.0, "degrees, knee angle at the start"},
           {"from_2", -90.0, "degrees"},
           {"from_3", -90.0, "degrees"},
           {"to_1", -70.55, "degrees, knee angle at the end"},
           {"to_2", -97.13, "degrees"},
           {"to_3", -84.01, "degrees"},
           {"start", 1.0, "s, when the knees begin to move"},
           {"end", 3.0, "s, when they stop"}},
          build};
}

}  // namespace taut
