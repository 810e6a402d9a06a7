// Runs that cannot go on: they say so, with the time and the place, and keep what they have.
#include <gtest/gtest.h>

#include <atomic>

#include "taut/base/error.h"
#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

bool mentions(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

// Far above the stability limit of a fixed step (2/ω for leapfrog, 2.8/ω for rk4; here ω is 450 rad/s and the step 0.02
// s).
TEST(FailingRuns, DivergingFixedStepsEndWithTimeAndNode) {
  for (const char* method : {"euler", "rk4", "symplectic"}) {
    Scenario s = empty_scenario(50.0, 0.02);
    add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
    add_node(s.model, {1, 0, 0}, 1.0, {}, {0.1, 0, 0});
    add_node(s.model, {2, 0, 0}, 1.0, {}, {0.1, 0.1, 0});
    add_cable(s.model, {0, 1}, spring_law(1e5), 1.0);
    add_cable(s.model, {1, 2}, spring_law(1e5), 1.0);
    const Motion motion = run(s, method, 0.02);
    EXPECT_EQ(motion.summary.status, RunStatus::failed) << method;
    EXPECT_TRUE(mentions(motion.summary.reason, "diverged")) << motion.summary.reason;
    EXPECT_TRUE(mentions(motion.summary.reason, "t = ")) << motion.summary.reason;
    EXPECT_TRUE(mentions(motion.summary.reason, "\"n2\"") || mentions(motion.summary.reason, "\"n3\""))
        << motion.summary.reason;
    // The rows before are there, finite, and the summary knows how far it came.
    EXPECT_GE(motion.rows.size(), 1u);
    EXPECT_LT(motion.rows.size(), 2000u);
    EXPECT_EQ(motion.summary.simulated_s, motion.last().t);
    for (const Sample& row : motion.rows)
      for (double x : row.nodes) EXPECT_TRUE(std::isfinite(x));
  }
}

// The same with bars: the constraints cannot be met any more, or the state is no longer finite; never "done" with bars
// of the wrong length.
TEST(FailingRuns, DivergingBarsAreNotReportedAsDone) {
  for (const char* kind : {"six_bar", "class2_tower", "double_pendulum"})
    for (const char* method : {"euler", "rk4", "symplectic"})
      for (double step : {0.05, 0.5}) {
        Scenario s = generated(kind, {});
        for (Cable& cable : s.model.cables) cable.law.stiffness = 1e5;
        for (Node& node : s.model.nodes) node.velocity = Vec3(0, 0, 1).cross(node.position);
        s.simulation.duration = 20.0;
        s.simulation.output_step = step;
        const Motion motion = run(s, method, step);
        if (motion.summary.status == RunStatus::done) {
          EXPECT_LT(motion.summary.max_bar_length_error, 1e-10) << kind << " " << method << " " << step;
        } else {
          EXPECT_EQ(motion.summary.status, RunStatus::failed);
          EXPECT_FALSE(motion.summary.reason.empty());
        }
      }
}

// L0(t) = 0.5 - s(t) with the quintic s from 0 to 1 reaches zero at t = 0.5 s exactly.
TEST(FailingRuns, RestLengthDrivenBelowZeroEndsThere) {
  for (const Method& method : methods()) {
    Scenario s = oscillator(1.0, 10.0, 0.5, 0.6, 0.0);
    s.model.cables[0].law = linear_law(10.0);
    s.model.actuators.push_back({0, ramp_signal(0.5, -0.5, 0.0, 1.0)});
    s.simulation.output_step = 0.1;
    const Motion motion = run(s, method);
    EXPECT_EQ(motion.summary.status, RunStatus::failed) << method.name;
    EXPECT_TRUE(mentions(motion.summary.reason, "rest length")) << motion.summary.reason;
    EXPECT_TRUE(mentions(motion.summary.reason, "\"c1\"")) << motion.summary.reason;
    EXPECT_TRUE(mentions(motion.summary.reason, "t = 0.5")) << method.name << ": " << motion.summary.reason;
    ASSERT_EQ(motion.rows.size(), 5u) << method.name;
    EXPECT_EQ(motion.last().t, 0.4);
  }
}

TEST(FailingRuns, RestLengthBelowZeroFromTheStartHasNoRows) {
  Scenario s = oscillator(1.0, 10.0, 0.5, 0.6, 0.0);
  s.model.cables[0].law = linear_law(10.0);
  s.model.actuators.push_back({0, step_signal(-1.0, 0.5, 0.2)});
  const Motion motion = run(s, "dopri5", 1e-8);
  EXPECT_EQ(motion.summary.status, RunStatus::failed);
  EXPECT_TRUE(motion.rows.empty());
}

TEST(FailingRuns, ContradictoryConstraintsAreSeenAtTheStart) {
  Scenario s = empty_scenario();
  add_node(s.model, {0, 0, 0}, 1.0);
  s.model.constraints.push_back({"", {{0, 1.0}}, {0, 0, 0}, {true, false, false}});
  s.model.constraints.push_back({"", {{0, 1.0}}, {1, 0, 0}, {true, false, false}});
  const Motion motion = run(s, "dopri5", 1e-8);
  EXPECT_EQ(motion.summary.status, RunStatus::failed);
  EXPECT_TRUE(mentions(motion.summary.reason, "contradict")) << motion.summary.reason;
}

// Start velocities that stretch a bar are changed to the nearest that do not, and the summary says so.
TEST(FailingRuns, StartVelocitiesThatStretchBarsAreFitted) {
  Scenario s = empty_scenario();
  add_node(s.model, {0, 0, 0});
  add_node(s.model, {1, 0, 0}, 0.0, {}, {1, 1, 0});
  add_bar(s.model, 0, 1, 1.0);
  const Motion motion = run(s, "dopri5", 1e-10);
  ASSERT_EQ(motion.summary.warnings.size(), 1u);
  // Along the bar both ends share the motion; across it nothing changes.
  EXPECT_LT((velocity(motion.rows[0], 0) - Vec3(0.5, 0, 0)).norm(), 1e-14);
  EXPECT_LT((velocity(motion.rows[0], 1) - Vec3(0.5, 1, 0)).norm(), 1e-14);
}

TEST(FailingRuns, StopFlagKeepsTheRowsSoFar) {
  Scenario s = generated("six_bar", {{"spin_x", 2.0}, {"spin_y", 3.0}});
  s.simulation.duration = 100.0;
  for (const char* method : {"rk4", "dopri5", "symplectic"}) {
    s.simulation.integrator = method;
    std::atomic<bool> stop = false;
    Motion motion;
    RunHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](double t) { stop = t >= 0.5; };
    motion.summary = simulate(s, {&motion}, hooks);
    EXPECT_EQ(motion.summary.status, RunStatus::interrupted);
    // At once, or at the end of a step that holds several rows.
    EXPECT_GE(motion.rows.size(), 51u);
    EXPECT_LE(motion.last().t, 0.6);
    EXPECT_EQ(motion.summary.simulated_s, motion.last().t);
  }
}

TEST(FailingRuns, UnknownIntegratorIsRefusedBeforeAnyRow) {
  Scenario s = generated("prism");
  s.simulation.integrator = "rk5";
  Motion motion;
  EXPECT_THROW(simulate(s, {&motion}), InputError);
  EXPECT_TRUE(motion.rows.empty());
}

// Without damping no step is short enough for euler, and none is named.
TEST(FailingRuns, EulerWithoutDampingNamesNoStep) {
  for (const char* kind : {"prism", "pendulum"}) {
    Scenario s = generated(kind);
    s.simulation.integrator = "euler";
    s.simulation.step = 0.1;
    s.simulation.duration = 3.0;
    const Summary summary = simulate(s, std::vector<Recorder*>{});
    EXPECT_EQ(summary.status, RunStatus::failed);
    EXPECT_NE(summary.reason.find("euler grows at any step without damping"), std::string::npos) << summary.reason;
  }
}

}  // namespace
}  // namespace taut::testing
