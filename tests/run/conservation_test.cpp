// What long and complicated motions must keep: energy, momentum, the balance of energy with work and dissipation.
#include <gtest/gtest.h>

#include <limits>

#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

// The standard six-bar without damping, thrown with a spin and with its rods shaken.
Scenario thrown_six_bar(double duration) {
  Scenario s = generated(
      "six_bar", {{"velocity_x", 3.0}, {"velocity_z", 1.0}, {"spin_x", 1.0}, {"spin_y", -0.7}, {"spin_z", 1.3}});
  for (int i = 0; i < 12; ++i) s.model.nodes[i].velocity[i % 3] += 0.3 * std::sin(i * i);
  s.simulation.duration = duration;
  s.simulation.output_step = 0.1;
  return s;
}

TEST(Conservation, SixBarKeepsItsEnergyFor100Seconds) {
  const Motion motion = run(thrown_six_bar(100.0), "dopri5", 1e-12);
  EXPECT_EQ(motion.summary.status, RunStatus::done);
  EXPECT_LE(motion.summary.energy_drift, 1e-9);
  EXPECT_LE(motion.summary.max_bar_length_error, 1e-13);  // it is 300 m away: coordinates end at 6e-14
}

// Leapfrog: the energy error swings within a band of order h² and has no trend. The line fitted through 1000 rows may
// rise by a small part of the band over the whole time.
TEST(Conservation, SymplecticEnergyHasNoTrend) {
  const auto band_and_trend = [](double step) {
    const Motion motion = run(thrown_six_bar(100.0), "symplectic", step);
    double low = 1e300, high = -1e300, st = 0, sy = 0, stt = 0, sty = 0, n = 0;
    for (const Sample& row : motion.rows) {
      const double y = row.energy[balance];
      low = std::min(low, y), high = std::max(high, y);
      st += row.t, sy += y, stt += row.t * row.t, sty += row.t * y, n += 1;
    }
    const double slope = (n * sty - st * sy) / (n * stt - st * st);
    return std::pair{high - low, slope * 100.0};
  };
  const auto [band, trend] = band_and_trend(2e-3);
  EXPECT_LT(std::abs(trend), 0.1 * band);
  const auto [half_band, half_trend] = band_and_trend(1e-3);
  EXPECT_NEAR(band / half_band, 4.0, 0.6);
  EXPECT_LT(std::abs(half_trend), 0.1 * half_band);
}

// Largest change of both momenta over the rows, angular about the origin, relative to their size.
std::pair<double, double> momentum_change(const Scenario& s, const Motion& motion) {
  const Momentum start = momentum(s.model, motion.rows.front());
  double linear = 0.0, angular = 0.0;
  for (const Sample& row : motion.rows) {
    const Momentum now = momentum(s.model, row);
    linear = std::max(linear, (now.linear - start.linear).norm() / start.linear.norm());
    angular = std::max(angular, (now.angular - start.angular).norm() / start.angular.norm());
  }
  return {linear, angular};
}

TEST(Conservation, MomentaOfAFreeSixBar) {
  for (double damping : {0.0, 5.0}) {
    Scenario s = thrown_six_bar(10.0);
    for (Cable& cable : s.model.cables) cable.law.damping = damping;
    // Leapfrog forces are pairs along lines: both momenta are kept to rounding, at worst ε = 2.2e-16 of them in each of
    // 1e4 steps, all to one side. (Measured: 1e-12, and how near to it depends on the processor's multiply-add.)
    const auto [linear, angular] = momentum_change(s, run(s, "symplectic", 1e-3));
    const double rounding = 1e4 * std::numeric_limits<double>::epsilon();
    EXPECT_LT(linear, rounding);
    EXPECT_LT(angular, rounding);
    // Runge-Kutta keeps what is linear to rounding, what is not to its accuracy.
    for (const Method& method : methods()) {
      if (method.order == 1) continue;
      const auto [p, l] = momentum_change(s, run(s, method.name, method.order == 0 ? 1e-10 : 1e-3));
      EXPECT_LT(p, method.name == "cvode" ? 1e-7 : 1e-12) << method.name;
      EXPECT_LT(l, 1e-6) << method.name;
    }
  }
}

// Class-k, pinned: no momentum is kept, but about a vertical axis through the pin, under gravity, the vertical part is.
TEST(Conservation, VerticalAngularMomentumAboutAPin) {
  Scenario s = empty_scenario(5.0, 0.1);
  s.model.gravity = {0, 0, -9.81};
  add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {1, 0, 0}, 0.2, {}, {0, 2, 0});
  add_node(s.model, {1.5, 0.8, -0.2}, 0.0, {}, {0.3, 1, 0.1});
  add_bar(s.model, 0, 1, 1.0);
  add_bar(s.model, 1, 2, 2.0);
  const auto vertical = [&](const Sample& row) { return momentum(s.model, row).angular.z(); };
  const Motion leap = run(s, "symplectic", 1e-3), exact = run(s, "dopri5", 1e-12);
  for (const Sample& row : leap.rows) EXPECT_NEAR(vertical(row), vertical(leap.rows[0]), 1e-12 * 5e3);
  for (const Sample& row : exact.rows) EXPECT_NEAR(vertical(row), vertical(exact.rows[0]), 1e-9);
  EXPECT_LT(leap.summary.max_bar_length_error, 1e-15);
  EXPECT_LT(exact.summary.energy_drift, 1e-10);
}

// Under gravity a free structure's centre falls on the parabola, whatever the cables do.
TEST(Conservation, CentreOfMassFallsOnAParabola) {
  Scenario s = thrown_six_bar(3.0);
  s.model.gravity = {0, 0, -9.81};
  for (Cable& cable : s.model.cables) cable.law.damping = 2.0;
  for (const char* method : {"rk4", "symplectic"}) {
    const Motion motion = run(s, method, 1e-3);
    const Momentum start = momentum(s.model, motion.rows[0]);
    for (const Sample& row : motion.rows) {
      Vec3 centre = Vec3::Zero();
      for (int i = 0; i < 12; ++i) centre += position(row, i) / 12.0;
      EXPECT_LT((centre - (start.linear / 6.0 * row.t + Vec3(0, 0, -0.5 * 9.81 * row.t * row.t))).norm(), 1e-10);
    }
  }
}

// kinetic + elastic + gravity + dissipated - work stays, with everything going on at once: gravity, loads that come and
// go, a rest length on a sine, one on a ramp, one by EA, damped, composite and spring cables, slack ones, class-k bars.
Scenario busy() {
  Scenario s = generated("prism", {{"fixed", 1}, {"damping", 4.0}, {"pretension", 20.0}});
  Model& m = s.model;
  m.gravity = {0, 0, -9.81};
  const int hanging = add_node(m, {0.2, 0.1, 1.6});
  add_bar(m, 3, hanging, 0.7);
  add_cable(m, {4, hanging, 5}, linear_law(300.0, 3.0), 2.0);
  CableLaw by_EA = linear_law(400.0, 2.0);
  by_EA.by_EA = true;
  add_cable(m, {hanging, 0}, by_EA, 1.5);
  add_cable(m, {3, 4, 5, 3}, spring_law(50.0, 1.0), 2.4);
  Signal sine;
  sine.kind = SignalKind::sine;
  sine.mean = m.cables[0].rest_length;
  sine.amplitude = 0.05;
  sine.period = 0.4;
  sine.ramp = 0.3;
  m.actuators.push_back({0, sine});
  const int ea = static_cast<int>(m.cables.size()) - 2;
  m.actuators.push_back({ea, ramp_signal(1.5, 1.1, 0.2, 0.9)});
  m.actuators.push_back({7, step_signal(m.cables[7].rest_length, 0.9 * m.cables[7].rest_length, 0.55)});
  add_load(m, 4, {10, -5, 2}, 0.25, 0.65);
  s.simulation.duration = 1.0;
  s.simulation.output_step = 0.01;
  return s;
}

TEST(Conservation, BalanceWithWorkAndDissipation) {
  const Motion motion = run(busy(), "dopri5", 1e-11);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(motion.summary.energy_drift, 1e-8);
  // Each part does something, and what is dissipated only grows.
  EXPECT_GT(std::abs(motion.last().energy[work]), 0.1);
  EXPECT_GT(motion.last().energy[dissipated], 0.1);
  for (std::size_t i = 1; i < motion.rows.size(); ++i)
    EXPECT_GE(motion.rows[i].energy[dissipated], motion.rows[i - 1].energy[dissipated] - 1e-9);
  // The others agree. Where a damped cable becomes taut its tension jumps: without location a fixed step is of first
  // order there.
  for (const Method& method : methods()) {
    const Motion other = run(busy(), method);
    EXPECT_LT(other.summary.energy_drift, method.locates ? 10.0 * method.error : 5e-3) << method.name;
    EXPECT_LT(distance(other.last(), motion.last()), method.locates ? 10.0 * method.error : 5e-3) << method.name;
  }
}

}  // namespace
}  // namespace taut::testing
