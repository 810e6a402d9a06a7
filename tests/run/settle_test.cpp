// [simulation] settle = true: reading, writing and what the run does with it.
#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// settle = true: the run begins at rest in equilibrium; start velocities come on top; no equilibrium, no run.
TEST(Settle, RunsStartFromEquilibrium) {
  Scenario scenario = generated("prism", {{"fixed", 1}, {"pretension", 200}});
  scenario.model.gravity = {0, 0, -9.81};
  scenario.simulation.duration = 1.0;
  scenario.simulation.tolerance = 1e-12;  // near its limit of stability a step amplifies rounding up to the tolerance
  scenario.simulation.output_step = 0.1;
  EXPECT_GT(distance(run(scenario).rows.front(), run(scenario).last()), 1e-4);
  scenario.simulation.settle = true;
  const Motion motion = run(scenario);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(distance(motion.rows.front(), motion.last()), 1e-10);
  ASSERT_FALSE(motion.summary.warnings.empty());
  EXPECT_EQ(motion.summary.warnings.front().rfind("settled: started from equilibrium, largest net force ", 0), 0u);

  scenario.model.nodes[4].velocity = {0.1, 0, 0};
  const Motion kicked = run(scenario);
  EXPECT_EQ(position(kicked.rows.front(), 4), position(motion.rows.front(), 4));
  EXPECT_GT(velocity(kicked.rows.front(), 4)[0], 0.01);

  scenario.model = generated("prism").model;
  scenario.model.gravity = {0, 0, -9.81};
  const Motion falling = run(scenario);
  EXPECT_EQ(falling.summary.status, RunStatus::failed);
  EXPECT_NE(falling.summary.reason.find("settling: nothing holds the structure against gravity"), std::string::npos);
  EXPECT_TRUE(falling.rows.empty());
}

TEST(Settle, KeyIsReadAndWritten) {
  Scenario scenario = generated("prism");
  EXPECT_EQ(to_toml(scenario).find("settle"), std::string::npos);
  scenario.simulation.settle = true;
  const std::string text = to_toml(scenario);
  EXPECT_EQ(read_scenario_text(text, "m.toml"), scenario);
  EXPECT_FALSE(read_scenario_text(text, "m.toml", {"simulation.settle=false"}).simulation.settle);
  EXPECT_THROW(read_scenario_text(text, "m.toml", {"simulation.settle=3"}), InputError);
}

}  // namespace
}  // namespace taut::testing
