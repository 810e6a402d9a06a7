// Slack switches located in time: a mass that hangs on one cable flies in parabolas and swings in harmonic arcs, so
// every switch has a closed form. And what holds for any number of cables: order, alternation, energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

// A mass m on a vertical cable (k, c, clipped or not) under g; e is the elongation, positive down.
//   taut:  m ë = m g - k e - c ė        slack:  ë = g
struct Hanging {
  double m = 1.0, k = 100.0, c = 0.0, g = 9.81, rest = 1.0;
  double e = 0.2, rate = -4.0;
  bool clip = true;

  Scenario scenario(double duration) const {
    Scenario s = empty_scenario(duration, duration / 8);
    s.model.gravity = {0, 0, -g};
    add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
    add_node(s.model, {0, 0, -rest - e}, m, {}, {0, 0, -rate});
    add_cable(s.model, {0, 1}, linear_law(k, c), rest);
    s.model.cables[0].law.clip = clip;
    return s;
  }

  struct Point {
    double e, rate;
  };

  // The motion from (e, rate) after a time t while taut (under-damped) or slack.
  Point after(const Point& from, bool taut, double t) const {
    if (!taut) return {from.e + t * (from.rate + 0.5 * g * t), from.rate + g * t};
    const double d = 0.5 * c / m, w = std::sqrt(k / m - d * d), mean = m * g / k;
    const double a = from.e - mean, b = (from.rate + d * a) / w, fade = std::exp(-d * t), cosine = std::cos(w * t),
                 sine = std::sin(w * t);
    return {mean + fade * (a * cosine + b * sine), fade * ((b * w - a * d) * cosine - (a * w + b * d) * sine)};
  }

  // Positive while taut.
  double side(const Point& p) const { return clip ? std::min(k * p.e, k * p.e + c * p.rate) : k * p.e; }

  struct Event {
    double time;
    bool taut;
  };

  // Every switch up to a time: a scan in steps of 1e-4 s, then bisection to the last bit.
  std::vector<Event> events(double duration) const {
    std::vector<Event> list;
    Point from{e, rate};
    bool taut = side(from) > 0.0;
    double start = 0.0;
    while (start < duration) {
      const auto wrong = [&](double t) { return (side(after(from, taut, t)) > 0.0) != taut; };
      double low = 1e-7;
      while (start + low < duration && !wrong(low + 1e-4)) low += 1e-4;
      if (start + low >= duration) break;
      double high = low + 1e-4;
      for (int i = 0; i < 80; ++i) (wrong(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
      from = after(from, taut, high);
      start += high;
      taut = !taut;
      if (start < duration) list.push_back({start, taut});
    }
    return list;
  }
};

void expect_events(const Hanging& hanging, double duration, double tolerance, double time_error) {
  const Motion result = run(hanging.scenario(duration), "dopri5", tolerance);
  ASSERT_EQ(result.summary.status, RunStatus::done) << result.summary.reason;
  const std::vector<Hanging::Event> expected = hanging.events(duration);
  const auto& found = result.summary.slack_events;
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_GT(found.size(), 0u);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].time, expected[i].time, time_error) << i;
    EXPECT_EQ(found[i].taut, expected[i].taut) << i;
  }
  EXPECT_LT(result.summary.energy_drift, 100.0 * tolerance);
}

// Tolerance 1e-13 per step over some hundred steps: 1e-10 in time, since a switch is crossed at 1 m/s and more.
TEST(Events, UndampedBouncingSwitchesOnTime) { expect_events({}, 4.0, 1e-13, 1e-10); }

TEST(Events, LooseTolerancesFindTheSameSwitches) {
  expect_events({}, 4.0, 1e-6, 1e-4);
  expect_events({.c = 2.0}, 3.0, 1e-6, 1e-4);
}

// With damping a cable goes slack where k e + c ė = 0, before it is back at its rest length, and taut with a jump.
TEST(Events, DampedBouncingSwitchesOnTime) {
  expect_events({.c = 0.5}, 4.0, 1e-13, 1e-10);
  expect_events({.c = 5.0}, 2.0, 1e-13, 1e-10);
  expect_events({.c = 12.0, .e = 0.5, .rate = 0.0}, 1.0, 1e-13, 1e-10);
}

// The raw law keeps pushing down to the rest length.
TEST(Events, UnclippedBouncingSwitchesOnTime) { expect_events({.c = 5.0, .clip = false}, 2.0, 1e-13, 1e-10); }

TEST(Events, AStepInTheRestLengthSlackensAtOnceAndTautensLater) {
  const Hanging hanging{.e = 0.0981, .rate = 0.0};  // at rest
  Scenario s = hanging.scenario(1.0);
  s.model.actuators.push_back({0, step_signal(1.0, 1.3, 0.37)});
  const double fall = 1.3 - 1.0981;
  for (const Method& method : methods()) {
    const Motion result = run(s, method);
    const auto& events = result.summary.slack_events;
    ASSERT_GE(events.size(), 2u) << method.name;
    EXPECT_EQ(events[0].time, 0.37) << method.name;
    EXPECT_FALSE(events[0].taut);
    EXPECT_NEAR(events[1].time, 0.37 + std::sqrt(2.0 * fall / 9.81), method.locates ? 1e-8 : 1e-3) << method.name;
    EXPECT_TRUE(events[1].taut);
  }
}

// Released at twice the static elongation the cable just touches its rest length at the top: a switch or none, but
// never a stop, and the motion goes on as the cosine that it is.
TEST(Events, GrazingDoesNoHarm) {
  const double w = 10.0, mean = 0.0981;
  for (double more : {-1e-9, 0.0, 1e-12, 1e-9}) {
    const Hanging hanging{.e = 2.0 * mean * (1.0 + more), .rate = 0.0};
    for (double tolerance : {1e-6, 1e-9, 1e-12}) {
      const Motion result = run(hanging.scenario(3.0), "dopri5", tolerance);
      ASSERT_EQ(result.summary.status, RunStatus::done) << result.summary.reason;
      // A slack arc is a parabola with the same curvature at the top: no visible difference.
      const double e = mean + mean * std::cos(w * 3.0);
      EXPECT_NEAR(-position(result.last(), 1).z() - 1.0, e, 1e-7 + 100.0 * tolerance);
      EXPECT_EQ(result.summary.slack_events.size() % 2, 0u);
    }
  }
}

// A cable that is slack for a moment only, or taut for a moment only, much shorter than a step at this tolerance.
TEST(Events, BriefDipsInsideAStepAreFound) {
  for (double more : {1e-2, 1e-3, 1e-4}) {
    const Hanging slack_for_a_moment{.e = 2.0 * 0.0981 * (1.0 + more), .rate = 0.0};
    const std::vector<Hanging::Event> expected = slack_for_a_moment.events(0.6);
    ASSERT_EQ(expected.size(), 2u);
    for (double tolerance : {1e-4, 1e-6, 1e-8}) {
      const Motion result = run(slack_for_a_moment.scenario(0.6), "dopri5", tolerance);
      EXPECT_EQ(result.summary.slack_events.size(), 2u) << more << " " << tolerance;
    }
  }
  // A pendulum bob thrown past a taut range: nearly straight flight by a cable's end, taut for a few milliseconds.
  for (double excess : {1e-2, 1e-3}) {
    Scenario s = empty_scenario(1.0, 1.0);
    add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
    add_node(s.model, {-0.5, 1.0, 0}, 1.0, {}, {1.0, 0, 0});
    add_node(s.model, {0, 1.0 + 1.2 - excess, 0}, 0.0, all_fixed);
    add_cable(s.model, {1, 2}, linear_law(1.0), 10.0);                      // never
    add_cable(s.model, {0, 1}, linear_law(5.0), std::sqrt(1.25) - excess);  // taut at both ends, slack in the middle
    const Motion result = run(s, "dopri5", 1e-4);
    ASSERT_EQ(result.summary.slack_events.size(), 2u) << excess;
    EXPECT_FALSE(result.summary.slack_events[0].taut);
    EXPECT_TRUE(result.summary.slack_events[1].taut);
    EXPECT_EQ(result.summary.slack_events[0].cable, 1);
  }
}

// Four hundred switches of an undamped mass between two cables: the energy is that of the start.
TEST(Events, EnergyIsKeptThroughHundredsOfSwitches) {
  Scenario s = empty_scenario(100.0, 0.5);
  add_node(s.model, {-1, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {0, 0, 0}, 1.0, {}, {1.5, 0.2, 0.1});
  add_node(s.model, {1, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {0, 1.5, 0.5}, 0.0, all_fixed);
  add_cable(s.model, {0, 1}, linear_law(60.0), 1.2);
  add_cable(s.model, {1, 2}, linear_law(90.0), 1.1);
  add_cable(s.model, {0, 1, 3}, linear_law(40.0), 2.8);
  const Motion result = run(s, "dopri5", 1e-12);
  EXPECT_GT(result.summary.slack_events.size(), 400u);
  EXPECT_LT(result.summary.energy_drift, 1e-9);
}

// A heap of masses and cables, most of them slack now and then.
Scenario loose_net(double damping) {
  Random random(11);
  Scenario s = empty_scenario(2.0, 0.1);
  s.model.gravity = {0, 0, -3.0};
  for (int i = 0; i < 12; ++i)
    add_node(s.model, random.vector(), i < 3 ? 0.0 : random.between(0.5, 2.0), i < 3 ? all_fixed : Axes{},
             random.vector(2.0));
  for (int i = 0; i < 3; ++i) add_bar(s.model, 3 + 2 * i, 4 + 2 * i, 1.0);
  for (int i = 0; i < 12; ++i)
    for (int j = std::max(3, i + 1); j < 12; ++j)
      if (random.chance(0.6)) {
        const double apart = (s.model.nodes[i].position - s.model.nodes[j].position).norm();
        add_cable(s.model, {i, j}, linear_law(random.between(20.0, 200.0), damping * random.between(0.5, 2.0)),
                  apart * random.between(0.9, 1.1));
      }
  return s;
}

void expect_alternating(const Motion& result) {
  std::map<int, bool> last;
  double time = 0.0;
  for (const SlackEvent& event : result.summary.slack_events) {
    EXPECT_GE(event.time, time - 1e-12);
    time = event.time;
    const auto seen = last.find(event.cable);
    if (seen != last.end()) {
      EXPECT_NE(seen->second, event.taut) << "cable " << event.cable << " at " << event.time;
    }
    last[event.cable] = event.taut;
  }
}

TEST(Events, ManyCablesSwitchInOrderEachInTurn) {
  for (double damping : {0.0, 3.0}) {
    const Motion result = run(loose_net(damping), "dopri5", 1e-11);
    ASSERT_EQ(result.summary.status, RunStatus::done) << result.summary.reason;
    EXPECT_GT(result.summary.slack_events.size(), 60u);
    expect_alternating(result);
    EXPECT_LT(result.summary.energy_drift, 1e-8);
    for (const Sample& row : result.rows)
      for (double t : row.tensions) EXPECT_GE(t, 0.0);
    // The same switches without location, from small steps: each is there, at most a step away.
    Scenario s = loose_net(damping);
    const Motion small = run(s, "rk4", 2e-5);
    expect_alternating(small);
    ASSERT_EQ(small.summary.slack_events.size(), result.summary.slack_events.size()) << "damping " << damping;
    std::map<int, std::vector<double>> a, b;
    for (const SlackEvent& event : small.summary.slack_events) a[event.cable].push_back(event.time);
    for (const SlackEvent& event : result.summary.slack_events) b[event.cable].push_back(event.time);
    for (const auto& [cable, times] : a) {
      ASSERT_EQ(times.size(), b[cable].size()) << cable;
      for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], b[cable][i], 1e-4);
    }
    EXPECT_LT(distance(small.last(), result.last()), damping > 0.0 ? 1e-2 : 1e-5);
  }
}

TEST(Events, EveryMethodListsAlternatingSwitches) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.name);
    const Motion result = run(loose_net(3.0), method.name, method.order == 0 ? 1e-8 : 1e-3);
    EXPECT_GT(result.summary.slack_events.size(), 50u);
    expect_alternating(result);
  }
}

// A cable without pretension along a rigid bar stays at e = 0 to rounding: that is not a switch.
TEST(Events, RoundingIsNotASwitch) {
  Scenario s = empty_scenario(2.0, 0.1);
  add_node(s.model, {0, 0, 0}, 0.0, {}, {0, 1, 0.3});
  add_node(s.model, {0.7, 0.3, 0.1}, 0.0, {}, {0, 0, 0});
  add_bar(s.model, 0, 1, 1.0);
  add_cable(s.model, {0, 1}, linear_law(100.0), start_length(s.model, s.model.bars[0]));
  for (const Method& method : methods()) {
    const Motion result = run(s, method.name, method.order == 0 ? 1e-8 : 1e-3);
    EXPECT_EQ(result.summary.status, RunStatus::done) << method.name << ": " << result.summary.reason;
    EXPECT_LE(result.summary.slack_events.size(), 2u) << method.name;
  }
}

// Nearly at rest the first step has no natural size: no method may look at the model beyond the run, where a winch may
// have wound its cable up.
TEST(FirstStep, StaysWithinTheRun) {
  Scenario scenario = empty_scenario(1.0, 0.1);
  Model& model = scenario.model;
  add_node(model, Vec3::Zero(), 0.0, all_fixed);
  add_node(model, Vec3(1.0 + 1e-15, 0.0, 0.0), 1.0);
  add_node(model, Vec3(2.0, 0.0, 0.0), 0.0, all_fixed);
  add_cable(model, {0, 1}, linear_law(100.0), 0.9);
  add_cable(model, {1, 2}, linear_law(100.0), 0.9);
  Signal later;
  later.kind = SignalKind::ramp;
  later.from = 0.9;
  later.to = -1.0;
  later.start = 5.0;
  later.end = 6.0;
  model.actuators.push_back({0, later});
  for (const char* method : {"dopri5", "cvode"}) {
    const Motion motion = run(scenario, method, 1e-8);
    EXPECT_EQ(motion.summary.status, RunStatus::done) << method << ": " << motion.summary.reason;
    EXPECT_EQ(motion.rows.size(), 11u) << method;
  }
}

}  // namespace
}  // namespace taut::testing
