// Paths of equilibria that are easily lost: flat arches, members that do not move, branches that meet other paths,
// switches of cables at which the path turns back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "taut/form/path/path.h"
#include "tests/form/form_structures.h"

namespace taut::testing {
namespace {

// The limit load of two elastic bars over a span 2: P = 2 EA y (1/l - 1/L0) is largest where l³ = L0.
double limit_load(double rise, double EA) {
  const double L0 = std::hypot(1.0, rise), l = std::cbrt(L0), y = std::sqrt(l * l - 1.0);
  return 2.0 * EA * y * (1.0 / l - 1.0 / L0);
}

TEST(FormPathEvents, FlatArchesSnapAtTheirLimitWhateverTheEnd) {
  for (const double rise : {0.002, 0.01, 0.03, 0.1, 0.4})
    for (const double times : {1.05, 3.0, 20.0, 1e6}) {
      SCOPED_TRACE(fmt::format("rise {} m, {} times the limit load", rise, times));
      const Model model = two_bar_arch(1.0, rise, 1e4, times * limit_load(rise, 1e4));
      const PathResult told = follow_path(model, {});
      EXPECT_FALSE(told.complete);
      ASSERT_EQ(told.events.size(), 1u) << told.reason;
      EXPECT_EQ(told.events[0].kind, PathEventKind::limit);
      EXPECT_NEAR(times * told.events[0].at.p, 1.0, 1e-6);
      PathOptions options;
      options.through = true;
      options.points = 500;
      const PathResult path = follow_path(model, options);
      EXPECT_TRUE(path.complete || times > 1e3) << path.reason;  // that end is far away
      ASSERT_EQ(path.events.size(), 2u) << path.reason;
      EXPECT_NEAR(times * path.events[0].at.p, 1.0, 1e-6);
      EXPECT_NEAR(times * path.events[1].at.p, -1.0, 1e-6);
      EXPECT_EQ(path.events[1].kind, PathEventKind::limit);
    }
}

TEST(FormPathEvents, WhatCannotMoveIsNoMeasure) {
  for (const double length : {10.0, 1e3, 1e4})
    for (const int count : {1, 6}) {
      Model model = two_bar_arch(1.0, 0.3, 1e4, 1.25 * limit_load(0.3, 1e4));
      for (int i = 0; i < count; ++i) {
        const int a = add_node(model, {5, 1.0 * i, 0}, 0.0, all_fixed),
                  b = add_node(model, {5 + length, 1.0 * i, 0}, 0.0, all_fixed);
        add_cable(model, {a, b}, linear_law(150.0), length - 0.1);
      }
      const PathResult path = follow_path(model, {});
      ASSERT_EQ(path.events.size(), 1u) << length << ": " << path.reason;
      EXPECT_EQ(path.events[0].kind, PathEventKind::limit);
      EXPECT_NEAR(path.events[0].at.p, 0.8, 1e-9);
    }
}

// A rigid bar on its foot, its head stayed from both sides of it: P sin θ = -Σ T ∂l/∂θ, the stay to x = 1 slack from
// l² = 2 - 2 sin θ = r² on.
struct Mast {
  double k = 1000.0, r = 1.4;
  double load(double sine, double cosine) const {
    double sum = 0.0;
    for (const double side : {-1.0, 1.0}) {
      const double x = side - sine, y = -cosine, l = std::hypot(x, y);
      sum -= k * std::max(0.0, l - r) * (x * cosine - y * sine) / l;
    }
    return sum / sine;
  }
  Model model(double load) const {
    Model m = empty_scenario().model;
    const int foot = add_node(m, {0, 0, 0}, 0.0, all_fixed), head = add_node(m, {0, 1, 0}, 1.0, planar);
    add_bar(m, foot, head, 1.0);
    for (const double side : {-1.0, 1.0})
      add_cable(m, {add_node(m, {side, 0, 0}, 0.0, all_fixed), head}, linear_law(k), r);
    add_load(m, head, {0, -load, 0});
    return m;
  }
};

TEST(FormPathEvents, BranchIsStableUntilAStayIsSlack) {
  const Mast mast;
  const double slack = 1.0 - 0.5 * mast.r * mast.r, corner = mast.load(slack, std::sqrt(1.0 - slack * slack)) / 2000.0;
  PathOptions options;
  options.branch = 1;
  const PathResult told = follow_path(mast.model(2000.0), options);
  ASSERT_EQ(told.events.size(), 2u) << told.reason;
  EXPECT_TRUE(told.events[0].followed);
  EXPECT_EQ(told.events[1].kind, PathEventKind::limit);
  EXPECT_EQ(told.events[1].cables.size(), 1u);
  EXPECT_NEAR(told.events[1].at.p, corner, 1e-8);
  EXPECT_GT(told.events[1].at.p, told.events[0].at.p + 1e-5);
  EXPECT_NEAR(std::abs(told.events[1].at.x[3]), slack, 1e-5);
}

TEST(FormPathEvents, BranchKeepsToItselfWhereItMeetsOtherPaths) {
  const Mast mast;
  PathOptions options;
  options.branch = 1;
  options.through = true;
  const PathResult path = follow_path(mast.model(2000.0), options);
  EXPECT_NE(path.reason.find("is closed"), std::string::npos) << path.reason;
  const PathPoint* before = nullptr;
  for (const PathPoint& at : path.points) {
    if (std::abs(at.x[3]) > 1e-3) {
      EXPECT_NEAR(2000.0 * at.p, mast.load(at.x[3], at.x[4]), 1e-6);
    }
    if (before != nullptr) {
      EXPECT_LT((at.x - before->x).norm(), 0.2);
    }
    before = &at;
  }
  // It meets the straight mast, head up and head down, and turns where a stay switches on either side.
  std::vector<int> crossings;
  int corners = 0;
  for (const PathEvent& event : path.events) {
    if (event.crosses) {
      EXPECT_EQ(event.kind, PathEventKind::bifurcation);
      EXPECT_NEAR(std::abs(event.at.p), path.events[0].at.p, 1e-8);
      EXPECT_NE(event_text(path.model, event, PathKind::loads).find("it crosses another path"), std::string::npos);
      crossings.push_back(event.at.x[4] > 0.0 ? 1 : -1);
    }
    corners += event.kind == PathEventKind::limit && event.cables.size() == 1;
  }
  EXPECT_EQ(crossings, (std::vector<int>{-1, 1}));
  EXPECT_EQ(corners, 4);
  EXPECT_EQ(path.events.size(), 7u);
}

// Four bars above each other, hinges between long springs. Folding, the shape all but branches into two that are mirror
// images; it is not quite symmetric, so that the path turns off there and does not jump the gap.
TEST(FormPathEvents, GapsBetweenPathsAreNotSteppedOver) {
  Model model = empty_scenario().model;
  int below = add_node(model, {0, 0, 0}, 0.0, all_fixed);
  for (int i = 1; i <= 4; ++i) {
    const int node = add_node(model, {0, 1.0 * i, 0}, 0.1, {i == 4, false, true});
    add_bar(model, below, node, 1.0);
    if (i < 4)
      for (const double side : {-50.0, 50.0})
        add_cable(model, {add_node(model, {side, 1.0 * i, 0}, 0.0, all_fixed), node}, spring_law(50.0), 50.0);
    below = node;
  }
  add_load(model, below, {0, -100, 0});
  PathOptions options;
  options.branch = 1;
  options.through = true;
  const PathResult path = follow_path(model, options);
  EXPECT_NE(path.reason.find("is closed"), std::string::npos) << path.reason;
  // Each hinge is held with 100 N/m: 100 I - P tridiag(-1, 2, -1) is singular first at P = 100/(2 + √2).
  ASSERT_GE(path.events.size(), 2u);
  EXPECT_NEAR(path.events[0].at.p, 1.0 - std::sqrt(0.5), 1e-6);
  // With the third bar folded down the energy has the Hessian of a determinant that is 0 there (by differences of it).
  EXPECT_TRUE(path.events[1].crosses);
  EXPECT_NEAR(path.events[1].at.p, -0.851949, 1e-5);
  for (const PathEvent& event : path.events) EXPECT_TRUE(event.cables.empty());  // springs that push are not slack
  // No step is a jump.
  for (std::size_t i = 1; i < path.points.size(); ++i)
    EXPECT_LT((path.points[i].x - path.points[i - 1].x).norm(), 0.3) << i;
}

// A cable from below pulls an arch flat: its rest length is R = 1 + y - F/k, F = 2 EA y (1/l - 1/L0) what the arch
// holds it with. At y = 0 that is nothing; from there on the cable is slack, the arch stays where it is, and R grows
// again.
TEST(FormPathEvents, PathTurnsBackWhereACableGoesSlack) {
  constexpr double EA = 1e4, k = 2000.0, rise = 0.3;
  Model model = empty_scenario().model;
  const int top = add_node(model, {0, rise, 0}, 0.1, {true, false, true});
  for (const double side : {-1.0, 1.0}) {
    Bar& bar = model.bars[add_bar(model, add_node(model, {side, 0, 0}, 0.0, all_fixed), top, 1.0)];
    bar.elastic = true;
    bar.EA = EA;
  }
  add_cable(model, {add_node(model, {0, -1, 0}, 0.0, all_fixed), top}, linear_law(k), 1.0 + rise);
  PathOptions options;
  options.kind = PathKind::rest_lengths;
  options.rest_lengths = {{0, 0.5}};
  const PathResult told = follow_path(model, options);
  EXPECT_FALSE(told.complete);
  EXPECT_NE(told.reason.find("the rest-length path ends at a switch of \"c1\" at 0.375 of the way"), std::string::npos)
      << told.reason;
  options.through = true;
  options.points = 200;
  const PathResult path = follow_path(model, options);
  ASSERT_EQ(path.events.size(), 1u) << path.reason;
  EXPECT_EQ(path.events[0].kind, PathEventKind::limit);
  EXPECT_EQ(path.events[0].cables, std::vector<int>{0});
  EXPECT_NEAR(path.events[0].at.p, 0.375, 1e-6);
  for (const PathPoint& at : path.points) {
    const double y = at.x[1], F = 2.0 * EA * y * (1.0 / std::hypot(1.0, y) - 1.0 / std::hypot(1.0, rise));
    if (at.slack[0] && at.p != 0.0)  // it begins without tension
      EXPECT_NEAR(y, 0.0, 1e-9);
    else
      EXPECT_NEAR(1.3 - 0.8 * at.p, 1.0 + y - F / k, 1e-9);
  }
  EXPECT_LT(path.points.back().p, -1.0);
  EXPECT_TRUE(path.points.back().slack[0]);
}

// A mast of an elastic bar with four guys from anchors around it at (u, v), each at its own height.
Model guyed_mast(double height, double u, double v, const std::array<double, 4>& anchors,
                 const std::array<double, 4>& pretensions, const Vec3& load) {
  Model model = empty_scenario().model;
  const int foot = add_node(model, {0, 0, 0}, 0.0, all_fixed), top = add_node(model, {0, 0, height}, 0.1);
  Bar& bar = model.bars[add_bar(model, foot, top, 0.0)];
  bar.elastic = true;
  bar.EA = 1e4;
  const Vec3 around[] = {{u, v, 0}, {-v, u, 0}, {-u, -v, 0}, {v, -u, 0}};
  for (int i = 0; i < 4; ++i) {
    const Vec3 anchor = around[i] + Vec3(0, 0, anchors[i]);
    const double length = (Vec3(0, 0, height) - anchor).norm();
    add_cable(model, {add_node(model, anchor, 0.0, all_fixed), top}, linear_law(500.0),
              length - pretensions[i] / 500.0);
  }
  add_load(model, top, load);
  return model;
}

// Hanging over to one side, below the ground, the mast comes to where guy g3 goes slack and the path turns round, in p
// as in the motion, and all but along the line on which it came: with the guy or without it dx/dp differs by less than
// a degree. What is stable with it, 59.5 N/m, is not without it, -22.2 N/m (of K by hand).
TEST(FormPathEvents, PathTurnsRoundAllButOnItselfWhereACableGoesSlack) {
  const Model model =
      guyed_mast(1.3832325180402705, 0.6074065797898957, 0.06094394000576423, {0.3841815794296562, 0, 0, 0},
                 {60.0, 0.5, 60.0, 20.0}, {-0.6277989439336955, 0, -1301.0747211030732});
  PathOptions options;
  options.through = true;
  const PathResult path = follow_path(model, options);
  EXPECT_TRUE(path.complete) << path.reason;
  int corners = 0, beyond = 0;
  for (const PathEvent& event : path.events) {
    if (std::abs(event.at.p - 0.0122049) > 1e-6) continue;
    ++corners;
    EXPECT_EQ(event.kind, PathEventKind::limit);
    EXPECT_EQ(event.cables, std::vector<int>{3});
    EXPECT_NEAR(event.at.stiffness, 59.479, 0.01);
  }
  EXPECT_EQ(corners, 1);
  for (std::size_t i = 1; i < path.points.size(); ++i) {
    const PathPoint &a = path.points[i - 1], &b = path.points[i];
    if (std::abs(b.p - 0.0122049) > 1e-4 || a.slack[3] || !b.slack[3]) continue;
    ++beyond;
    EXPECT_NEAR(b.stiffness, -22.17, 0.1);
    EXPECT_GT(b.p, a.p);
    EXPECT_GT(b.slope, 0.0);
  }
  EXPECT_EQ(beyond, 1);
}

// A pitchfork that is not quite one: the hanging mast sways out, and from p = 0.00494 on, two guys slack, it swings to
// the middle and stands stiffer and stiffer (an own trace with a quarter of the step agrees). The other half of the
// fork, not stable, is near.
TEST(FormPathEvents, StepOverTheGapOfAPitchforkIsNone) {
  const Model model = guyed_mast(2.2830271790112064, 0.815547428812145, 0.08182768383999889,
                                 {0, 0.094857247954717, 0, 0.2985743672612898}, {20.0, 20.0, 0.5, 60.0},
                                 {1.2755023192828714, 0, -5787.705534062643});
  PathOptions options;
  options.through = true;
  const PathResult path = follow_path(model, options);
  EXPECT_TRUE(path.complete) << path.reason;
  ASSERT_EQ(path.events.size(), 2u);
  EXPECT_NEAR(path.events[0].at.p, 0.0157923, 1e-6);
  EXPECT_NEAR(path.events[1].at.p, -0.00719883, 1e-7);
  for (const PathEvent& event : path.events) EXPECT_EQ(event.kind, PathEventKind::limit);
  EXPECT_EQ(path.points.back().unstable, 0);
}

// The mast hangs from two guys, held aside by a third and the load. As the load comes back to 0 the third goes slack,
// and the mast may swing as far as one likes: the path ends there, and not a step before.
TEST(FormPathEvents, PathEndsWhereTheLoadComesBackToNothingAndNothingHolds) {
  const Model model = guyed_mast(2.551127884945379, 0.7462145781706867, 0.07487119500613865,
                                 {0, 0, 0, -0.2163651532536468}, {20.0, 60.0, 20.0, 20.0}, {0, 0, -1583.1740172967793});
  PathOptions options;
  options.through = true;
  const PathResult path = follow_path(model, options);
  EXPECT_NE(path.reason.find("the load path ends at a switch of \"c4\" at 0 of the load"), std::string::npos)
      << path.reason;
  ASSERT_FALSE(path.events.empty());
  EXPECT_EQ(path.events.back().cables, std::vector<int>{3});
  EXPECT_NEAR(path.events.back().at.stiffness, 32.903, 0.001);  // K by hand, with the guy
  EXPECT_EQ(path.points.back().p, 0.0);
}

// At this rise the stiffness that is left is 1e-7 of that of the bars.
TEST(FormPathEvents, FlatArchOfATinyRiseIsTold) {
  const Model model = two_bar_arch(1.0, 5e-4, 1e4, 3.0 * limit_load(5e-4, 1e4));
  const PathResult path = follow_path(model, {});
  ASSERT_EQ(path.events.size(), 1u) << path.reason;
  EXPECT_EQ(path.events[0].kind, PathEventKind::limit);
  EXPECT_NEAR(3.0 * path.events[0].at.p, 1.0, 1e-4);
}

}  // namespace
}  // namespace taut::testing
