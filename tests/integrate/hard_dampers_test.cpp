// Cables with dampers far harder than their springs, slackened by an actuator: the motion has a closed form while the
// cable is struck, held or let go by its damper. And runs that no longer get on: they say why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/integrate/stall.h"
#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

bool mentions(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

// A mass m on a vertical cable, m ë = m g - k e - c ė - m L̈0 while taut: e = m g/k + A exp(λ1 t) + B exp(λ2 t).
struct Overdamped {
  double m = 1.0, k = 1e3, c = 2e4, g = 9.81;

  struct Point {
    double e, rate;
  };

  double rest_elongation() const { return m * g / k; }

  Point taut(const Point& from, double t) const {
    // λ2 without cancellation, from λ1 λ2 = k/m.
    const double fast = -0.5 * (c + std::sqrt(c * c - 4.0 * k * m)) / m, slow = k / (m * fast);
    const double x = from.e - rest_elongation();
    const double b = (from.rate - fast * x) / (slow - fast), a = x - b;
    return {rest_elongation() + a * std::exp(fast * t) + b * std::exp(slow * t),
            a * fast * std::exp(fast * t) + b * slow * std::exp(slow * t)};
  }
  Point slack(const Point& from, double t) const { return {from.e + t * (from.rate + 0.5 * g * t), from.rate + g * t}; }

  Scenario scenario(const Signal& rest_length, double duration) const {
    Scenario s = empty_scenario(duration, 0.01);
    s.model.gravity = {0, 0, -g};
    add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
    add_node(s.model, {0, 0, -1.0 - rest_elongation()}, m);
    add_cable(s.model, {0, 1}, linear_law(k, c), 1.0);
    s.model.actuators.push_back({0, rest_length});
    return s;
  }
};

// Rows of a run against the closed form of the length.
template <class Length>
void expect_lengths(const Motion& motion, const Length& length, double error) {
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  for (const Sample& row : motion.rows) ASSERT_NEAR(-position(row, 1).z(), length(row.t), error) << "t = " << row.t;
}

struct Accurate {
  const char* method;
  double accuracy, hardest;  // the damping that it can follow
};
const Accurate accurate[] = {{"cvode", 1e-9, 1e10}, {"dopri5", 1e-9, 2e4}, {"rk4", 2e-5, 2e4}};

// Above 1e8 N s/m an error of 1e-9 m/s, which the tolerance allows, makes a good part of the weight: more switches may
// be noted than there are, but the motion is right.

// Let out by 0.3 m at once: a free fall, then the damper is struck at v = √(2 g h).
TEST(HardDampers, AStruckDamperStopsTheMassAsInTheClosedForm) {
  for (double c : {2e4, 1e7, 1e9, 1e10})
    for (const Accurate& a : accurate) {
      if (c > a.hardest) continue;
      SCOPED_TRACE(fmt::format("{} c = {:g}", a.method, c));
      const Overdamped body{.c = c};
      const double let = 0.1, out = 0.3, height = out - body.rest_elongation(), fall = std::sqrt(2.0 * height / body.g);
      const Motion motion = run(body.scenario(step_signal(1.0, 1.0 + out, let), 0.6), a.method, a.accuracy);
      const auto length = [&](double t) {
        if (t < let) return 1.0 + body.rest_elongation();
        if (t < let + fall) return 1.0 + out + body.slack({-height, 0.0}, t - let).e;
        return 1.0 + out + body.taut({0.0, body.g * fall}, t - let - fall).e;
      };
      // A method that does not locate the stroke is wrong by v times a step.
      expect_lengths(motion, length, a.accuracy > 1e-6 ? 2.5 * a.accuracy : 2e-8);
      ASSERT_GE(motion.summary.slack_events.size(), 2u);
      EXPECT_TRUE(motion.summary.slack_events.size() == 2u || c > 1e8);
      EXPECT_NEAR(motion.summary.slack_events[1].time, let + fall, a.accuracy > 1e-6 ? a.accuracy : 1e-8);
    }
}

// Let out at w = 0.2 m/s, faster than the damper lets the mass sink: the cable is longer than its rest length and yet
// without tension, until the falling mass has nearly caught up: k e + c (g t - w) = 0.
TEST(HardDampers, ACableThatIsLetOutFasterThanItsDamperSinksIsSlackForAWhile) {
  for (double c : {2e4, 1e6, 1e9})
    for (const Accurate& a : accurate) {
      if (c > a.hardest) continue;
      SCOPED_TRACE(fmt::format("{} c = {:g}", a.method, c));
      const Overdamped body{.c = c};
      const double begin = 0.1, end = 0.2, w = 0.2;
      Signal out;
      out.kind = SignalKind::table;
      out.times = {begin, end};
      out.values = {1.0, 1.0 + w * (end - begin)};
      const Motion motion = run(body.scenario(out, 0.4), a.method, a.accuracy);
      // The moment of return, by bisection.
      const Overdamped::Point start{body.rest_elongation(), -w};
      double low = 0.0, high = w / body.g;
      for (int i = 0; i < 60; ++i) {
        const double t = 0.5 * (low + high);
        const auto p = body.slack(start, t);
        (body.k * p.e + c * p.rate < 0.0 ? low : high) = t;
      }
      const double caught = high;
      const Overdamped::Point at_catch = body.slack(start, caught);
      ASSERT_GT(at_catch.e, 0.0);
      const Overdamped::Point at_end = body.taut(at_catch, end - begin - caught);
      const auto length = [&](double t) {
        if (t < begin) return 1.0 + body.rest_elongation();
        if (t < begin + caught) return 1.0 + w * (t - begin) + body.slack(start, t - begin).e;
        if (t < end) return 1.0 + w * (t - begin) + body.taut(at_catch, t - begin - caught).e;
        return 1.0 + w * (end - begin) + body.taut({at_end.e, at_end.rate + w}, t - end).e;
      };
      expect_lengths(motion, length, a.accuracy > 1e-6 ? a.accuracy : 2e-8);
      ASSERT_GE(motion.summary.slack_events.size(), 2u);
      EXPECT_TRUE(motion.summary.slack_events.size() == 2u || c > 1e8);
      EXPECT_EQ(motion.summary.slack_events[0].time, begin);
      EXPECT_NEAR(motion.summary.slack_events[1].time, begin + caught, a.accuracy > 1e-6 ? 2.0 * a.accuracy : 1e-7);
    }
}

// A mass between two hard dampers, one of them let out: it swings on one string, is caught by the other.
Scenario two_strings(double damping) {
  Scenario s = empty_scenario(1.0, 0.05);
  s.model.gravity = {0, 0, -9.81};
  add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {0.3, 0, -1.0}, 1.0);
  add_node(s.model, {1, 0, 0}, 0.0, all_fixed);
  add_cable(s.model, {0, 1}, linear_law(1e5, damping), 1.0);
  add_cable(s.model, {1, 2}, linear_law(1e5, damping), 1.0);
  s.model.actuators.push_back({0, ramp_signal(1.0, 1.2, 0.1, 0.3)});
  return s;
}

// Where the tolerated error of a rate makes as much tension as there is, the cable does not flutter between slack and
// taut: some switches, some thousand steps, the energy kept, and the motion that a finer tolerance has.
TEST(HardDampers, DoNotChatterAtTheirSwitches) {
  for (double damping : {1e8, 1e9, 3e9, 6e9, 1e10}) {
    SCOPED_TRACE(damping);
    const Motion motion = run(two_strings(damping), "cvode", 1e-9), fine = run(two_strings(damping), "cvode", 1e-11);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    EXPECT_LT(motion.summary.slack_events.size(), 100u);
    EXPECT_LT(motion.summary.steps, 20'000);
    EXPECT_LT(motion.summary.energy_drift, 1e-6);
    ASSERT_EQ(fine.summary.status, RunStatus::done) << fine.summary.reason;
    // The tension is known to c δė = 0.1 to 10 N, against 10 N of weight.
    EXPECT_LT(distance(motion.last(), fine.last()), damping == 1e8 ? 1e-6 : 2e-5);
  }
}

// Steps that a history from before a switch keeps tiny begin anew: this one crept for ever, by the luck of rounding.
TEST(HardDampers, DoNotCreepBehindASwitch) {
  const Motion motion = run(two_strings(2e9), "cvode", 1e-9);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(motion.summary.steps, 20'000);
}

// Where it makes ten times as much, the run may end, but soon, with the cable and what to change.
TEST(HardDampers, TooHardForTheToleranceSaysSo) {
  const Motion motion = run(two_strings(1e12), "cvode", 1e-9);
  EXPECT_LT(motion.summary.steps, 100'000);
  if (motion.summary.status == RunStatus::done) return;
  for (const char* word : {"\"c1\"", "damping of 1e+12 N s/m", "tolerance", "t = "})
    EXPECT_TRUE(mentions(motion.summary.reason, word)) << motion.summary.reason;
}

// A cable over a fixed eye draws a mass into the eye with a force that stays while its direction is lost.
TEST(StalledRuns, NodesThatACablePullsTogetherAreNamed) {
  Scenario s = empty_scenario(5.0, 0.01);
  add_node(s.model, {-1, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {0.1, 0, 0}, 1.0);
  add_cable(s.model, {0, 1, 2}, linear_law(1e3, 1e3), 0.5);
  for (const char* method : {"dopri5", "cvode"}) {
    const Motion motion = run(s, method, 1e-9);
    EXPECT_EQ(motion.summary.status, RunStatus::failed) << method;
    for (const char* word : {"\"c1\"", "\"n2\"", "\"n3\"", "t = ", "collision"})
      EXPECT_TRUE(mentions(motion.summary.reason, word)) << method << ": " << motion.summary.reason;
    EXPECT_GT(motion.rows.size(), 1u);
    EXPECT_LT(motion.summary.steps, 200'000);
  }
}

// Two nodes that a constraint holds together are no reason to stop.
TEST(StalledRuns, NodesThatWereTogetherFromTheStartAreFine) {
  Scenario s = two_strings(10.0);
  const int twin = add_node(s.model, s.model.nodes[1].position, 1.0);
  add_cable(s.model, {0, 1, twin, 2}, linear_law(1e3, 1.0), 2.0);
  s.model.constraints.push_back({});
  s.model.constraints.back().terms = {{1, 1.0}, {twin, -1.0}};
  for (const char* method : {"dopri5", "cvode"}) {
    const Motion motion = run(s, method, 1e-10);
    EXPECT_EQ(motion.summary.status, RunStatus::done) << method << ": " << motion.summary.reason;
    EXPECT_GT(motion.summary.steps, 2 * StallGuard::window) << method << ": too few steps to prove anything";
  }
}

class Stalled : public ::testing::Test {
 protected:
  Stalled() : scenario(two_strings(1e12)), dynamics(scenario.model, "nodal", ConstraintMethod::projection) {}

  // Steps of length h with a switch of the second cable at every `each`th; what the guard says.
  std::string after(double h, int each, int steps) {
    StallGuard guard(dynamics, 1e-9);
    const CableTerms terms = dynamics.make_terms().cables;
    try {
      for (int i = 1; i <= steps; ++i) {
        if (each > 0 && i % each == 0) guard.switched(dynamics.cables().slot_of_cable(1));
        guard.step(1.0 + i * h, 1.0, terms);
      }
    } catch (const RunError& error) {
      return error.what();
    }
    return {};
  }

  Scenario scenario;
  Dynamics dynamics;
};

TEST_F(Stalled, ACableThatSwitchesWithoutProgressIsNamed) {
  const std::string reason = after(1e-12, 5, 4 * StallGuard::window);
  EXPECT_TRUE(mentions(reason, "cable \"c2\" switches between slack and taut 200 times")) << reason;
  EXPECT_TRUE(mentions(reason, "t = 1")) << reason;
  EXPECT_TRUE(mentions(reason, "1e+12 N s/m") && mentions(reason, "tolerance")) << reason;
}

TEST_F(Stalled, SwitchesWithProgressAndProgressWithoutSwitchesAreFine) {
  EXPECT_EQ(after(1e-6, 2, 50 * StallGuard::window), "");   // flapping, but the run gets on
  EXPECT_EQ(after(1e-12, 20, 4 * StallGuard::window), "");  // slow for a while, few switches
  EXPECT_EQ(after(1e-10, 0, 50 * StallGuard::window), "");  // slow, but it gets there
}

TEST_F(Stalled, StepsThatLeadNowhereEndTheRun) {
  const std::string reason = after(1e-15, 0, 50 * StallGuard::window);
  EXPECT_TRUE(mentions(reason, "10000 steps have brought the run only")) << reason;
}

}  // namespace
}  // namespace taut::testing
