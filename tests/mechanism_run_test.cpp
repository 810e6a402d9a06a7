// Mechanisms from model files in motion: closed forms, and the same structures in other formulations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mechanism_support.h"
#include "model_support.h"
#include "random_structure.h"
#include "support.h"
#include "taut/formulation/formulation.h"

namespace taut::testing {
namespace {

// A drum of inertia J and radius R with a weight on a rigid cable: a = m g/(m + J/R²), tension m (g - a).
TEST(MechanismRun, WeightOnADrum) {
  Scenario scenario = read_scenario_text(drum_and_weight(3) + R"(variant = "rigid"
[simulation]
duration = 0.5
)",
                                         "m.toml");
  const Motion motion = run(scenario, "dopri5", 1e-12);
  const double m = 3.0, a = m * 9.81 / (m + 0.01 / 0.01);
  ASSERT_EQ(motion.summary.status, "done");
  EXPECT_NEAR(position(motion.last(), 0).z(), -1.0 - 0.5 * a * 0.25, 1e-10);
  EXPECT_NEAR(position(motion.last(), 0).x(), 0.1, 1e-10);
  EXPECT_NEAR(joint_value(scenario, motion.last(), "rope.tension"), m * (9.81 - a), 1e-8);
  EXPECT_NEAR(joint_value(scenario, motion.last(), "bearing.angle"), 0.5 * a * 0.25 / 0.1, 1e-9);
  EXPECT_LT(motion.summary.energy_drift, 1e-10);
}

// A crank of length r and a rod of length l in a plane, the crank driven at a constant speed: the slider is at
// r cos θ + √(l² - r² sin² θ).
TEST(MechanismRun, SliderCrank) {
  Scenario scenario = read_scenario_text(R"([nodes]
o = { at = [0, 0, 0], fixed = true }
a = [0.1, 0, 0]
b = [0.5, 0, 0]
[[bars]]
name = "crank"
nodes = ["o", "a"]
mass = 0.3
[[bars]]
name = "rod"
nodes = ["a", "b"]
mass = 0.4
[[bodies]]
name = "slider"
nodes = ["b"]
inertia = [1e-3, 1e-3, 1e-3]
mass = 0.5
[[joints]]
name = "shaft"
kind = "revolute"
bodies = ["ground", "crank"]
at = "o"
axis = [0, -1, 0]
[[joints]]
name = "pin1"
kind = "revolute"
bodies = ["crank", "rod"]
at = "a"
axis = [0, 1, 0]
[[joints]]
name = "pin2"
kind = "revolute"
bodies = ["rod", "slider"]
at = "b"
axis = [0, 1, 0]
[[joints]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
axis = [1, 0, 0]
position = 0.5
[[actuators]]
joint = "shaft"
position = { kind = "hermite", t = [0, 1], values = [0, 9.0], slopes = [9.0, 9.0] }
[simulation]
duration = 1
)",
                                         "m.toml");
  const Motion motion = run(scenario, "dopri5", 1e-11);
  ASSERT_EQ(motion.summary.status, "done") << motion.summary.reason;
  for (const Sample& row : motion.rows) {
    const double angle = 9.0 * row.t, s = 0.1 * std::sin(angle);
    EXPECT_NEAR(joint_value(scenario, row, "guide.position"), 0.1 * std::cos(angle) + std::sqrt(0.16 - s * s), 1e-10);
    EXPECT_NEAR(position(row, 2).x(), joint_value(scenario, row, "guide.position"), 1e-12);
  }
  // What the drive gives is in the books: the balance of energy stays.
  EXPECT_LT(motion.summary.energy_drift, 1e-9);
}

// A velocity that a joint is given is kept and the others follow; contradictory ones are refused.
TEST(MechanismRun, GivenVelocities) {
  const std::string text = R"([nodes]
o = { at = [0, 0, 0], fixed = true }
a = [0, 0, 0.2]
b = [0.5, 0, 0.2]
c = { at = [0.5, 0, 0], fixed = true }
[[bars]]
name = "crank"
nodes = ["o", "a"]
mass = 1
[[bars]]
name = "coupler"
nodes = ["a", "b"]
mass = 1
[[bars]]
name = "rocker"
nodes = ["c", "b"]
mass = 1
[[joints]]
name = "O"
kind = "revolute"
bodies = ["ground", "crank"]
at = "o"
axis = [0, 1, 0]
velocity = 3
[[joints]]
name = "A"
kind = "revolute"
bodies = ["crank", "coupler"]
at = "a"
axis = [0, 1, 0]
[[joints]]
name = "B"
kind = "revolute"
bodies = ["coupler", "rocker"]
at = "b"
axis = [0, 1, 0]
[[joints]]
name = "C"
kind = "revolute"
bodies = ["ground", "rocker"]
at = "c"
axis = [0, 1, 0]
[simulation]
duration = 0.1
)";
  // A parallelogram: crank and rocker turn alike, the coupler does not turn.
  const Scenario scenario = read_scenario_text(text, "m.toml");
  const Motion motion = run(scenario, "dopri5", 1e-10);
  const Sample& first = motion.rows.front();
  EXPECT_NEAR(joint_value(scenario, first, "O.angle_rate"), 3.0, 1e-12);
  EXPECT_NEAR(joint_value(scenario, first, "C.angle_rate"), 3.0, 1e-12);
  EXPECT_NEAR(joint_value(scenario, first, "A.angle_rate"), -3.0, 1e-12);
  const Scenario against = read_scenario_text(text, "m.toml", {"joints.C.velocity=-1"});
  EXPECT_THROW(make_formulation("multibody", against.model), InputError);
}

// Rods, class k, composite cables, constraints and plates: the same motion in joint coordinates and in nodal ones.
TEST(MechanismRun, StructuresMoveAsInNodal) {
  const std::vector<std::pair<const char*, Parameters>> kinds = {
      {"six_bar", {{"spin_x", 1.0}, {"spin_y", 0.7}, {"velocity_x", 0.3}}},
      {"prism", {{"fixed", 1}}},
      {"class2_tower", {}},
      {"double_pendulum", {}}};
  for (const auto& [kind, parameters] : kinds) {
    Scenario scenario = generated(kind, parameters);
    if (!scenario.model.cables.empty()) scenario.model.cables.front().rest_length *= 0.9;
    scenario.simulation.duration = 0.5;
    scenario.simulation.formulation = "nodal";
    const Motion nodal = run(scenario, "dopri5", 1e-12);
    scenario.simulation.formulation = "multibody";
    const Motion joints = run(scenario, "dopri5", 1e-12);
    ASSERT_EQ(joints.summary.status, "done") << kind << ": " << joints.summary.reason;
    EXPECT_LT(distance(nodal.last(), joints.last()), 1e-10) << kind;
    for (std::size_t i = 0; i < nodal.last().bar_forces.size(); ++i)
      EXPECT_NEAR(nodal.last().bar_forces[i], joints.last().bar_forces[i],
                  1e-7 * (1.0 + std::abs(nodal.last().bar_forces[i])))
          << kind;
    for (int e = 0; e < energy_columns; ++e)
      EXPECT_NEAR(nodal.last().energy[e], joints.last().energy[e], 1e-8 * (1.0 + std::abs(nodal.last().energy[e])))
          << kind << " " << e;
  }
}

// The three variants of the involute joint are one motion: 1e-9 rad over 1 s at a tight tolerance.
TEST(MechanismRun, InvoluteVariantsAgree) {
  std::vector<Motion> motions;
  for (double variant : {1.0, 2.0, 3.0}) {
    Scenario scenario = generated("single_strut", {{"variant", variant}});
    scenario.simulation.output_step = 0.1;
    motions.push_back(run(scenario, "dopri5", 1e-12));
    ASSERT_EQ(motions.back().summary.status, "done");
    for (std::size_t i = 0; i < motions.back().rows.size(); ++i)
      for (std::size_t k = 0; k < 2; ++k)  // φ and ψ are the first columns
        EXPECT_NEAR(motions.back().rows[i].joints[k], motions.front().rows[i].joints[k], 1e-9);
  }
  EXPECT_GT(std::abs(motions[0].last().joints[1]), 1e-4);
}

// Winding past what is possible is reported: no free length left.
TEST(MechanismRun, CablesGoSlackAndComeBack) {
  // A weight thrown up on an elastic cable: slack while it flies, then caught.
  Scenario scenario = read_scenario_text(R"([nodes]
hook = [0.1, 0, -1]
[[bodies]]
name = "drum"
mass = 2
inertia = [0.02, 0.01, 0.02]
centre = [0, 0, 0]
[[bodies]]
name = "weight"
nodes = ["hook"]
mass = 1
inertia = [0.01, 0.01, 0.01]
velocity = [0, 0, 1]
[[joints]]
name = "bearing"
kind = "fixed"
bodies = ["ground", "drum"]
[[pulleys]]
name = "rope"
body = "drum"
centre = [0, 0, 0]
axis = [0, -1, 0]
radius = 0.1
to = "hook"
EA = 1e4
damping = 5
pretension = 9.81
conservative = true
[simulation]
duration = 0.5
)",
                                         "m.toml");
  const Motion motion = run(scenario, "dopri5", 1e-10);
  ASSERT_EQ(motion.summary.status, "done") << motion.summary.reason;
  const double flight = 2.0 / 9.81;
  bool slack = false, caught = false;
  for (const Sample& row : motion.rows) {
    const double tension = joint_value(scenario, row, "rope.tension");
    EXPECT_GE(tension, 0.0);
    if (row.t > 0.01 && row.t < flight - 0.01) slack = slack || tension == 0.0;
    if (row.t > flight + 0.005) caught = caught || tension > 20.0;
  }
  EXPECT_TRUE(slack);
  EXPECT_TRUE(caught);
  EXPECT_LT(motion.summary.energy_drift, 1e-7);
  ASSERT_GE(motion.summary.slack_events.size(), 2u);
  EXPECT_FALSE(motion.summary.slack_events[0].taut);
  EXPECT_TRUE(motion.summary.slack_events[1].taut);
  EXPECT_NEAR(motion.summary.slack_events[1].time, flight, 2e-3);
}

}  // namespace
}  // namespace taut::testing
