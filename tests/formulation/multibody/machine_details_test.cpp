// Small print of machines, each against a closed form or a second formulation.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/file/read/read_toml.h"
#include "taut/model/joint_spec.h"
#include "taut/model/laws/signal.h"
#include "tests/support/columns.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// A node with mass on a wheel counts with its distance from the axis: α = τ/(J + m r²).
TEST(MachineDetails, NodeMassesTurnWithTheirBody) {
  const Scenario scenario = read_scenario_text(R"(environment.gravity = [0, 0, 0]
bodies = [{ name = "wheel", nodes = ["rim"], mass = 2, inertia = [0.02, 0.01, 0.02], centre = [0, 0, 0] }]
joints = [{ name = "bearing", kind = "revolute", bodies = ["ground", "wheel"], at = [0, 0, 0], axis = [0, 1, 0] }]
actuators = [{ joint = "bearing", torque = 0.2 }]
[nodes]
rim = { at = [0.3, 0, 0], mass = 0.5 }
[simulation]
duration = 0.5
)",
                                               "m.toml");
  const Motion motion = run(scenario, "dopri5", 1e-12);
  ASSERT_EQ(motion.summary.status, RunStatus::done);
  EXPECT_NEAR(joint_value(scenario, motion.last(), "bearing.angle"), 0.5 * 0.2 / (0.01 + 0.5 * 0.09) * 0.25, 1e-9);
}

// A rod that spins about its axis resists being turned: the same path in joints and in quaternions, and not that of a
// rod at rest.
TEST(MachineDetails, SpinningRodsTurnAsInQuaternions) {
  const auto last = [](const char* formulation, double spin) {
    Scenario scenario = read_scenario_text(R"(bars = [{ nodes = ["a", "b"], mass = 1.0, axial_inertia = 0.02 }]
cables = [{ paths = [["b", "p"], ["b", "q"], ["b", "r"], ["a", "p"]], stiffness = 60.0, rest_length = 1.2 }]
[nodes]
a = [0, 0, 0]
b = [0, 0, 1]
p = { at = [1, 0, 2], fixed = true }
q = { at = [-1, 0.5, 2], fixed = true }
r = { at = [0, -1, 2], fixed = true }
[simulation]
duration = 0.4
)",
                                           "m.toml");
    scenario.model.bars[0].spin = spin;
    scenario.simulation.formulation = formulation;
    const Motion motion = run(scenario, "dopri5", 1e-11);
    EXPECT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    return position(motion.last(), 0);
  };
  const Vec3 joints = last("multibody", 40.0), quaternions = last("quaternion", 40.0), still = last("multibody", 0.0);
  EXPECT_LT((joints - quaternions).norm(), 1e-8);
  EXPECT_GT((joints - still).norm(), 1e-3);
}

// A cable of 1.3 m of which 1 m hangs down: it has left the drum when the weight has fallen by 0.3 m.
TEST(MachineDetails, CablesComeOffTheirPulley) {
  const Scenario scenario =
      test_model("drum_and_weight", "variant = \"rigid\"\nlength = 1.3\n[simulation]\nduration = 0.5\nstep = 1e-3\n",
                 {"bodies.weight.mass=3"});
  const Motion motion = run(scenario, "rk4", 1e-3);
  const double a = 3.0 * 9.81 / (3.0 + 0.01 / 0.01), expected = std::sqrt(2.0 * 0.3 / a);
  double found = NAN;
  for (const std::string& warning : motion.summary.warnings)
    if (const auto at = warning.find("from t = "); warning.find("all of its cable") != std::string::npos)
      found = std::stod(warning.substr(at + 9));
  EXPECT_NEAR(found, expected, 2e-3);
}

// Tangents of two circles at a distance d: √(d² - (r₁ - r₂)²) on one side, √(d² - (r₁ + r₂)²) crossed.
TEST(MachineDetails, TangentsOfTwoCircles) {
  const Vec3 axis = Vec3::UnitY(), to(0.3, 0.0, 0.8);
  const double d = to.norm(), r1 = 0.2, r2 = 0.1;
  const auto open = tangent_to_circle(Vec3::Zero(), axis, r1, to, r2, false);
  const auto crossed = tangent_to_circle(Vec3::Zero(), axis, r1, to, r2, true);
  ASSERT_TRUE(open && crossed);
  EXPECT_NEAR(open->length, std::sqrt(d * d - (r1 - r2) * (r1 - r2)), 1e-14);
  EXPECT_NEAR(crossed->length, std::sqrt(d * d - (r1 + r2) * (r1 + r2)), 1e-14);
  // It ends on the second circle, with the radius across the cable: on the same side, or on the other.
  for (const auto& [tangent, side] : {std::pair(*open, 1.0), std::pair(*crossed, -1.0)}) {
    const Vec3 end = r1 * tangent.outward + tangent.length * tangent.along;
    EXPECT_LT((end - to - side * r2 * tangent.outward).norm(), 1e-14);
  }
}

// Second rates are the rates' slopes.
TEST(MachineDetails, SecondRatesOfSignals) {
  Signal ramp;
  ramp.kind = SignalKind::ramp;
  ramp.from = 0.3, ramp.to = 1.1, ramp.start = 0.2, ramp.end = 1.7;
  Signal cosine = ramp;
  cosine.kind = SignalKind::cosine;
  Signal sine;
  sine.kind = SignalKind::sine;
  sine.mean = 0.2, sine.amplitude = 0.4, sine.period = 0.9, sine.phase = 0.3, sine.ramp = 1.5;
  Signal hermite;
  hermite.kind = SignalKind::hermite;
  hermite.times = {0.0, 0.7, 2.0}, hermite.values = {0.0, 1.0, -0.5}, hermite.slopes = {0.2, -0.4, 0.9};
  const double h = 1e-5;
  for (const Signal& signal : {ramp, cosine, sine, hermite})
    for (const double t : {0.31, 0.5, 1.1, 1.43})
      EXPECT_NEAR(second_rate(signal, t), (rate(signal, t + h) - rate(signal, t - h)) / (2.0 * h), 1e-6)
          << name(signal.kind) << " at " << t;
}

}  // namespace
}  // namespace taut::testing
