// Rigid bodies in the nodal formulation move as Euler's equations say, whatever nodes carry them.
#include <gtest/gtest.h>

#include <numbers>

#include "taut/file/write/write_toml.h"
#include "taut/formulation/formulation.h"
#include "taut/modes/linearise.h"
#include "taut/solve/dense.h"
#include "tests/formulation/bodies_support.h"
#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

const std::vector<Vec3> corners = {{0.3, 0.1, -0.2},     {-0.2, 0.25, 0.1}, {0.05, -0.3, 0.15},
                                   {-0.1, -0.05, -0.35}, {0.2, 0.3, 0.3},   {-0.3, -0.2, 0.2}};

// A free body about a centre that is no node, on the first `count` of the corners.
Scenario free_body(int count, const Mat3& inertia, const Vec3& v, const Vec3& w) {
  Scenario s = empty_scenario(2.0, 0.25);
  std::vector<int> nodes;
  const Vec3 centre(0.4, -0.2, 0.1);
  for (int i = 0; i < count; ++i) nodes.push_back(add_node(s.model, centre + corners[i]));
  add_body(s.model, "stone", nodes, 2.0, centre, inertia);
  move_all(s.model, centre, v, w);
  return s;
}

const Vec3 drift(0.3, -0.1, 0.2);

// About three turns near the middle axis, which is unstable: the body tumbles.
TEST(BodyMotion, AsymmetricTopTumblesAsEulerSays) {
  const Mat3 inertia = turned_inertia(0.05, 0.08, 0.11);
  const Vec3 axis = principal_axes(inertia).axes.col(1), w = 10.0 * axis + Vec3(0.3, 0.2, -0.1);
  const Scenario s = free_body(4, inertia, drift, w);
  EXPECT_EQ(s.model.nodes.size(), 4u);  // four corners span the mass: none is appended
  const Motion motion = run(s, "dopri5", 1e-13);
  ASSERT_EQ(motion.summary.status, RunStatus::done);
  Top top(inertia, w);
  const Vec3 momentum = top.angular_momentum(), centre = s.model.bodies[0].centre;
  const double energy = 0.5 * 2.0 * drift.squaredNorm() + top.energy();
  double tilt = 0.0;
  for (const Sample& row : motion.rows) {
    if (row.t > 0.0) top.advance(0.25, 5000);
    for (int i = 0; i < 4; ++i)
      EXPECT_LT((position(row, i) - (centre + row.t * drift + top.turn() * corners[i])).norm(), 1e-9) << row.t;
    const Vec3 omega = angular_velocity(row, {0, 1, 2, 3});
    EXPECT_LT((omega - top.angular_velocity()).norm(), 1e-8);
    EXPECT_LT((top.turn() * inertia * top.turn().transpose() * omega - momentum).norm(), 1e-9);
    // ½ m v² + ½ ω·Iω from the mass matrix of the nodes.
    EXPECT_NEAR(row.energy[0], energy, 1e-11 * energy);
    tilt = std::max(tilt, std::acos(std::min(1.0, axis.dot(top.turn() * axis))));
  }
  EXPECT_GT(tilt, 1.0);  // it did tumble
}

// The same body on one, three, four and six nodes, with every method.
TEST(BodyMotion, NodesDoNotMatter) {
  const Mat3 inertia = turned_inertia(0.05, 0.08, 0.11);
  const Vec3 w(4.0, -3.0, 5.0);
  Top end(inertia, w);
  end.advance(2.0, 20000);
  for (int count : {1, 2, 3, 4, 6}) {
    const Scenario s = free_body(count, inertia, drift, w);
    EXPECT_EQ(s.model.nodes.size(), static_cast<size_t>(std::max(count, 4)));
    const auto nodal = make_formulation("nodal", s.model);
    EXPECT_EQ(nodal->facts().degrees_of_freedom, 6);
    EXPECT_EQ(nodal->facts().redundant_constraints, 0);
    for (const Method& method : methods()) {
      SCOPED_TRACE(method.name);
      if (method.order == 1 || (count != 4 && method.name != "dopri5")) continue;
      const Motion motion = run(s, method);
      ASSERT_EQ(motion.summary.status, RunStatus::done);
      for (int i = 0; i < count; ++i)
        EXPECT_LT(
            (position(motion.last(), i) - (s.model.bodies[0].centre + 2.0 * drift + end.turn() * corners[i])).norm(),
            std::max(1e-8, 40.0 * method.error))
            << count << " nodes";
    }
  }
}

// A heavy top on one fixed node, spun about its axis and let go.
TEST(BodyMotion, HeavyTopOnOneSupport) {
  const double m = 1.5, axial = 0.01, across = 0.02, d = 0.3;
  const Vec3 up = Vec3(0.5, 0.0, 1.0).normalized(), g(0, 0, -9.81);
  Scenario s = empty_scenario(1.0, 0.25);
  s.model.gravity = g;
  const int foot = add_node(s.model, {0, 0, 0}, 0.0, all_fixed), tip = add_node(s.model, 0.5 * up);
  const Mat3 inertia = across * Mat3::Identity() + (axial - across) * up * up.transpose();
  add_body(s.model, "top", {foot, tip}, m, d * up, inertia);
  const Vec3 w = 60.0 * up;
  move_all(s.model, Vec3::Zero(), Vec3::Zero(), w);
  const Mat3 about_foot = inertia + m * d * d * (Mat3::Identity() - up * up.transpose());
  Top top(about_foot, w, m, d * up, g);
  const Motion motion = run(s, "dopri5", 1e-12);
  for (const Sample& row : motion.rows) {
    if (row.t > 0.0) top.advance(0.25, 10000);
    EXPECT_LT((position(row, tip) - top.turn() * (0.5 * up)).norm(), 1e-9) << row.t;
    EXPECT_NEAR(row.energy[6], motion.rows[0].energy[6], 1e-9);
    // The support carries the weight and what the centre accelerates.
    EXPECT_LT((Vec3(row.support_forces.data()) - m * (top.acceleration() - g)).norm(), 1e-7);
  }
  // It precesses: the tip leaves the plane in which it would fall.
  EXPECT_GT(std::abs(position(motion.last(), tip).y()), 0.02);
}

// A body on its support alone swings, on two it is a door, and one that slides on a table rolls about its axle.
TEST(BodyMotion, SupportsAloneDoNotFreezeABody) {
  const Mat3 inertia = turned_inertia(0.05, 0.08, 0.11);
  const Vec3 arm(0.2, -0.1, -0.4), g(0, 0, -9.81);
  Scenario s = empty_scenario(1.0, 0.25);
  s.model.gravity = g;
  add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
  add_body(s.model, "bob", {0}, 2.0, arm, inertia);
  EXPECT_EQ(s.model.nodes.size(), 4u);
  EXPECT_EQ(make_formulation("nodal", s.model)->facts().degrees_of_freedom, 3);
  Top top(inertia + 2.0 * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose()), Vec3::Zero(), 2.0, arm, g);
  const Motion motion = run(s, "dopri5", 1e-12);
  top.advance(1.0, 20000);
  for (int i = 1; i < 4; ++i)
    EXPECT_LT((position(motion.last(), i) - top.turn() * s.model.nodes[i].position).norm(), 1e-9);
  // Two supports along y.
  Model door;
  door.gravity = g;
  for (double y : {-0.3, 0.5}) add_node(door, {0, y, 0}, 0.0, all_fixed);
  const Vec3 below(0, 0.1, -0.4);
  add_body(door, "door", {0, 1}, 2.0, below, inertia);
  const Dynamics dynamics(door, "nodal", ConstraintMethod::projection);
  EXPECT_EQ(dynamics.formulation().facts().degrees_of_freedom, 1);
  const std::vector<double> found = frequencies(linearise(dynamics, dynamics.start()).eigenvalues);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0], std::sqrt(2.0 * 9.81 * 0.4 / (inertia(1, 1) + 2.0 * 0.16)) / (2.0 * std::numbers::pi), 1e-9);
  // An axle on a table.
  for (Node& node : door.nodes)
    if (node.contact) node.fixed = {false, false, true};
  EXPECT_EQ(make_formulation("nodal", door)->facts().degrees_of_freedom, 4);
  Model axle;
  for (double y : {-0.3, 0.5}) add_node(axle, {0, y, 0}, 0.0, {false, false, true});
  add_node(axle, {3, 3, 3}, 1.0);
  add_body(axle, "roller", {0, 1}, 2.0, below, inertia);
  EXPECT_EQ(make_formulation("nodal", axle)->facts().degrees_of_freedom, 4 + 3);
}

// A square plate hung by a corner swings in its plane and across it: ω² = m g d/(I + m d²).
TEST(BodyMotion, HungPlateHasItsFrequencies) {
  const double s = 0.4, m = 2.7, d = s / std::sqrt(2.0), g = 9.81;
  const Scenario scenario = read_text(R"([nodes]
top = { at = [0, 0, 0], fixed = true }
left = [-0.28284271247461901, 0, -0.28284271247461901]
right = [0.28284271247461901, 0, -0.28284271247461901]
foot = [0, 0, -0.56568542494923802]
[[bodies]]
name = "plate"
nodes = ["top", "left", "right", "foot"]
mass = 2.7
shape = "plate"
)");
  EXPECT_EQ(scenario.model.nodes.size(), 4u);
  const Dynamics dynamics(scenario.model, "nodal", ConstraintMethod::projection);
  EXPECT_EQ(dynamics.formulation().facts().degrees_of_freedom, 3);
  const std::vector<double> found = frequencies(linearise(dynamics, dynamics.start()).eigenvalues);
  ASSERT_EQ(found.size(), 2u);  // the third turns about the vertical
  const auto swing = [&](double inertia) {
    return std::sqrt(m * g * d / (inertia + m * d * d)) / (2.0 * std::numbers::pi);
  };
  EXPECT_NEAR(found[0], swing(m * s * s / 6.0), 1e-9);
  EXPECT_NEAR(found[1], swing(m * s * s / 12.0), 1e-9);
}

// A uniform triangle has the mass moments of a third of its mass at the middle of each side: three bars with their mass
// in their middle are the same body.
TEST(BodyMotion, PlateEqualsTriangleOfBars) {
  Scenario plate = empty_scenario(1.0, 0.25);
  plate.model.gravity = {0, 0, -9.81};
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(0.9, 0.1, 0.2), Vec3(0.2, 0.7, -0.1)}) add_node(plate.model, x);
  add_node(plate.model, {0, 0, 2}, 0.0, all_fixed);
  add_cable(plate.model, {0, 3}, linear_law(40.0), 1.5);
  add_load(plate.model, 2, {1.0, -2.0, 8.0});
  move_all(plate.model, {0.3, 0.3, 0}, {0.2, 0.1, 0}, {1.5, -2.0, 1.0});
  Scenario bars = plate;
  const double m = 1.8;
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 0}})
    bars.model.bars[add_bar(bars.model, a, b, m / 3.0)].inertia = 0.0;
  std::string text = "[nodes]\n";
  for (int i = 0; i < 3; ++i) {
    const Vec3& x = plate.model.nodes[i].position;
    text += plate.model.nodes[i].name + " = [" + std::to_string(x[0]) + ", " + std::to_string(x[1]) + ", " +
            std::to_string(x[2]) + "]\n";
  }
  plate.model.bodies =
      read_text(text + "[[bodies]]\nname = \"p\"\nnodes = [\"n1\", \"n2\", \"n3\"]\nmass = 1.8\nshape = \"plate\"\n")
          .model.bodies;
  const Motion one = run(plate, "dopri5", 1e-12), other = run(bars, "dopri5", 1e-12);
  for (std::size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_LT(distance(one.rows[i], other.rows[i]), 1e-10);
    EXPECT_NEAR(one.rows[i].energy[0], other.rows[i].energy[0], 1e-9);
    EXPECT_NEAR(one.rows[i].energy[2], other.rows[i].energy[2], 1e-9);
  }
}

// The thinner a plate, the nearer its motion to that of a flat one; its appended node becomes light, not inexact.
TEST(BodyMotion, ThinPlateNearsAFlatOne) {
  const auto thrown = [](const std::string& thickness) {
    Scenario s = read_text(R"([nodes]
a = [0, 0, 0]
b = [0.9, 0.1, 0.2]
c = [0.2, 0.7, -0.1]
top = { at = [0, 0, 2], fixed = true }
[[bodies]]
name = "plate"
nodes = ["a", "b", "c"]
mass = 2
shape = "plate"
angular_velocity = [2, -1, 3]
thickness = )" + thickness +
                           R"(
[[cables]]
nodes = ["a", "top"]
stiffness = 60
rest_length = 1.8
[simulation]
duration = 1
)");
    return run(s, "dopri5", 1e-12);
  };
  const Motion flat = thrown("0");
  double last = 1.0;
  for (const char* thickness : {"0.03", "0.003", "0.0003", "0.0001"}) {
    const Motion thin = thrown(thickness);
    double apart = 0.0;
    for (int i = 0; i < 3; ++i) apart = std::max(apart, (position(thin.last(), i) - position(flat.last(), i)).norm());
    EXPECT_LT(apart, last);
    const double t = std::stod(thickness);
    EXPECT_LT(apart, 10.0 * t * t + 1e-10) << thickness;  // the moments differ by m t²/12
    last = apart;
  }
}

// A body on two nodes with no inertia about their line is a bar.
TEST(BodyMotion, ABodyOnALineIsABar) {
  Scenario bar = empty_scenario(1.0, 0.25), body = bar;
  for (Scenario* s : {&bar, &body}) {
    s->model.gravity = {0, 0, -9.81};
    add_node(s->model, {0, 0, 0}, 0.0, all_fixed);
    add_node(s->model, {0.6, 0.0, -0.8}, 0.0, {}, {0, 1, 0});
    add_node(s->model, {1.2, 0.3, -0.9}, 0.0, {}, {0, 1, 0});
  }
  add_bar(bar.model, 0, 1, 1.3);
  add_bar(bar.model, 1, 2, 0.7);
  add_bar(body.model, 0, 1, 1.3);
  const Bar& second = bar.model.bars[1];
  const Vec3 a(0.6, 0.0, -0.8), b(1.2, 0.3, -0.9), u = (b - a).normalized();
  const Mat3 inertia = second.inertia * (Mat3::Identity() - u * u.transpose());
  add_body(body.model, "rod", {1, 2}, 0.7, 0.5 * (a + b), 0.5 * (inertia + inertia.transpose()));
  ASSERT_EQ(body.model.nodes.size(), 3u);
  EXPECT_LT(distance(run(bar, "dopri5", 1e-12).last(), run(body, "dopri5", 1e-12).last()), 1e-9);
}

// Two plates hinged to each other and to the world along lines across the plane of motion: a double physical pendulum.
//   (I₁ + m₁d₁² + m₂l²) φ̈₁ + m₂ l d₂ (φ̈₂ cos δ + φ̇₂² sin δ) = -(m₁d₁ + m₂l) g sin φ₁,    δ = φ₁ - φ₂
//   (I₂ + m₂d₂²) φ̈₂ + m₂ l d₂ (φ̈₁ cos δ - φ̇₁² sin δ) = -m₂ d₂ g sin φ₂
TEST(BodyMotion, TwoPlatesOnHingesAreADoublePendulum) {
  const double m1 = 2.0, m2 = 1.2, l = 0.8, d1 = 0.35, d2 = 0.5, w1 = 1.3, w2 = -2.1, p1 = 0.4, p2 = 1.1, g = 9.81;
  const Vec3 along1(std::sin(p1), 0, -std::cos(p1)), along2(std::sin(p2), 0, -std::cos(p2)), y(0, 1, 0);
  const Vec3 across1(std::cos(p1), 0, std::sin(p1)), across2(std::cos(p2), 0, std::sin(p2));
  Model model;
  model.gravity = {0, 0, -g};
  for (double side : {-0.2, 0.3}) add_node(model, side * y, 0.0, all_fixed);
  for (double side : {-0.1, 0.2}) add_node(model, l * along1 + side * y, 0.0, {}, l * w1 * across1);
  add_node(model, l * along1 + 0.7 * along2, 0.0, {}, l * w1 * across1 + 0.7 * w2 * across2);
  // Plates in the plane of y and their own length: the inertia about y is the second moment along the length.
  const auto flat = [&](const Vec3& along, double length, double breadth) -> Mat3 {  // S = diag in (along, y)
    const Mat3 S = length * along * along.transpose() + breadth * y * y.transpose();
    return S.trace() * Mat3::Identity() - S;
  };
  const double I1 = 0.09, I2 = 0.05;
  add_body(model, "upper", {0, 1, 2, 3}, m1, d1 * along1, flat(along1, I1, 0.02));
  add_body(model, "lower", {2, 3, 4}, m2, l * along1 + d2 * along2, flat(along2, I2, 0.03));
  ASSERT_EQ(model.nodes.size(), 5u);
  const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
  EXPECT_EQ(dynamics.formulation().facts().degrees_of_freedom, 2);
  // Three nodes shared by a hinge less one distance: the two bodies say it twice.
  EXPECT_EQ(dynamics.formulation().facts().redundant_constraints, 1);
  const double c = std::cos(p1 - p2), sine = std::sin(p1 - p2);
  Eigen::Matrix2d inertia;
  inertia << I1 + m1 * d1 * d1 + m2 * l * l, m2 * l * d2 * c, m2 * l * d2 * c, I2 + m2 * d2 * d2;
  const Eigen::Vector2d moment(-(m1 * d1 + m2 * l) * g * std::sin(p1) - m2 * l * d2 * w2 * w2 * sine,
                               -m2 * d2 * g * std::sin(p2) + m2 * l * d2 * w1 * w1 * sine);
  const Eigen::Vector2d turn = inertia.inverse() * moment;
  const State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size());
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  const auto acceleration = [&](int i) { return Vec3(rate.segment<3>(state.nq + 3 * i)); };
  const Vec3 knee = l * (turn[0] * across1 - w1 * w1 * along1),
             foot = knee + 0.7 * (turn[1] * across2 - w2 * w2 * along2);
  EXPECT_LT((acceleration(2) - knee).norm(), 1e-11);
  EXPECT_LT((acceleration(3) - knee).norm(), 1e-11);
  EXPECT_LT((acceleration(4) - foot).norm(), 1e-11);
}

// ½ I ω² = 100 J for a cylinder of 1 kg and 0.2 m at 100 rad/s about its axis, and it keeps it: on two nodes of the axis
// free or held, on one of it, in a machine on a pin; by every formulation, also when the model is written and read.
TEST(BodyMotion, SpinAboutItsNodesHasItsEnergy) {
  const std::string drum = R"(mass = 1
shape = "cylinder"
axis = [1, 0, 0]
length = 1
centre = [0.5, 0, 1]
radius = 0.2
angular_velocity = [100, 0, 0]
)";
  const auto model = [&](const std::string& nodes, const std::string& named) {
    return "[environment]\ngravity = [0, 0, 0]\n[simulation]\nduration = 0.1\n[nodes]\n" + nodes +
           "[[bodies]]\nname = \"drum\"\nnodes = [" + named + "]\n" + drum;
  };
  const std::string free = "a = [0, 0, 1]\nb = [1, 0, 1]\n",
                    held = "a = { at = [0, 0, 1], fixed = true }\nb = { at = [1, 0, 1], fixed = true }\n",
                    pin =
                        "[[joints]]\nname = \"pin\"\nkind = \"revolute\"\nbodies = [\"ground\", \"drum\"]\n"
                        "at = [0, 0, 1]\naxis = [1, 0, 0]\n";
  for (const std::string& text :
       {model(free, R"("a", "b")"), model(held, R"("a", "b")"), model("a = [0, 0, 1]\n", R"("a")"),
        model("a = [0.5, 0, 1]\n", R"("a")"), model(free, R"("a", "b")") + pin, model("", "") + pin})
    for (Scenario s : {read_text(text), read_text(to_toml(read_text(text)))})
      for (const std::string_view name : equivalent_formulations(s.model)) {
        s.simulation.formulation = name;
        const Motion motion = run(s, "dopri5", 1e-12);
        ASSERT_EQ(motion.summary.status, RunStatus::done) << text;
        for (const Sample& row : motion.rows) {
          EXPECT_NEAR(row.energy[kinetic], 100.0, 1e-8) << name << " at " << row.t << "\n" << text;
          if (s.model.nodes.size() > 2) {
            EXPECT_LT((angular_velocity(row, s.model.bodies[0].nodes) - Vec3(100, 0, 0)).norm(), 1e-8);
          }
        }
      }
}

// Held in the plane, a body turns about the third axis alone; its moments about the others do not matter.
TEST(BodyMotion, PlanarBody) {
  Scenario s = empty_scenario(1.0, 0.5);
  s.model.gravity = {0, -9.81, 0};
  add_node(s.model, {0, 0, 0.5}, 0.0, all_fixed);  // heights do not matter either
  add_node(s.model, {0.4, -0.3, 0.0}, 0.0, planar);
  const Vec3 centre(0.2, -0.5, 0.9);
  add_body(s.model, "p", {0, 1}, 2.0, centre, turned_inertia(0.05, 0.08, 0.11));
  const auto nodal = make_formulation("nodal", s.model);
  EXPECT_EQ(nodal->facts().degrees_of_freedom, 1);
  // φ̈ = -m g d sin φ/(I_zz + m d²) from its own pendulum.
  const double d = std::hypot(0.2, 0.5), J = s.model.bodies[0].inertia(2, 2) + 2.0 * d * d;
  double angle = std::atan2(0.2, 0.5), rate = 0.0;
  const double start = angle, h = 1e-4;
  for (int i = 0; i < 10000; ++i) {  // velocity Verlet, error 1e-8
    rate -= 0.5 * h * 2.0 * 9.81 * d / J * std::sin(angle);
    angle += h * rate;
    rate -= 0.5 * h * 2.0 * 9.81 * d / J * std::sin(angle);
  }
  const Vec3 tip = Eigen::AngleAxisd(angle - start, Vec3::UnitZ()) * Vec3(0.4, -0.3, 0.0);
  EXPECT_LT((position(run(s, "dopri5", 1e-11).last(), 1) - tip).norm(), 1e-7);
}

}  // namespace
}  // namespace taut::testing
