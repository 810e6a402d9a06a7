// `three_dof_mechanism`: Arsenault and Gosselin (2005). Three legs of two rods with knees between them, on universal
// joints at A_i; A_1 is fixed, A_2 runs on the x axis, A_3 in the plane. Springs of no free length A_iA_j and A_iC_j, i
// ≠ j; cables C_iC_j that keep their length. It starts in the equilibrium of the first knee angles, which is known in
// closed form:
//
//   a_i the corners of a triangle with sides L;  c_i = x + ā - a_i;  |c_i - a_i| = 2 L_s |cos(θ_i/2)|
//
// so that the end-effector x is where three spheres about 2 a_i - ā meet. In the frame of a leg (e₁ from A_i to the
// centroid, e₂ = Z, e₃ = e₁ × e₂) the rods point along d(β) and d(β + θ), d(x) = cos α cos x e₁ + sin α cos x e₂ -
// sin x e₃.
#include <array>
#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/machine_bodies.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double degree = std::numbers::pi / 180.0;

// Where spheres about points of the plane z = 0 meet, above it. Always inlined: g++ fuses other products in a function
// of its own, and the last digit of the shipped model would change.
[[gnu::always_inline]] inline std::optional<Vec3> meeting_point(const std::array<Vec3, 3>& p,
                                                                const std::array<double, 3>& radius) {
  const Vec3 u = p[1] - p[0], w = p[2] - p[0], first = u.normalized(), third = u.cross(w).normalized();
  const Vec3 second = third.cross(first);
  const double r0 = radius[0] * radius[0], d = u.norm(), i = first.dot(w), j = second.dot(w);
  const double x = (r0 - radius[1] * radius[1] + d * d) / (2.0 * d);
  const double y = (r0 - radius[2] * radius[2] + i * i + j * j - 2.0 * i * x) / (2.0 * j), square = r0 - x * x - y * y;
  if (!(square > 0.0)) return std::nullopt;
  return p[0] + x * first + y * second + std::sqrt(square) * Vec3::UnitZ();
}

struct Wishes {
  double Ls, L, m;                 // m, m, kg
  double K, C, hinge;              // N/m, N s/m, N m s
  double start, end;               // s
  std::array<double, 3> from, to;  // rad, knee angles
  std::array<double, 3> reach;     // m, from A_i to C_i at the start
};

Wishes read(Numbers& numbers) {
  Wishes w{};
  w.Ls = numbers.positive("strut_length");
  w.L = numbers.positive("side");
  w.m = numbers.positive("mass");
  w.K = numbers.positive("stiffness");
  w.C = numbers.not_negative("damping");
  w.hinge = numbers.not_negative("joint_damping");
  w.start = numbers.not_negative("start");
  w.end = numbers.positive("end");
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    w.from[i] = numbers.between("from_" + number, -180.0, 0.0) * degree;
    w.to[i] = numbers.between("to_" + number, -180.0, 0.0) * degree;
    w.reach[i] = 2.0 * w.Ls * std::cos(0.5 * w.from[i]);
  }
  numbers.throw_if_wrong();
  if (!(w.end > w.start)) numbers.wrong("end", "expected a time after start");
  numbers.throw_if_wrong();
  return w;
}

struct Leg {
  Vec3 a, b, c;  // foot, knee, tip
  double alpha, beta;
  Vec3 hinge, knee;  // axes: e₃ and across the leg's plane
  int node_a = 0, node_c = 0;
};

// The equilibrium of the first knee angles.
std::array<Leg, 3> lay_out_legs(const Wishes& w, Numbers& numbers) {
  const double L = w.L;
  const std::array<Vec3, 3> a = {Vec3::Zero(), Vec3(L, 0.0, 0.0), Vec3(0.5 * L, 0.5 * std::numbers::sqrt3 * L, 0.0)};
  const Vec3 middle = (a[0] + a[1] + a[2]) / 3.0, up = Vec3::UnitZ();
  const auto hand = meeting_point({2.0 * a[0] - middle, 2.0 * a[1] - middle, 2.0 * a[2] - middle}, w.reach);
  if (!hand) {
    numbers.wrong("from_1", "the legs do not meet with these angles: expected straighter knees");
    numbers.throw_if_wrong();
  }
  std::array<Leg, 3> legs;
  for (int i = 0; i < 3; ++i) {
    const Vec3 e1 = (middle - a[i]).normalized(), e3 = e1.cross(up), to_tip = *hand + middle - 2.0 * a[i];
    const double along = std::hypot(to_tip.dot(e1), to_tip.dot(up));
    Leg& leg = legs[i];
    leg.alpha = std::atan2(to_tip.dot(up), to_tip.dot(e1));
    leg.beta = std::atan2(-to_tip.dot(e3), along) - 0.5 * w.from[i];
    leg.hinge = e3;
    leg.knee = std::cos(leg.alpha) * up - std::sin(leg.alpha) * e1;
    const Vec3 plane = std::cos(leg.alpha) * e1 + std::sin(leg.alpha) * up;
    leg.a = a[i];
    leg.b = a[i] + w.Ls * (std::cos(leg.beta) * plane - std::sin(leg.beta) * e3);
    leg.c = *hand + middle - a[i];
  }
  return legs;
}

// Nodes, the six rods and the rigid cables between the tips.
void add_rods(Model& model, std::array<Leg, 3>& legs, double mass) {
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    legs[i].node_a = add_node(model, "a" + number, legs[i].a);
    add_node(model, "b" + number, legs[i].b);
    legs[i].node_c = add_node(model, "c" + number, legs[i].c);
  }
  model.nodes[legs[0].node_a].fixed = {true, true, true};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 2; ++k) {
      Pairs pair = {{legs[i].node_a + k, legs[i].node_a + k + 1}};
      add_bars(model, pair, mass);
      model.bars.back().name = (k == 0 ? "proximal" : "distal") + std::to_string(i + 1);
    }
  for (int i = 0; i < 3; ++i) {
    Pairs pair = {{legs[i].node_c, legs[(i + 1) % 3].node_c}};
    add_bars(model, pair, 0.0);
    model.bars.back().name = "cable" + std::to_string(i + 1);
    model.bars.back().radius *= 0.25;  // drawn as thin as a cable
  }
}

// The carriage that A_i is on: none, along x, along x and y.
Carrier add_slides(Model& model, int i, const Vec3& a) {
  Carrier base;
  const auto slide = [&](const char* axis, const Vec3& direction) {
    const std::string name = std::to_string(i + 1) + axis;
    const Carrier carriage = add_massless(model, "carriage" + name, a);
    model.bodies.back().nodes = {};
    add_joint(model, "slide" + name, JointType::prismatic, base, carriage, a, frame_about(direction)).position = {
        direction.dot(a)};
    base = carriage;
  };
  if (i > 0) slide("x", Vec3::UnitX());
  if (i == 2) slide("y", Vec3::UnitY());
  return base;
}

void add_joints(Model& model, int i, const Leg& leg, const Wishes& w) {
  const std::string number = std::to_string(i + 1);
  const Carrier base = add_slides(model, i, leg.a);
  const Carrier upper = bar_carrier(model, "proximal" + number), lower = bar_carrier(model, "distal" + number);
  const Mat3 cross = frame_of(leg.hinge, leg.knee);
  JointSpec& universal = add_joint(model, "universal" + number, JointType::universal, base, upper, leg.a, cross);
  universal.at_nodes = {leg.node_a};
  universal.position = {leg.alpha, leg.beta};
  if (w.hinge > 0.0) universal.damping = {w.hinge, w.hinge};
  JointSpec& knee = add_joint(model, "knee" + number, JointType::revolute, upper, lower, leg.b, frame_about(leg.knee));
  knee.at_nodes = {leg.node_a + 1};
  knee.position = {w.from[i]};
  JointDrive drive;
  drive.joint = static_cast<int>(model.joints.size()) - 1;
  drive.imposed = true;
  drive.signal.kind = SignalKind::cosine;
  drive.signal.from = w.from[i];
  drive.signal.to = w.to[i];
  drive.signal.start = w.start;
  drive.signal.end = w.end;
  model.drives.push_back(drive);
}

void add_springs(Model& model, const std::array<Leg, 3>& legs, const Wishes& w) {
  CableLaw law;
  law.kind = LawKind::spring;
  law.stiffness = w.K;
  law.damping = w.C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) {
      const int node = legs[i].node_a, other = j < 3 ? legs[j].node_a : legs[j - 3].node_c;
      if (j == i + 3 || j <= i) continue;
      Cable spring;
      spring.name = model.nodes[node].name + "-" + model.nodes[other].name;
      spring.path = {node, other};
      spring.law = law;
      model.cables.push_back(spring);
    }
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const Wishes wishes = read(numbers);
  std::array<Leg, 3> legs = lay_out_legs(wishes, numbers);
  Scenario scenario = weightless("spatial 3-DOF mechanism");
  Model& model = scenario.model;
  add_rods(model, legs, wishes.m);
  for (int i = 0; i < 3; ++i) add_joints(model, i, legs[i], wishes);
  add_springs(model, legs, wishes);
  scenario.simulation.formulation = "multibody";
  scenario.simulation.duration = 10.0;
  scenario.simulation.output_step = 0.05;
  scenario.simulation.tolerance = 1e-10;
  return scenario;
}

}  // namespace

Generator three_dof_mechanism() {
  return {"three_dof_mechanism",
          "three legs with driven knees, springs and rigid cables, in equilibrium (Arsenault and Gosselin 2005)",
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
