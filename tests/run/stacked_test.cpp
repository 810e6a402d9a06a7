// Nine seconds of the stacked manipulator of Fadeyev et al. (2019), by what `auto` picks: accuracy, bars, coincidences,
// energy.
#include <gtest/gtest.h>

#include "taut/file/read/read_toml.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using namespace testing;

Scenario stacked(double damping, double tolerance) {
  return read_scenario(std::string(TAUT_SOURCE_DIR) + "/models/stacked.toml",
                       {"cables.*.damping=" + std::to_string(damping), "simulation.output_step=0.1",
                        "simulation.tolerance=" + std::to_string(tolerance * 1e12) + "e-12"});
}

double largest_difference(const Motion& a, const Motion& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.rows.size(); ++k) largest = std::max(largest, distance(a.rows[k], b.rows[k]));
  return largest;
}

void check_constraints(const Model& model, const Motion& run) {
  EXPECT_EQ(run.summary.status, RunStatus::done) << run.summary.reason;
  EXPECT_LT(run.summary.max_bar_length_error, 1e-12);
  for (const Sample& row : run.rows) {
    EXPECT_LT(row.constraint_error, 1e-12);
    // n13 to n15 in the middle of the plate's edges.
    for (const Constraint& constraint : model.constraints) {
      Vec3 sum = Vec3::Zero();
      for (const auto& [node, coefficient] : constraint.terms)
        sum += coefficient * Vec3(&row.nodes[3 * static_cast<std::size_t>(node)]);
      EXPECT_LT(sum.norm(), 1e-12);
    }
  }
}

TEST(StackedRun, StronglyDampedGoesImplicitAndIsAccurateToAMicrometre) {
  const Motion usual = run(stacked(20e3, 1e-9)), fine = run(stacked(20e3, 1e-11));
  EXPECT_EQ(usual.summary.integrator, "cvode");
  check_constraints(stacked(20e3, 1e-9).model, usual);
  EXPECT_LT(largest_difference(usual, fine), 1e-6);
  // An explicit method would need steps of 2 µs: four million of them.
  EXPECT_LT(usual.summary.steps, 30'000);
  EXPECT_LT(usual.summary.energy_drift, 1e-6);
}

TEST(StackedRun, WeaklyDampedAndUndampedAreAccurateToTenNanometres) {
  for (double damping : {20.0, 0.0}) {
    const Motion usual = run(stacked(damping, 1e-9)), fine = run(stacked(damping, 1e-11));
    check_constraints(stacked(damping, 1e-9).model, usual);
    EXPECT_LT(largest_difference(usual, fine), 1e-8) << damping;
    EXPECT_LT(usual.summary.energy_drift, 1e-9);
  }
}

// Released strings of one stage all at once: nothing is lost, and the run says that everything went slack.
TEST(StackedRun, ActuationThatSlackensEverythingIsTold) {
  Scenario scenario = stacked(20.0, 1e-6);
  scenario.simulation.duration = 1.0;
  scenario.model.actuators.clear();
  for (int cable = 0; cable < 14; ++cable) {
    Signal longer;
    longer.kind = SignalKind::ramp;
    longer.from = scenario.model.cables[cable].rest_length;
    longer.to = longer.from + 3.0;
    longer.end = 0.05;
    scenario.model.actuators.push_back({cable, longer});
  }
  const Motion slack = run(scenario);
  EXPECT_EQ(slack.rows.size(), 11u);
  EXPECT_GE(slack.summary.slack_events.size(), 14u);
  bool told = false;
  for (const std::string& warning : slack.summary.warnings)
    told |= warning.find("every cable is slack") != std::string::npos;
  EXPECT_TRUE(told);
}

// Strings that begin far too long: slack from the first moment, and the run says so.
TEST(StackedRun, ActuationThatBeginsSlackIsTold) {
  Scenario scenario = stacked(20.0, 1e-6);
  scenario.simulation.duration = 0.2;
  scenario.model.actuators.clear();
  for (int cable = 0; cable < 14; ++cable) {
    Signal longer;
    longer.value = scenario.model.cables[cable].rest_length + 3.0;
    scenario.model.actuators.push_back({cable, longer});
  }
  const Motion slack = run(scenario);
  EXPECT_EQ(slack.summary.status, RunStatus::done) << slack.summary.reason;
  ASSERT_EQ(slack.summary.warnings.size(), 1u);
  EXPECT_NE(slack.summary.warnings[0].find("every cable is slack at t = 0 s"), std::string::npos);
}

// One string let out by metres at 20 kN s/m: a string of the other stage then pulls two of its nodes into one point.
// The run says which and keeps what it has; with bars that meet as solid rods it goes on.
TEST(StackedRun, NodesPulledTogetherEndTheRunUnlessBarsAreSolid) {
  Scenario scenario = stacked(20000.0, 1e-9);
  scenario.simulation.duration = 1.0;
  Signal& first = scenario.model.actuators[0].rest_length;
  first = {};
  first.value = 5.0;
  const Motion stuck = run(scenario);
  EXPECT_EQ(stuck.summary.status, RunStatus::failed);
  EXPECT_GT(stuck.rows.size(), 5u);
  for (const char* word : {"\"c7\"", "\"n5\"", "\"n7\"", "t = 0.612"})
    EXPECT_NE(stuck.summary.reason.find(word), std::string::npos) << stuck.summary.reason;

  scenario.model.collision.emplace();
  scenario.model.collision->stiffness = 1e5;
  scenario.model.collision->damping = 100.0;
  for (Bar& bar : scenario.model.bars) bar.radius = 0.01;
  scenario.simulation.tolerance = 1e-6;
  const Motion solid = run(scenario);
  EXPECT_EQ(solid.summary.status, RunStatus::done) << solid.summary.reason;
}

}  // namespace
}  // namespace taut
