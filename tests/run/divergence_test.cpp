// A motion that is no longer the structure's is noticed by its energy, long before its numbers end, and the message
// gives a step that works.
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

double advised_step(const std::string& reason) {
  std::smatch found;
  if (!std::regex_search(reason, found, std::regex("a step of ([0-9.e+-]+) s"))) return NAN;
  return std::stod(found[1]);
}

// k = 1e6 N/m, c = 1e4 N s/m, 1 kg: rates of 101 and 9899 1/s. With a step of 1e-3 s every method with a fixed step
// grows by orders of magnitude each step; with the advised one the mass comes to rest at the rest length.
TEST(Divergence, AStiffDamperFailsAndTheAdvisedStepHolds) {
  for (const char* method : {"euler", "rk4", "symplectic"}) {
    Scenario s = oscillator(1.0, 1e6, 1.0, 1.1, 0.0, 1e4);
    s.simulation.duration = 0.5;
    s.simulation.output_step = 0.01;
    const Motion motion = run(s, method, 1e-3);
    ASSERT_EQ(motion.summary.status, RunStatus::failed) << method;
    const std::string& reason = motion.summary.reason;
    for (const char* word : {"diverged", "t = ", "\"n2\"", "balance of energy"})
      EXPECT_NE(reason.find(word), std::string::npos) << method << ": " << reason;
    const double step = advised_step(reason);
    EXPECT_GT(step, 5e-5) << reason;  // of use: not far below 2 over 9899 1/s
    EXPECT_LT(step, 3e-4) << reason;  // 2.8 over 9899 1/s is the most that rk4 can
    const Motion good = run(s, method, step);
    EXPECT_EQ(good.summary.status, RunStatus::done) << method << ": " << good.summary.reason;
    // e^(-101 · 0.5) of 0.1 m is left.
    EXPECT_NEAR(good.last().nodes[3], 1.0, 1e-12) << method;
  }
}

// ωh = 3, a little over the limit of 2.83 of rk4: what is written is within ten times the energy of the start, an
// amplitude of √11 times 0.1 m, and no row says otherwise.
TEST(Divergence, NoRowIsWrittenAfterwards) {
  Scenario s = oscillator(1.0, 1e4, 1.0, 1.1, 0.0);
  s.simulation.duration = 100.0;
  s.simulation.output_step = 0.03;
  const Motion motion = run(s, "rk4", 0.03);
  EXPECT_EQ(motion.summary.status, RunStatus::failed);
  ASSERT_GT(motion.rows.size(), 2u);
  for (const Sample& row : motion.rows) EXPECT_LT(std::abs(row.nodes[3] - 1.0), 0.1 * std::sqrt(11.0) * 1.0001);
}

// Bars that share nodes and are thrown apart by a step that is too long are lost before any row can show it; the message
// gives the step that holds here, too.
TEST(Divergence, LostBarsNameTheStableStep) {
  Scenario s = generated("class2_tower", {{"stiffness", 1e9}});
  s.simulation.duration = 0.01;
  const Motion motion = run(s, "rk4", 1e-3);
  ASSERT_EQ(motion.summary.status, RunStatus::failed);
  EXPECT_NE(motion.summary.reason.find("cannot be put back"), std::string::npos) << motion.summary.reason;
  const double step = advised_step(motion.summary.reason);
  ASSERT_GT(step, 1e-6) << motion.summary.reason;
  EXPECT_EQ(run(s, "rk4", step).summary.status, RunStatus::done);
}

// Between two rows far apart the numbers end: no event has a time that is none, and the advice is the same.
TEST(Divergence, EventsHaveTimes) {
  Scenario s = oscillator(1.0, 1e6, 1.0, 1.1, 0.0, 1e4);
  s.model.cables[0].law = linear_law(1e6, 1e4);
  add_node(s.model, {2.3, 0, 0}, 0.0, all_fixed);
  add_cable(s.model, {1, 2}, linear_law(1e6, 1e4), 1.0);
  s.simulation.duration = 10.0;
  s.simulation.output_step = 5.0;
  for (const char* method : {"euler", "rk4", "symplectic"}) {
    const Motion motion = run(s, method, 1e-3);
    EXPECT_EQ(motion.summary.status, RunStatus::failed) << method;
    EXPECT_TRUE(std::isfinite(advised_step(motion.summary.reason))) << motion.summary.reason;
    for (const SlackEvent& event : motion.summary.slack_events) EXPECT_TRUE(std::isfinite(event.time)) << method;
    for (const Sample& row : motion.rows) EXPECT_TRUE(std::isfinite(row.nodes[3])) << method;
  }
}

// At rest, in free fall, far from the origin: nothing diverges there, whatever the method.
TEST(Divergence, RestAndFreeFallAreNone) {
  for (const Method& method : methods()) {
    const bool euler = method.name == "euler";
    Scenario rest = oscillator(1.0, 10.0, 1.0, 1.0, 0.0);
    rest.simulation.duration = 1.0;
    EXPECT_EQ(run(rest, method.name, euler ? 1e-3 : method.accuracy).summary.status, RunStatus::done) << method.name;
    Scenario fall = empty_scenario();
    fall.model.gravity = Vec3(0, 0, -9.81);
    add_node(fall.model, {1e6, 0, 1e6}, 1.0);
    add_node(fall.model, {1e6 + 1.0, 0, 1e6}, 1.0);
    add_cable(fall.model, {0, 1}, linear_law(10.0), 1.0);
    fall.simulation.duration = 1.0;
    EXPECT_EQ(run(fall, method.name, euler ? 1e-3 : method.accuracy).summary.status, RunStatus::done) << method.name;
  }
}

}  // namespace
}  // namespace taut::testing
