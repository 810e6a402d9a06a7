// A motion that is off by more than users mean by trust says so: energy, lengths of bars, rounding, yield before the run.
// One that is right, or at rest, says nothing.
#include "taut/run/trust.h"

#include <gtest/gtest.h>

#include "taut/file/read/read_toml.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

std::string warnings_of(const Scenario& scenario) {
  const Motion motion = run(scenario);
  EXPECT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  std::string all;
  for (const std::string& warning : motion.summary.warnings) all += warning + "\n";
  return all;
}

void expect_warns(const Scenario& scenario, const std::string& text) {
  const std::string warnings = warnings_of(scenario);
  EXPECT_NE(warnings.find(text), std::string::npos) << warnings;
}

// A mass on a spring: of an amplitude rk4 loses (ωh)⁶/72 of the energy in each step.
Scenario spring(double angle_per_step) {
  Scenario s = empty_scenario(1.0, 0.1);
  const int a = add_node(s.model, {0, 0, 0}, 0.0, all_fixed), b = add_node(s.model, {1.1, 0, 0}, 1.0);
  add_cable(s.model, {a, b}, spring_law(400.0), 1.0);  // ω = 20 rad/s
  s.simulation.integrator = "rk4";
  s.simulation.step = angle_per_step / 20.0;
  return s;
}

TEST(Trust, WarnsAboveAThousandthOfTheEnergyInPlay) {
  const double bad = std::pow(0.5, 6) / 72.0 * 40.0;  // 0.9 % in 40 steps
  const Motion off = run(spring(0.5)), near = run(spring(0.25));
  EXPECT_NEAR(off.summary.energy_drift, bad, 0.2 * bad);
  EXPECT_LT(near.summary.energy_drift, 1e-3);
  expect_warns(spring(0.5), "the balance of energy is off by 0.8");
  EXPECT_EQ(warnings_of(spring(0.25)), "");
}

// Bounded accelerations at the poles are not those of the bar.
TEST(Trust, WarnsOfMinimalBounded) {
  Scenario s = empty_scenario(2.0, 0.01);
  const int a = add_node(s.model, {0, 0, 0}, 0.0, {}, {0.0, 0.02, 0.0}),
            b = add_node(s.model, {0, 0.3, 1}, 0.0, {}, {0.0, -1.5, 0.0});
  add_bar(s.model, a, b, 1.0);
  const int c = add_node(s.model, {0, 0, 2}, 0.0, all_fixed);
  add_cable(s.model, {b, c}, linear_law(20.0), 0.5);
  s.simulation.formulation = "minimal_bounded";
  const Motion motion = run(s);
  ASSERT_GT(motion.summary.energy_drift, 1e-3);
  expect_warns(s, "the balance of energy is off by");
  s.simulation.formulation = "minimal";
  EXPECT_EQ(warnings_of(s).find("energy"), std::string::npos);
}

TEST(Trust, WarnsOfABarThatIsOffItsLength) {
  // Rows are no closer than the steps, whose error it is.
  Scenario s = test_model("swing", "",
                          {"simulation.integrator=rk4", "simulation.step=0.04", "simulation.output_step=0.04",
                           "simulation.constraints=none"});
  const Motion motion = run(s);
  ASSERT_GT(motion.summary.max_bar_length_error, 1e-6);
  ASSERT_LT(motion.summary.max_bar_length_error, 1e-3);  // below what a constraint may be off by
  expect_warns(s, "bar a-b is off its length by");
  expect_warns(s, "constraints = \"projection\" keeps lengths");
  s.simulation.constraints = ConstraintMethod::projection;
  EXPECT_EQ(warnings_of(s).find("length"), std::string::npos);
}

TEST(Trust, WarnsOfMembersThatRoundingReaches) {
  const auto with = [](const std::string& at) {
    return read_scenario_text(
        "[nodes]\na = { at = [0, 0, 0], fixed = true }\nb = { at = [1, 0, 0], mass = 1 }\n"
        "c = { at = " +
            at +
            ", mass = 1 }\n"
            "[[bars]]\nnodes = [\"b\", \"c\"]\nmass = 1\n"
            "[[cables]]\nnodes = [\"a\", \"b\"]\nstiffness = 100\nrest_length = 0.9\n"
            "[environment]\ngravity = [0, 0, 0]\n[simulation]\nduration = 0.02\n",
        "rounding.toml");
  };
  EXPECT_EQ(warnings_of(with("[2, 0, 0]")), "");
  const auto warns = [](const Scenario& s) {
    const Dynamics dynamics(s.model, "nodal", ConstraintMethod::projection);
    const std::vector<std::string> list = start_warnings(dynamics, dynamics.start());
    return list.empty() ? "" : list.front();
  };
  EXPECT_EQ(warns(with("[2, 0, 0]")), "");
  EXPECT_NE(warns(with("[1.0000000000000004, 0, 0]")).find("of the length of bar b-c (4.44e-16 m)"), std::string::npos);
  // The whole at 1e12 m: lengths are right to 1e-4 m.
  Scenario far = with("[2, 0, 0]");
  for (Node& node : far.model.nodes) node.position.x() += 1e12;
  EXPECT_NE(warns(far).find("positions of up to 1e+12 m are rounded to 0.0002 m"), std::string::npos) << warns(far);
}

TEST(Trust, WarnsOfMembersThatHaveYieldedBeforeTheRun) {
  Scenario s = spring(0.05);
  s.model.cables[0].law = linear_law(400.0);  // at 40 N
  s.model.cables[0].law.yield = 1.7e-5;
  expect_warns(s, "stretched beyond its yield at the start: c1");
  s.model.cables[0].law.yield = 100.0;
  EXPECT_EQ(warnings_of(s), "");
}

// Nothing moves but the last digits, and nothing is stored: rounding over rounding is no error of 100 %.
TEST(Trust, IsSilentAtRest) {
  for (const char* formulation : {"nodal", "minimal", "quaternion"})
    for (const double gravity : {0.0, -9.81}) {
      SCOPED_TRACE(formulation);
      Scenario s = generated("six_bar");
      for (Cable& cable : s.model.cables) cable.rest_length = start_length(s.model, cable);
      if (gravity != 0.0)
        for (Node& node : s.model.nodes) node.fixed = all_fixed;
      if (gravity != 0.0 && std::string(formulation) != "nodal") continue;
      s.model.gravity = {0.0, 0.0, gravity};
      s.simulation.formulation = formulation;
      s.simulation.duration = 0.5;
      const Motion motion = run(s);
      EXPECT_LT(motion.summary.energy_drift, 1e-3);
      for (const std::string& warning : motion.summary.warnings)
        EXPECT_EQ(warning.find("energy"), std::string::npos) << warning;
    }
}

}  // namespace
}  // namespace taut::testing
