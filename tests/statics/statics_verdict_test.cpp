// What statics says about the forces at hand: whether they can be, whether the structure is stable with them, at which
// part of its load it buckles. One verdict, which the stiffness never contradicts.
#include <gtest/gtest.h>

#include <set>

#include "taut/base/error.h"
#include "taut/equilibrium/find_equilibrium.h"
#include "taut/file/read/read_toml.h"
#include "taut/form/path/path.h"
#include "taut/solve/dense.h"
#include "taut/statics/statics.h"
#include "tests/form/form_structures.h"
#include "tests/statics/planar_x.h"

namespace taut::testing {
namespace {

// A column of two bars of 1 m whose hinge two cables hold with k = 50 N/m each: 2k sideways against 2P/L.
constexpr double k = 50.0, critical = k;

TEST(StaticsVerdict, BuckledColumnBearsAPartOfItsLoad) {
  for (double load : {80.0, 10.0, 50.1}) {
    const Model model = hinged_column(1.0, k, 0.0, load);
    const Statics s = analyse_statics(model);
    ASSERT_TRUE(s.buckling);
    ASSERT_TRUE(s.buckling->found);
    EXPECT_EQ(s.buckling->stable, load < critical);
    EXPECT_NEAR(s.buckling->factor, critical / load, 1e-7 * critical / load);
    EXPECT_EQ(model.nodes[s.buckling->softest_node].name, "n2");
    // The path of equilibria leaves at the same load.
    PathOptions options;
    options.to = 8.0;
    const PathResult path = follow_path(model, options);
    ASSERT_FALSE(path.events.empty()) << path.reason;
    EXPECT_NEAR(path.events[0].at.p, s.buckling->factor, 1e-6 * s.buckling->factor);
  }
}

TEST(StaticsVerdict, WhatStandsUnderNoLoadHasNoFactor) {
  // A bar on its foot, loaded from above: it falls under any part of the load, and bears any load from below.
  Model model = empty_scenario().model;
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {0, 1, 0}, 0.1, planar);
  add_bar(model, 0, 1, 1.0);
  add_load(model, 1, {0, -3, 0});
  const Buckling falls = find_buckling(model);
  EXPECT_FALSE(falls.stable);
  EXPECT_FALSE(falls.found);
  model.loads[0].force = {0, 3, 0};
  const Buckling hangs = find_buckling(model);
  EXPECT_TRUE(hangs.stable);
  EXPECT_FALSE(hangs.found);
}

TEST(StaticsVerdict, LoadsThatMakeItBuckleMakeItUnstable) {
  const Statics buckled = analyse_statics(hinged_column(1.0, k, 0.0, 80.0));
  EXPECT_EQ(buckled.stability, Stability::unstable);
  EXPECT_EQ(buckled.stability_of, VerdictForces::at_hand);
  EXPECT_EQ(buckled.self_stress_stability, Stability::prestress_stable);
  EXPECT_TRUE(gives_way(buckled));
  EXPECT_NEAR(buckled.softest->eigenvalue, 2.0 * (k - 80.0), 1e-9);
  const Statics stands = analyse_statics(hinged_column(1.0, k, 0.0, 10.0));
  EXPECT_EQ(stands.stability, Stability::prestress_stable);
  EXPECT_EQ(stands.stability_of, VerdictForces::at_hand);
}

// A truss that no self-stress holds is unstable where its load is beyond the limit: two elastic bars that are pressed
// flat have K = ∂²/∂y² of their energy < 0.
TEST(StaticsVerdict, WithoutSelfStressTheLoadsDecide) {
  const auto pressed = [](double y) {
    Model model = empty_scenario().model;
    add_node(model, {-1, 0, 0}, 0.0, all_fixed);
    add_node(model, {1, 0, 0}, 0.0, all_fixed);
    add_node(model, {0, y, 0}, 0.1, planar);
    for (int i = 0; i < 2; ++i) {
      Bar& bar = model.bars[add_bar(model, i, 2, 1.0)];
      bar.elastic = true;
      bar.EA = 1e4;
      bar.rest_length = std::hypot(1.0, 0.3);
    }
    const double l = std::hypot(1.0, y);
    add_load(model, 2, {0, 2e4 * y * (1.0 / std::hypot(1.0, 0.3) - 1.0 / l), 0});
    return analyse_statics(model);
  };
  EXPECT_EQ(pressed(0.25).stability, Stability::no_self_stress);
  EXPECT_FALSE(gives_way(pressed(0.25)));
  const Statics beyond = pressed(0.05);
  EXPECT_TRUE(gives_way(beyond));
  EXPECT_EQ(beyond.stability, Stability::unstable);
  EXPECT_EQ(beyond.stability_of, VerdictForces::at_hand);
}

// A hinge between two bars that a cable presses together, with stays along y: across y and the bars the bars push it
// out with 2 t/1, the stays hold it with 2 g/2. The smallest self-stress has t = g and fails; g > 2 t holds, and these
// are then the forces at hand, each cable at its pretension or above.
TEST(StaticsVerdict, ForcesAreThoseThatHoldTheShape) {
  const auto column = [](double pretension) {
    Model model = empty_scenario().model;
    const int foot = add_node(model, {0, 0, 0}, 0.0, all_fixed), hinge = add_node(model, {1, 0, 0}, 1.0),
              head = add_node(model, {2, 0, 0}, 1.0, {false, true, true}),
              left = add_node(model, {1, 2, 0}, 0.0, all_fixed), right = add_node(model, {1, -2, 0}, 0.0, all_fixed);
    add_bar(model, foot, hinge, 1.0);
    add_bar(model, hinge, head, 1.0);
    for (const auto& [a, b] : {std::pair{foot, head}, {hinge, left}, {hinge, right}})
      add_cable(model, {a, b}, linear_law(1e4), 2.0 - pretension / 1e4);
    return model;
  };
  for (const double pretension : {0.0, 10.0}) {
    const Statics s = analyse_statics(column(pretension));
    EXPECT_EQ(s.spaces.mechanisms, 1);
    EXPECT_TRUE(s.by_other_forces);
    EXPECT_EQ(s.stability, Stability::prestress_stable);
    EXPECT_EQ(s.stability_of, VerdictForces::at_hand);
    EXPECT_TRUE(s.forces_feasible);
    ASSERT_TRUE(s.softest);
    EXPECT_GT(s.softest->eigenvalue, 0.0);
    EXPECT_NEAR(s.softest->eigenvalue, s.forces[1] - 2.0 * s.forces[0], 1e-9 * s.stiffness_scale);
    for (int i = 0; i < 3; ++i) EXPECT_GE(s.forces[i], pretension * (1.0 - 1e-12));
  }
  // Bounds that it cannot keep: then it is what the smallest forces make of it.
  StaticsOptions bounds;
  bounds.max_tension = 15.0;
  const Statics bound = analyse_statics(column(10.0), bounds);
  EXPECT_EQ(bound.stability, Stability::unstable);
  EXPECT_TRUE(gives_way(bound));
}

// Strings over several nodes that the members' stiffness alone does not hold: the load at which the path of equilibria
// under a growing weight buckles.
TEST(StaticsVerdict, StackedManipulatorBucklesWhereItsPathDoes) {
  const Model model = generated("stacked").model;
  const Statics s = analyse_statics(model);
  ASSERT_TRUE(s.buckling && s.buckling->found);
  PathOptions options;
  options.kind = PathKind::weight;
  options.to = 4.0;
  const PathResult path = follow_path(model, options);
  ASSERT_FALSE(path.events.empty()) << path.reason;
  EXPECT_NEAR(s.buckling->factor, path.events[0].at.p, 2e-3 * path.events[0].at.p);
}

TEST(StaticsVerdict, PretensionThatIsTooMuchMakesItUnstable) {
  // A wheel of many spokes: no mechanism, but the rim gives way sideways when the spokes are too tight.
  const auto wheel = [](double pretension) {
    Model model = generated("wheel", {{"sides", 36}, {"axle", 0.3}, {"pretension", pretension}}).model;
    model.gravity.setZero();
    return analyse_statics(model);
  };
  const Statics tight = wheel(50.0);
  EXPECT_EQ(tight.stability, Stability::unstable);
  EXPECT_EQ(tight.self_stress_stability, Stability::prestress_stable);
  EXPECT_LT(tight.softest->eigenvalue, 0.0);
  ASSERT_TRUE(tight.stable_up_to);
  // The part that it bears, by wheels with so much pretension.
  const double part = *tight.stable_up_to;
  ASSERT_GT(part, 0.0);
  ASSERT_LT(part, 1.0);
  const Statics below = wheel(50.0 * part * 0.999), above = wheel(50.0 * part * 1.001);
  EXPECT_EQ(below.stability, Stability::prestress_stable);
  EXPECT_GT(below.softest->eigenvalue, 0.0);
  EXPECT_EQ(above.stability, Stability::unstable);
  EXPECT_LT(above.softest->eigenvalue, 0.0);
}

TEST(StaticsVerdict, LoadsMayStiffenWhatTheSelfStressDoesNot) {
  // A tight square from which a bar hangs: only the load on the bar keeps it down.
  Model model = planar_x(5.0);
  const int end = add_node(model, {1, -1, 0}, 0.1, planar);
  model.nodes[1].fixed = all_fixed;
  add_bar(model, 1, end, 1.0);
  const Statics bare = analyse_statics(model);
  EXPECT_EQ(bare.stability, Stability::unstable);
  EXPECT_EQ(bare.stability_of, VerdictForces::self_stress);
  add_load(model, end, {0, -2, 0});
  const Statics loaded = analyse_statics(model);
  EXPECT_EQ(loaded.self_stress_stability, Stability::unstable);
  EXPECT_EQ(loaded.stability, Stability::prestress_stable);
  EXPECT_EQ(loaded.stability_of, VerdictForces::at_hand);
  EXPECT_NEAR(loaded.softest->eigenvalue, 2.0, 1e-9);  // P/L
}

TEST(StaticsVerdict, TensionThatNothingHoldsIsNotFeasible) {
  // Two bars and four cables, without a state of self-stress.
  Model model = empty_scenario().model;
  for (const Vec3& at : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) add_node(model, at);
  add_bar(model, 0, 1, 1.0);
  add_bar(model, 2, 3, 1.0);
  for (int a : {0, 1})
    for (int b : {2, 3}) add_cable(model, {a, b}, linear_law(1000.0), length_between(model, a, b));
  StaticsOptions options;
  const Statics slack = analyse_statics(model);
  ASSERT_EQ(slack.spaces.states, 0);
  EXPECT_TRUE(slack.forces_feasible);
  options.min_tension = 0.3;
  const Statics asked = analyse_statics(model, options);
  EXPECT_FALSE(asked.forces_feasible);
  EXPECT_EQ(asked.unheld, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(asked.offending, asked.unheld);
  for (Cable& cable : model.cables) cable.rest_length -= 0.01;
  const Statics strung = analyse_statics(model);
  EXPECT_FALSE(strung.forces_feasible);
  EXPECT_EQ(strung.unheld.size(), 4u);
  EXPECT_TRUE(strung.forces.isZero(0.0));

  // A cable that no self-stress reaches, beside others that hold theirs.
  Model square = planar_x(5.0);
  const int loose = add_node(square, {2, 2, 0}, 0.1, planar);
  const int idle = add_cable(square, {2, loose}, linear_law(100.0), 1.0);
  const Statics s = analyse_statics(square);
  EXPECT_EQ(s.idle, std::vector<int>{idle});
  EXPECT_FALSE(s.forces_feasible);
  EXPECT_EQ(s.unheld, std::vector<int>{idle});
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(s.forces[i], 5.0, 1e-9);
  square.cables[idle].rest_length = length_between(square, 2, loose);
  EXPECT_TRUE(analyse_statics(square).forces_feasible);
}

TEST(StaticsVerdict, ASelfStressOfAnySizeKeepsItsBounds) {
  StaticsOptions options;
  options.max_compression = 0.1;
  const Statics s = analyse_statics(planar_x(0.0), options);
  EXPECT_TRUE(s.forces_feasible);
  EXPECT_NEAR(s.forces.head(6).minCoeff(), -0.1, 1e-12);
  EXPECT_NEAR(s.forces[0], 0.1 / std::sqrt(2.0), 1e-12);
  // Cables that it does not reach carry nothing, with either sign of rounding, and bound nothing.
  Model prism = twisted_prism(3, std::numbers::pi / 6);
  const Eigen::Matrix3d turn(Eigen::AngleAxisd(1.1, Vec3(1, 2, -0.5).normalized()));
  for (Node& node : prism.nodes) node.position = turn * node.position;
  for (int i = 0; i < 6; ++i) {
    const Vec3 out = prism.nodes[i].position + turn * Vec3(0.3 * i, 1.0 - 0.2 * i, 0.7);
    add_cable(prism, {i, add_node(prism, out, 0.1)}, linear_law(1e3), 0.0);
  }
  for (Cable& cable : prism.cables) cable.rest_length = start_length(prism, cable);
  const Statics with_idle = analyse_statics(prism);
  EXPECT_EQ(with_idle.idle.size(), 6u);
  EXPECT_TRUE(with_idle.forces_feasible);
  double largest = 0.0;
  for (int i = 0; i < 9; ++i) largest = std::max(largest, force_density(with_idle, i, with_idle.forces));
  EXPECT_NEAR(largest, 1.0, 1e-9);
}

TEST(StaticsVerdict, ForcesThatCannotBeMakeNothingStable) {
  // A square of cables with one diagonal a bar and the other a cable, which would have to push.
  Model model = empty_scenario().model;
  for (const Vec3& at : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}) add_node(model, at, 0.1);
  add_bar(model, 0, 2, 1.0);
  for (int i = 0; i < 4; ++i) add_cable(model, {i, (i + 1) % 4}, linear_law(1000.0), 1.0);
  add_cable(model, {1, 3}, linear_law(1000.0), std::sqrt(2.0));
  const Statics s = analyse_statics(model);
  EXPECT_EQ(s.pushing, std::vector<int>{4});
  EXPECT_FALSE(all_pull(s));
  EXPECT_EQ(s.stability, Stability::no_self_stress);
  EXPECT_EQ(s.stability_of, VerdictForces::none);
}

TEST(StaticsVerdict, ForcesBeyondNumbersAreRefused) {
  StaticsOptions options;
  options.min_tension = 1e308;
  EXPECT_THROW(analyse_statics(planar_x(0.0), options), InputError);
}

// Two elastic bars over a span of 2 m, 0.3 m high, without self-stress: forces are in proportion to the load, so that
// it buckles at the same load whatever part of it is there. K_yy = 2 (EA/L sin² - T/L cos²) = 0, T = P/(2 sin).
TEST(StaticsVerdict, AnArchBucklesAtOneLoad) {
  const double EA = 1e4, L = std::hypot(1.0, 0.3), sine = 0.3 / L, cosine = 1.0 / L,
               bears = 2.0 * EA * sine * sine * sine / (cosine * cosine);
  for (const double part : {0.002, 0.3, 0.9, 1.01, 1.3}) {
    Model model;
    model.gravity.setZero();
    const int l = add_node(model, {-1, 0, 0}, 0.1, all_fixed), r = add_node(model, {1, 0, 0}, 0.1, all_fixed),
              t = add_node(model, {0, 0.3, 0}, 0.1, planar);
    for (const int end : {l, r}) {
      Bar& bar = model.bars[static_cast<std::size_t>(add_bar(model, end, t, 0.1))];
      bar.elastic = true;
      bar.EA = EA;
      bar.inertia = 0.0;
    }
    model.loads.push_back({t, {0.0, -part * bears, 0.0}});
    const Statics s = analyse_statics(model);
    ASSERT_TRUE(s.buckling && s.buckling->found) << part;
    EXPECT_NEAR(s.buckling->factor * part, 1.0, 1e-6) << part;
    EXPECT_EQ(s.buckling->stable, part < 1.0) << part;
  }
}

// Two nodes that more rigid bars hold than need be, and one that swings on the last bar between cables: which bar
// carries what is not determined, and constraints that nearly depend on each other must not be taken for a motion that
// helps itself. The stiffness of the swing, from its own 3 x 3 matrix, says that it is stable.
TEST(StaticsVerdict, RedundantRigidBarsAreNoInstability) {
  Model model;
  model.gravity.setZero();
  for (const Vec3& at :
       {Vec3(-1.60995120535, -0.75238408324, -1.00655763427), Vec3(-0.46722202728, -0.43817622876, -2.13099521084),
        Vec3(-0.64195946203, 0.96681285502, -0.65615347736), Vec3(-0.22711385746, 2.06131525669, -0.88993751588),
        Vec3(-0.43592533929, 1.96302401408, -1.11871826212), Vec3(-0.27737370252, 0.45479732418, 0.2431153295)})
    add_node(model, at, 0.1);
  for (const int held : {0, 4, 5}) model.nodes[held].fixed = all_fixed;
  for (const auto& [a, b] : {std::pair(1, 3), {1, 2}, {3, 5}, {1, 5}, {1, 4}, {0, 1}, {0, 3}})
    add_bar(model, a, b, 0.1);
  // Force densities 10 N/m of the cables and -1 N/m of the bar 1-2 leave a load on the swinging node, which is put
  // there.
  Vec3 net = Vec3::Zero();
  Mat3 K = Mat3::Zero();
  for (const auto& [a, b] : {std::pair(2, 3), {2, 5}, {0, 2}, {2, 4}}) {
    const Vec3 d = model.nodes[a == 2 ? b : a].position - model.nodes[2].position, u = d.normalized();
    add_cable(model, {a, b}, linear_law(1000.0), d.norm() - 10.0 * d.norm() / 1000.0);
    net += 10.0 * d;
    K += 10.0 * (Mat3::Identity() - u * u.transpose()) + 1000.0 * u * u.transpose();
  }
  const Vec3 bar = model.nodes[1].position - model.nodes[2].position, along = bar.normalized();
  model.loads.push_back({2, -(net - bar)});
  // The other bars carry forces too, more than the cables, in ways that balance at the fixed nodes.
  model.loads.push_back({1, {-0.86, 6.88, 7.23}});
  model.loads.push_back({3, {4.56, 5.01, -0.27}});
  K -= Mat3::Identity();
  const Mat3 across = Mat3::Identity() - along * along.transpose();
  const Vec3 values = principal_values(across * K * across);
  ASSERT_GT(values[1], 100.0);
  StaticForces statics(model);
  const Equilibrium at = find_equilibrium(statics, statics.start());
  EXPECT_LT(at.net.residual, 1e-9);
  EXPECT_TRUE(at.stable);
  const Buckling buckling = find_buckling(model);
  EXPECT_TRUE(buckling.stable);
}

// Three bars in a row between fixed points, pulled: no cable says which way round the state of self-stress is, and
// pulling is what stiffens. K across is that of a string of two nodes.
TEST(StaticsVerdict, BarsAloneCarryAStateEitherWayRound) {
  Model model;
  model.gravity.setZero();
  for (const double x : {0.0, 1.0, 2.5, 3.0})
    add_node(model, {x, 0, 0}, 0.1, x == 0.0 || x == 3.0 ? all_fixed : planar);
  for (int i = 0; i < 3; ++i) {
    Bar& bar = model.bars[static_cast<std::size_t>(add_bar(model, i, i + 1, 0.1))];
    bar.elastic = true;
    bar.EA = 1e4;
    bar.inertia = 0.0;
    bar.rest_length = bar.EA * bar.rest_length / (bar.EA + 10.0);
  }
  const Statics s = analyse_statics(model);
  EXPECT_NE(s.stability, Stability::unstable);
  EXPECT_NE(s.self_stress_stability, Stability::unstable);
  const double a = 10.0 / 1.0 + 10.0 / 1.5, b = 10.0 / 1.5 + 10.0 / 0.5, c = 10.0 / 1.5;
  ASSERT_TRUE(s.softest);
  EXPECT_NEAR(s.softest->eigenvalue, 0.5 * (a + b) - std::sqrt(0.25 * (a - b) * (a - b) + c * c), 1e-9);
}

// A bar and two cables between the same two nodes: three members, three names.
TEST(StaticsVerdict, MembersBetweenTheSameNodesAreToldApart) {
  const Scenario s = read_scenario_text(R"(environment.gravity = [0, 0, 0]
bars = [{ nodes = ["a", "b"], mass = 1 }]
cables = [{ paths = [["a", "b"], ["a", "b"]], stiffness = 1000, pretension = 5 }]
[nodes]
a = { at = [0, 0, 0], mass = 1 }
b = { at = [1, 0, 0], mass = 1 }
)",
                                        "m.toml");
  const Statics statics = analyse_statics(s.model);
  std::set<std::string> names;
  for (const StaticMember& member : statics.rows.members) names.insert(member.name);
  EXPECT_EQ(names, (std::set<std::string>{"a-b", "a-b-2", "bar a-b"}));
}

}  // namespace
}  // namespace taut::testing
