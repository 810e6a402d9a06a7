// Controllers of kinds near_rigid and computed_torque in whole runs: paths are followed, bounds are kept, what cannot
// be is said with its time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/file/read/read_toml.h"
#include "taut/model/control_names.h"
#include "taut/run/simulate.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

struct Kept final : Recorder {
  std::vector<Sample> rows;
  void begin(const Scenario&) override {}
  void sample(const Sample& row) override { rows.push_back(row); }
  void finish(const Summary&) override {}
};

struct Course {
  Summary summary;
  std::vector<Sample> rows;
  std::vector<std::string> controls, joints;

  explicit Course(const Scenario& scenario)
      : controls(control_columns(scenario.model)), joints(joint_columns(scenario.model)) {
    Kept kept;
    summary = simulate(scenario, {&kept});
    rows = std::move(kept.rows);
  }
  double most(const std::string& control) const {
    double result = 0.0;
    for (const Sample& row : rows) result = std::max(result, std::abs(row.controls[at(controls, control)]));
    return result;
  }
  double least(const std::vector<std::string>& names, std::vector<double> Sample::*of, const std::string& name) const {
    double result = INFINITY;
    for (const Sample& row : rows) result = std::min(result, (row.*of)[at(names, name)]);
    return result;
  }
  static std::size_t at(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    EXPECT_NE(found, names.end()) << name;
    return static_cast<std::size_t>(found - names.begin());
  }
};

// Lieskovský (2022), 5.3: the strut along the first part of Table 5.6, ψ from 0 to π/4 within 2 s, as printed: torques
// at every evaluation, no feedback.
Scenario strut(double modulus, double rate, bool feedback) {
  const double strain = 20e6 / modulus;
  Scenario scenario =
      generated("single_strut", {{"modulus", modulus}, {"viscosity", 1e6}, {"azimuth", 180.0}, {"strain", strain}});
  Model& model = scenario.model;
  model.gravity.setZero();
  model.drives.clear();
  ControllerSpec spec;
  spec.name = "steer";
  spec.kind = ControllerKind::near_rigid;
  spec.rate = rate;
  const auto joint = [&](const std::string& name) {
    return static_cast<int>(
        std::find_if(model.joints.begin(), model.joints.end(), [&](const JointSpec& j) { return j.name == name; }) -
        model.joints.begin());
  };
  for (int i = 0; i < 3; ++i) {
    ControlInput input;
    input.joint = joint("B" + std::to_string(i + 1) + "-pulleyJt");
    spec.steer.inputs.push_back(input);
    spec.steer.strain.push_back({strain, INFINITY});
  }
  for (int i = 0; i < 2; ++i) spec.steer.targets.push_back({ControlTarget::Kind::joint, joint("universalJt"), i});
  spec.steer.path = {{0.0, 0.2, 2.2}, {0.0, 0.0, 0.0, 0.0, 0.0, std::numbers::pi / 4.0}, std::vector<double>(6, 0.0)};
  if (feedback) {
    spec.steer.position_gain = {900.0, 900.0};
    spec.steer.velocity_gain = {60.0, 60.0};
    spec.steer.strain_gain = 300.0;
  }
  model.controllers = {spec};
  scenario.simulation.integrator = "dopri5";
  scenario.simulation.tolerance = 1e-7;
  scenario.simulation.duration = 2.2;
  return scenario;
}

TEST(Steering, StrutAsPrintedAndWithFeedback) {
  const Course printed(strut(2e9, 0.0, false)), stiff(strut(2e10, 0.0, false)), led(strut(2e9, 0.0, true));
  for (const Course* run : {&printed, &stiff, &led})
    ASSERT_EQ(run->summary.status, RunStatus::done) << run->summary.reason;
  // Table 5.7's size and trend: a tenth of the deviation with ten times the stiffness; feedback does better.
  const double off = printed.most("steer.universalJt.psi.error");
  EXPECT_GT(off, 1e-4);
  EXPECT_LT(off, 1.6e-3);
  EXPECT_NEAR(stiff.most("steer.universalJt.psi.error") / off, 0.1, 0.05);
  EXPECT_LT(led.most("steer.universalJt.psi.error"), 0.25 * off);
  for (const char* pulley : {"B1", "B2", "B3"}) {
    const std::string name = std::string("steer.") + pulley + ".eps_commanded";
    EXPECT_GT(printed.least(printed.controls, &Sample::controls, name), 0.01 * (1.0 - 1e-9));
    EXPECT_GT(led.least(led.controls, &Sample::controls, name), 0.01 * (1.0 - 1e-9));
    EXPECT_GT(led.least(led.joints, &Sample::joints, std::string(pulley) + ".eps"), 0.0095);
  }
}

// Held torques work as well, and the balance of energy counts them.
TEST(Steering, StrutWithHeldTorques) {
  Scenario scenario = strut(2e9, 1000.0, true);
  const Course run(scenario);
  ASSERT_EQ(run.summary.status, RunStatus::done) << run.summary.reason;
  EXPECT_LT(run.most("steer.universalJt.psi.error"), 2e-3);
  EXPECT_LT(run.summary.energy_drift, 1e-3);
}

// The shipped manipulator: an end-effector on its way, cables taut.
TEST(Steering, ManipulatorFollowsItsPath) {
  Scenario scenario = read_scenario(std::string(TAUT_SOURCE_DIR) + "/models/manipulator_steered.toml");
  scenario.simulation.duration = 1.0;
  const Course run(scenario);
  ASSERT_EQ(run.summary.status, RunStatus::done) << run.summary.reason;
  for (const char* axis : {"x", "y", "z"})
    EXPECT_LT(run.most(std::string("steer.end-effector.") + axis + ".error"), 1e-3) << axis;
  EXPECT_GT(run.least(run.joints, &Sample::joints, "B1-top.eps"), 0.0095);
}

// A bound that the path cannot be followed within: the run ends, says when and what, and keeps its rows.
TEST(Steering, SaysWhichTorqueIsInTheWay) {
  Scenario scenario = strut(2e9, 1000.0, true);
  for (ControlInput& input : scenario.model.controllers[0].steer.inputs) input.bounds = {0.0, 5.0};
  const Course run(scenario);
  EXPECT_EQ(run.summary.status, RunStatus::failed);
  EXPECT_NE(run.summary.reason.find("torque of B"), std::string::npos) << run.summary.reason;
  EXPECT_NE(run.summary.reason.find("t = "), std::string::npos) << run.summary.reason;
  EXPECT_GT(run.rows.size(), 5U);
}

constexpr const char* cable_robot = R"(
[nodes]
c1 = { at = [-1, 0, 0], fixed = true }
c2 = { at = [1, 0, 0], fixed = true }
c3 = { at = [1, 0, 2], fixed = true }
c4 = { at = [-1, 0, 2], fixed = true }
hand = { at = [0, 0, 1], mass = 3.0, fixed = ["y"] }
[[cables]]
paths = [["c1", "hand"], ["c2", "hand"], ["c3", "hand"], ["c4", "hand"]]
EA = 2e4
damping = 20.0
pretension = 40.0
[[controllers]]
kind = "computed_torque"
name = "winches"
rate = 1000.0
inputs = ["c1-hand", "c2-hand", "c3-hand", "c4-hand"]
targets = ["hand.x", "hand.z"]
path = { t = [0, 1, 2], values = [[0, 1], [0.4, 1.2], [0, 1]] }
position_gain = 400.0
velocity_gain = 40.0
tension = [10.0, 150.0]
[simulation]
duration = 2.0
)";

// Over-actuated: the tensions stay within their bounds, and the hand on its path; in every method and formulation
// alike.
TEST(Steering, CableRobotKeepsItsTensions) {
  std::vector<double> first;
  for (const char* method : {"qp", "null_space", "nlp"})
    for (const char* formulation : {"nodal", "multibody"}) {
      if (std::string(method) == "nlp" && std::string(formulation) == "multibody") continue;
      Scenario scenario = read_scenario_text(cable_robot, "robot.toml");
      scenario.simulation.formulation = formulation;
      SteerSettings& steer = scenario.model.controllers[0].steer;
      steer.method = std::string(method) == "qp"           ? InverseMethod::qp
                     : std::string(method) == "null_space" ? InverseMethod::null_space
                                                           : InverseMethod::nlp;
      if (std::string(method) == "nlp") scenario.simulation.duration = 0.5;
      const Course run(scenario);
      ASSERT_EQ(run.summary.status, RunStatus::done) << run.summary.reason;
      EXPECT_LT(run.most("winches.hand.x.error"), 2e-3) << method;
      EXPECT_LT(run.most("winches.hand.z.error"), 2e-3) << method;
      // In the first period the winches go from the pretension to what is commanded.
      for (const Sample& row : run.rows)
        for (const double tension : row.tensions) {
          if (row.t == 0.0) continue;
          EXPECT_GT(tension, 9.0) << method << " at " << row.t;
          EXPECT_LT(tension, 150.0) << method << " at " << row.t;
        }
      // The same motion, whichever way the inputs were found.
      const std::vector<double>& at = run.rows[50].nodes;
      if (first.empty()) first = at;
      for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(at[i], first[i], 1e-6) << method;
    }
}

// Gains and knots that are too fast for the instants are warned of.
TEST(Steering, WarnsOfARateThatIsTooSlow) {
  Scenario scenario = read_scenario_text(cable_robot, "robot.toml");
  scenario.simulation.duration = 0.01;
  SteerSettings& steer = scenario.model.controllers[0].steer;
  EXPECT_TRUE(Course(scenario).summary.warnings.empty());
  steer.velocity_gain = {40.0, 1500.0};
  Course fast(scenario);
  ASSERT_EQ(fast.summary.warnings.size(), 1U);
  EXPECT_NE(fast.summary.warnings[0].find("velocity_gain 1500"), std::string::npos) << fast.summary.warnings[0];
  steer.velocity_gain = {40.0, 40.0};
  steer.path.times = {0.0, 0.0004, 2.0};
  Course knots(scenario);
  // What it cannot follow it does not reach either.
  ASSERT_EQ(knots.summary.warnings.size(), 2U);
  EXPECT_NE(knots.summary.warnings[0].find("missed its targets"), std::string::npos) << knots.summary.warnings[0];
  EXPECT_NE(knots.summary.warnings[1].find("0.0004"), std::string::npos) << knots.summary.warnings[1];
}

TEST(Steering, CableRobotSaysWhichCableIsInTheWay) {
  Scenario scenario = read_scenario_text(cable_robot, "robot.toml");
  scenario.model.controllers[0].steer.tension = {10.0, 20.0};  // too little for its weight
  scenario.simulation.duration = 0.1;
  const Course run(scenario);
  ASSERT_FALSE(run.summary.control_events.empty());
  const std::string& what = run.summary.control_events.front().what;
  EXPECT_NE(what.find("cannot follow its targets"), std::string::npos) << what;
  EXPECT_NE(what.find("hand"), std::string::npos) << what;
}

}  // namespace
}  // namespace taut::testing
