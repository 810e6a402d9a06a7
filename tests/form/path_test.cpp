// Paths of equilibria against closed forms: snap-through, buckling, a string, a cable that is let out.
#include "taut/form/path/path.h"

#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "tests/form/form_structures.h"

namespace taut::testing {
namespace {

// Two elastic bars over a span 2a, rest length L0: the top at height y carries P = 2 EA y (1/l - 1/L0), l² = a² + y²,
// which is largest where l³ = a² L0.
struct Arch {
  double a = 1.0, h = 0.3, EA = 1e4;
  double L0() const { return std::hypot(a, h); }
  double load(double y) const { return 2.0 * EA * y * (1.0 / std::hypot(a, y) - 1.0 / L0()); }
  double height_at_limit() const { return std::sqrt(std::pow(a * a * L0(), 2.0 / 3.0) - a * a); }
  double limit() const { return load(height_at_limit()); }
};

TEST(FormPath, ArchSnapsAtItsLimitLoad) {
  const Arch arch;
  const double load = arch.limit() / 0.83;
  const PathResult path = follow_path(two_bar_arch(arch.a, arch.h, arch.EA, load), {});
  EXPECT_FALSE(path.complete);
  EXPECT_NE(path.reason.find("the load path ends at a limit point at 0.83 of the load"), std::string::npos)
      << path.reason;
  ASSERT_EQ(path.events.size(), 1u);
  EXPECT_EQ(path.events[0].kind, PathEventKind::limit);
  EXPECT_NEAR(path.events[0].at.p, 0.83, 1e-11);
  // The place is as well known as dp/ds = 0 is: to the root of the load.
  EXPECT_NEAR(path.events[0].at.x[7], arch.height_at_limit(), 1e-7);
  EXPECT_EQ(path.events[0].node, 2);
  EXPECT_NEAR(std::abs(path.events[0].along[1]), 1.0, 1e-9);  // it goes down
  EXPECT_EQ(path.points.back().p, path.events[0].at.p);
}

TEST(FormPath, ArchIsFollowedThroughAndTurnsAtBothLimits) {
  const Arch arch;
  const double load = 1.5 * arch.limit();
  PathOptions options;
  options.through = true;
  const PathResult path = follow_path(two_bar_arch(arch.a, arch.h, arch.EA, load), options);
  ASSERT_TRUE(path.complete) << path.reason;
  // Every point is on the closed curve.
  for (const PathPoint& at : path.points) EXPECT_NEAR(load * at.p, arch.load(at.x[7]), 1e-9 * load);
  ASSERT_EQ(path.events.size(), 2u);
  EXPECT_NEAR(path.events[0].at.p, 1.0 / 1.5, 1e-11);
  EXPECT_NEAR(path.events[1].at.p, -1.0 / 1.5, 1e-11);
  EXPECT_TRUE(path.events[0].lost);
  EXPECT_FALSE(path.events[1].lost);
  EXPECT_EQ(path.points.back().p, 1.0);
  EXPECT_EQ(path.points.back().unstable, 0);
  EXPECT_LT(path.points.back().x[7], -arch.h);
  EXPECT_LT(dense_residual(path.model), 1e-12);
  // The stiffness that is reported is dP/dy along the path (or the sideways one, where that is nearer to 0).
  for (const PathPoint& at : path.points) {
    const double y = at.x[7], l = std::hypot(arch.a, y), T = arch.EA * (l / arch.L0() - 1.0);
    const double down = 2.0 * (arch.EA / arch.L0() * y * y + T / l * arch.a * arch.a) / (l * l);
    const double sideways = 2.0 * (arch.EA / arch.L0() * arch.a * arch.a + T / l * y * y) / (l * l);
    EXPECT_NEAR(at.stiffness, std::abs(down) < std::abs(sideways) ? down : sideways, 1e-8 * arch.EA);
    EXPECT_EQ(at.unstable, (down < 0.0) + (sideways < 0.0));
  }
}

TEST(FormPath, PathRunsBackwards) {
  const Arch arch;
  PathOptions options;
  options.to = -0.5;
  const PathResult path = follow_path(two_bar_arch(arch.a, arch.h, arch.EA, arch.limit()), options);
  ASSERT_TRUE(path.complete) << path.reason;
  EXPECT_GT(path.points.back().x[7], arch.h);
  EXPECT_NEAR(arch.load(path.points.back().x[7]), -0.5 * arch.limit(), 1e-9 * arch.limit());
}

TEST(FormPath, RigidColumnBuckles) {
  // The middle moves by w: the cables resist with 2 k w, the load gains P w²/L. Critical: P = k L.
  const double L = 0.8, k = 500.0;
  const PathResult path = follow_path(hinged_column(L, k, 0.0, 1000.0), {});
  EXPECT_FALSE(path.complete);
  ASSERT_EQ(path.events.size(), 1u);
  EXPECT_EQ(path.events[0].kind, PathEventKind::bifurcation);
  EXPECT_NEAR(path.events[0].at.p, k * L / 1000.0, 1e-10);
  EXPECT_EQ(path.events[0].node, 1);
  EXPECT_NEAR(std::abs(path.events[0].along[0]), 1.0, 1e-9);  // sideways
  EXPECT_NE(path.reason.find("the load path ends at a bifurcation at 0.4 of the load: it buckles, node \"n2\""),
            std::string::npos)
      << path.reason;
}

TEST(FormPath, ElasticColumnBucklesEarlier) {
  // The upper bar shortens to l = L (1 - P/EA) and pushes the hinge aside with P w/l, the lower one with P w/L; the
  // cables hold it with 2 k w. The straight path goes on, unstable.
  const double L = 0.8, k = 500.0, EA = 4000.0;
  PathOptions options;
  options.through = true;
  const PathResult path = follow_path(hinged_column(L, k, EA, 1000.0), options);
  ASSERT_TRUE(path.complete) << path.reason;
  ASSERT_EQ(path.events.size(), 1u);
  EXPECT_EQ(path.events[0].kind, PathEventKind::bifurcation);
  const double P = 1000.0 * path.events[0].at.p;
  EXPECT_NEAR(P / L + P / (L * (1.0 - P / EA)), 2.0 * k, 1e-6);
  EXPECT_LT(P, k * L - 10.0);
  EXPECT_EQ(path.points.back().unstable, 1);
  EXPECT_NEAR(path.points.back().x[7], L + L * (1.0 - 1000.0 / EA), 1e-9);
}

TEST(FormPath, StringUnderALoadAcross) {
  // F = 2 k (l - L0) y / l; at y = 0 the stiffness across is 2 T / l.
  Model model = empty_scenario().model;
  const int left = add_node(model, {-1, 0, 0}, 0.0, all_fixed), right = add_node(model, {1, 0, 0}, 0.0, all_fixed),
            middle = add_node(model, {0, 0, 0}, 1.0);
  for (int end : {left, right}) add_cable(model, {end, middle}, linear_law(200.0), 0.95);
  add_load(model, middle, {0, 30, 0});
  const PathResult path = follow_path(model, {});
  ASSERT_TRUE(path.complete) << path.reason;
  EXPECT_TRUE(path.events.empty());
  EXPECT_NEAR(path.points.front().stiffness, 2.0 * 200.0 * 0.05, 1e-9);
  for (const PathPoint& at : path.points) {
    const double y = at.x[7], l = std::hypot(1.0, y);
    EXPECT_NEAR(30.0 * at.p, 2.0 * 200.0 * (l - 0.95) * y / l, 1e-10);
  }
  EXPECT_LT(dense_residual(path.model), 1e-12);
}

TEST(FormPath, LettingACableOutLosesTheStiffness) {
  // Two cables in line, rest lengths b and a: tension k (2 - a - b)/2, stiffness across T (1/l + 1/l'); a grows from
  // 0.9 to 1.5 while b = 0.95: lost at a = 1.05, a quarter of the way.
  Model model = empty_scenario().model;
  const int left = add_node(model, {-1, 0, 0}, 0.0, all_fixed), right = add_node(model, {1, 0, 0}, 0.0, all_fixed),
            middle = add_node(model, {0.1, 0, 0}, 1.0, planar);
  add_cable(model, {left, middle}, linear_law(200.0), 0.9);
  add_cable(model, {right, middle}, linear_law(200.0), 0.95);
  PathOptions options;
  options.kind = PathKind::rest_lengths;
  options.rest_lengths = {{0, 1.5}};
  const PathResult path = follow_path(model, options);
  EXPECT_FALSE(path.complete);
  ASSERT_FALSE(path.points.empty());
  EXPECT_NEAR(path.points.back().p, 0.25, 1e-6) << path.reason;
  EXPECT_NE(path.reason.find("the rest-length path ends at a switch of \"c1\", \"c2\" at 0.25 of the way"),
            std::string::npos)
      << path.reason;
  for (const PathPoint& at : path.points) EXPECT_NEAR(at.x[6], 0.5 * (0.9 + 0.6 * std::min(at.p, 0.25) - 0.95), 1e-6);
  // Within reach it is done, and the model has the new rest length.
  options.to = 0.2;
  const PathResult part = follow_path(model, options);
  ASSERT_TRUE(part.complete) << part.reason;
  EXPECT_NEAR(part.model.cables[0].rest_length, 1.02, 1e-15);
  EXPECT_LT(dense_residual(part.model), 1e-12);
}

TEST(FormPath, FreeStructureChangesItsRestLengths) {
  // All verticals of a prism at once: the result is what Newton's method finds there, and nothing drifts away.
  Model model = twisted_prism(3, std::numbers::pi / 6);
  PathOptions options;
  options.kind = PathKind::rest_lengths;
  for (int c = 6; c < 9; ++c) options.rest_lengths.emplace_back(c, 0.8 * model.cables[c].rest_length);
  const PathResult path = follow_path(model, options);
  ASSERT_TRUE(path.complete) << path.reason;
  EXPECT_LT(dense_residual(path.model), 1e-12);
  EXPECT_LT(largest_length_error(model, path.model), 1e-12);
  Vec3 centre = Vec3::Zero(), before = Vec3::Zero();
  for (int i = 0; i < 6; ++i) centre += path.model.nodes[i].position, before += model.nodes[i].position;
  EXPECT_NEAR((centre - before).norm(), 0.0, 1e-9);
}

TEST(FormPath, RefusesWhatHasNothingToFollow) {
  Model model = twisted_prism(3, 0.5);
  EXPECT_THROW(follow_path(model, {}), InputError);
  PathOptions options;
  options.kind = PathKind::weight;
  EXPECT_THROW(follow_path(model, options), InputError);
  options.kind = PathKind::rest_lengths;
  EXPECT_THROW(follow_path(model, options), InputError);
}

// A bar on its foot, its head hung from two stays above: V(θ) = ½k Σ(l - r)² + P cos θ has the straight path, and where
// sin θ ≠ 0 the one with P = k Σ(l - r) ∂l/∂θ / sin θ, which leaves it upwards, so that it is stable.
struct StayedBar {
  double k = 50.0, r = 1.0;
  double load(double sine, double cosine) const {
    double sum = 0.0;
    for (double side : {-0.5, 0.5}) {
      const double x = side - sine, y = 2.0 - cosine, l = std::hypot(x, y);
      sum -= k * (l - r) * (x * cosine - y * sine) / l;
    }
    return sum / sine;
  }
  Model model(double load) const {
    Model m = empty_scenario().model;
    const int foot = add_node(m, {0, 0, 0}, 0.0, all_fixed), head = add_node(m, {0, 1, 0}, 0.1, planar);
    add_bar(m, foot, head, 1.0);
    for (double side : {-0.5, 0.5}) add_cable(m, {add_node(m, {side, 2, 0}, 0.0, all_fixed), head}, linear_law(k), r);
    add_load(m, head, {0, -load, 0});
    return m;
  }
};

TEST(FormPath, BranchIsFollowedFromTheBifurcation) {
  const StayedBar bar;
  const double critical = bar.load(1e-4, std::sqrt(1.0 - 1e-8)), load = 60.0;
  const PathResult straight = follow_path(bar.model(load), {});
  EXPECT_FALSE(straight.complete);
  ASSERT_EQ(straight.events.size(), 1u);
  EXPECT_NEAR(straight.events[0].at.p, critical / load, 1e-6);
  EXPECT_FALSE(straight.events[0].followed);
  double sine[2] = {};
  for (int side : {0, 1}) {
    PathOptions options;
    options.branch = side == 0 ? 1 : -1;
    const PathResult path = follow_path(bar.model(load), options);
    ASSERT_TRUE(path.complete) << path.reason;
    ASSERT_EQ(path.events.size(), 1u);
    EXPECT_TRUE(path.events[0].followed);
    EXPECT_EQ(path.events[0].kind, PathEventKind::bifurcation);
    EXPECT_EQ(path.points.back().p, 1.0);
    EXPECT_EQ(path.points.back().unstable, 0);
    EXPECT_LT(dense_residual(path.model), 1e-12);
    // Every point beyond is on the closed curve.
    int beyond = 0;
    for (const PathPoint& at : path.points) {
      if (std::abs(at.x[3]) < 1e-3) continue;
      ++beyond;
      EXPECT_NEAR(load * at.p, bar.load(at.x[3], at.x[4]), 1e-9 * load);
    }
    EXPECT_GT(beyond, 5);
    sine[side] = path.points.back().x[3];
  }
  EXPECT_GT(std::abs(sine[0]), 0.3);
  EXPECT_NEAR(sine[0], -sine[1], 1e-9);
}

TEST(FormPath, UnstableBranchIsToldOrFollowedBackwards) {
  // The hinged column, whose branch goes down.
  const Model model = hinged_column(1.0, 50.0, 0.0, 80.0);
  PathOptions options;
  options.branch = 1;
  const PathResult told = follow_path(model, options);
  EXPECT_FALSE(told.complete);
  EXPECT_NE(told.reason.find("branches off at 0.625 of the load is unstable"), std::string::npos) << told.reason;
  options.through = true;
  options.points = 60;
  const PathResult followed = follow_path(model, options);
  ASSERT_GT(followed.points.size(), 20u);
  EXPECT_LT(followed.points.back().p, 0.6249);
  EXPECT_GT(std::abs(followed.points.back().x[3]), 0.1);
  // With the hinge at (s, c) both bars push it outwards: P = (Fy - Fx c/s)/2 with the pull F of the cables.
  for (const PathPoint& at : followed.points) {
    const double s = at.x[3], c = at.x[4];
    if (std::abs(s) < 1e-3) continue;
    Eigen::Vector2d pull = Eigen::Vector2d::Zero();
    for (double side : {-1.0, 1.0}) {
      const Eigen::Vector2d d(side - s, 1.0 - c);
      pull += 50.0 * std::max(0.0, d.norm() - 0.9) * d.normalized();
    }
    EXPECT_NEAR(80.0 * at.p, 0.5 * (pull[1] - pull[0] * c / s), 1e-8 * 80.0);
  }
}

TEST(FormPath, LoadAlongAMechanismIsNamed) {
  Model four = square_linkage();
  add_load(four, 2, {1, 0, 0});
  const PathResult path = follow_path(four, {});
  EXPECT_FALSE(path.complete);
  EXPECT_NE(path.reason.find("nothing resists a motion, node \"n3\" along (1, 0, 0)"), std::string::npos)
      << path.reason;
}

TEST(FormPath, HowItBeginsIsNoEvent) {
  // A string without tension is stiff as soon as it is loaded.
  Model string = empty_scenario().model;
  for (double x : {-1.0, 1.0}) add_node(string, {x, 0, 0}, 0.0, all_fixed);
  const int middle = add_node(string, {0, 0, 0}, 0.1);
  for (int i : {0, 1}) add_cable(string, {i, middle}, linear_law(1e3), 1.0);
  add_load(string, middle, {0, 0, -50});
  const PathResult path = follow_path(string, {});
  ASSERT_TRUE(path.complete) << path.reason;
  EXPECT_TRUE(path.events.empty());
}

// A path to where it is has one place.
TEST(FormPath, ToNothing) {
  PathOptions options;
  options.to = 0.0;
  const PathResult path = follow_path(two_bar_arch(1.0, 0.3, 1e4, 100.0), options);
  EXPECT_TRUE(path.complete) << path.reason;
  EXPECT_EQ(path.points.size(), 1u);
  EXPECT_EQ(path.points[0].p, 0.0);
}

// An end that is far beyond everything does not hide what comes before it.
TEST(FormPath, AFarEndHidesNothing) {
  const Arch arch;
  PathOptions options;
  options.to = 1e9;
  const PathResult path = follow_path(two_bar_arch(arch.a, arch.h, arch.EA, 100.0), options);
  ASSERT_EQ(path.events.size(), 1u) << path.reason;
  EXPECT_NEAR(path.events[0].at.p, arch.limit() / 100.0, 1e-9);
}

TEST(FormPath, ABranchThatIsNotThereIsSaid) {
  PathOptions options;
  options.branch = 1;
  const PathResult path = follow_path(two_bar_arch(1.0, 0.3, 1e4, 10.0), options);
  EXPECT_TRUE(path.complete);
  ASSERT_EQ(path.notes.size(), 1u);
  EXPECT_EQ(path.notes[0], "no bifurcation was met: there was no branch to take");
}

// Two rigid bars above each other, 1 m each, the hinge between them held by two cables of stiffness k and tension T.
// The cable on the side to which the hinge leaves goes slack where it is as long as at rest; the load turns back there,
// and the path over both sides is closed.
TEST(FormPath, ASwitchOfACableMakesALimitAndABranchMayBeClosed) {
  constexpr double k = 100.0, T = 10.0;
  Model model;
  model.gravity.setZero();
  const int foot = add_node(model, {0, 0, 0}, 0.0, all_fixed),
            hinge = add_node(model, {0, 0, 1}, 1.0, {false, true, false}),
            head = add_node(model, {0, 0, 2}, 1.0, {true, true, false}),
            right = add_node(model, {1, 0, 1}, 0.0, all_fixed), left = add_node(model, {-1, 0, 1}, 0.0, all_fixed);
  add_bar(model, foot, hinge, 1.0);
  add_bar(model, hinge, head, 1.0);
  add_cable(model, {hinge, right}, linear_law(k), 1.0 - T / k);
  add_cable(model, {hinge, left}, linear_law(k), 1.0 - T / k);
  add_load(model, head, {0, 0, -1});
  // By energy, the hinge at (sin θ, cos θ): P = -dU/dθ / (2 sin θ), the load that holds it there.
  const auto load = [&](double angle) {
    const auto energy = [&](double a) {
      double sum = 0.0;
      for (const double side : {1.0, -1.0}) {
        const double e = std::hypot(std::sin(a) - side, std::cos(a) - 1.0) - (1.0 - T / k);
        if (e > 0.0) sum += 0.5 * k * e * e;
      }
      return sum;
    };
    return (energy(angle + 1e-6) - energy(angle - 1e-6)) / 2e-6 / (2.0 * std::sin(angle));
  };
  PathOptions options;
  options.to = 300.0;
  options.branch = 1;
  options.through = true;
  const PathResult path = follow_path(model, options);
  EXPECT_NE(path.reason.find("is closed"), std::string::npos) << path.reason;
  ASSERT_GE(path.events.size(), 2u);
  EXPECT_EQ(path.events[0].kind, PathEventKind::bifurcation);
  EXPECT_NEAR(path.events[0].at.p, k, 1e-6);  // the hinge is held with 2 k, and pushed out with 2 P
  EXPECT_EQ(path.events[1].kind, PathEventKind::limit);
  // The cable on the side of the deflection is slack from there on.
  const PathPoint& corner = path.events[1].at;
  const double x = corner.x[3 * hinge], angle = std::atan2(x, corner.x[3 * hinge + 2]);
  const int slack = x > 0.0 ? 0 : 1;
  ASSERT_EQ(path.events[1].cables, std::vector<int>{slack});
  EXPECT_NEAR(std::hypot(std::abs(x) - 1.0, corner.x[3 * hinge + 2] - 1.0), 1.0 - T / k, 1e-9);
  EXPECT_NEAR(corner.p, load(angle - 1e-4 * (x > 0.0 ? 1.0 : -1.0)), 0.05);
}

}  // namespace
}  // namespace taut::testing
