// Bars that meet: closest points against a search, force as minus the gradient of the energy (parallel bars included),
// momenta, derivatives against differences, and a broad phase that finds what all pairs find with far fewer tests.
#include <gtest/gtest.h>

#include <set>

#include "taut/forces/contact_tangent.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Pairs = std::set<std::pair<int, int>>;

AlignedDoubles positions(const Model& model) {
  AlignedDoubles x(4 * model.nodes.size(), 0.0);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) std::copy_n(model.nodes[i].position.data(), 3, &x[4 * i]);
  return x;
}

int add_rod(Model& model, const Vec3& a, const Vec3& b, double radius) {
  const int first = add_node(model, a), second = add_node(model, b);
  const int bar = add_bar(model, first, second, 1.0);
  model.bars[bar].radius = radius;
  return bar;
}

// Two rods that overlap: crossing, end on middle, end on end, parallel, in line.
std::vector<Model> overlapping(double depth) {
  const double r = 0.05, gap = 2.0 * r - depth;
  std::vector<Model> list;
  for (int kind = 0; kind < 6; ++kind) {
    Model model;
    model.collision.emplace();
    model.collision->stiffness = 1e4;
    add_rod(model, {-0.5, 0, 0}, {0.5, 0, 0}, r);
    if (kind == 0) add_rod(model, {0.1, -0.4, gap}, {0.0, 0.5, gap + 0.002}, r);
    if (kind == 1) add_rod(model, {0.2, 0.0, gap}, {0.25, 0.1, gap + 1.0}, r);
    if (kind == 2) add_rod(model, {0.5 + 0.8 * gap, 0, 0.6 * gap}, {1.2, 0.3, 0.5}, r);
    if (kind == 3) add_rod(model, {-0.3, 0, gap}, {0.6, 0, gap}, r);
    if (kind == 4) add_rod(model, {-0.5, 1e-7, gap}, {0.5, -1e-7, gap + 1e-7}, r);
    if (kind == 5) add_rod(model, {0.5 + gap, 0, 0}, {1.5 + gap, 0, 0}, r);
    list.push_back(model);
  }
  return list;
}

TEST(Segments, ClosestPointsAgainstASearch) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    Vec3 p[4];
    for (Vec3& x : p) x = random.vector(1.0);
    if (i % 5 == 0) p[3] = p[2] + random.between(-1.0, 1.0) * (p[1] - p[0]);  // parallel
    if (i % 7 == 0) p[2] = p[0] + 0.3 * (p[1] - p[0]);                        // touching
    for (const double epsilon : {0.0, 0.1}) {
      const Closest c = closest_points(p[0].data(), p[1].data(), p[2].data(), p[3].data(), epsilon);
      const auto value = [&](double s, double t) {
        return (p[0] + s * (p[1] - p[0]) - p[2] - t * (p[3] - p[2])).squaredNorm() +
               epsilon * epsilon * ((s - 0.5) * (s - 0.5) + (t - 0.5) * (t - 0.5));
      };
      EXPECT_NEAR(c.squared, value(c.s, c.t), 1e-14);
      double best = 1e9;
      for (int a = 0; a <= 60; ++a)
        for (int b = 0; b <= 60; ++b) best = std::min(best, value(a / 60.0, b / 60.0));
      EXPECT_LE(c.squared, best + 1e-14);
      EXPECT_TRUE(c.s >= 0.0 && c.s <= 1.0 && c.t >= 0.0 && c.t <= 1.0);
      // No neighbour is better: a local minimum of a convex function.
      for (const auto& [ds, dt] :
           {std::pair{1e-4, 0.0}, {-1e-4, 0.0}, {0.0, 1e-4}, {0.0, -1e-4}, {1e-4, 1e-4}, {-1e-4, -1e-4}}) {
        const double s = std::clamp(c.s + ds, 0.0, 1.0), t = std::clamp(c.t + dt, 0.0, 1.0);
        EXPECT_LE(c.squared, value(s, t) + 1e-15);
      }
    }
  }
}

TEST(Collision, ForceIsMinusTheGradientOfTheEnergyAndKeepsMomentum) {
  for (const PressKind kind : {PressKind::linear, PressKind::exponential})
    for (Model& model : overlapping(0.01)) {
      model.collision->law = kind;
      const Contact contact(model);
      ContactTerms terms = contact.make_terms();
      AlignedDoubles x = positions(model), v(x.size(), 0.0), f(x.size(), 0.0), unused(x.size(), 0.0);
      contact.apply(x.data(), v.data(), f.data(), terms);
      Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
      double size = 0.0;
      for (int i = 0; i < 4; ++i) {
        const Vec3 force(&f[4 * i]);
        sum += force;
        moment += Vec3(&x[4 * i]).cross(force);
        size = std::max(size, force.norm());
        for (int axis = 0; axis < 3; ++axis) {
          const double h = 1e-8, at = x[4 * i + axis];
          x[4 * i + axis] = at + h;
          contact.apply(x.data(), v.data(), unused.data(), terms);
          const double above = contact.energy(x.data(), terms);
          x[4 * i + axis] = at - h;
          contact.apply(x.data(), v.data(), unused.data(), terms);
          EXPECT_NEAR(force[axis], -(above - contact.energy(x.data(), terms)) / (2.0 * h), 2e-4 * (1.0 + force.norm()));
          x[4 * i + axis] = at;
        }
      }
      EXPECT_GT(size, 20.0);  // k times about 0.01 m, shared by two ends
      EXPECT_LT(sum.norm(), 1e-12 * size);
      EXPECT_LT(moment.norm(), 1e-12 * size);
    }
}

TEST(Collision, DerivativesAgainstDifferences) {
  for (Model& model : overlapping(0.01)) {
    model.collision->damping = 30.0;
    const Contact contact(model);
    ContactTerms terms = contact.make_terms();
    AlignedDoubles x = positions(model), v(x.size(), 0.0);
    Random random(4);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 4 == 3 ? 0.0 : random.between(-0.3, 0.3);
    const auto force = [&] {
      AlignedDoubles f(x.size(), 0.0);
      contact.apply(x.data(), v.data(), f.data(), terms);
      return f;
    };
    force();
    Eigen::Matrix<double, 12, 12> by_position, by_velocity;
    contact.collision().derivatives(x.data(), v.data(), 0, 1, by_position, by_velocity);
    for (auto* vary : {&x, &v})
      for (int column = 0; column < 12; ++column) {
        double& at = (*vary)[column + column / 3];
        const double start = at, h = vary == &x ? 1e-9 : 1e-6;
        at = start + h;
        const AlignedDoubles above = force();
        at = start - h;
        const AlignedDoubles below = force();
        at = start;
        const auto& found = vary == &x ? by_position : by_velocity;
        for (int row = 0; row < 12; ++row)
          EXPECT_NEAR(found(row, column), (above[row + row / 3] - below[row + row / 3]) / (2.0 * h),
                      2e-3 * (1.0 + found.norm()) * (vary == &x ? 1.0 : 1e-3))
              << row << ", " << column;
      }
  }
}

// With friction: no net force and no moment, whatever the bars do; the power is accounted for; a rigid motion of both
// rubs nothing.
TEST(Collision, FrictionKeepsBothMomentaAndOnlyTakesEnergy) {
  Random random(6);
  int kind = 0;
  for (Model& model : overlapping(0.01)) {
    model.collision->friction = 0.5;
    model.collision->slip_speed = 1e-2;
    const Contact rough(model);
    model.collision->friction = 0.0;
    const Contact smooth(model);
    ContactTerms terms = rough.make_terms(), without = smooth.make_terms();
    const AlignedDoubles x = positions(model);
    for (int round = 0; round < 20; ++round) {
      AlignedDoubles v(x.size(), 0.0), f(x.size(), 0.0), g(x.size(), 0.0);
      const double speed = round % 2 == 0 ? 1.0 : 1e-3;
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 4 == 3 ? 0.0 : random.between(-speed, speed);
      rough.apply(x.data(), v.data(), f.data(), terms);
      smooth.apply(x.data(), v.data(), g.data(), without);
      Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
      double size = 0.0, power = 0.0;
      for (int i = 0; i < 4; ++i) {
        const Vec3 rub = Vec3(&f[4 * i]) - Vec3(&g[4 * i]);
        sum += rub, moment += Vec3(&x[4 * i]).cross(rub), power += rub.dot(Vec3(&v[4 * i]));
        size = std::max(size, Vec3(&g[4 * i]).norm());
      }
      EXPECT_LT(sum.norm(), 1e-12 * size) << kind;
      EXPECT_LT(moment.norm(), 1e-9 * size) << kind;
      EXPECT_NEAR(power, -terms.dissipated_power, 1e-11 * (1.0 + std::abs(power)));
      EXPECT_GT(terms.dissipated_power, 0.0);
      // Turning and drifting together.
      const Vec3 drift = random.vector(speed), spin = random.vector(speed);
      AlignedDoubles together(x.size(), 0.0);
      for (int i = 0; i < 4; ++i) {
        const Vec3 rate = drift + spin.cross(Vec3(&x[4 * i]));
        std::copy_n(rate.data(), 3, &together[4 * i]);
        std::fill_n(&f[4 * i], 4, 0.0), std::fill_n(&g[4 * i], 4, 0.0);
      }
      rough.apply(x.data(), together.data(), f.data(), terms);
      smooth.apply(x.data(), together.data(), g.data(), without);
      for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], g[i], 1e-8 * size) << kind;
    }
    ++kind;
  }
}

// By velocity exactly; by position exactly at rest, and for slips along one of the bars nearly.
TEST(Collision, DerivativesWithFriction) {
  int kind = 0;
  for (Model& model : overlapping(0.01)) {
    model.collision->damping = 30.0;
    model.collision->friction = 0.5;
    model.collision->slip_speed = 0.05;
    const Contact contact(model);
    ContactTerms terms = contact.make_terms();
    AlignedDoubles x = positions(model), v(x.size(), 0.0);
    const auto force = [&] {
      AlignedDoubles f(x.size(), 0.0);
      contact.apply(x.data(), v.data(), f.data(), terms);
      return f;
    };
    for (const double speed : {0.0, 0.02, 0.3}) {
      Random random(4);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 4 == 3 ? 0.0 : random.between(-speed, speed);
      force();
      Eigen::Matrix<double, 12, 12> by_position, by_velocity;
      contact.collision().derivatives(x.data(), v.data(), 0, 1, by_position, by_velocity);
      for (auto* vary : {&x, &v}) {
        if (vary == &x && speed > 0.0) continue;
        Eigen::Matrix<double, 12, 12> real;
        for (int column = 0; column < 12; ++column) {
          double& at = (*vary)[column + column / 3];
          const double start = at, h = vary == &x ? 1e-9 : 1e-7;
          at = start + h;
          const AlignedDoubles above = force();
          at = start - h;
          const AlignedDoubles below = force();
          at = start;
          for (int row = 0; row < 12; ++row)
            real(row, column) = (above[row + row / 3] - below[row + row / 3]) / (2.0 * h);
        }
        const auto& found = vary == &x ? by_position : by_velocity;
        EXPECT_LT((found - real).norm(), (vary == &x ? 2e-3 : 1e-4) * real.norm()) << kind << " at " << speed;
      }
    }
    ++kind;
  }
}

// Bars at random in a cube, and some of them far longer than the rest.
Model haystack(int bars, unsigned seed) {
  Random random(seed);
  Model model;
  model.collision.emplace();
  const double size = std::cbrt(bars) * 0.4;
  for (int i = 0; i < bars; ++i) {
    const Vec3 a = random.vector(size), along = random.vector(i % 50 == 0 ? 1.5 : 0.3);
    add_rod(model, a, a + along, random.between(0.01, 0.05));
  }
  return model;
}

TEST(BroadPhase, FindsExactlyThePairsOfAFullSearch) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const Model model = haystack(150, seed);
    const AlignedDoubles x = positions(model);
    const BarPairs bars(model);
    for (const double margin : {0.0, 0.1}) {
      NearRoom room;
      near_pairs(bars.capsules(), x.data(), margin, room);
      Pairs found(room.pairs.begin(), room.pairs.end()), all;
      EXPECT_EQ(found.size(), room.pairs.size()) << "a pair is reported twice";
      for (int i = 0; i < 150; ++i)
        for (int j = i + 1; j < 150; ++j) {
          bool overlap = true;
          for (int axis = 0; axis < 3; ++axis) {
            const auto range = [&](int k) {
              const Capsule& c = bars.capsules()[k];
              const auto [low, high] = std::minmax(x[4 * c.a + axis], x[4 * c.b + axis]);
              return std::pair{low - c.radius - 0.5 * margin, high + c.radius + 0.5 * margin};
            };
            overlap &= range(i).first <= range(j).second && range(j).first <= range(i).second;
          }
          if (overlap) all.emplace(i, j);
        }
      EXPECT_EQ(found, all);
    }
  }
}

// What touches is the same with the kept list as with a fresh one, while everything moves.
TEST(BroadPhase, TheKeptListMissesNothing) {
  Model model = haystack(120, 9);
  const Contact contact(model);
  ContactTerms kept = contact.make_terms();
  AlignedDoubles x = positions(model), v(x.size(), 0.0);
  Random random(2);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 4 == 3 ? 0.0 : random.between(-1.0, 1.0);
  int touching = 0;
  for (int step = 0; step < 200; ++step) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += 2e-3 * v[i];
    AlignedDoubles f(x.size(), 0.0), again(x.size(), 0.0);
    ContactTerms fresh = contact.make_terms();
    contact.apply(x.data(), v.data(), f.data(), kept);
    contact.apply(x.data(), v.data(), again.data(), fresh);
    double difference = 0.0, size = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      difference = std::max(difference, std::abs(f[i] - again[i])), size = std::max(size, std::abs(f[i]));
    EXPECT_LE(difference, 1e-9 * size);
    touching += size > 0.0;
  }
  EXPECT_GT(touching, 100);
  EXPECT_LT(kept.collision.listings, 60);
}

TEST(BroadPhase, ATowerOfAThousandBarsDoesNotTestAllPairs) {
  Scenario tower = generated("tower", {{"stages", 334}, {"bars", 3}});
  Model& model = tower.model;
  model.collision.emplace();
  const int bars = static_cast<int>(model.bars.size());
  ASSERT_GT(bars, 1000);
  const Contact contact(model);
  ContactTerms terms = contact.make_terms();
  AlignedDoubles x = positions(model), v(x.size(), 0.0), f(x.size(), 0.0);
  contact.apply(x.data(), v.data(), f.data(), terms);
  const long all = static_cast<long>(bars) * (bars - 1) / 2;
  EXPECT_LT(terms.collision.room.box_tests, 50L * bars) << "of " << all;
  EXPECT_LT(terms.collision.pair_tests, 20L * bars);
  // Nothing moves: the list stays, and only near pairs are looked at.
  const long before = terms.collision.pair_tests;
  contact.apply(x.data(), v.data(), f.data(), terms);
  EXPECT_EQ(terms.collision.listings, 1);
  EXPECT_LT(terms.collision.pair_tests - before, 10L * bars);
}

TEST(BarPairs, SharedNodesAndJointsDoNotCollide) {
  Model model;
  for (int i = 0; i < 6; ++i) add_node(model, {0.1 * i, 0.01 * i * i, 0}, 1.0);
  add_bar(model, 0, 1, 1.0);
  add_bar(model, 1, 2, 1.0);
  add_bar(model, 3, 4, 1.0);
  add_bar(model, 4, 5, 1.0);
  model.constraints.push_back({"", {{2, 1.0}, {3, -1.0}}, Vec3::Zero(), {true, true, true}});
  const BarPairs pairs(model);
  EXPECT_FALSE(pairs.may_collide(0, 1));  // node 1
  EXPECT_FALSE(pairs.may_collide(2, 1));  // the joint
  EXPECT_TRUE(pairs.may_collide(0, 2));
  EXPECT_TRUE(pairs.may_collide(1, 3));
}

}  // namespace
}  // namespace taut::testing
