// Statics against closed forms (N1, N2, N3 of the literature) and structures whose verdict is known.
#include "taut/statics/statics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/statics/planar_x.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::VectorXd;

Model weightless(Model model) {
  model.gravity.setZero();
  return model;
}

Model prism(int bars) {
  return weightless(generate(*find_generator("prism"), {{"bars", static_cast<double>(bars)}}).model);
}

// Force density of a member over that of another in the normalised self-stress.
double ratio(const Statics& s, int member, int to) {
  return force_density(s, member, s.self_stress) / force_density(s, to, s.self_stress);
}

int bar_member(const Statics& s, int bar) {
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
    if (s.rows.members[i].bar == bar) return i;
  return -1;
}

void expect_eigenvalues(const Statics& s, const std::vector<double>& expected) {
  ASSERT_EQ(s.stress_eigenvalues.size(), static_cast<long>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(s.stress_eigenvalues[static_cast<long>(i)], expected[i], 1e-12 * 6);
}

TEST(Statics, PrismsHaveTheDensitiesOfN1) {
  for (int n : {3, 4, 6, 7}) {
    const Statics s = analyse_statics(prism(n));
    EXPECT_EQ(s.spaces.states, 1);
    EXPECT_EQ(s.spaces.mechanisms, 2 * n - 5);
    EXPECT_EQ(s.infinitesimal, 2 * n - 5);
    EXPECT_EQ(s.spaces.rigid.count, 6);
    EXPECT_EQ(s.stability, Stability::super_stable);
    // Rings come first, then verticals, then bars: ring = vertical / (2 sin(π/n)), bar = -vertical.
    const int vertical = 2 * n;
    for (int i = 0; i < 2 * n; ++i) EXPECT_NEAR(ratio(s, i, vertical), 0.5 / std::sin(std::numbers::pi / n), 1e-12);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(ratio(s, bar_member(s, i), vertical), -1.0, 1e-12);
  }
  expect_eigenvalues(analyse_statics(prism(3)), {0, 0, 0, 0, 2 * std::sqrt(3.0), 2 * std::sqrt(3.0)});
  const double r = std::sqrt(2.0);
  expect_eigenvalues(analyse_statics(prism(4)), {0, 0, 0, 0, 2 * r - 2, 2 * r, 2 * r, 2 * r + 2});
}

TEST(Statics, SixBarsAreN2) {
  const Statics s = analyse_statics(weightless(generate(*find_generator("six_bar"), {}).model));
  EXPECT_EQ(s.spaces.states, 1);
  EXPECT_EQ(s.spaces.mechanisms, 1);
  EXPECT_EQ(s.stability, Stability::super_stable);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(ratio(s, bar_member(s, i), 0), -1.5, 1e-12);
  expect_eigenvalues(s, {0, 0, 0, 0, 1, 1, 1, 5, 5, 5, 6, 6});
  // The forces at hand are those of the model: every cable at its pretension.
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(s.forces[static_cast<long>(i)], s.rows.members[i].pretension, 1e-9);
}

TEST(Statics, PlanarXIsN3) {
  Model m = planar_x(0.0);
  const Statics bare = analyse_statics(m);
  EXPECT_EQ(bare.spaces.states, 1);
  EXPECT_EQ(bare.spaces.mechanisms, 0);
  EXPECT_EQ(bare.stability, Stability::super_stable);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(force_density(bare, i, bare.forces), i < 4 ? 1.0 : -1.0, 1e-13);
  m.loads = {{2, {0, -1, 0}}, {3, {0, -1, 0}}};
  const Statics s = analyse_statics(m);
  EXPECT_EQ(s.load_state, LoadState::balanced);
  const double expected[] = {1, 0, 1, 0, -1, -1};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(force_density(s, i, s.forces), expected[i], 1e-13);
  for (int node : {0, 1}) EXPECT_LT((s.reactions[node] - Vec3(0, 1, 0)).norm(), 1e-13);
}

TEST(Statics, BoundsChooseAmongForces) {
  Model m = planar_x(0.0);
  m.loads = {{2, {0, -1, 0}}, {3, {0, -1, 0}}};
  StaticsOptions options;
  options.min_tension = 0.5;  // the verticals then carry it, all else follows
  for (ForceChoice choice : {ForceChoice::least_norm, ForceChoice::least_prestress, ForceChoice::bounded}) {
    options.choice = choice;
    const Statics s = analyse_statics(m, options);
    EXPECT_TRUE(s.forces_feasible);
    EXPECT_NEAR(s.forces[1], 0.5, 1e-9);
    EXPECT_NEAR(s.forces[0], 1.5, 1e-9);
    EXPECT_NEAR(s.forces[4], -1.5 * std::sqrt(2.0), 1e-9);
  }
  options.max_compression = 2.0;
  const Statics s = analyse_statics(m, options);
  EXPECT_FALSE(s.forces_feasible);
  EXPECT_FALSE(s.conflict.empty());
  options.max_compression = 2.2;
  EXPECT_TRUE(analyse_statics(m, options).forces_feasible);
}

TEST(Statics, PretensionIsKept) {
  // Verticals at 3 N, the others slack: the smallest self-stress with 3 N in them.
  Model m = planar_x(0.0);
  for (int i : {1, 3}) m.cables[i].rest_length = 1.0 - 3.0 / 100.0;
  const Statics s = analyse_statics(m);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(s.forces[i], 3.0, 1e-9);
}

TEST(Statics, CablesThatWouldHaveToPushAreNamed) {
  // Cables along the diagonals as well: all six must pull, which none can.
  Model m = planar_x(0.0);
  m.bars.clear();
  for (Node& node : m.nodes) node.mass = 1.0;
  add_cable(m, {0, 2}, linear_law(100.0), 1.0);
  add_cable(m, {1, 3}, linear_law(100.0), 1.0);
  const Statics s = analyse_statics(m);
  EXPECT_FALSE(s.sign_feasible);
  EXPECT_EQ(s.pushing, (std::vector<int>{4, 5}));
  EXPECT_EQ(s.stability, Stability::no_self_stress);
}

TEST(Statics, APrismWithBarsAndCablesExchangedIsUnstable) {
  Model m = prism(3);
  const Model original = m;
  m.bars.clear();
  m.cables.clear();
  for (const Cable& cable : original.cables) add_bar(m, cable.path[0], cable.path[1], 1.0);
  for (const Bar& bar : original.bars) add_cable(m, {bar.a, bar.b}, linear_law(10.0), 0.5);
  const Statics s = analyse_statics(m);
  EXPECT_EQ(s.spaces.states, 1);
  EXPECT_EQ(s.spaces.mechanisms, 1);
  EXPECT_TRUE(s.sign_feasible);
  EXPECT_EQ(s.stability, Stability::unstable);
  EXPECT_EQ(s.infinitesimal, 1);
  ASSERT_TRUE(s.softest);
  EXPECT_LT(s.softest->eigenvalue, 0.0);
}

TEST(Statics, LinkagesGoOnAndTautStringsDoNot) {
  // Three bars on two pins: a finite mechanism, with the load along it named.
  Model four;
  four.gravity.setZero();
  add_node(four, {0, 0, 0}, 0.0, all_fixed);
  add_node(four, {1, 0, 0}, 0.0, all_fixed);
  add_node(four, {1, 1, 0}, 0.0, planar);
  add_node(four, {0, 1, 0}, 0.0, planar);
  for (int i = 1; i < 4; ++i) add_bar(four, i, (i + 1) % 4, 1.0);
  four.loads = {{2, {1, 0, 0}}};
  const Statics linkage = analyse_statics(four);
  EXPECT_EQ(linkage.spaces.states, 0);
  EXPECT_EQ(linkage.finite, 1);
  EXPECT_EQ(linkage.stability, Stability::no_self_stress);
  EXPECT_EQ(linkage.load_state, LoadState::on_mechanism);
  ASSERT_EQ(linkage.mechanisms.size(), 1u);
  const auto kind_of = [](const Statics& s) {
    const Eigen::MatrixXd shape = s.mechanisms[0].shape;
    return follow_mechanism(s.rows, s.spaces.rigid, shape, shape, s.mechanisms[0].shape).kind;
  };
  EXPECT_EQ(kind_of(linkage), MechanismKind::finite);

  // A straight string between two supports: two mechanisms across it, both stopped; lateral stiffness 2T/l.
  Model string;
  string.gravity.setZero();
  add_node(string, {0, 0, 0}, 0.0, all_fixed);
  add_node(string, {1, 0, 0}, 1.0);
  add_node(string, {2, 0, 0}, 0.0, all_fixed);
  for (int i = 0; i < 2; ++i) add_cable(string, {i, i + 1}, linear_law(50.0), 0.9);
  StaticsOptions options;
  options.compliance_nodes = {1};
  const Statics s = analyse_statics(string, options);
  EXPECT_EQ(s.spaces.states, 1);
  EXPECT_EQ(s.infinitesimal, 2);
  EXPECT_EQ(s.stability, Stability::super_stable);
  ASSERT_TRUE(s.softest);
  EXPECT_NEAR(s.softest->eigenvalue, 2.0 * 5.0 / 1.0, 1e-9);
  EXPECT_EQ(kind_of(s), MechanismKind::infinitesimal);
  ASSERT_TRUE(s.compliances[0].bounded);
  EXPECT_NEAR(s.compliances[0].matrix(1, 1), 0.1, 1e-9);
  EXPECT_NEAR(s.compliances[0].matrix(0, 0), 1.0 / 100.0, 1e-9);

  // A parallelogram folded flat: two ways on, and the self-stress speaks for neither.
  Model flat = four;
  flat.loads.clear();
  flat.nodes[1].position = {2, 0, 0};
  flat.nodes[2].position = {3, 0, 0};
  flat.nodes[3].position = {1, 0, 0};
  const Statics folded = analyse_statics(flat);
  EXPECT_EQ(folded.spaces.states, 1);
  EXPECT_EQ(folded.spaces.mechanisms, 2);
  EXPECT_EQ(folded.finite, 2);
}

TEST(Statics, ReactionsHoldWeightAndLoads) {
  Scenario scenario = generate(*find_generator("tower"), {{"stages", 2.0}, {"fixed", 1.0}});
  Model& m = scenario.model;
  m.loads = {{static_cast<int>(m.nodes.size()) - 1, {1.0, 2.0, -30.0}}};
  const Statics s = analyse_statics(m);
  ASSERT_EQ(s.load_state, LoadState::balanced);
  EXPECT_TRUE(s.forces_feasible);
  Vec3 sum = Vec3(1, 2, -30) + total_mass(m) * m.gravity;
  for (const Vec3& r : s.reactions) sum += r;
  EXPECT_LT(sum.norm(), 1e-9 * total_mass(m) * 9.81);
  for (std::size_t i = 0; i < s.rows.members.size(); ++i)
    if (s.rows.members[i].pulls_only) {
      EXPECT_GE(s.forces[static_cast<long>(i)], s.rows.members[i].pretension * (1.0 - 1e-9));
    }
}

TEST(Statics, WhatNothingHoldsFalls) {
  Model m = prism(3);
  m.gravity = {0, 0, -9.81};
  const Statics s = analyse_statics(m);
  EXPECT_EQ(s.falling.size(), 1u);
  EXPECT_EQ(s.load_state, LoadState::none);
  m.gravity.setZero();
  m.loads = {{0, {1, 0, 0}}};
  EXPECT_EQ(analyse_statics(m).load_state, LoadState::not_held);
}

}  // namespace
}  // namespace taut::testing
