// Whether the start shape is in balance, and of which parts it consists.
#include "taut/equilibrium/balance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "taut/equilibrium/parts.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

TEST(Balance, GeneratedShapesAreInBalanceAndLoseItWhenMoved) {
  for (const char* kind : {"prism", "six_bar", "tower"}) {
    Scenario s = generated(kind);
    const Balance start = start_balance(s.model);
    EXPECT_LT(start.imbalance, 1e-10) << kind;
    EXPECT_TRUE(start.slack.empty());
    EXPECT_FALSE(start.weight_left_out);
    // A node moved by 1 %: imbalance of that order, worst there or next to it.
    s.model.nodes[1].position += Vec3(0.01, -0.005, 0.004);
    const Balance moved = start_balance(s.model);
    EXPECT_GT(moved.imbalance, 1e-3) << kind;
    EXPECT_GE(moved.worst_node, 0);
  }
}

// Bars carry -q_v l in a prism (N1), tension positive.
TEST(Balance, BarForcesOfAPrism) {
  const Scenario s = generated("prism", {{"pretension", 30.0}});
  const Balance b = start_balance(s.model);
  const double vertical = start_length(s.model, s.model.cables[6]), bar = start_length(s.model, s.model.bars[0]);
  EXPECT_NEAR(b.cable_tension[6], 30.0, 1e-9);
  for (double force : b.bar_force) EXPECT_NEAR(force, -30.0 * bar / vertical, 1e-9);
  double sum = 0.0;
  for (double t : b.cable_tension) sum += t;
  for (double f : b.bar_force) sum += std::abs(f);
  EXPECT_NEAR(b.mean_force, sum / static_cast<double>(b.cable_tension.size() + b.bar_force.size()), 1e-9);
}

// One node on a cable and a bar at right angles to it: the bar cannot help, the net force is the cable's tension.
TEST(Balance, NetForceIsWhatBarsCannotCarry) {
  Model model;
  model.gravity.setZero();
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {1, 0, 0});
  add_node(model, {1, 1, 0}, 0.0, all_fixed);
  add_bar(model, 0, 1, 1.0);
  add_cable(model, {1, 2}, linear_law(100.0), 0.9);
  const Balance b = start_balance(model);
  EXPECT_EQ(b.worst_node, 1);
  EXPECT_LT((b.net_force[1] - Vec3(0, 10, 0)).norm(), 1e-12);
  EXPECT_NEAR(b.bar_force[0], 0.0, 1e-12);
  EXPECT_NEAR(b.imbalance, 10.0 / (0.5 * 10.0), 1e-12);
  // Along the bar it can: balance.
  model.nodes[2].position = {2, 0, 0};
  const Balance along = start_balance(model);
  EXPECT_LT(along.imbalance, 1e-13);
  EXPECT_NEAR(along.bar_force[0], 10.0, 1e-12);
}

TEST(Balance, SlackCablesAreNamed) {
  Scenario s = generated("prism");
  s.model.cables[2].rest_length = 1.01 * start_length(s.model, s.model.cables[2]);
  s.model.cables[5].rest_length = start_length(s.model, s.model.cables[5]);
  const Balance b = start_balance(s.model);
  EXPECT_EQ(b.slack, (std::vector<int>{2, 5}));
  EXPECT_GT(b.imbalance, 0.1);
}

// A free structure falls as a whole: its weight is left out. Held, its weight counts.
TEST(Balance, WeightCountsOnlyForWhatIsHeld) {
  Scenario s = generated("six_bar");
  s.model.gravity = {0, 0, -9.81};
  const Balance free = start_balance(s.model);
  EXPECT_TRUE(free.weight_left_out);
  EXPECT_LT(free.imbalance, 1e-12);
  for (int i : {0, 3, 5}) s.model.nodes[i].fixed = all_fixed;
  const Balance held = start_balance(s.model);
  EXPECT_FALSE(held.weight_left_out);
  EXPECT_GT(held.imbalance, 0.01);
}

// N3: unit square, diagonals are bars, load (0, -1) on both top nodes, pin and roller at the base. With the printed
// densities (horizontal cables 1, vertical 0, bars -1) it is in balance.
TEST(Balance, N3PlanarXUnderLoad) {
  Model model;
  model.gravity.setZero();
  add_node(model, {0, 0, 0}, 0.1, all_fixed);
  add_node(model, {1, 0, 0}, 0.1, {false, true, true});
  add_node(model, {1, 1, 0}, 0.1, planar);
  add_node(model, {0, 1, 0}, 0.1, planar);
  add_bar(model, 0, 2, 1.0);
  add_bar(model, 1, 3, 1.0);
  add_cable(model, {0, 1}, linear_law(100.0), 0.99);
  add_cable(model, {3, 2}, linear_law(100.0), 0.99);
  add_cable(model, {0, 3}, linear_law(100.0), 1.0);
  add_cable(model, {1, 2}, linear_law(100.0), 1.0);
  for (int node : {2, 3}) add_load(model, node, {0, -1, 0});
  const Balance b = start_balance(model);
  EXPECT_LT(b.imbalance, 1e-13);
  for (double force : b.bar_force) EXPECT_NEAR(force, -std::sqrt(2.0), 1e-12);
  EXPECT_EQ(b.slack, (std::vector<int>{2, 3}));
  // Without the load it is not.
  model.loads.clear();
  EXPECT_GT(start_balance(model).imbalance, 0.1);
}

TEST(Parts, CountsWhatHangsTogether) {
  Scenario s = generated("prism");
  EXPECT_EQ(find_parts(s.model).count, 1);
  EXPECT_EQ(find_parts(s.model).total_rigid_motions(), 6);
  // A second prism beside it.
  Model two = s.model;
  const Scenario other = generated("prism", {{"bars", 4}, {"fixed", 1}});
  const int first = static_cast<int>(two.nodes.size());
  for (const Node& node : other.model.nodes) two.nodes.push_back(node);
  for (Bar bar : other.model.bars) bar.a += first, bar.b += first, two.bars.push_back(bar);
  for (Cable cable : other.model.cables) {
    for (int& node : cable.path) node += first;
    two.cables.push_back(cable);
  }
  const Parts parts = find_parts(two);
  EXPECT_EQ(parts.count, 2);
  EXPECT_EQ(parts.rigid_motions, (std::vector<int>{6, 0}));
  EXPECT_EQ(parts.of_node[0], 0);
  EXPECT_EQ(parts.of_node[first], 1);
  // A constraint between them makes them one.
  two.constraints.push_back({"", {{0, 1.0}, {first + 5, -1.0}}, Vec3::Zero(), {true, true, true}});
  EXPECT_EQ(find_parts(two).count, 1);
}

TEST(Parts, SupportsTakeRigidMotionsAway) {
  // A bar: three translations, two rotations (none about itself).
  Model bar;
  add_node(bar, {0, 0, 0});
  add_node(bar, {1, 1, 0});
  add_bar(bar, 0, 1, 1.0);
  EXPECT_EQ(find_parts(bar).total_rigid_motions(), 5);
  bar.nodes[0].fixed = all_fixed;
  EXPECT_EQ(find_parts(bar).total_rigid_motions(), 2);
  bar.nodes[1].fixed = {true, true, false};
  EXPECT_EQ(find_parts(bar).total_rigid_motions(), 1);
  // Three guides that a turn about (1, 1, 1) respects, and nothing else.
  Model cube;
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(0, 1, 1), Vec3(1, 0, 1), Vec3(1, 1, 0)}) add_node(cube, x, 1.0);
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) add_bar(cube, i, j, 1.0);
  cube.nodes[0].fixed = all_fixed;
  for (int i = 0; i < 3; ++i) cube.nodes[i + 1].fixed[i] = true;
  EXPECT_EQ(find_parts(cube).total_rigid_motions(), 1);
  // A lone node: three. A structure in its plane: three.
  Model node;
  add_node(node, {3, 2, 1}, 1.0);
  EXPECT_EQ(find_parts(node).total_rigid_motions(), 3);
  Model flat = generated("x_module").model;
  EXPECT_EQ(find_parts(flat).total_rigid_motions(), 3);
  // A prism on one fixed node turns, on two it swings, on three it stands; far from the origin and small, too.
  for (const auto& [shift, size] : {std::pair{0.0, 1.0}, {1000.0, 0.01}}) {
    Model prism = generated("prism").model;
    for (Node& n : prism.nodes) n.position = size * n.position + Vec3(shift, -shift, shift);
    const int expected[] = {3, 1, 0};
    for (int i = 0; i < 3; ++i) {
      prism.nodes[i].fixed = all_fixed;
      EXPECT_EQ(find_parts(prism).total_rigid_motions(), expected[i]);
    }
  }
}

}  // namespace
}  // namespace taut::testing
