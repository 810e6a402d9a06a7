// Machines from model files in motion: closed forms, and the same structures in other formulations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "taut/formulation/formulation.h"
#include "tests/file/model_support.h"
#include "tests/formulation/random_structure.h"
#include "tests/support/columns.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// A drum of inertia J and radius R with a weight on a rigid cable: a = m g/(m + J/R²), tension m (g - a).
TEST(MachineRun, WeightOnADrum) {
  const Scenario scenario =
      test_model("drum_and_weight", "variant = \"rigid\"\n[simulation]\nduration = 0.5\n", {"bodies.weight.mass=3"});
  const Motion motion = run(scenario, "dopri5", 1e-12);
  const double m = 3.0, a = m * 9.81 / (m + 0.01 / 0.01);
  ASSERT_EQ(motion.summary.status, RunStatus::done);
  EXPECT_NEAR(position(motion.last(), 0).z(), -1.0 - 0.5 * a * 0.25, 1e-10);
  EXPECT_NEAR(position(motion.last(), 0).x(), 0.1, 1e-10);
  EXPECT_NEAR(joint_value(scenario, motion.last(), "rope.tension"), m * (9.81 - a), 1e-8);
  EXPECT_NEAR(joint_value(scenario, motion.last(), "bearing.angle"), 0.5 * a * 0.25 / 0.1, 1e-9);
  EXPECT_LT(motion.summary.energy_drift, 1e-10);
}

// A rigid cable between two drums whose bearings are on one carrier: the ground, an arm that swings, or one that flies.
// As the centres keep their distance, r₁ ω₁ = σ r₂ ω₂ whatever the carrier does. Which joint closes the loop does not
// matter: taut chooses, a bearing does, or the cable (both bearings are in the tree, wanted there or braked); nor does a
// second run of the belt, which says the same once more.
TEST(MachineRun, DrumsOnARigidCableTurnByTheirRadii) {
  const std::string drums = R"(environment.gravity = [0, 0, 0]
simulation.duration = 3.0
bodies = [
  { name = "a", shape = "cylinder", centre = [0, 0, 0], axis = [0, 1, 0], length = 0.1, radius = 0.1, mass = 2 },
  { name = "b", shape = "cylinder", centre = [1, 0, 0.3], axis = [0, 1, 0], length = 0.1, radius = 0.25, mass = 3 },
)",
                    arm = R"({ name = "arm", shape = "box", size = [1, 0.1, 0.1], centre = [0.5, 0.1, 0.15], mass = 4 }]
[[joints]]
name = "carrier"
bodies = ["ground", "arm"]
)";
  struct Carrier {
    const char* name;
    std::string text;
  };
  struct Closing {
    const char *of_a, *of_b;  // keys of the bearings
    int runs;                 // of the belt
  };
  for (const Carrier& carrier :
       {Carrier{"ground", "]"},
        Carrier{"arm", arm + "kind = \"revolute\"\nat = [0.5, 0, -0.6]\naxis = [0, 1, 0]\nvelocity = 0.5"},
        Carrier{"arm", arm + "kind = \"floating\"\nvelocity = [0.3, 0.2, 0.1, 0.1, 0, 0]"}})
    for (const bool crossed : {false, true})
      for (const int side : {1, -1})
        for (const Closing& closing :
             {Closing{"", "", 1}, Closing{"", "role = \"loop\"", 1}, Closing{"role = \"tree\"", "role = \"tree\"", 1},
              Closing{"damping = 0.01", "damping = 0.01", 1}, Closing{"", "", 2}}) {
          SCOPED_TRACE(fmt::format("{} {} {} {} {} {}", carrier.text, crossed ? "crossed" : "open", side, closing.of_a,
                                   closing.of_b, closing.runs));
          std::string text = drums + fmt::format(R"({1}
[[joints]]
name = "ja"
kind = "revolute"
bodies = ["{0}", "a"]
at = [0, 0, 0]
axis = [0, 1, 0]
velocity = 1.0
{2}
[[joints]]
name = "jb"
kind = "revolute"
bodies = ["{0}", "b"]
at = [1, 0, 0.3]
axis = [0, 1, 0]
{3}
)",
                                                 carrier.name, carrier.text, closing.of_a, closing.of_b);
          for (int k = 0; k < closing.runs; ++k)
            text += fmt::format(R"([[pulleys]]
name = "cable{0}"
body = "a"
centre = [0, 0, 0]
axis = [0, {1}, 0]
radius = 0.1
variant = "rigid"
second = {{ body = "b", centre = [1, 0, 0.3], radius = 0.25, crossed = {2} }}
)",
                                k, k == 0 ? side : -side, crossed);
          const Scenario s = read_scenario_text(text, "drums.toml");
          const Motion motion = run(s, "dopri5", 1e-11);
          ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
          EXPECT_TRUE(motion.summary.warnings.empty()) << motion.summary.warnings.front();
          EXPECT_LT(motion.summary.energy_drift, 1e-10);
          EXPECT_GT(joint_value(s, motion.last(), "ja.angle"), 1.0);
          const double ratio = crossed ? -0.4 : 0.4;
          for (const Sample& row : motion.rows)
            ASSERT_NEAR(joint_value(s, row, "jb.angle"), ratio * joint_value(s, row, "ja.angle"), 1e-13) << row.t;
        }
}

// A belt of two elastic runs between drums of radii r₁, r₂ on bearings, both taut: the stiffness between their turns is
// 2 EA/l, so that they swing against each other with ω² = (2 EA/l)(r₁²/I₁ + r₂²/I₂), up to the strain, by which the
// free length of a run changes as it is wound.
TEST(MachineRun, AnElasticBeltSwingsWithBothOfItsRuns) {
  const double r1 = 0.1, r2 = 0.2, m1 = 2.0, m2 = 3.0, EA = 1e4, l = std::sqrt(1.0 - (r2 - r1) * (r2 - r1));
  const double w = std::sqrt(2.0 * EA / l * (2.0 / m1 + 2.0 / m2)), period = 2.0 * std::numbers::pi / w;
  std::string text = fmt::format(R"(environment.gravity = [0, 0, 0]
simulation.duration = {}
simulation.output_step = {}
bodies = [
  {{ name = "a", shape = "cylinder", centre = [0, 0, 0], axis = [0, 1, 0], length = 0.1, radius = 0.1, mass = 2 }},
  {{ name = "b", shape = "cylinder", centre = [1, 0, 0], axis = [0, 1, 0], length = 0.1, radius = 0.2, mass = 3 }},
]
joints = [
  {{ name = "ja", kind = "revolute", bodies = ["ground", "a"], at = [0, 0, 0], axis = [0, 1, 0], velocity = 1e-3 }},
  {{ name = "jb", kind = "revolute", bodies = ["ground", "b"], at = [1, 0, 0], axis = [0, 1, 0], velocity = 0.0 }},
]
)",
                                 10.0 * period, period / 4.0);
  for (const int side : {1, -1})
    text += fmt::format(R"([[pulleys]]
name = "run{}"
body = "a"
centre = [0, 0, 0]
axis = [0, {}, 0]
radius = 0.1
EA = 1e4
strain = 1e-4
second = {{ body = "b", centre = [1, 0, 0], radius = 0.2 }}
)",
                        side, side);
  const Scenario s = read_scenario_text(text, "belt.toml");
  const Motion motion = run(s, "dopri5", 1e-11);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  // After whole periods the relative speed is back; after quarters the relative turn is at its ends.
  const auto relative = [&](const Sample& row, const char* what) {
    return r1 * joint_value(s, row, std::string("ja.") + what) - r2 * joint_value(s, row, std::string("jb.") + what);
  };
  const double amplitude = r1 * 1e-3 / w;
  for (std::size_t i = 0; i < motion.rows.size(); ++i) {
    const double turn = std::array{0.0, 1.0, 0.0, -1.0}[i % 4];
    EXPECT_NEAR(relative(motion.rows[i], "angle"), amplitude * turn, 1e-2 * amplitude) << i;
  }
}

// The second drum on a slide: equal radii and an open cable, which stays along the slide and is as long as the drums
// have let out, d - d₀ = r (θ_b - θ_a).
TEST(MachineRun, ADrumOnASlideFollowsTheRigidCable) {
  const Scenario s = read_scenario_text(R"(environment.gravity = [0, 0, 0]
simulation.duration = 2.0
bodies = [
  { name = "cart", shape = "box", size = [0.2, 0.1, 0.1], centre = [1, 0, 0], mass = 1 },
  { name = "a", shape = "cylinder", centre = [0, 0, 0], axis = [0, 1, 0], length = 0.1, radius = 0.1, mass = 2 },
  { name = "b", shape = "cylinder", centre = [1, 0, 0], axis = [0, 1, 0], length = 0.1, radius = 0.1, mass = 3 },
]
joints = [
  { name = "rail", kind = "prismatic", bodies = ["ground", "cart"], axis = [1, 0, 0], velocity = -0.1, stiffness = 40 },
  { name = "ja", kind = "revolute", bodies = ["ground", "a"], at = [0, 0, 0], axis = [0, 1, 0], velocity = 1.0 },
  { name = "jb", kind = "revolute", bodies = ["cart", "b"], at = [1, 0, 0], axis = [0, 1, 0] },
]
[[pulleys]]
name = "cable"
body = "a"
centre = [0, 0, 0]
axis = [0, 1, 0]
radius = 0.1
variant = "rigid"
second = { body = "b", centre = [1, 0, 0], radius = 0.1 }
)",
                                        "drums.toml");
  const Motion motion = run(s, "dopri5", 1e-11);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(motion.summary.energy_drift, 1e-9);
  for (const Sample& row : motion.rows) {
    const double turned = joint_value(s, row, "jb.angle") - joint_value(s, row, "ja.angle");
    ASSERT_NEAR(joint_value(s, row, "rail.position"), 0.1 * turned, 1e-14) << row.t;
  }
}

// A crank of length r and a rod of length l in a plane, the crank driven at a constant speed: the slider is at
// r cos θ + √(l² - r² sin² θ).
TEST(MachineRun, SliderCrank) {
  Scenario scenario = read_scenario_text(R"(bars = [
  { name = "crank", nodes = ["o", "a"], mass = 0.3 },
  { name = "rod", nodes = ["a", "b"], mass = 0.4 },
]
bodies = [{ name = "slider", nodes = ["b"], inertia = [1e-3, 1e-3, 1e-3], mass = 0.5 }]
joints = [
  { name = "shaft", kind = "revolute", bodies = ["ground", "crank"], at = "o", axis = [0, -1, 0] },
  { name = "pin1", kind = "revolute", bodies = ["crank", "rod"], at = "a", axis = [0, 1, 0] },
  { name = "pin2", kind = "revolute", bodies = ["rod", "slider"], at = "b", axis = [0, 1, 0] },
  { name = "guide", kind = "prismatic", bodies = ["ground", "slider"], axis = [1, 0, 0], position = 0.5 },
]
actuators = [{ joint = "shaft", position = { kind = "hermite", t = [0, 1], values = [0, 9.0], slopes = [9.0, 9.0] } }]
[nodes]
o = { at = [0, 0, 0], fixed = true }
a = [0.1, 0, 0]
b = [0.5, 0, 0]
[simulation]
duration = 1
)",
                                         "m.toml");
  const Motion motion = run(scenario, "dopri5", 1e-11);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  for (const Sample& row : motion.rows) {
    const double angle = 9.0 * row.t, s = 0.1 * std::sin(angle);
    EXPECT_NEAR(joint_value(scenario, row, "guide.position"), 0.1 * std::cos(angle) + std::sqrt(0.16 - s * s), 1e-10);
    EXPECT_NEAR(position(row, 2).x(), joint_value(scenario, row, "guide.position"), 1e-12);
  }
  // What the drive gives is in the books: the balance of energy stays.
  EXPECT_LT(motion.summary.energy_drift, 1e-9);
}

// A velocity that a joint is given is kept and the others follow; contradictory ones are refused.
TEST(MachineRun, GivenVelocities) {
  std::vector<std::string> set = {"nodes.b=[0.5, 0, 0.2]", "nodes.c.at=[0.5, 0, 0]", "bars.*.mass=1",
                                  "joints.drive.velocity=3", "simulation.duration=0.1"};
  // A parallelogram: crank and rocker turn alike, the coupler does not turn.
  const Scenario scenario = test_model("four_bar", "", set);
  const Motion motion = run(scenario, "dopri5", 1e-10);
  const Sample& first = motion.rows.front();
  EXPECT_NEAR(joint_value(scenario, first, "drive.angle_rate"), 3.0, 1e-12);
  EXPECT_NEAR(joint_value(scenario, first, "C.angle_rate"), 3.0, 1e-12);
  EXPECT_NEAR(joint_value(scenario, first, "A.angle_rate"), -3.0, 1e-12);
  set.emplace_back("joints.C.velocity=-1");
  const Scenario against = test_model("four_bar", "", set);
  EXPECT_THROW(make_formulation("multibody", against.model), InputError);
}

// Rods, class k, composite cables, constraints and plates: the same motion in joint coordinates and in nodal ones.
TEST(MachineRun, StructuresMoveAsInNodal) {
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
    ASSERT_EQ(joints.summary.status, RunStatus::done) << kind << ": " << joints.summary.reason;
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
TEST(MachineRun, InvoluteVariantsAgree) {
  std::vector<Motion> motions;
  for (double variant : {1.0, 2.0, 3.0}) {
    Scenario scenario = generated("single_strut", {{"variant", variant}});
    scenario.simulation.output_step = 0.1;
    motions.push_back(run(scenario, "dopri5", 1e-12));
    ASSERT_EQ(motions.back().summary.status, RunStatus::done);
    for (std::size_t i = 0; i < motions.back().rows.size(); ++i)
      for (std::size_t k = 0; k < 2; ++k)  // φ and ψ are the first columns
        EXPECT_NEAR(motions.back().rows[i].joints[k], motions.front().rows[i].joints[k], 1e-9);
  }
  EXPECT_GT(std::abs(motions[0].last().joints[1]), 1e-4);
}

// A weight thrown up on an elastic cable from a drum that is held: slack while it flies, then caught.
TEST(MachineRun, CablesGoSlackAndComeBack) {
  Scenario scenario = test_model("drum_and_weight",
                                 "EA = 1e4\ndamping = 5\npretension = 9.81\nconservative = true\n"
                                 "[simulation]\nduration = 0.5\n",
                                 {"bodies.weight.velocity=[0, 0, 1]"});
  scenario.model.joints[0].type = JointType::fixed;
  const Motion motion = run(scenario, "dopri5", 1e-10);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
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

// The same without damping, from rest on its rope of stiffness k = EA/l0, thrown up at v = 1 m/s: e = m g/k - (v/ω) sin ωt
// until e = 0, then a parabola of 2 √(v² - g²/ω²)/g. Three of them, each its own way round, switch at one instant.
// Methods that choose their steps end them on both switches.
TEST(MachineRun, CablesOfPulleysSwitchOnTimeAndTogether) {
  std::string text = "simulation.duration = 0.3\n[nodes]\n", rest;
  for (int i = 0; i < 3; ++i) {
    const double cosine = std::cos(0.3 + 2.0 * i), sine = std::sin(0.3 + 2.0 * i);
    text += fmt::format("hook{} = [{}, {}, -1]\n", i, i + 0.1 * cosine, 0.1 * sine);
    rest += fmt::format(R"([[bodies]]
name = "drum{0}"
mass = 2
inertia = [0.02, 0.02, 0.02]
centre = [{0}, 0, 0]
[[bodies]]
name = "weight{0}"
nodes = ["hook{0}"]
mass = 1
inertia = [0.01, 0.01, 0.01]
velocity = [0, 0, 1]
[[joints]]
name = "bearing{0}"
kind = "fixed"
bodies = ["ground", "drum{0}"]
at = [{0}, 0, 0]
[[pulleys]]
name = "rope{0}"
body = "drum{0}"
centre = [{0}, 0, 0]
axis = [{1}, {2}, 0]
radius = 0.1
to = "hook{0}"
EA = 1e4
pretension = 9.81
conservative = true
)",
                        i, sine, -cosine);
  }
  const Scenario scenario = read_scenario_text(text + rest, "hoists.toml");
  const double g = 9.81, l0 = 1.0 / (1.0 + g / 1e4), w = std::sqrt(1e4 / l0);
  const double slack = std::asin(g / w) / w, taut = slack + 2.0 * std::sqrt(1.0 - g * g / (w * w)) / g;
  for (const auto& [integrator, tolerance, error] : {std::tuple("dopri5", 1e-6, 1e-5),
                                                     {"dopri5", 1e-9, 1e-8},
                                                     {"dopri5", 1e-11, 1e-10},
                                                     {"cvode", 1e-6, 1e-4},
                                                     {"cvode", 1e-11, 1e-8}}) {
    SCOPED_TRACE(fmt::format("{} {}", integrator, tolerance));
    const Motion motion = run(scenario, integrator, tolerance);
    const auto& events = motion.summary.slack_events;
    ASSERT_GE(events.size(), 6u);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(events[i].taut, i >= 3);
      EXPECT_NEAR(events[i].time, i < 3 ? slack : taut, error);
      EXPECT_NEAR(events[i].time, events[i < 3 ? 0 : 3].time, 1e-13);
    }
  }
}

}  // namespace
}  // namespace taut::testing
