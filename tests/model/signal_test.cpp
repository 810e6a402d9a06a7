// Signals: values at known points, rates against differences, continuity, breakpoints against where the rate jumps.
#include "taut/model/laws/signal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace taut {
namespace {

Signal constant() { return {.value = 0.3}; }
Signal step() { return {.kind = SignalKind::step, .before = 1.0, .after = 2.0, .at = 0.5}; }
Signal ramp() { return {.kind = SignalKind::ramp, .from = 1.0, .to = 3.0, .start = 0.25, .end = 1.25}; }
Signal sine(double rise) {
  return {.kind = SignalKind::sine, .mean = 0.2, .amplitude = 0.01, .period = 0.7, .phase = 0.4, .ramp = rise};
}
Signal table() {  // slopes 2, 2, 0, -2.5
  return {.kind = SignalKind::table, .times = {0.0, 0.5, 0.75, 1.0, 2.0}, .values = {1.0, 2.0, 2.5, 2.5, 0.0}};
}
Signal hermite() {
  return {.kind = SignalKind::hermite, .times = {0.2, 0.6, 1.5}, .values = {1.0, 0.5, 2.0}, .slopes = {0.0, 1.5, -2.0}};
}

const std::vector<Signal> all = {constant(), step(), ramp(), sine(0.0), sine(0.9), table(), hermite()};

TEST(Signal, Values) {
  EXPECT_EQ(value(constant(), 7.0), 0.3);
  EXPECT_EQ(value(step(), 0.4999), 1.0);
  EXPECT_EQ(value(step(), 0.5), 2.0);

  EXPECT_EQ(value(ramp(), 0.0), 1.0);
  EXPECT_EQ(value(ramp(), 0.75), 2.0);  // half way
  EXPECT_EQ(value(ramp(), 5.0), 3.0);
  const double x = 0.2;  // the quintic itself, term by term
  const double s = 6.0 * std::pow(x, 5) - 15.0 * std::pow(x, 4) + 10.0 * std::pow(x, 3);
  EXPECT_NEAR(value(ramp(), 0.45), 1.0 + 2.0 * s, 1e-15);

  const double angle = 2.0 * std::numbers::pi * 0.3 / 0.7 + 0.4;
  EXPECT_NEAR(value(sine(0.0), 0.3), 0.2 + 0.01 * std::sin(angle), 1e-16);
  const double third = 1.0 / 3.0,
               rise = 6.0 * std::pow(third, 5) - 15.0 * std::pow(third, 4) + 10.0 * std::pow(third, 3);
  EXPECT_NEAR(value(sine(0.9), 0.3), 0.2 + 0.01 * rise * std::sin(angle), 1e-16);
  EXPECT_EQ(value(sine(0.9), 0.0), 0.2);
  EXPECT_EQ(value(sine(0.9), 2.0), value(sine(0.0), 2.0));

  EXPECT_EQ(value(table(), -1.0), 1.0);
  EXPECT_EQ(value(table(), 0.25), 1.5);
  EXPECT_EQ(value(table(), 0.9), 2.5);
  EXPECT_EQ(value(table(), 1.5), 1.25);
  EXPECT_EQ(value(table(), 9.0), 0.0);

  EXPECT_EQ(value(hermite(), 0.0), 1.0);
  EXPECT_EQ(value(hermite(), 0.6), 0.5);
  EXPECT_EQ(value(hermite(), 3.0), 2.0);
  EXPECT_NEAR(rate(hermite(), 0.6), 1.5, 1e-15);
}

TEST(Signal, HermiteReproducesACubic) {
  const auto cubic = [](double t) { return 2.0 * t * t * t - 3.0 * t * t + t + 0.5; };
  const auto slope = [](double t) { return 6.0 * t * t - 6.0 * t + 1.0; };
  Signal s;
  s.kind = SignalKind::hermite;
  for (const double t : {0.1, 0.4, 1.3}) {
    s.times.push_back(t);
    s.values.push_back(cubic(t));
    s.slopes.push_back(slope(t));
  }
  for (double t = 0.1; t < 1.3; t += 0.05) {
    EXPECT_NEAR(value(s, t), cubic(t), 1e-14);
    EXPECT_NEAR(rate(s, t), slope(t), 1e-13);
  }
}

TEST(Signal, RateIsTheDerivative) {
  const double h = 1e-6;
  for (const Signal& s : all) {
    for (double t = 0.0137; t < 2.5; t += 0.0371) {
      const double difference = (value(s, t + h) - value(s, t - h)) / (2.0 * h);
      // Steps, rows and ends lie at least 4e-4 from these times, so the differences see one smooth piece:
      // rounding 2e-16·2.5/1e-6 and h² times a third derivative below 400.
      EXPECT_NEAR(rate(s, t), difference, 2e-9) << name(s.kind) << " t = " << t;
    }
  }
}

TEST(Signal, RateComesFromTheRight) {
  EXPECT_EQ(rate(table(), 0.0), 2.0);
  EXPECT_EQ(rate(table(), 0.75), 0.0);
  EXPECT_EQ(rate(table(), 1.0), -2.5);
  EXPECT_EQ(rate(table(), 2.0), 0.0);
  EXPECT_EQ(rate(hermite(), 1.5), 0.0);
}

TEST(Signal, BreakpointsAreWhereValueOrRateJumps) {
  for (const Signal& s : all) {
    const std::vector<double> found = breakpoints(s);
    // Every place where a signal of this file could jump, and some where none does.
    for (const double t : {0.2, 0.25, 0.5, 0.6, 0.7, 0.75, 0.9, 1.0, 1.25, 1.5, 2.0}) {
      const double h = 1e-7;
      const bool value_jumps = std::abs(value(s, t) - value(s, t - h)) > 1e-5;
      const bool rate_jumps = std::abs(rate(s, t + h) - rate(s, t - h)) > 1e-3;
      const bool listed = std::find(found.begin(), found.end(), t) != found.end();
      EXPECT_EQ(listed, value_jumps || rate_jumps) << name(s.kind) << " t = " << t;
    }
    for (const double t : found) EXPECT_GT(t, 0.0);
  }
  EXPECT_TRUE(breakpoints(ramp()).empty());
  EXPECT_EQ(breakpoints(step()), std::vector<double>{0.5});
  EXPECT_EQ(breakpoints(table()), (std::vector<double>{0.75, 1.0, 2.0}));
  EXPECT_EQ(breakpoints(hermite()), std::vector<double>{1.5});
}

TEST(Signal, OneRowIsConstant) {
  for (const SignalKind kind : {SignalKind::table, SignalKind::hermite}) {
    Signal s;
    s.kind = kind;
    s.times = {1.0};
    s.values = {0.4};
    s.slopes = {9.0};
    for (const double t : {0.0, 1.0, 2.0}) {
      EXPECT_EQ(value(s, t), 0.4);
      EXPECT_EQ(rate(s, t), 0.0);
    }
    EXPECT_TRUE(breakpoints(s).empty());
  }
}

}  // namespace
}  // namespace taut
