// What a robot of a batch does depends on nothing but its own numbers, start and commands: to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "taut/base/error.h"
#include "taut/batch/batch.h"
#include "taut/batch/lanes/job.h"
#include "taut/run/simulation.h"
#include "tests/batch/random_robots.h"
#include "tests/support/support.h"

namespace taut::testing {

namespace {

constexpr RobotTraits everything{.coupled = true, .laws = true, .signals = true, .drag = true, .ground = true, .slope = true};

std::vector<double> stiffness_of(long robots) {
  std::vector<double> values;
  for (long i = 0; i < robots; ++i) values.push_back(0.3 + 0.01 * static_cast<double>(i));
  return values;
}

Batch make(const Scenario& scenario, long robots, const std::vector<double>& masses, const std::string& unit = "",
           int threads = 1, Precision precision = Precision::double_precision) {
  BatchOptions options;
  options.unit = unit;
  options.threads = threads;
  options.precision = precision;
  Batch batch(scenario, robots, options);
  batch.set("bars.0.mass", masses);
  return batch;
}

std::vector<double> all_of(const Batch& batch, long robot) {
  std::vector<double> all = batch.nodes_of(robot), v = batch.velocities_of(robot);
  all.insert(all.end(), v.begin(), v.end());
  return all;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

// Hard ground, where each lane sweeps until it has converged, some bounce and some do not touch at all.
constexpr RobotTraits hard{.coupled = true, .ground = true, .slope = true, .press = PressKind::rigid, .restitution = 0.5};

class BatchIndependenceOf : public ::testing::TestWithParam<RobotTraits> {};

TEST_P(BatchIndependenceOf, PlaceNumberThreadsAndWidth) {
  const Scenario scenario = random_robot(3, GetParam());
  for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
    const long robots = 37;
    Batch many = make(scenario, robots, stiffness_of(robots), "scalar", 1, precision);
    for (int call = 0; call < 3; ++call) many.step(9);
    int units = 0;
    for (const char* unit : {"narrow", "avx2", "avx512"}) {
      if (batch::lanes(unit) == nullptr) continue;
      ++units;
      Batch wide = make(scenario, robots, stiffness_of(robots), unit, 2, precision);
      for (int call = 0; call < 3; ++call) wide.step(9);
      for (long i = 0; i < robots; ++i) EXPECT_TRUE(same_bits(all_of(many, i), all_of(wide, i))) << unit << ", robot " << i;
    }
    EXPECT_GT(units, 0);
    for (const long i : {0L, 17L, 36L}) {
      Batch one = make(scenario, 1, {stiffness_of(robots)[static_cast<std::size_t>(i)]}, "", 1, precision);
      for (int call = 0; call < 3; ++call) one.step(9);
      EXPECT_TRUE(same_bits(all_of(many, i), all_of(one, 0))) << "robot " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, BatchIndependenceOf, ::testing::Values(everything, hard));

TEST(BatchIndependence, OfWhenOthersAreReset) {
  // Signals and loads jump within these times: the lanes of one pack are at different times.
  const Scenario scenario = random_robot(5, everything);
  const long robots = 11;
  Batch all = make(scenario, robots, stiffness_of(robots));
  std::vector<unsigned char> mask(robots, 0);
  mask[2] = mask[7] = mask[10] = 1;
  for (int call = 0; call < 2; ++call) all.step(7);
  all.reset(mask);
  for (int call = 0; call < 2; ++call) all.step(7);
  Batch four = make(scenario, robots, stiffness_of(robots)), two = make(scenario, robots, stiffness_of(robots));
  for (int call = 0; call < 4; ++call) four.step(7);
  for (int call = 0; call < 2; ++call) two.step(7);
  for (long i = 0; i < robots; ++i) {
    const bool again = mask[static_cast<std::size_t>(i)] != 0;
    EXPECT_TRUE(same_bits(all_of(all, i), all_of(again ? two : four, i))) << "robot " << i;
    EXPECT_NEAR(all.time(i), again ? 0.014 : 0.028, 1e-15);
  }
}

TEST(BatchIndependence, OfRobotsThatDiverge) {
  const Scenario scenario = random_robot(2, {});
  const long robots = 9;
  std::vector<double> stiffness(robots, 100.0);
  Batch calm(scenario, robots);
  calm.set("cables.c1.stiffness", stiffness);
  stiffness[4] = 1e300;
  Batch wild(scenario, robots);
  wild.set("cables.c1.stiffness", stiffness);
  calm.step(20);
  wild.step(20);
  for (long i = 0; i < robots; ++i) {
    EXPECT_EQ(wild.done()[static_cast<std::size_t>(i)], i == 4 ? 1 : 0);
    if (i != 4) {
      EXPECT_TRUE(same_bits(all_of(calm, i), all_of(wild, i)));
    }
  }
  // It stays as it was, at its time, until it is reset.
  EXPECT_EQ(wild.time(4), 0.0);
  for (const double number : all_of(wild, 4)) EXPECT_TRUE(std::isfinite(number));
  wild.step(5);
  EXPECT_EQ(wild.done()[4], 1);
  wild.reset(wild.done());
  EXPECT_EQ(wild.done()[4], 0);
}

TEST(BatchIndependence, OfASnapshotBetween) {
  const Scenario scenario = random_robot(6, everything);
  Batch batch = make(scenario, 5, stiffness_of(5));
  batch.step(8);
  const BatchSnapshot here = batch.snapshot();
  batch.step(8);
  const std::vector<double> then = all_of(batch, 3);
  std::vector<double> commands(5 * batch.inputs().size(), 0.7);
  batch.step(commands, 4);
  batch.restore(here);
  EXPECT_NEAR(batch.time(3), 0.008, 1e-15);
  batch.step(8);
  EXPECT_TRUE(same_bits(then, all_of(batch, 3)));
  Batch other = make(scenario, 6, stiffness_of(6));
  EXPECT_THROW(other.restore(here), InputError);
}

// Commands are those of Simulation: at once, or evenly over the call.
TEST(BatchCommands, MoveRestLengthsAsASimulationDoes) {
  for (const bool evenly : {false, true}) {
    Scenario scenario = random_robot(4, {.laws = true});
    const long robots = 3;
    Batch batch(scenario, robots, {.unit = evenly ? "scalar" : ""});
    scenario.simulation.integrator = "symplectic";
    scenario.simulation.formulation = "nodal";
    scenario.simulation.step = 1e-3;
    Simulation simulation(scenario);
    ASSERT_EQ(batch.inputs(), simulation.inputs());
    const std::size_t inputs = batch.inputs().size();
    std::mt19937 bits(11);
    std::uniform_real_distribution<double> near(0.9, 1.1);
    for (int call = 0; call < 4; ++call) {
      std::vector<double> commands;
      for (long i = 0; i < robots; ++i)
        for (std::size_t k = 0; k < inputs; ++k) commands.push_back(scenario.model.cables[k].rest_length * near(bits));
      batch.step(commands, 10, evenly);
      for (std::size_t k = 0; k < inputs; ++k) simulation.command(k, commands[inputs + k], evenly ? 0.01 : 0.0);
      simulation.advance(0.01);
    }
    const std::vector<double> nodes = batch.nodes_of(1);
    for (std::size_t k = 0; k < nodes.size(); ++k) EXPECT_NEAR(nodes[k], simulation.nodes().data()[k], 2e-13);
    for (int c = 0; c < static_cast<int>(scenario.model.cables.size()); ++c) {
      const BatchArray tensions = batch.tensions();
      EXPECT_NEAR(static_cast<const double*>(tensions.data)[c * tensions.stride + 1], simulation.tensions()[c], 1e-9);
    }
  }
}

// A winch that may not be faster than 0.5 m/s: the rest length is where it can be by then, whatever is asked.
TEST(BatchCommands, KeepTheLimitOfSpeed) {
  Model m;
  m.gravity = Vec3::Zero();
  const int a = taut::add_node(m, "a", {0, 0, 0}, {.fixed = all_axes}), b = taut::add_node(m, "b", {1, 0, 0}, {.fixed = all_axes});
  taut::add_node(m, "ball", {0, 0, 1}, {.mass = 1.0});
  taut::add_cable(m, {a, b}, {.stiffness = 100.0, .rest_length = 0.9});
  Scenario scenario;
  scenario.model = m;
  for (const bool evenly : {false, true}) {
    Batch batch(scenario, 2, {.speed = 0.5});
    const auto tension = [&] { return static_cast<const double*>(batch.tensions().data)[0]; };
    batch.step(std::vector<double>{0.8, 0.8}, 100, evenly);
    EXPECT_NEAR(tension(), 100.0 * (1.0 - 0.85), 1e-10);
    batch.step(50);
    EXPECT_NEAR(tension(), 100.0 * (1.0 - 0.825), 1e-10);
    batch.step(200);
    EXPECT_NEAR(tension(), 100.0 * (1.0 - 0.8), 1e-10);
  }
}

// Robots that leave or fall are done, and stay.
TEST(BatchDone, SaysWhatHappened) {
  Model m;
  taut::add_node(m, "ball", {0, 0, 1}, {.mass = 1.0});
  Scenario scenario;
  scenario.model = m;
  Batch batch(scenario, 3, {.fallen = 0.5, .bounds = 2.0});
  batch.set("nodes.ball.velocity", std::vector<double>{0, 0, 0, 0, 0, 5, 30, 0, 0});
  batch.step(100);
  EXPECT_EQ(batch.done()[0], 0);
  EXPECT_EQ(batch.done()[2], static_cast<unsigned char>(Done::outside));
  for (int call = 0; call < 3; ++call) batch.step(100);
  EXPECT_EQ(batch.done()[0], static_cast<unsigned char>(Done::fallen));
  EXPECT_EQ(batch.done()[1], 0);
  // z = 1 - g t²/2 is below 0.5 from 0.32 s on: the call that ended at 0.4 s was the last.
  EXPECT_NEAR(batch.time(0), 0.4, 1e-12);
  EXPECT_NEAR(batch.nodes_of(0)[2], 1.0 - 0.5 * 9.81 * 0.16, 1e-12);
  batch.step(100);
  EXPECT_NEAR(batch.time(0), 0.4, 1e-12);
}

}  // namespace taut::testing
