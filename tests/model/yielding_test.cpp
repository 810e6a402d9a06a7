// Members that yield: loops of force over elongation in closed form, energies that are integrals of the force, and
// motion: a load that drops and bounces leaves what the areas say.
#include "taut/model/laws/yielding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "taut/file/write/write_toml.h"
#include "taut/forces/cable_tangent.h"
#include "tests/file/model_support.h"
#include "tests/support/complaint.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

CableLaw bilinear(LawKind kind, double hardening) {
  return {.kind = kind, .stiffness = 200.0, .yield = 10.0, .hardening = hardening};
}

CableLaw table() {
  return {.kind = LawKind::table, .unloads = true, .strain = {0.0, 0.05, 0.1, 0.3}, .force = {0.0, 10.0, 14.0, 20.0}};
}

std::vector<CableLaw> laws() {
  CableLaw by_EA = bilinear(LawKind::spring, 0.2);
  by_EA.by_EA = true;
  by_EA.stiffness = 260.0;
  return {bilinear(LawKind::linear, 0.0), bilinear(LawKind::linear, 0.1), bilinear(LawKind::spring, 0.25), by_EA,
          table()};
}

// Up along the line of stiffness k and then of h k, down along k: the corners of the loop.
TEST(Yielding, CornersOfALoop) {
  const CableLaw law = bilinear(LawKind::spring, 0.25);  // yields at 0.05 m
  EXPECT_DOUBLE_EQ(yielding_tension(law, 0.04, 1.0, 0.0), 8.0);
  EXPECT_DOUBLE_EQ(yielding_tension(law, 0.09, 1.0, 0.0), 10.0 + 50.0 * 0.04);
  const double p = permanent_elongation(law, 0.09, 1.0, 0.0);
  EXPECT_NEAR(p, 0.09 - 12.0 / 200.0, 1e-15);
  EXPECT_NEAR(yielding_tension(law, 0.09, 1.0, p), 12.0, 1e-13);
  EXPECT_NEAR(yielding_tension(law, p, 1.0, p), 0.0, 1e-13);
  // It yields in compression 2 T_y below where it came from: kinematic hardening.
  EXPECT_NEAR(yielding_tension(law, 0.09 - 0.1, 1.0, p), -8.0, 1e-13);
  EXPECT_NEAR(yielding_tension(law, 0.09 - 0.14, 1.0, p), -8.0 - 50.0 * 0.04, 1e-13);
  EXPECT_EQ(permanent_elongation(law, 0.0, 1.0, p), p);
  EXPECT_LT(permanent_elongation(law, -0.05, 1.0, p), p);
  // A cable goes slack by what it has kept, and does not push.
  const CableLaw cable = bilinear(LawKind::linear, 0.0);
  const double kept = permanent_elongation(cable, 0.08, 1.0, 0.0);
  EXPECT_NEAR(kept, 0.03, 1e-15);
  EXPECT_EQ(yielding_tension(cable, 0.029, 1.0, kept), 0.0);
  EXPECT_NEAR(yielding_tension(cable, 0.04, 1.0, kept), 2.0, 1e-13);
  EXPECT_EQ(permanent_elongation(cable, -1.0, 1.0, kept), kept);
}

TEST(Yielding, ATableUnloadsAlongItsFirstSlope) {
  const CableLaw law = table();
  const double L = 2.0, e = 0.2 * L;  // F = 17 N
  EXPECT_NEAR(yielding_tension(law, e, L, 0.0), 17.0, 1e-12);
  const double p = permanent_elongation(law, e, L, 0.0);
  EXPECT_NEAR(p, e - L * 17.0 / 200.0, 1e-14);
  EXPECT_NEAR(yielding_tension(law, e - 0.05 * L, L, p), 7.0, 1e-12);
  EXPECT_EQ(yielding_tension(law, p - 0.01, L, p), 0.0);
}

// Forces are the slopes of energies, slopes those of forces, also by the rest length; nothing jumps.
TEST(Yielding, EnergiesForcesAndSlopesAgree) {
  Random random(5);
  for (const CableLaw& law : laws())
    for (int trial = 0; trial < 300; ++trial) {
      const double L = random.between(0.5, 2.0), p = random.between(0.0, 0.2), e = random.between(-0.2, 0.8), h = 1e-6;
      const auto tension = [&](double x) { return elastic_tension(law, x, L, p); };
      const auto energy = [&](double x, double rest) { return elastic_energy(law, x, rest, p); };
      // Not across a kink.
      const double kink = std::abs(elastic_slope(law, e + h, L, p) - elastic_slope(law, e - h, L, p));
      if (kink > 1e-6) continue;
      EXPECT_NEAR((energy(e + h, L) - energy(e - h, L)) / (2 * h), tension(e), 1e-6);
      EXPECT_NEAR((tension(e + h) - tension(e - h)) / (2 * h), elastic_slope(law, e, L, p), 1e-5);
      EXPECT_NEAR((energy(e, L + h) - energy(e, L - h)) / (2 * h), energy_by_rest_length(law, e, L, p), 1e-5);
      // After what is reached has become permanent the force is the same, and it comes back with the first stiffness.
      const double q = permanent_elongation(law, e, L, p);
      EXPECT_NEAR(elastic_tension(law, e, L, q), tension(e), 1e-10);
      EXPECT_GE(energy(e, L) - elastic_energy(law, e, L, q), -1e-12);
      if (q > p) {
        EXPECT_GT(elastic_slope(law, e - h, L, q), 100.0);
      }
    }
}

std::string hanging(const std::string& law) {
  return fmt::format(R"([nodes]
top = {{ at = [0, 0, 0], fixed = true }}
weight = {{ at = [0, 0, -1], mass = 2 }}
[[cables]]
name = "rope"
nodes = ["top", "weight"]
rest_length = 1
{}
[simulation]
duration = 3
output_step = 0.01
tolerance = 1e-10
)",
                     law);
}

// A weight let go on a rope of 2000 N/m that yields at 30 N and is ideally plastic: it falls until the work of the
// weight is used up, m g x = T_y²/2k + T_y (x - T_y/k); what is permanent is x - T_y/k, and it swings about its weight
// from there on with the elastic frequency.
TEST(Yielding, AWeightThatIsLetGo) {
  const double k = 2000.0, y = 30.0, mg = 2 * 9.81, x = 0.5 * y * y / k / (y - mg);
  for (const char* integrator : {"dopri5", "cvode", "rk4", "symplectic"}) {
    Scenario s = read_scenario_text(hanging("stiffness = 2000\nyield = 30"), "m.toml");
    const bool fixed = std::string(integrator) == "rk4" || std::string(integrator) == "symplectic";
    const Motion motion = run(s, integrator, fixed ? 2e-5 : 1e-10);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    double lowest = 0.0;
    for (const Sample& row : motion.rows) {
      lowest = std::max(lowest, row.lengths[0] - 1.0);
      EXPECT_LE(row.tensions[0], y * (1 + 1e-9));
    }
    EXPECT_LT(lowest, x * (1 + 1e-6)) << integrator;
    ASSERT_EQ(motion.summary.yielded.size(), 1u) << integrator;
    EXPECT_EQ(motion.summary.yielded[0].member, "rope");
    EXPECT_NEAR(motion.summary.yielded[0].permanent, x - y / k, 1e-6 * x) << integrator;
    // It yields first when it is T_y/k down: y(t) = g/ω² (1 - cos ωt).
    const double omega = std::sqrt(k / 2.0), first = std::acos(1 - y / k * omega * omega / 9.81) / omega;
    EXPECT_NEAR(motion.summary.yielded[0].time, first, 1e-6) << integrator;
    // What was lost is the area of the loop, and the balance holds.
    EXPECT_NEAR(motion.last().energy[dissipated], y * (x - y / k), 1e-5 * y * x) << integrator;
    EXPECT_LT(motion.summary.energy_drift, 1e-4) << integrator;
  }
}

// A weight that falls into a sling of 20 kN/m, which yields at 400 N without hardening: m g h is used up by
// T_y (p + T_y/k) - T_y²/2k, less the weight's own work. The force is constant while it yields, so that nothing in the
// motion asks for short steps where it turns; and no row stores more than T_y²/2k.
TEST(Yielding, StepsEndWhereYieldingEnds) {
  const double k = 2e4, y = 400.0, mg = 98.1, h = 0.5, p = (mg * h + 0.5 * y * y / k) / (y - mg) - y / k;
  for (const char* integrator : {"dopri5", "cvode"})
    for (const double tolerance : {1e-6, 1e-8, 1e-9}) {
      Scenario s = read_scenario_text(fmt::format(R"([nodes]
a = {{ at = [0, 0, 0], fixed = true }}
b = {{ at = [0, 0, -1], mass = 10, velocity = [0, 0, {}] }}
[[cables]]
nodes = ["a", "b"]
stiffness = 2e4
rest_length = 1
yield = 400
[simulation]
duration = 1
)",
                                                  -std::sqrt(2.0 * 9.81 * h)),
                                      "m.toml");
      const Motion motion = run(s, integrator, tolerance);
      ASSERT_EQ(motion.summary.yielded.size(), 1u);
      EXPECT_NEAR(motion.summary.yielded[0].permanent, p, 100.0 * tolerance + 2e-7) << integrator << tolerance;
      for (const Sample& row : motion.rows) EXPECT_LE(row.energy[elastic], 0.5 * y * y / k * (1.0 + 1e-9));
    }
}

// A rest length that an actuator moves: nothing in the state tells of it.
TEST(Yielding, OfAnActuatedCableBetweenFixedNodes) {
  for (const char* integrator : {"dopri5", "cvode", "rk4"}) {
    Scenario s = read_scenario_text(R"(cables = [{ nodes = ["a", "b"], stiffness = 1000, rest_length = 1, yield = 60 }]
actuators = [{ cable = "a-b", rest_length = { kind = "sine", mean = 1.0, amplitude = 0.1, period = 2.0 } }]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [0, 0, 1], fixed = true }
[simulation]
duration = 3
)",
                                    "m.toml");
    const Motion motion = run(s, integrator, std::string(integrator) == "rk4" ? 1e-3 : 1e-8);
    ASSERT_EQ(motion.summary.yielded.size(), 1u) << integrator;
    EXPECT_NEAR(motion.summary.yielded[0].permanent, 0.1 - 0.06, 1e-5) << integrator;
    EXPECT_LT(motion.summary.energy_drift, 1e-3) << integrator;
  }
}

// An elastic bar that is pushed and pulled past its yield: the same motion with a step of a tenth, and no energy from
// nowhere.
TEST(Yielding, ABarThatYieldsBothWays) {
  const auto at = [](double step) {
    Scenario s = read_scenario_text(R"(environment.gravity = [0, 0, 0]
bars = [{ nodes = ["a", "b"], EA = 1000, yield = 20, hardening = 0.1 }]
[nodes]
a = { at = [0, 0, 0], fixed = true }
b = { at = [1, 0, 0], mass = 1, velocity = [3, 0, 0], fixed = ["y", "z"] }
[simulation]
duration = 1
output_step = 0.01
)",
                                    "m.toml");
    return run(s, "rk4", step);
  };
  const Motion coarse = at(1e-3), fine = at(1e-4);
  EXPECT_LT((position(coarse.last(), 1) - position(fine.last(), 1)).norm(), 1e-5);
  EXPECT_GT(fine.last().energy[dissipated], 1.0);
  EXPECT_LT(fine.summary.energy_drift, 1e-5);
  double least = 0.0, most = 0.0;
  for (const Sample& row : fine.rows)
    least = std::min(least, row.bar_forces[0]), most = std::max(most, row.bar_forces[0]);
  EXPECT_GT(most, 20.0);
  EXPECT_LT(least, -10.0);
}

// All formulations see the same past.
TEST(Yielding, FormulationsAgree) {
  Scenario s = generated("prism", {{"fixed", 1}});
  for (Cable& cable : s.model.cables) cable.law.yield = 55.0, cable.law.hardening = 0.05;
  s.model.gravity = {0, 0, -9.81};
  for (std::size_t i = 3; i < 6; ++i) s.model.nodes[i].velocity = {0.2, 0.1, -0.8};
  s.simulation.duration = 0.3;
  s.simulation.tolerance = 1e-9;
  s.simulation.formulation = "nodal";
  const Motion nodal = run(s);
  s.simulation.formulation = "quaternion";
  const Motion quaternion = run(s);
  EXPECT_GT(nodal.summary.yielded.size(), 0u);
  EXPECT_LT((position(nodal.last(), 4) - position(quaternion.last(), 4)).norm(), 1e-5);
}

// A pretension beyond the yield has a rest length where the member hardens: T = Y + h (k e - Y). What it takes is lost
// before the run, and reported at its beginning.
TEST(Yielding, StrungBeyondItsYield) {
  std::string text = hanging("stiffness = 2000\nyield = 30\nhardening = 0.1");
  text.replace(text.find("rest_length = 1"), 15, "pretension = 34");
  Scenario s = read_scenario_text(text, "m.toml");
  const double k = 2000.0, e = (30.0 + 4.0 / 0.1) / k, p = e - 34.0 / k;
  EXPECT_NEAR(1.0 - s.model.cables[0].rest_length, e, 1e-14);
  s.model.nodes[1].fixed = all_fixed;
  const Motion motion = run(s, "rk4", 1e-3);
  for (const Sample& row : motion.rows) EXPECT_NEAR(row.tensions[0], 34.0, 1e-10);
  ASSERT_EQ(motion.summary.yielded.size(), 1u);
  EXPECT_EQ(motion.summary.yielded[0].time, 0.0);
  EXPECT_NEAR(motion.summary.yielded[0].permanent, p, 1e-14);
  EXPECT_NEAR(motion.rows[0].energy[elastic], 0.5 * 34.0 * 34.0 / k, 1e-10);
  EXPECT_EQ(motion.last().energy[dissipated], 0.0);
  CableLaw spring = bilinear(LawKind::spring, 0.25);
  for (const double tension : {-13.0, -5.0, 5.0, 13.0}) {
    const double rest = rest_length_for_tension(spring, 1.0, tension);
    EXPECT_NEAR(yielding_tension(spring, 1.0 - rest, rest, 0.0), tension, 1e-12);
  }
  EXPECT_TRUE(std::isnan(rest_length_for_tension(bilinear(LawKind::linear, 0.0), 1.0, 13.0)));
}

TEST(Yielding, ReadAndWritten) {
  const Scenario s = read_scenario_text(hanging("stiffness = 2000\nyield = 30\nhardening = 0.1"), "m.toml");
  EXPECT_EQ(s.model.cables[0].law.yield, 30.0);
  EXPECT_EQ(read_scenario_text(to_toml(s), "w.toml").model, s.model);
  const Scenario t = read_scenario_text(
      hanging(R"(law = { kind = "table", strain = [0, 0.1, 0.2], force = [0, 10, 12], unloading = "elastic" })"),
      "m.toml");
  EXPECT_TRUE(t.model.cables[0].law.unloads);
  EXPECT_EQ(read_scenario_text(to_toml(t), "w.toml").model, t.model);
}

TEST(Yielding, WhatIsRefused) {
  const auto has = [&](const std::string& law, const char* part) {
    expect_says(complaint([&] { read_scenario_text(hanging(law), "m.toml"); }), part);
  };
  has("stiffness = 2000\nyield = -3", "yield: is negative");
  has("stiffness = 2000\nyield = 0", "yield: is 0");
  has("stiffness = 2000\nyield = 3\nhardening = 1", "hardening: is 1: expected a number below 1");
  has("stiffness = 2000\nhardening = 0.1", "hardening: has no meaning without yield");
  has("stiffness = 2000\nlaw = \"softplus\"\nyield = 3", "yield: has no meaning for law softplus");
  has("stiffness = 2000\nclip = false\nyield = 3", "clip: is false");
  has(R"(law = { kind = "table", strain = [0, 0.1, 0.2], force = [0, 10, 32], unloading = "elastic" })", "steeper");
  has(R"(law = { kind = "table", strain = [0, 0.1, 0.2], force = [0, 10, 12], unloading = "slow" })", "unloading");
}

}  // namespace
}  // namespace taut::testing
