// How machines start and how they end: imposed motions, given velocities, supports, cables that are wound up.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taut/formulation/formulation.h"
#include "tests/file/model_support.h"
#include "tests/support/columns.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

constexpr double pi = std::numbers::pi;

// The four-bar with a drive, whose motion or torque follows.
Scenario driven_four_bar(const std::string& drive, const std::vector<std::string>& set = {}) {
  return test_model("four_bar", "[[actuators]]\njoint = \"drive\"\n" + drive + "\n", set);
}

// Two motions that fit at the start and tear the loop open later end the run, which names the loop.
TEST(MachineStarts, MotionsThatContradictEachOtherLaterFail) {
  const Scenario scenario = driven_four_bar(R"(position = { kind = "ramp", from = 0, to = 1, end = 1 }
[[actuators]]
joint = "C"
position = { kind = "ramp", from = 0, to = -1, end = 1 })");
  for (const char* integrator : {"dopri5", "rk4", "cvode"}) {
    const Motion motion = run(scenario, integrator, 1e-4);
    EXPECT_EQ(motion.summary.status, RunStatus::failed) << integrator;
  }
  const Motion motion = run(scenario, "dopri5", 1e-8);
  EXPECT_NE(motion.summary.reason.find("joint \"B\""), std::string::npos) << motion.summary.reason;
  // Without projection it goes on, and says what it is worth.
  Scenario torn = scenario;
  torn.simulation.constraints = ConstraintMethod::none;
  const Motion open = run(torn, "dopri5", 1e-8);
  ASSERT_FALSE(open.summary.warnings.empty());
  EXPECT_NE(open.summary.warnings.back().find("constraints are off"), std::string::npos);
}

// Every method has imposed joints where they belong at every row.
TEST(MachineStarts, ImposedJointsAreInTime) {
  const Scenario scenario = driven_four_bar(R"(position = { kind = "sine", mean = 0, amplitude = 0.5, period = 1 })");
  for (const char* integrator : {"euler", "rk4", "dopri5", "cvode"}) {
    const Motion motion = run(scenario, integrator, 1e-3);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << integrator << motion.summary.reason;
    for (const Sample& row : motion.rows)
      EXPECT_NEAR(joint_value(scenario, row, "drive.angle"), 0.5 * std::sin(2.0 * pi * row.t), 1e-12) << integrator;
  }
}

// A joint that closes a loop has nothing of its own to start with.
TEST(MachineStarts, StartsBelongInTheTree) {
  for (const char* more : {"joints.drive.velocity=6", "joints.drive.start=0.2"}) {
    Scenario scenario =
        driven_four_bar("torque = 0", {more, "joints.A.friction=0.1", "joints.B.stiffness=1", "joints.C.damping=1"});
    scenario.simulation.duration = 0.01;
    const Motion motion = run(scenario, "dopri5", 1e-8);
    const Sample& first = motion.rows.front();
    if (std::string(more).find("velocity") != std::string::npos)
      EXPECT_NEAR(joint_value(scenario, first, "drive.angle_rate"), 6.0, 1e-12);
    else
      EXPECT_NEAR(joint_value(scenario, first, "drive.angle"), 0.2, 1e-12);
    EXPECT_THROW(
        make_formulation("multibody", driven_four_bar("torque = 0", {more, "joints.drive.role=\"loop\""}).model),
        InputError);
  }
}

// A body's velocity is in the world, whatever carries it; one without is carried along.
TEST(MachineStarts, VelocitiesOfCarriedBodies) {
  const auto rates = [](const std::vector<std::string>& overrides) {
    const Scenario scenario = read_scenario_text(R"(bodies = [
  { name = "A", centre = [0, 0, 0], mass = 1, inertia = [1, 1, 1] },
  { name = "B", centre = [1, 0, 0], mass = 1, inertia = [1, 1, 1] },
]
joints = [
  { name = "j1", kind = "prismatic", bodies = ["ground", "A"], axis = [1, 0, 0], velocity = 2 },
  { name = "j2", kind = "prismatic", bodies = ["A", "B"], axis = [1, 0, 0] },
]
[simulation]
duration = 0.1
)",
                                                 "m.toml", overrides);
    const Motion motion = run(scenario, "dopri5", 1e-8);
    EXPECT_EQ(motion.summary.status, RunStatus::done);
    return std::pair(joint_value(scenario, motion.rows.front(), "j1.position_rate"),
                     joint_value(scenario, motion.rows.front(), "j2.position_rate"));
  };
  EXPECT_NEAR(rates({}).first, 2.0, 1e-14);
  EXPECT_NEAR(rates({}).second, 0.0, 1e-14);
  EXPECT_NEAR(rates({"bodies.B.velocity=[3, 0, 0]"}).second, 1.0, 1e-14);
}

// Forces of supports: the same in all formulations that know the structure.
TEST(MachineStarts, SupportForcesAreThoseOfNodal) {
  for (const char* kind : {"pendulum", "double_pendulum", "prism"}) {
    Scenario scenario = generated(kind, std::string(kind) == "prism" ? Parameters{{"fixed", 1}} : Parameters{});
    if (!scenario.model.cables.empty()) scenario.model.cables.front().rest_length *= 0.95;
    scenario.simulation.duration = 0.3;
    scenario.simulation.formulation = "nodal";
    const Motion nodal = run(scenario, "dopri5", 1e-11);
    scenario.simulation.formulation = "multibody";
    const Motion joints = run(scenario, "dopri5", 1e-11);
    ASSERT_EQ(nodal.last().support_forces.size(), joints.last().support_forces.size());
    for (std::size_t i = 0; i < nodal.last().support_forces.size(); ++i)
      EXPECT_NEAR(joints.last().support_forces[i], nodal.last().support_forces[i], 1e-6) << kind << " " << i;
  }
}

// A motor that winds a weight up to the drum: the run says so, whatever the cable's coordinate.
TEST(MachineStarts, WoundUpCablesEndTheRun) {
  for (const char* variant : {"rigid", "u", "epsilon", "l"}) {
    std::string rope = "variant = \"" + std::string(variant) + "\"\n";
    if (std::string(variant) != "rigid") rope += "EA = 1e4\ndamping = 50\npretension = 9.81\n";
    const Scenario scenario =
        test_model("drum_and_weight", rope + "[[actuators]]\njoint = \"bearing\"\n" +
                                          "position = { kind = \"ramp\", from = 0, to = -12, end = 5 }\n");
    for (const char* integrator : {"dopri5", "cvode"}) {
      const Motion motion = run(scenario, integrator, 1e-7);
      EXPECT_EQ(motion.summary.status, RunStatus::failed) << variant << " " << integrator;
      EXPECT_NE(motion.summary.reason.find("its cable is wound up"), std::string::npos)
          << variant << " " << integrator << ": " << motion.summary.reason;
    }
  }
}

}  // namespace
}  // namespace taut::testing
