// Cables that slide with friction: the ratios of tension that the laws promise, power accounted for, derivatives.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "taut/forces/cable_tangent.h"
#include "taut/forces/cables.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

constexpr double pi = std::numbers::pi;

struct Case {
  Model model;
  std::vector<Vec3> x, v;

  int put(const Vec3& place, const Vec3& rate) {
    x.push_back(place);
    v.push_back(rate);
    return add_node(model, place, 1.0);
  }
};

struct Evaluation {
  CableTerms terms;
  AlignedDoubles force;
  Vec3 on(int node) const { return Vec3(force.data() + 4 * node); }
};

AlignedDoubles padded(const std::vector<Vec3>& list) {
  AlignedDoubles four(4 * list.size(), 0.0);
  for (std::size_t i = 0; i < list.size(); ++i) std::copy_n(list[i].data(), 3, four.data() + 4 * i);
  return four;
}

// At time t + s, places x + s v.
Evaluation evaluate(const Cables& cables, const Case& c, double t = 0.0, double s = 0.0) {
  Evaluation e{cables.make_terms(), {}};
  cables.set_time(t + s, e.terms);
  std::vector<Vec3> places = c.x;
  for (std::size_t i = 0; i < places.size(); ++i) places[i] += s * c.v[i];
  const AlignedDoubles x = padded(places), v = padded(c.v), nothing(x.size(), 0.0);
  e.force.assign(x.size(), 0.0);
  cables.apply(x.data(), v.data(), nothing.data(), e.force.data(), e.terms);
  return e;
}

constexpr SlidingKind both_laws[] = {SlidingKind::capstan, SlidingKind::coulomb};

// T₂/T₁ of full sliding at one node, in the words of the laws.
double full_ratio(const SlidingFriction& friction, double angle) {
  if (friction.kind == SlidingKind::capstan) return std::exp(friction.coefficient * angle);
  const double x = friction.coefficient * std::sin(0.5 * angle);
  return (1.0 + x) / (1.0 - x);
}

// A cable is drawn over one node, at a speed far above w₀: forces on its ends are the tensions.
TEST(Sliding, TensionsBesideANodeHaveTheRatioOfTheLaw) {
  Random random(1);
  for (SlidingKind kind : both_laws)
    for (double angle : {1e-3, 0.4, 1.3, 0.5 * pi, 2.6, pi})
      for (double speed : {1.0, -1.0}) {
        const Eigen::Quaterniond turned(Eigen::AngleAxisd(random.between(0.0, 3.0), random.vector().normalized()));
        const Vec3 in = turned * Vec3::UnitX(), out = turned * Vec3(std::cos(angle), std::sin(angle), 0.0);
        Case c;
        const double first = 0.7, second = 1.9;
        c.put(-first * in, speed * in);
        c.put(Vec3::Zero(), Vec3::Zero());
        c.put(second * out, speed * out);
        Cable& cable = c.model.cables[add_cable(c.model, {0, 1, 2}, linear_law(500.0), 2.5)];
        cable.friction = {kind, 0.35, 1e-3};
        const Cables cables(c.model);
        const Evaluation at = evaluate(cables, c);
        const double t1 = at.on(0).dot(in), t2 = -at.on(2).dot(out), mean = 500.0 * (first + second - 2.5);
        const double ratio = full_ratio(cable.friction, angle);
        EXPECT_NEAR(speed > 0.0 ? t2 / t1 : t1 / t2, ratio, 1e-12 * ratio);
        if (kind == SlidingKind::coulomb) {
          EXPECT_NEAR(t2 - t1, speed * 0.35 * (t1 + t2) * std::sin(0.5 * angle), 1e-12 * mean);
        }
        EXPECT_NEAR((first * t1 + second * t2) / (first + second), mean, 1e-12 * mean);
        EXPECT_NEAR(at.terms.tension[cables.slot_of_cable(0)], mean, 1e-12 * mean);
        EXPECT_LT((at.on(1) - (t2 * out - t1 * in)).norm(), 1e-12 * mean);
        // What is lost: the sliding speed times the difference.
        EXPECT_NEAR(at.terms.dissipated_power, speed * (t2 - t1), 1e-12 * mean);
        EXPECT_NEAR(at.terms.slip[cables.piece_begin(cables.slot_of_cable(0))], speed, 1e-14);
      }
}

// Half a turn round a drum of n nodes, ends hanging straight down. The turns add up to π whatever n is, so the capstan
// law gives e^{μπ} at once; eyelets come to it with 1/n².
TEST(Sliding, ADrumOfManyNodesHasTheCapstanRatio) {
  const double mu = 0.4;
  const auto ratio = [&](SlidingKind kind, int n) {
    Case c;
    std::vector<int> path = {c.put({-1.0, -2.0, 0.0}, Vec3::UnitY())};
    for (int i = 0; i < n; ++i) {
      const double a = pi * (1.0 - static_cast<double>(i) / (n - 1));
      path.push_back(c.put({std::cos(a), std::sin(a), 0.0}, Vec3::Zero()));
    }
    path.push_back(c.put({1.0, -1.0, 0.0}, -Vec3::UnitY()));
    c.model.cables[add_cable(c.model, path, linear_law(100.0), 4.0)].friction = {kind, mu, 1e-3};
    const Evaluation at = evaluate(Cables(c.model), c);
    return at.on(path.back()).norm() / at.on(0).norm();
  };
  for (int n : {2, 3, 10, 200}) EXPECT_NEAR(ratio(SlidingKind::capstan, n), std::exp(mu * pi), 1e-11);
  const auto error = [&](int n) { return std::abs(ratio(SlidingKind::coulomb, n) / std::exp(mu * pi) - 1.0); };
  EXPECT_LT(error(400), 1e-5);
  EXPECT_NEAR(std::log2(error(51) / error(101)), 2.0, 0.05);
}

// Between rest and full sliding the exponent is μ θ tanh(φ/w₀).
TEST(Sliding, GrowsOverTheSlipSpeed) {
  for (double speed : {1e-5, 3e-4, 1e-3, 2.5e-3}) {
    Case c;
    c.put({-1, 0, 0}, {speed, 0, 0});
    c.put({0, 0, 0}, {0, 0, 0});
    c.put({0, 1, 0}, {0, speed, 0});
    c.model.cables[add_cable(c.model, {0, 1, 2}, linear_law(500.0), 1.9)].friction = {SlidingKind::capstan, 0.3, 1e-3};
    const Evaluation at = evaluate(Cables(c.model), c);
    EXPECT_NEAR(std::log(at.on(2).norm() / at.on(0).norm()), 0.3 * 0.5 * pi * std::tanh(speed / 1e-3), 1e-12);
  }
}

// Wound on at its first node while no node moves, the cable slides towards it everywhere: T₁ = T₂ e^{μθ}, and the winch
// works against T₁.
TEST(Sliding, AWinchPullsAgainstFriction) {
  Case c;
  c.put({-1, 0, 0}, {0, 0, 0});
  c.put({0, 0, 0}, {0, 0, 0});
  c.put({0, 3, 0}, {0, 0, 0});
  const int cable = add_cable(c.model, {0, 1, 2}, linear_law(500.0), 3.9);
  c.model.cables[cable].friction = {SlidingKind::capstan, 0.3, 1e-3};
  Signal signal;
  signal.kind = SignalKind::hermite;
  signal.times = {0.0, 1.0};
  signal.values = {3.9, 3.6};
  signal.slopes = {-0.3, -0.3};
  c.model.actuators.push_back({cable, signal});
  const Cables cables(c.model);
  const Evaluation at = evaluate(cables, c, 0.5);
  const double t1 = at.on(0).norm(), t2 = at.on(2).norm(), rest = 3.75, wound = 0.3 * 4.0 / rest;
  EXPECT_NEAR(t1 / t2, std::exp(0.15 * pi), 1e-12);
  // Of what leaves over the first node, three quarters come past the second: the rest is stretch of the first piece.
  EXPECT_NEAR(at.terms.slip[cables.piece_begin(cables.slot_of_cable(cable))], -0.75 * wound, 1e-14);
  const double mean = 500.0 * (4.0 - rest);
  EXPECT_NEAR(at.terms.actuator_power, mean * 0.3 + (t1 - mean) * wound, 1e-11);
  EXPECT_NEAR(at.terms.dissipated_power, 0.75 * wound * (t1 - t2), 1e-11);
}

// Six nodes at random; cables of every law through three to six of them, open and closed, with friction of both kinds.
Case random_case(unsigned seed, bool damped, bool actuated, double slip_speed) {
  Random random(seed);
  Case c;
  for (int i = 0; i < 6; ++i) c.put(random.vector(), random.vector());
  for (int k = 0; k < 8; ++k) {
    std::vector<int> path = {random.below(6)};
    while (static_cast<int>(path.size()) < 3 + k % 4) path.push_back((path.back() + 1 + random.below(5)) % 6);
    if (k % 3 == 0 && path.back() != path.front()) path.push_back(path.front());
    CableLaw law = linear_law(random.between(50.0, 200.0), damped ? random.between(0.5, 3.0) : 0.0);
    law.kind = std::array{LawKind::linear, LawKind::softplus, LawKind::spring, LawKind::table}[k % 4];
    law.by_EA = k % 3 == 1;
    law.beta = 0.1;
    if (law.kind == LawKind::table) law.strain = {-0.1, 0.0, 1.0}, law.force = {0.0, 0.0, 60.0};
    const int index = add_cable(c.model, path, law, 1.0);
    Cable& cable = c.model.cables[index];
    cable.rest_length = start_length(c.model, cable) * random.between(0.4, 0.6);  // taut at every rate here
    cable.friction = {both_laws[k / 2 % 2], random.between(0.05, 0.6), slip_speed};
    if (!actuated || !random.chance(0.5)) continue;
    const double period = random.between(0.5, 2.0), phase = random.between(0.0, 6.0);
    c.model.actuators.push_back({index, sine_signal(cable.rest_length, 0.2 * cable.rest_length, period, phase)});
  }
  return c;
}

// -f·v = dU/dt + dissipated - work of the actuators, dU/dt by differences along the motion; friction of each cable
// alone only takes. Forces stay pairs along lines: no momentum comes from them.
TEST(Sliding, PowerIsStoredLostOrTakenFromTheWinch) {
  int sliding = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const bool damped = seed % 2 == 0;
    const Case c = random_case(seed, damped, seed % 3 != 0, seed % 5 == 0 ? 1e-3 : 0.5);
    const Cables cables(c.model);
    const double t = 0.4, epsilon = 1e-6;
    const Evaluation at = evaluate(cables, c, t);
    double given = 0.0;
    Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
    for (int i = 0; i < 6; ++i) {
      given -= at.on(i).dot(c.v[i]);
      sum += at.on(i);
      moment += c.x[i].cross(at.on(i));
    }
    const double stored = (cables.elastic_energy(evaluate(cables, c, t, epsilon).terms) -
                           cables.elastic_energy(evaluate(cables, c, t, -epsilon).terms)) /
                          (2.0 * epsilon);
    // Differences: relative 1e-8 of powers near 1e3 W.
    EXPECT_NEAR(given, stored + at.terms.dissipated_power - at.terms.actuator_power, 1e-5) << "seed " << seed;
    EXPECT_LT(sum.norm(), 1e-11);
    EXPECT_LT(moment.norm(), 1e-11);
    for (std::size_t i = 0; i < c.model.cables.size(); ++i) {
      Case alone = c;
      alone.model.cables = {c.model.cables[i]};
      alone.model.actuators.clear();
      for (const Actuator& a : c.model.actuators)
        if (a.cable == static_cast<int>(i)) alone.model.actuators.push_back({0, a.rest_length});
      const double with = evaluate(Cables(alone.model), alone, t).terms.dissipated_power;
      alone.model.cables[0].friction = {};
      const double lost = with - evaluate(Cables(alone.model), alone, t).terms.dissipated_power;
      EXPECT_GE(lost, 0.0) << "seed " << seed << " " << i;
      sliding += lost > 0.0;
    }
  }
  EXPECT_GT(sliding, 400);  // of 480; a path a-b-a does not slide
}

// The mean along the cable is the tension of the law, whatever friction does.
TEST(Sliding, TheMeanIsTheTensionWithoutFriction) {
  for (unsigned seed = 100; seed < 120; ++seed) {
    Case c = random_case(seed, true, true, 1e-2);
    const Cables with(c.model);
    for (Cable& cable : c.model.cables) cable.friction = {};
    const Cables without(c.model);
    const Evaluation a = evaluate(with, c, 0.3), b = evaluate(without, c, 0.3);
    EXPECT_EQ(a.terms.tension, b.terms.tension);
    EXPECT_EQ(a.terms.length, b.terms.length);
    for (int s = 0; s < with.slots(); ++s) {
      double mean = 0.0;
      for (int p = with.piece_begin(s); p < with.piece_end(s); ++p)
        mean += Vec3(a.terms.direction.data() + 4 * p).norm() / a.terms.length[s] * a.terms.share[p];
      if (with.cable_of_slot(s) >= 0) {
        EXPECT_NEAR(mean, 1.0, 1e-14);
      }
    }
  }
}

// Nothing to slide, nothing changed, to the last bit: no coefficient, two nodes, at rest, slack, pushing.
TEST(Sliding, IsNothingWhereNothingSlides) {
  const auto same = [](Case c) {
    const Evaluation with = evaluate(Cables(c.model), c, 0.3);
    for (Cable& cable : c.model.cables) cable.friction = {};
    const Evaluation without = evaluate(Cables(c.model), c, 0.3);
    EXPECT_EQ(with.force, without.force);
    EXPECT_EQ(with.terms.dissipated_power, without.terms.dissipated_power);
    EXPECT_EQ(with.terms.actuator_power, without.terms.actuator_power);
  };
  Case c = random_case(7, true, true, 1e-3);
  for (Cable& cable : c.model.cables) cable.friction.coefficient = 0.0;
  EXPECT_FALSE(Cables(c.model).slides());
  same(c);
  c = random_case(8, true, true, 1e-3);
  for (Cable& cable : c.model.cables) cable.path.resize(2);
  EXPECT_FALSE(Cables(c.model).slides());
  same(c);
  c = random_case(9, true, false, 1e-3);
  EXPECT_TRUE(Cables(c.model).slides());
  for (Vec3& v : c.v) v.setZero();
  same(c);
  c = random_case(10, true, true, 1e-3);
  for (Cable& cable : c.model.cables) {
    if (cable.law.kind == LawKind::softplus) cable.law.kind = LawKind::spring;  // the only one that always pulls
    cable.rest_length *= 9.0;
  }
  c.model.actuators.clear();
  same(c);
}

// Coincident nodes, a cable that turns back, the largest coefficient, any speed: numbers, and no gain.
TEST(Sliding, StaysFiniteAtTheEdges) {
  for (SlidingKind kind : both_laws)
    for (double speed : {1e-300, 1e-3, 1e9}) {
      Case c;
      c.put({0, 0, 0}, {speed, 0, 0});
      c.put({1, 0, 0}, {0, 0, 0});
      c.put({1, 0, 0}, {0, 0, 0});
      c.put({0, 0, 0}, {-speed, 0, 0});
      c.put({1e-200, 0, 0}, {0, speed, 0});
      std::vector<int> path;
      for (int i = 0; i < 300; ++i) path.push_back(i % 5);
      c.model.cables[add_cable(c.model, path, linear_law(500.0), 1.0)].friction = {
          kind, kind == SlidingKind::capstan ? 10.0 : 0.999, 1e-12};
      const Cables cables(c.model);
      const Evaluation at = evaluate(cables, c);
      for (double f : at.force) EXPECT_TRUE(std::isfinite(f)) << speed;
      EXPECT_GE(at.terms.dissipated_power, 0.0);
    }
}

// ∂F/∂x and ∂F/∂ẋ against central differences, everything in play: laws, damping, winding, closed paths.
TEST(Sliding, TangentIsTheDerivativeOfTheForces) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Case c = random_case(seed, seed % 2 == 0, seed % 3 != 0, 0.7);
    const Cables cables(c.model);
    const CableTangent tangent(cables);
    const double t = 0.4, epsilon = 1e-6;
    const Evaluation at = evaluate(cables, c, t);
    std::vector<double> by_position, by_velocity;
    tangent.evaluate(cables, at.terms, padded(c.v).data(), by_position, by_velocity);
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(18, 18), D = K;
    for (std::size_t b = 0; b < tangent.blocks().size(); ++b)
      for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k) {
          const auto [i, j] = tangent.blocks()[b];
          K(3 * i + r, 3 * j + k) += by_position[9 * b + 3 * r + k];
          D(3 * i + r, 3 * j + k) += by_velocity[9 * b + 3 * r + k];
        }
    for (auto [list, matrix] : {std::pair{&c.x, &K}, std::pair{&c.v, &D}})
      for (int j = 0; j < 18; ++j) {
        double& number = (*list)[j / 3][j % 3];
        const double here = number;
        number = here + epsilon;
        const Evaluation above = evaluate(cables, c, t);
        number = here - epsilon;
        const Evaluation below = evaluate(cables, c, t);
        number = here;
        // Differences: ε² of third derivatives, rounding 1e-16 F/ε, against entries near 1e3.
        for (int i = 0; i < 18; ++i)
          EXPECT_NEAR((*matrix)(i, j), (above.on(i / 3)[i % 3] - below.on(i / 3)[i % 3]) / (2.0 * epsilon),
                      1e-8 * matrix->cwiseAbs().maxCoeff())
              << "seed " << seed << (matrix == &K ? " by position " : " by velocity ") << i << " " << j;
      }
  }
}

}  // namespace
}  // namespace taut::testing
