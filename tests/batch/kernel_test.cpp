// The kernel of batches against the ordinary engine: every robot moves as a Simulation of its own scenario does, to the
// rounding of sums in another order, for every kind of member, law and ground.
#include <gtest/gtest.h>

#include "tests/batch/random_robots.h"

namespace taut::testing {

namespace {

struct Case {
  const char* name;
  RobotTraits traits;
};

const Case cases[] = {
    {"plain", {}},
    {"laws", {.laws = true}},
    {"coupled", {.coupled = true}},
    {"coupled_laws", {.coupled = true, .laws = true, .drag = true}},
    {"signals", {.laws = true, .signals = true}},
    {"drag", {.drag = true}},
    {"guided", {.guided = true}},
    {"ground", {.ground = true}},
    {"slope", {.laws = true, .signals = true, .ground = true, .slope = true}},
    {"smooth", {.ground = true, .press = PressKind::smooth}},
    {"hunt_crossley", {.ground = true, .press = PressKind::hunt_crossley}},
    {"heights", {.coupled = true, .ground = true, .heights = true}},
    {"smooth_heights", {.ground = true, .heights = true, .press = PressKind::smooth}},
    {"all",
     {.coupled = true, .laws = true, .signals = true, .drag = true, .ground = true, .slope = true, .guided = true}},
    {"rigid", {.ground = true, .press = PressKind::rigid}},
    {"rigid_slope", {.laws = true, .signals = true, .ground = true, .slope = true, .press = PressKind::rigid}},
    {"rigid_guided", {.drag = true, .ground = true, .press = PressKind::rigid, .guided = true}},
    {"rigid_coupled", {.coupled = true, .laws = true, .ground = true, .press = PressKind::rigid}},
    {"bounce", {.ground = true, .slope = true, .press = PressKind::rigid, .restitution = 0.6}},
    {"bounce_coupled", {.coupled = true, .ground = true, .press = PressKind::rigid, .restitution = 0.4}},
};

class BatchKernel : public ::testing::TestWithParam<Case> {};

}  // namespace

TEST_P(BatchKernel, MovesEveryRobotAsTheOrdinaryEngineDoes) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Scenario scenario = random_robot(seed, GetParam().traits);
    const Comparison c = compare_with_simulation(scenario, seed, 1e-3, 4, 10, seed % 2 == 0 ? "" : "scalar");
    EXPECT_GT(c.motion, 0.01);
    // 40 steps of 1 ms: rounding of 1e-16 m, divided by the step in the rates of damped cables.
    EXPECT_LT(c.difference, 2e-13) << "seed " << seed;
    EXPECT_LT(c.tension_difference, 1e-9) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, BatchKernel, ::testing::ValuesIn(cases),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace taut::testing
