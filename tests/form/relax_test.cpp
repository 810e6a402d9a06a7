// Relaxation to equilibrium: closed forms, force sums worked out densely from the model alone, and what it says where
// there is no equilibrium.
#include "taut/form/relax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "taut/equilibrium/balance.h"
#include "tests/equilibrium/dense_balance.h"
#include "tests/form/form_structures.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

void expect_neutral_pose(const Model& model, double length) {
  const double cable = std::sqrt(3.0 / 8.0) * length;
  for (const Cable& c : model.cables) EXPECT_NEAR(start_length(model, c) / cable, 1.0, 1e-12) << c.name;
  for (const auto& [a, b] : {std::pair{0, 1}, {2, 3}, {4, 5}}) {
    const Bar &one = model.bars[a], &other = model.bars[b];
    EXPECT_NEAR(length_between(model, one.a, other.a) / (0.5 * length), 1.0, 1e-12);
    EXPECT_NEAR(length_between(model, one.b, other.b) / (0.5 * length), 1.0, 1e-12);
    EXPECT_NEAR(start_length(model, one) / length, 1.0, 1e-14);
  }
}

// N2: parallel rods half a rod apart, every cable √(3/8) L; turned in space, so that no coordinate is round.
TEST(Relax, IcosahedronFindsTheNeutralPoseOfTheSixBar) {
  for (double length : {1.0, 1.7}) {
    Model model = icosahedron(length);
    const Eigen::Matrix3d turn(Eigen::AngleAxisd(1.1, Vec3(1, 2, -0.5).normalized()));
    for (Node& node : model.nodes) node.position = turn * node.position + Vec3(3, -1, 2);
    const RelaxResult r = relax(model);
    ASSERT_TRUE(r.converged) << r.reason;
    EXPECT_GT(r.start_residual, 0.05);
    EXPECT_TRUE(r.stable);
    EXPECT_TRUE(r.slack.empty());
    expect_neutral_pose(r.model, length);
    EXPECT_LT(dense_residual(r.model), 1e-12);
    EXPECT_NEAR(r.largest_move, (0.5 / std::numbers::phi - 0.25) * length, 1e-9);  // straight outwards, no turn
  }
}

// The same from rods that point anywhere by some degrees: no symmetry left at the start.
TEST(Relax, SixBarFindsItsPoseFromTumbledRods) {
  Random random(5);
  for (int trial = 0; trial < 5; ++trial) {
    Model model = generated("six_bar").model;
    for (const Bar& bar : model.bars) {
      Vec3 &a = model.nodes[bar.a].position, &b = model.nodes[bar.b].position;
      const Vec3 centre = 0.5 * (a + b) + random.vector(0.05);
      const Vec3 half = 0.5 * ((b - a).normalized() + random.vector(0.2)).normalized();
      a = centre - half;
      b = centre + half;
    }
    const RelaxResult r = relax(model);
    ASSERT_TRUE(r.converged) << r.reason;
    EXPECT_GT(r.steps, 0);
    expect_neutral_pose(r.model, 1.0);
  }
}

// N1: whatever the lengths, a prism with equal rings comes to rest with bars turned by π/2 + π/n, q_ring = q_v/(2 sin
// π/n).
TEST(Relax, PrismFromAWrongTwistFindsTheRightOne) {
  for (int n : {3, 4, 6}) {
    Model model = generated("prism", {{"bars", n}}).model;
    const Eigen::Matrix3d turn(Eigen::AngleAxisd(0.4, Vec3::UnitZ()));
    for (int i = n; i < 2 * n; ++i) model.nodes[i].position = turn * model.nodes[i].position;
    for (Cable& cable : model.cables) cable.rest_length = 0.6 * start_length(model, cable);
    const RelaxResult r = relax(model);
    ASSERT_TRUE(r.converged) << n << ": " << r.reason;
    EXPECT_TRUE(r.stable);
    const double expected = 0.5 * std::numbers::pi + std::numbers::pi / n;
    Vec3 low = Vec3::Zero(), high = low;
    for (int i = 0; i < n; ++i) low += r.model.nodes[i].position / n, high += r.model.nodes[n + i].position / n;
    const Vec3 axis = (high - low).normalized();
    for (const Bar& bar : r.model.bars) {
      const Vec3 foot = r.model.nodes[bar.a].position - low, head = r.model.nodes[bar.b].position - high;
      EXPECT_NEAR(std::abs(std::atan2(axis.dot(foot.cross(head)), foot.dot(head))), expected, 1e-11) << n;
    }
    const auto density = [&](int cable) {
      const Cable& c = r.model.cables[cable];
      const double length = start_length(r.model, c);
      return elastic_tension(c.law, length - c.rest_length, c.rest_length) / length;
    };
    for (int i = 0; i < 2 * n; ++i)
      EXPECT_NEAR(density(i) / density(2 * n + i % n), 0.5 / std::sin(std::numbers::pi / n), 1e-11);
  }
}

// A weight on two cables: the sag d solves 2 k (√(a² + d²) - L0) d/√(a² + d²) = m g, here by bisection.
TEST(Relax, WeightBetweenTwoCables) {
  const double a = 1.0, k = 300.0, rest = 0.9, mass = 2.0, g = 9.81;
  Model model;
  model.gravity = {0, 0, -g};
  add_node(model, {-a, 0, 0}, 0.0, all_fixed);
  add_node(model, {0.4, 0.2, 0.5}, mass);
  add_node(model, {a, 0, 0}, 0.0, all_fixed);
  add_cable(model, {0, 1}, linear_law(k), rest);
  add_cable(model, {1, 2}, linear_law(k), rest);
  double low = 0.0, high = 10.0;
  for (int pass = 0; pass < 100; ++pass) {
    const double d = 0.5 * (low + high), l = std::hypot(a, d);
    (2.0 * k * (l - rest) * d / l < mass * g ? low : high) = d;
  }
  const RelaxResult r = relax(model);
  ASSERT_TRUE(r.converged) << r.reason;
  EXPECT_LT((r.model.nodes[1].position - Vec3(0, 0, -low)).norm(), 1e-12);
  EXPECT_EQ(r.moved_node, 1);
  EXPECT_NEAR(r.largest_move, Vec3(0.4, 0.2, 0.5 + low).norm(), 1e-12);
}

// A chain between two hooks, links that stretch or rigid ones: the horizontal pull is the same everywhere, the vertical
// one changes by the weight between the links. The start is a straight line out of plane and far off.
TEST(Relax, HangingChainsAreForcePolygons) {
  for (const bool rigid : {false, true}) {
    const int links = 12;
    const double mass = 0.5, g = 9.81;
    Model model;
    model.gravity = {0, 0, -g};
    for (int i = 0; i <= links; ++i) {
      const double s = static_cast<double>(i) / links;
      add_node(model, {3.0 * s, 0.0, (i % 2 == 0 ? 0.0 : 0.3)}, i % links == 0 ? 0.0 : mass,
               i % links == 0 ? all_fixed : Axes{});
    }
    for (int i = 0; i < links; ++i) {
      if (rigid)
        add_bar(model, i, i + 1, 0.1);
      else
        add_cable(model, {i, i + 1}, linear_law(4000.0), 0.3);
    }
    const RelaxResult r = relax(model);
    ASSERT_TRUE(r.converged) << rigid << r.reason;
    EXPECT_TRUE(r.stable);
    EXPECT_LT(dense_residual(r.model), 1e-11);
    const Balance b = start_balance(r.model);
    const double weight = (mass + (rigid ? 0.1 : 0.0)) * g;
    for (int i = 0; i < links; ++i) {
      const Vec3 u = (r.model.nodes[i + 1].position - r.model.nodes[i].position).normalized();
      const double pull = rigid ? b.bar_force[i] : b.cable_tension[i];
      EXPECT_NEAR(pull * u[0],
                  (rigid ? b.bar_force[0] : b.cable_tension[0]) *
                      (r.model.nodes[1].position - r.model.nodes[0].position).normalized()[0],
                  1e-8);
      EXPECT_NEAR(pull * u[2], weight * (i - 0.5 * (links - 1)), 1e-8) << i;  // by symmetry, from the middle
      EXPECT_NEAR(u[1], 0.0, 1e-9);
    }
    for (int i = 0; i <= links; ++i) EXPECT_LE(r.model.nodes[i].position[2], 1e-12);
  }
}

// What is in balance stays where it is, to rounding.
TEST(Relax, BalancedStructuresDoNotMove) {
  for (const char* kind : {"prism", "six_bar", "tower", "class2_tower", "x_module", "d_bar", "t_bar", "net"}) {
    const Model model = generated(kind).model;
    const RelaxResult r = relax(model);
    EXPECT_TRUE(r.converged) << kind << ": " << r.reason;
    EXPECT_EQ(r.steps, 0) << kind;
    EXPECT_LT(r.largest_move, 1e-13) << kind;
    EXPECT_LE(r.residual, r.start_residual) << kind;
  }
}

// Class-k towers shaken, elastic bars, weight and loads: the force sum vanishes, bars keep their lengths.
TEST(Relax, ShakenAndLoadedStructures) {
  Random random(11);
  const auto shake = [&](Model& model, double by) {
    for (Node& node : model.nodes)
      if (!node.fixed[0]) node.position += random.vector(by);
    for (Cable& cable : model.cables)
      cable.rest_length = std::min(cable.rest_length, 0.97 * start_length(model, cable));
  };
  std::vector<Model> models;
  models.push_back(generated("class2_tower", {{"stages", 4}, {"fixed", 1}}).model);
  models.push_back(generated("tower", {{"stages", 3}, {"fixed", 1}, {"pretension", 400}, {"stiffness", 2e4}}).model);
  models.back().gravity = {0, 0, -9.81};
  add_load(models.back(), 17, {30, -20, -40});
  add_load(models.back(), 16, {0, 0, -1000}, 1.0, 2.0);  // later: does not count
  models.push_back(generated("prism", {{"bars", 5}}).model);
  for (Bar& bar : models.back().bars) bar.elastic = true, bar.EA = 3e4;
  for (Model& model : models) {
    shake(model, 0.03);
    const RelaxResult r = relax(model);
    ASSERT_TRUE(r.converged) << model.name << ": " << r.reason;
    EXPECT_LT(dense_residual(r.model), 1e-11) << model.name;
    EXPECT_LT(largest_length_error(model, r.model), 1e-13);
    for (std::size_t i = 0; i < model.nodes.size(); ++i)
      if (model.nodes[i].fixed[0]) {
        EXPECT_EQ(r.model.nodes[i].position, model.nodes[i].position);
      }
    EXPECT_GT(r.largest_move, 1e-3);
  }
}

// A tower of 100 prisms, 300 bars, out of shape: hundreds of steps, not hundreds of thousands.
TEST(Relax, TallTowerIsQuick) {
  Model model = generated("tower", {{"stages", 100}, {"fixed", 1}}).model;
  Random random(3);
  for (Node& node : model.nodes)
    if (!node.fixed[0]) node.position += random.vector(0.02);
  const RelaxResult r = relax(model);
  ASSERT_TRUE(r.converged) << r.reason;
  EXPECT_LT(start_balance(r.model).imbalance, 1e-10);
  EXPECT_LT(r.steps, 2000);
  EXPECT_LT(r.newton_steps, 60);
}

// Rest lengths of actuators count as they are at t = 0.
TEST(Relax, ActuatedCablesAtTheirStart) {
  Model model = generated("prism").model, driven = model;
  driven.actuators.push_back({7, ramp_signal(0.9 * model.cables[7].rest_length, 0.1, 1.0, 2.0)});
  model.cables[7].rest_length *= 0.9;
  const RelaxResult a = relax(model), b = relax(driven);
  ASSERT_TRUE(a.converged && b.converged);
  EXPECT_GT(a.largest_move, 1e-3);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) EXPECT_EQ(a.model.nodes[i].position, b.model.nodes[i].position);
  EXPECT_EQ(b.model.actuators, driven.actuators);
  EXPECT_EQ(b.model.cables, driven.cables);
}

// A heavy cable over several nodes shares its mass by lengths that change on the way; the result must be in balance as
// read.
TEST(Relax, HeavyCableOverSeveralNodes) {
  Model model;
  model.gravity = {0, 0, -9.81};
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {0.5, 0.1, -0.1}, 0.5);
  add_node(model, {1.4, -0.1, -0.1}, 1.0);
  add_node(model, {2, 0, 0.5}, 0.0, all_fixed);
  add_node(model, {0.0, 0, -1.5}, 0.0, all_fixed);
  add_node(model, {2.0, 0, -1.5}, 0.0, all_fixed);
  const int cable = add_cable(model, {0, 1, 2, 3}, linear_law(500.0), 2.2);
  model.cables[cable].mass = 6.0;
  add_cable(model, {1, 4}, linear_law(5000.0), 1.2);
  add_cable(model, {2, 5}, linear_law(5000.0), 1.2);
  const RelaxResult r = relax(model);
  ASSERT_TRUE(r.converged) << r.reason;
  EXPECT_LT(dense_residual(r.model), 1e-9);
  EXPECT_LT(start_balance(r.model).imbalance, 1e-9);
  EXPECT_GT(r.largest_move, 0.05);
}

// A mast with a weight on top and a spring to either side stands while 2 k > (m + m_b/2) g/L.
TEST(Relax, SaysWhetherTheBalanceIsStable) {
  for (const double factor : {0.99, 1.01}) {
    const double g = 9.81, length = 2.0, mass = 3.0, bar_mass = 1.0;
    const double critical = (mass + 0.5 * bar_mass) * g / length / 2.0;
    Model model;
    model.gravity = {0, -g, 0};
    add_node(model, {0, 0, 0}, 0.0, all_fixed);
    add_node(model, {0, length, 0}, mass, planar);
    add_node(model, {-1, length, 0}, 0.0, all_fixed);
    add_node(model, {1, length, 0}, 0.0, all_fixed);
    add_bar(model, 0, 1, bar_mass);
    add_cable(model, {1, 2}, spring_law(factor * critical), 1.0);
    add_cable(model, {1, 3}, spring_law(factor * critical), 1.0);
    const RelaxResult r = relax(model);
    ASSERT_TRUE(r.converged) << r.reason;
    EXPECT_EQ(r.stable, factor > 1.0);
    EXPECT_EQ(r.largest_move, 0.0);
    // Pushed a little, the weak one falls over, the other comes back.
    model.nodes[1].position = length * Vec3(std::sin(0.05), std::cos(0.05), 0);
    const RelaxResult pushed = relax(model);
    ASSERT_TRUE(pushed.converged) << pushed.reason;
    EXPECT_TRUE(pushed.stable);
    EXPECT_EQ(pushed.model.nodes[1].position[1] > 0.999 * length, factor > 1.0);
  }
}

// Cables of 0.5 m around a bar of 1 m: they end just slack, with forces of rounding, which are none. Relaxation and the
// check of a start shape say the same.
TEST(Relax, JustSlackCarriesNothing) {
  Model model = empty_scenario().model;
  for (const Vec3& at : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 0)}) add_node(model, at, 1.0);
  add_bar(model, 0, 1, 1.0);
  for (const auto& [a, b] : {std::pair{0, 3}, {3, 1}, {1, 2}}) add_cable(model, {a, b}, linear_law(10.0), 0.5);
  EXPECT_GT(start_balance(model).imbalance, 0.1);
  const RelaxResult r = relax(model);
  EXPECT_FALSE(r.converged);
  EXPECT_NE(r.reason.find("it collapses"), std::string::npos) << r.reason;
  EXPECT_EQ(r.slack.size(), 3u);
  EXPECT_EQ(r.mean_force, 0.0);
  const Balance balance = start_balance(r.model);
  EXPECT_EQ(balance.imbalance, 0.0);
  EXPECT_EQ(balance.mean_force, 0.0);
  EXPECT_EQ(balance.slack.size(), 3u);
  // Small forces that are more than rounding count as ever.
  for (Cable& cable : model.cables) cable.rest_length = start_length(model, cable) * (1.0 - 1e-8);
  EXPECT_GT(start_balance(model).imbalance, 0.1);
}

TEST(Relax, ASpringThatDrawsItsEndsTogetherLeavesNoShape) {
  Model model = empty_scenario().model;
  add_node(model, {0, 0, 0}, 1.0);
  add_node(model, {1, 0, 0}, 1.0);
  add_cable(model, {0, 1}, spring_law(10.0), 0.0);
  const RelaxResult r = relax(model);
  EXPECT_FALSE(r.converged);
  EXPECT_NE(r.reason.find("\"c1\" shrinks to nothing"), std::string::npos) << r.reason;
  EXPECT_EQ(start_balance(r.model).imbalance, 0.0);
}

TEST(Relax, WhatNothingResistsIsNotStable) {
  // Three bars on two pins stay where they are put; a cable across holds them.
  Model four = square_linkage();
  const RelaxResult loose = relax(four);
  ASSERT_TRUE(loose.converged) << loose.reason;
  EXPECT_FALSE(loose.stable);
  EXPECT_EQ(loose.free, "node n3 along (1, 0, 0)");
  for (const auto& [a, b] : {std::pair{0, 2}, {1, 3}}) add_cable(four, {a, b}, linear_law(100.0), 1.3);
  const RelaxResult held = relax(four);
  ASSERT_TRUE(held.converged) << held.reason;
  EXPECT_TRUE(held.stable);
  EXPECT_EQ(held.free, "");
  // A structure that hangs may turn as a whole, and is stable all the same.
  Model hung = generated("six_bar").model;
  hung.gravity = {0, 0, -9.81};
  hung.nodes[0].fixed = all_fixed;
  const RelaxResult hangs = relax(hung);
  ASSERT_TRUE(hangs.converged) << hangs.reason;
  EXPECT_TRUE(hangs.stable) << hangs.free;
}

// A chain of a hundred pieces that hardly stretch, strung straight though it is longer: the sag of the catenary,
// 2 a sinh(w/2a) = L, but for its corners.
TEST(Relax, LongStiffCatenary) {
  constexpr double span = 10.0, length = 12.0;
  constexpr int pieces = 100;
  for (const double EA : {1e7, 1e9}) {
    Model model;
    CableLaw law = linear_law(EA);
    law.by_EA = true;
    for (int i = 0; i <= pieces; ++i)
      add_node(model, {span * i / pieces, 0, 0}, 0.12, i == 0 || i == pieces ? all_fixed : Axes{});
    for (int i = 0; i < pieces; ++i) add_cable(model, {i, i + 1}, law, length / pieces);
    const RelaxResult result = relax(model);
    ASSERT_TRUE(result.converged) << result.reason;
    double low = 1.0, high = 100.0;
    while (high - low > 1e-12) {
      const double a = 0.5 * (low + high);
      (2.0 * a * std::sinh(0.5 * span / a) > length ? low : high) = a;
    }
    EXPECT_NEAR(-result.model.nodes[pieces / 2].position[2], low * (std::cosh(0.5 * span / low) - 1.0), 5e-4);
  }
}

}  // namespace
}  // namespace taut::testing
