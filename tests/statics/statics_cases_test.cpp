// Cases of statics that are easily misjudged: cables out of reach of any self-stress, guides, bodies in line,
// coordinates of few digits, members that yield.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <tuple>

#include "taut/modes/linearise.h"
#include "taut/modes/modes.h"
#include "taut/statics/statics.h"
#include "tests/formulation/bodies_support.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

Model empty() { return empty_scenario().model; }

// A string, and beside it a node that one cable holds: pulled towards its support it meets no resistance.
TEST(StaticsCases, WhatHangsOnIdleCablesIsNotHeld) {
  Model model = empty();
  const int a = add_node(model, {0, 0, 0}, 0.0, all_fixed), b = add_node(model, {2, 0, 0}, 0.0, all_fixed),
            m = add_node(model, {1, 0, 0}, 1.0, {false, true, true}),
            c = add_node(model, {0, 1, 0}, 1.0, {true, false, true});
  for (const auto& [i, j] : {std::pair{a, m}, {m, b}}) add_cable(model, {i, j}, linear_law(100.0), 1.0);
  add_cable(model, {a, c}, linear_law(100.0), 1.0);
  const Statics s = analyse_statics(model);
  EXPECT_EQ(s.idle, std::vector<int>{2});
  EXPECT_TRUE(s.loose);
  EXPECT_EQ(s.stability, Stability::unstable);
  EXPECT_FALSE(is_stiff(s));
  // A second cable from the other side is a self-stress of its own, and holds it.
  add_cable(model, {c, add_node(model, {0, 2, 0}, 0.0, all_fixed)}, linear_law(100.0), 1.0);
  EXPECT_EQ(analyse_statics(model).stability, Stability::super_stable);
}

// The verdict about a net does not depend on where it is or on how large it is.
TEST(StaticsCases, VerdictsDoNotDependOnPlaceAndSize) {
  for (const double scale : {1.0, 1e4})
    for (const double shift : {0.0, 0.26, 7.1}) {
      Model net = generated("net").model;
      net.gravity.setZero();
      for (Node& node : net.nodes) node.position = scale * (node.position + Vec3(shift, 0.3 * shift, -shift));
      for (Cable& cable : net.cables) cable.rest_length = 0.96 * start_length(net, cable);
      EXPECT_EQ(analyse_statics(net).stability, Stability::super_stable) << scale << " " << shift;
    }
}

// Two cables of 10 N/m, 1 m long: no rest length gives them 10 N or more, and they are as stiff as ever.
TEST(StaticsCases, StiffnessBeyondTheTensionThatARestLengthGives) {
  Model model = empty();
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {1, 0, 0}, 1.0, {false, true, true});
  add_node(model, {2, 0, 0}, 0.0, all_fixed);
  for (int i = 0; i < 2; ++i) add_cable(model, {i, i + 1}, linear_law(10.0), 0.9);
  for (const double tension : {1.0, 9.99, 10.0, 50.0}) {
    StaticsOptions options;
    options.min_tension = tension;
    const Statics s = analyse_statics(model, options);
    ASSERT_TRUE(s.softest);
    EXPECT_NEAR(s.softest->eigenvalue, 20.0, 1e-9) << tension;
  }
}

// A bead on a guide along y, at the end of a string of 1 m and 50 N: it turns with the string by first order only, and
// the tension resists with T/l.
TEST(StaticsCases, AGuideLeavesTheTensionToResist) {
  Model model = empty();
  const int a = add_node(model, {0, 0, 0}, 0.0, all_fixed), m = add_node(model, {1, 0, 0}, 1.0, {true, false, true});
  add_cable(model, {a, m}, linear_law(1000.0), 0.95);
  StaticsOptions options;
  options.compliance_nodes = {m};
  const Statics s = analyse_statics(model, options);
  ASSERT_TRUE(s.softest);
  EXPECT_NEAR(s.softest->eigenvalue, 50.0, 1e-9);
  ASSERT_TRUE(s.compliances[0].bounded);
  EXPECT_NEAR(s.compliances[0].matrix(1, 1), 0.02, 1e-9);
  EXPECT_NEAR(std::sqrt(find_modes(model).square[0]), std::sqrt(50.0), 1e-9);
}

// A cable along two bars of a triangle that is pinned at one corner: their forces cancel, and what is left of the
// geometric stiffness is rounding, which holds no turn of the whole.
TEST(StaticsCases, ForcesThatCancelHoldNothing) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Model model = empty();
    const double turn = 0.3 * seed;
    const Mat3 rotation = Eigen::AngleAxisd(turn, Vec3(0.3, -0.5, 0.8).normalized()).toRotationMatrix();
    int node = 0;
    for (const Vec3& p : {Vec3(0.1, 0.2, 0.3), Vec3(1.3, 0.1, -0.2), Vec3(0.4, 0.9, 0.6)})
      add_node(model, rotation * p, 1.0, node++ == 0 ? all_fixed : Axes{});
    for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 0}}) {
      Bar& bar = model.bars[add_bar(model, a, b, 1.0)];
      bar.elastic = true;
      bar.EA = 1000.0;
    }
    add_cable(model, {0, 1, 2}, linear_law(500.0), 1.0);
    model.cables[0].rest_length = start_length(model, model.cables[0]) - 0.02;
    const Statics s = analyse_statics(model);
    EXPECT_EQ(s.spaces.rigid.count, 3);
    ASSERT_TRUE(s.softest);
    EXPECT_GT(s.softest->eigenvalue, 10.0) << seed;
    EXPECT_TRUE(is_stiff(s)) << seed;
  }
}

// Three bodies in line between supports as far apart as they are long: nothing between them can move, though no member
// is there to carry a self-stress. With a bar for the middle one, the self-stress that holds it is what the bar
// carries.
TEST(StaticsCases, BodiesInLine) {
  const auto bodies = [](double a, double b, double c) {
    const std::string head = fmt::format(R"(environment.gravity = [0, 0, 0]
[nodes]
l = {{ at = [0, 0, 0], fixed = true }}
p = {{ at = [{}, 0, 0], fixed = ["z"], mass = 1 }}
q = {{ at = [{}, 0, 0], fixed = ["z"], mass = 1 }}
r = {{ at = [{}, 0, 0], fixed = true }}
)",
                                         a, b, c);
    const auto body = [](const char* name, const char* nodes) {
      return fmt::format("[[bodies]]\nname = \"{}\"\nnodes = [{}]\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n", name, nodes);
    };
    return std::tuple{head, body("A", R"("l", "p")"), body("B", R"("q", "r")"), body("C", R"("p", "q")")};
  };
  const auto [head, first, last, middle] = bodies(1.0, 2.2, 3.0);
  const Statics s = analyse_statics(read_text(head + first + last + middle).model);
  EXPECT_EQ(s.spaces.states, 0);
  EXPECT_EQ(s.spaces.mechanisms, 2);
  EXPECT_EQ(s.infinitesimal, 2);
  // Folded flat it is a linkage that goes on both ways.
  const auto [folded, one, three, two] = bodies(1.0, 3.0, 2.0);
  EXPECT_EQ(analyse_statics(read_text(folded + one + three + two).model).finite, 2);
  const Statics held =
      analyse_statics(read_text(head + first + last + "[[bars]]\nnodes = [\"p\", \"q\"]\nmass = 1\n").model);
  EXPECT_EQ(held.spaces.states, 1);
  EXPECT_EQ(held.stability, Stability::prestress_stable);
  EXPECT_EQ(held.stability_of, VerdictForces::at_hand);
  EXPECT_NE(held.forces[0], 0.0);
  EXPECT_TRUE(is_stiff(held));
}

// K33 with its nodes on an ellipse is shaky; with coordinates of eight digits it counts as that, and K knows it, too.
TEST(StaticsCases, FewDigits) {
  for (const double digits : {1e8, 1e12}) {
    Model model = empty();
    for (const double angle : {0.3, 2.1, 4.4, 1.2, 3.3, 5.6}) {
      const Vec3 p(2.0 * std::cos(angle), std::sin(angle), 0.0);
      add_node(model, (digits * p).array().round() / digits, 1.0, planar);
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 3; j < 6; ++j) add_bar(model, i, j, 1.0);
    const Statics s = analyse_statics(model);
    EXPECT_EQ(s.spaces.states, 1) << digits;
    EXPECT_EQ(s.infinitesimal, 1) << digits;
    ASSERT_TRUE(s.softest) << digits;
    EXPECT_GT(s.softest->eigenvalue, 1e-3) << digits;
    EXPECT_TRUE(s.stability == Stability::super_stable || s.stability == Stability::prestress_stable)
        << name(s.stability);
    EXPECT_FALSE(s.forces.isZero(0.0)) << digits;
  }
}

// What nothing resists has no load left to bear: the X of N3 with its upright cables slack.
TEST(StaticsCases, NoFactorWhereNothingResists) {
  Model model = empty();
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}})
    add_node(model, {x, y, 0}, 0.1, y > 0.0 ? planar : x > 0.0 ? Axes{false, true, true} : all_fixed);
  add_bar(model, 0, 2, 1.0);
  add_bar(model, 1, 3, 1.0);
  for (int i = 0; i < 4; ++i) add_cable(model, {i, (i + 1) % 4}, linear_law(100.0), 1.0);
  for (int node : {2, 3}) add_load(model, node, {0, -1, 0});
  const Statics slack = analyse_statics(model);
  EXPECT_FALSE(is_stiff(slack));
  EXPECT_FALSE(slack.buckling);
  StaticsOptions taut;
  taut.min_tension = 0.5;
  EXPECT_TRUE(analyse_statics(model, taut).buckling);
}

// Two elastic bars in line, strained by 0.07 each: EA ε = 140 N, but they yield at 40 N and harden by a fifth: 60 N,
// and the stiffness across is 2 T/l.
TEST(StaticsCases, ElasticBarsThatYield) {
  Model model = empty();
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {1, 0, 0}, 2.0);
  add_node(model, {2, 0, 0}, 0.0, all_fixed);
  for (int i = 0; i < 2; ++i) {
    Bar& bar = model.bars[add_bar(model, i, i + 1, 0.0)];
    bar.elastic = true;
    bar.EA = 2000.0;
    bar.rest_length = 1.0 / 1.07;
    bar.yield = 40.0;
    bar.hardening = 0.2;
  }
  const Statics s = analyse_statics(model);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(s.forces[i], 60.0, 1e-9);
  ASSERT_TRUE(s.softest);
  EXPECT_NEAR(s.softest->eigenvalue, 120.0, 1e-9);
  // Twice its tension: 120 N, and ω² = 2 T/(l m) across.
  EXPECT_NEAR(find_modes(with_prestress(model, 2.0)).square[0], 2.0 * 120.0 / 2.0, 1e-6);
  const double softer = find_modes(with_prestress(model, 0.5)).square[0];
  EXPECT_NEAR(softer, 2.0 * 30.0 / 2.0, 1e-6);  // 30 N: below its yield
}

// A body on cables has the frequencies of its modes and no growing motion: zeros that come several times are zeros.
TEST(StaticsCases, ZerosOfALanderAreZeros) {
  const Scenario lander = generated("lander");
  const Dynamics dynamics(lander.model, "nodal", ConstraintMethod::projection);
  const LinearModel linear = linearise(dynamics, dynamics.start());
  const ModalAnalysis modes = find_modes(lander.model);
  std::vector<double> omega;
  for (const double square : modes.square)
    if (square > 0.0) omega.push_back(std::sqrt(square) / (2.0 * M_PI));
  const std::vector<double> list = frequencies(linear.eigenvalues);
  ASSERT_EQ(list.size(), omega.size());
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_NEAR(list[i], omega[i], 1e-8 * omega[i]);
  for (const auto& value : linear.eigenvalues) EXPECT_LT(value.real(), 1e-9);
}

// A body that nothing holds has six zeros, however rounding splits them.
TEST(StaticsCases, AFreeBodyHasOnlyZeros) {
  Model model = empty();
  std::vector<int> nodes;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0.2, 0), Vec3(0.3, 1, 0.1), Vec3(0.2, 0.3, 1)})
    nodes.push_back(add_node(model, p));
  Mat3 inertia = Mat3::Zero();
  inertia.diagonal() = Vec3(0.3, 0.4, 0.5);
  add_body(model, "b", nodes, 3.0, {0.4, 0.4, 0.3}, inertia);
  const ModalAnalysis modes = find_modes(model);
  ASSERT_EQ(modes.count(), 6);
  for (const double square : modes.square) EXPECT_EQ(square, 0.0);
}

}  // namespace
}  // namespace taut::testing
