// Simulation: what is stepped from outside is what simulate() computes, snapshots repeat to the last bit, commands are
// accounted for, and a function commands as a controller of the file does.
#include "taut/run/simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/file/read/read_toml.h"
#include "taut/run/observe.h"
#include "taut/run/snapshot_bytes.h"
#include "tests/run/falling.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

const std::string models = TAUT_SOURCE_DIR "/models/";
const std::vector<std::string> formulations = {"nodal", "minimal", "quaternion", "point_mass", "multibody"};
const std::vector<std::string> integrators = {"euler", "rk4", "dopri5", "symplectic", "cvode"};

Scenario falling(const std::string& formulation, const std::string& integrator) {
  return falling_robot(formulation, integrator, 1e-4, 1e-7);
}

// What the state is after some advances.
Eigen::VectorXd after(Simulation& sim, const std::vector<double>& steps) {
  for (const double dt : steps) sim.advance(dt);
  Eigen::VectorXd all(sim.state().y.size() + sim.tensions().size() + sim.energy().size());
  all << sim.state().y, sim.tensions(), sim.energy();
  return all;
}

// Once, again from a snapshot, again from the start, and in another simulation from the same snapshot: state, memory and
// logs, byte for byte.
void expect_repeats(const Scenario& scenario, const std::vector<double>& first, const std::vector<double>& then) {
  Simulation sim(scenario);
  const std::string start = bytes_of(sim.snapshot());
  const Eigen::VectorXd there = after(sim, first);
  const Snapshot here = sim.snapshot();
  const Eigen::VectorXd once = after(sim, then);
  const std::string end = bytes_of(sim.snapshot());
  const std::size_t events = sim.events().size();
  sim.restore(here);
  EXPECT_EQ(sim.time(), here.state.t);
  EXPECT_TRUE(after(sim, then) == once) << (after(sim, {}) - once).cwiseAbs().maxCoeff();
  EXPECT_EQ(sim.events().size(), events);
  EXPECT_EQ(bytes_of(sim.snapshot()), end);
  sim.reset();
  EXPECT_EQ(sim.time(), 0.0);
  EXPECT_EQ(bytes_of(sim.snapshot()), start);
  EXPECT_TRUE(after(sim, first) == there);
  EXPECT_EQ(bytes_of(sim.snapshot()), bytes_of(here));
  EXPECT_TRUE(after(sim, then) == once);
  EXPECT_EQ(bytes_of(sim.snapshot()), end);
  Simulation other(scenario);
  other.restore(here);
  EXPECT_TRUE(after(other, then) == once);
  EXPECT_EQ(bytes_of(other.snapshot()), end);
}

TEST(Simulation, SnapshotsRepeatToTheLastBitWithEveryIntegratorInEveryFormulation) {
  int count = 0;
  for (const std::string& formulation : formulations)
    for (const std::string& integrator : integrators) {
      SCOPED_TRACE(formulation + " " + integrator);
      const Scenario s = falling(formulation, integrator);
      try {
        Simulation{s};
      } catch (const InputError&) {
        EXPECT_EQ(integrator, "symplectic");  // which moves nodes, and these formulations cannot
        continue;
      }
      expect_repeats(s, {0.011, 0.013}, {0.01, 0.007, 0.02});
      ++count;
    }
  EXPECT_GE(count, 22);
}

TEST(Simulation, SnapshotsRepeatUnderControllersOfTheModel) {
  for (const char* file : {"six_bar_rolling.toml", "six_bar_rolling_all.toml"}) {
    SCOPED_TRACE(file);
    expect_repeats(read_scenario(models + file), {1.3}, {0.2, 0.5});
  }
  for (const char* rate : {"0", "200"}) {
    SCOPED_TRACE(rate);
    expect_repeats(read_scenario(models + "manipulator_steered.toml", {std::string("controllers.steer.rate=") + rate}),
                   {0.02}, {0.013, 0.01});
  }
}

TEST(Simulation, SnapshotsRepeatForMembersThatYield) {
  for (const std::string& integrator : integrators) {
    SCOPED_TRACE(integrator);
    Scenario s = falling("nodal", integrator);
    s.model.ground.reset();
    s.model.actuators.front().rest_length =
        ramp_signal(s.model.cables[3].rest_length, 0.7 * s.model.cables[3].rest_length, 0.0, 0.05);
    for (Cable& cable : s.model.cables) cable.law.yield = 60.0, cable.law.hardening = 0.1;
    expect_repeats(s, {0.03}, {0.02, 0.01});
    Simulation sim(s);
    sim.advance(0.06);
    EXPECT_FALSE(sim.summary().yielded.empty());
  }
}

TEST(Simulation, SnapshotsRepeatForBarsThatYield) {
  for (const std::string& integrator : integrators) {
    SCOPED_TRACE(integrator);
    Scenario s = empty_scenario();
    s.simulation.integrator = integrator;
    s.simulation.step = integrator == "euler" ? 1e-5 : 1e-4;
    const int a = add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
    const int b = add_node(s.model, {1, 0, 0}, 1.0, {}, {0.5, 0.1, 0});
    taut::add_bar(s.model, a, b, {.EA = 2e3});
    s.model.bars[0].yield = 10.0, s.model.bars[0].hardening = 0.1;
    expect_repeats(s, {0.03}, {0.02, 0.1});
    Simulation sim(s);
    sim.advance(0.15);
    EXPECT_FALSE(sim.summary().yielded.empty());
  }
}

// The hardest landing is before the snapshot: what it left in the solutions of contact belongs to what came before it.
TEST(Simulation, SnapshotsRepeatOnHardGround) {
  for (const char* formulation : {"nodal", "minimal", "quaternion", "point_mass"}) {
    SCOPED_TRACE(formulation);
    Scenario s = falling(formulation, "symplectic");
    s.model.ground->law = PressKind::rigid;
    s.model.ground->restitution = 0.5;
    s.simulation.step = 1e-3;
    expect_repeats(s, {0.011, 0.1, 0.3}, {0.01, 0.007, 0.3});
    Simulation sim(s);
    sim.advance(0.4);
    EXPECT_GT(sim.summary().contact_sweeps, 0);
    sim.reset();
    sim.advance(1e-3);
    EXPECT_EQ(sim.summary().contact_sweeps, 0);
  }
}

// Winches under way at the snapshot, for every method: commands go on, and a reset forgets them.
TEST(Simulation, SnapshotsRepeatForWinchesUnderWay) {
  for (const std::string& integrator : integrators) {
    SCOPED_TRACE(integrator);
    const Scenario s = falling("nodal", integrator);
    Simulation sim(s);
    const std::string start = bytes_of(sim.snapshot());
    sim.advance(0.01);
    sim.command(0, 0.9 * s.model.cables[3].rest_length, 0.05);
    sim.advance(0.01);
    const Snapshot here = sim.snapshot();
    sim.advance(0.06);
    const std::string end = bytes_of(sim.snapshot());
    sim.restore(here);
    sim.advance(0.06);
    EXPECT_EQ(bytes_of(sim.snapshot()), end);
    sim.reset();
    EXPECT_EQ(bytes_of(sim.snapshot()), start);
    Simulation other(s);
    other.restore(here);
    other.advance(0.06);
    EXPECT_EQ(bytes_of(other.snapshot()), end);
    EXPECT_NEAR(other.sample().rest_lengths[3], 0.9 * s.model.cables[3].rest_length, 1e-15);
  }
}

// Fixed steps that divide rows and advances are the same steps; adaptive ones agree within their tolerance.
TEST(Simulation, IsWhatSimulateComputes) {
  for (const std::string& integrator : integrators) {
    SCOPED_TRACE(integrator);
    Scenario s = falling("nodal", integrator);
    s.model.actuators.front().rest_length.at = 0.03125;
    s.simulation.step = 0x1p-15;
    s.simulation.output_step = 0x1p-6;
    s.simulation.duration = 0x1p-4;
    const taut::Run run = simulate(s);
    ASSERT_EQ(run.summary.status, RunStatus::done) << run.summary.reason;
    Simulation sim(s);
    for (std::size_t i = 1; i < run.rows(); ++i) {
      sim.advance(0x1p-6);
      ASSERT_EQ(sim.time(), run.t[i]);
      const double apart = (sim.nodes() - run.nodes(i)).cwiseAbs().maxCoeff();
      if (integrator == "rk4" || integrator == "euler")
        ASSERT_EQ(apart, 0.0) << i;
      else
        ASSERT_LT(apart, 1e-4) << i;  // contact amplifies what tolerances and restarts leave
    }
    EXPECT_EQ(sim.summary().formulation, run.summary.formulation);
  }
}

// Commands that jump or move are work: the balance of energy stays.
TEST(Simulation, CommandsAreAccountedFor) {
  Scenario s = generated("six_bar");
  s.simulation.integrator = "dopri5";
  Simulation sim(s);
  ASSERT_EQ(sim.inputs().size(), s.model.cables.size());
  const double balance0 = sim.energy()[balance], rest = sim.rest_lengths()[5], tension = sim.tensions()[5];
  sim.command(5, 0.9 * rest);
  EXPECT_EQ(sim.rest_lengths()[5], 0.9 * rest);
  EXPECT_GT(sim.tensions()[5], tension);
  EXPECT_NEAR(sim.energy()[balance], balance0, 1e-9 * sim.energy()[work]);
  const double other = sim.rest_lengths()[7];
  sim.command(s.model.cables[7].name, 1.1 * other, 0.05);
  sim.advance(0.025);
  EXPECT_NEAR(sim.rest_lengths()[7], 1.05 * other, 1e-12);
  sim.advance(0.075);
  EXPECT_NEAR(sim.rest_lengths()[7], 1.1 * other, 1e-12);
  EXPECT_NEAR(sim.energy()[balance], balance0, 1e-5 * std::abs(sim.energy()[work]));
  EXPECT_THROW(sim.command(5, -0.1), InputError);
  EXPECT_THROW(sim.command("no-such", 0.1), InputError);
  EXPECT_THROW(sim.command(99, 0.1), InputError);
  EXPECT_THROW(sim.advance(0.0), InputError);
}

// An actuated cable follows its signal until it is commanded.
// All inputs at once are the inputs one by one, and none is set where one cannot be.
TEST(Simulation, AllCommandsAtOnce) {
  const Scenario s = falling("nodal", "symplectic");
  Simulation once(s), one_by_one(s);
  std::vector<double> values(once.inputs().size());
  for (const double over : {0.0, 0.05}) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = once.rest_lengths()[static_cast<long>(i)] * (0.9 + 0.01 * static_cast<double>(i));
    once.command_all(values, over);
    for (std::size_t i = 0; i < values.size(); ++i) one_by_one.command(i, values[i], over);
    EXPECT_NEAR(once.energy()[work], one_by_one.energy()[work], 1e-12);
    once.advance(0.1);
    one_by_one.advance(0.1);
    EXPECT_TRUE(once.rest_lengths() == one_by_one.rest_lengths());
    EXPECT_TRUE(once.nodes() == one_by_one.nodes());
  }
  values.back() = -1.0;
  values.front() *= 0.5;
  const Eigen::VectorXd before = after(once, {});
  EXPECT_THROW(once.command_all(values), InputError);
  EXPECT_THROW(once.command_all({values.data(), 3}), InputError);
  EXPECT_TRUE(after(once, {}) == before);
}

// Rows that are recorded between steps are those of the run, columns of controllers included. (At a control instant itself
// a row of a run is behind it, and a simulation before it.)
TEST(Simulation, RecordsTheRowsOfARun) {
  Scenario s = read_scenario(models + "manipulator_steered.toml");
  s.simulation.duration = 0.0309;
  s.simulation.output_step = 0.0103;
  const taut::Run run = simulate(s);
  Simulation sim(s);
  RunRecorder recorder;
  recorder.begin(sim.scenario());
  sim.record(recorder);
  for (int i = 0; i < 3; ++i) {
    sim.advance(0.0103);
    sim.record(recorder);
  }
  recorder.finish(sim.summary());
  ASSERT_EQ(recorder.run.rows(), run.rows());
  ASSERT_EQ(recorder.run.columns.controls.size(), run.columns.controls.size());
  for (std::size_t i = run.columns.controls.size() / run.rows(); i < run.columns.controls.size(); ++i)
    EXPECT_NEAR(recorder.run.columns.controls[i], run.columns.controls[i],
                1e-6 * (1.0 + std::abs(run.columns.controls[i])));
  EXPECT_LT((recorder.run.nodes(3) - run.nodes(3)).cwiseAbs().maxCoeff(), 1e-8);
  // Taken back in time, the later rows go.
  recorder.rewind(0.015);
  EXPECT_EQ(recorder.run.rows(), 2u);
  EXPECT_EQ(recorder.run.columns.nodes.size() * 2, run.columns.nodes.size());
  recorder.rewind(0.0);
  EXPECT_EQ(recorder.run.rows(), 0u);
}

TEST(Simulation, ACommandTakesTheCableFromItsSignal) {
  Scenario s = generated("six_bar");
  const double rest = s.model.cables[2].rest_length;
  add_actuator(s.model, 2, ramp_signal(rest, 0.9 * rest, 0.0, 0.1));
  Simulation sim(s);
  ASSERT_EQ(sim.inputs(), std::vector<std::string>{s.model.cables[2].name});
  sim.advance(0.05);
  EXPECT_NEAR(sim.rest_lengths()[2], 0.95 * rest, 1e-12);
  const double before = sim.energy()[balance];
  const Snapshot here = sim.snapshot();
  sim.command(0, rest);
  sim.advance(0.05);
  EXPECT_EQ(sim.rest_lengths()[2], rest);
  EXPECT_NEAR(sim.energy()[balance], before, 1e-6);
  sim.restore(here);
  sim.advance(0.05);
  EXPECT_NEAR(sim.rest_lengths()[2], 0.9 * rest, 1e-12);
}

// The law of a pid controller, written as a function, is that controller.
TEST(Simulation, AFunctionIsTheControllerOfTheFile) {
  const std::string pid = R"([[controllers]]
kind = "pid"
inputs = ["rope"]
targets = ["load.z"]
path = { t = [0], values = [1.2] }
rate = 50
speed = 0.5
position_gain = -0.3
velocity_gain = -0.05
integral_gain = -0.4
)";
  const std::vector<std::string> tolerance = {"simulation.tolerance=1e-9"};
  for (const char* integrator : {"rk4", "dopri5", "cvode"}) {
    SCOPED_TRACE(integrator);
    Scenario with = test_model("hoist", pid, tolerance), without = test_model("hoist", "", tolerance);
    with.simulation.integrator = without.simulation.integrator = integrator;
    Simulation file(with), function(without);
    EXPECT_TRUE(file.inputs().empty());
    const auto law = [](const Observation& now, Commands& commands) {
      const double error = 1.2 - now.position(1).z(), period = 1.0 / 50.0;
      commands[0] = 0.97 + -0.3 * error + -0.4 * commands.memory[0] + -0.05 * (0.0 - now.velocity(1).z());
      const double least = now.rest[0] - 0.5 * period, most = now.rest[0] + 0.5 * period, push = -0.4 * error;
      if (!((commands[0] > most && push > 0.0) || (commands[0] < least && push < 0.0)))
        commands.memory[0] += period * error;
    };
    function.control(50.0, law, {.speed = 0.5, .memory = 1});
    for (int i = 0; i < 8; ++i) {
      file.advance(0.1);
      function.advance(0.1);
      // One law in two places: what the compilers' fused operations round differently.
      EXPECT_NEAR(file.nodes()(2, 1), function.nodes()(2, 1), 1e-9) << i;
      EXPECT_NEAR(file.rest_lengths()[0], function.rest_lengths()[0], 1e-9) << i;
    }
    EXPECT_GT(file.nodes()(2, 1), 1.05);
    const Snapshot here = function.snapshot();
    function.advance(0.3);
    const Eigen::VectorXd once = function.state().y;
    function.restore(here);
    function.advance(0.3);
    EXPECT_TRUE(function.state().y == once);
  }
}

TEST(Simulation, TorquesOfJointsAreInputs) {
  Simulation sim(test_model("hinged_rod", "", {"nodes.tip=[0, 0, -1]"}));
  ASSERT_EQ(sim.inputs(), std::vector<std::string>{"hinge"});
  const double balance0 = sim.energy()[balance];
  sim.command("hinge", 2.0);
  sim.advance(0.2);
  EXPECT_GT(sim.energy()[work], 0.1);
  EXPECT_NEAR(sim.energy()[balance], balance0, 1e-7);
  sim.reset();
  sim.advance(0.2);
  EXPECT_EQ(sim.energy()[work], 0.0);
}

// A motion that ends in the middle leaves the simulation as it was, and it can go on from there.
TEST(Simulation, AFailureLeavesTheStateBeforeIt) {
  Scenario s = generated("six_bar");
  const double rest = s.model.cables[0].rest_length;
  Signal down;
  down.kind = SignalKind::table;
  down.times = {0.0, 0.1};
  down.values = {rest, -0.1 * rest};
  add_actuator(s.model, 0, down);
  Simulation sim(s);
  sim.advance(0.05);
  const Eigen::VectorXd y = sim.state().y;
  EXPECT_THROW(sim.advance(0.1), RunError);
  EXPECT_EQ(sim.time(), 0.05);
  EXPECT_TRUE(sim.state().y == y);
  sim.command(0, 0.5 * rest);
  sim.advance(0.1);
  EXPECT_NEAR(sim.time(), 0.15, 1e-15);
}

// An observer of one episode sees the next one as a new observer does.
TEST(Simulation, SomeCommandsAtOnceAreOneCommand) {
  Scenario robot = generated("six_bar");
  robot.simulation.integrator = "rk4";
  Simulation some(robot), one_by_one(robot);
  const std::vector<std::size_t> inputs{3, 0, 7};
  const std::vector<double> values{0.4, 0.45, 0.5};
  for (const double over : {0.0, 0.01}) {
    some.command_some(inputs, values, over);
    for (std::size_t i = 0; i < inputs.size(); ++i) one_by_one.command(inputs[i], values[i], over);
    EXPECT_EQ(after(some, {0.02}).head(some.state().nq), after(one_by_one, {0.02}).head(some.state().nq));
  }
  const Eigen::VectorXd rest = some.rest_lengths();
  EXPECT_THROW(some.command_some(inputs, std::vector<double>{0.3, 0.3, -1.0}), InputError);
  EXPECT_THROW(some.command_some(inputs, std::vector<double>{0.3, 0.3}), InputError);
  EXPECT_THROW(some.command_some(std::vector<std::size_t>{0, 99}, std::vector<double>{0.3, 0.3}), InputError);
  EXPECT_EQ(some.rest_lengths(), rest);
}

// A function may end an advance where it is, and is asked again there: what it had set by then does not count.
TEST(Simulation, AFunctionThatStopsIsAskedAgain) {
  for (const std::string integrator : {"rk4", "symplectic", "dopri5"}) {
    double stop_at = INFINITY;
    const auto law = [&](const Observation& now, Commands& commands) {
      commands.memory[0] += 1.0;
      commands[0] = 0.5 - 0.001 * commands.memory[0];
      if (now.t > stop_at) throw Stopped();
    };
    Scenario scenario = falling("nodal", integrator);
    scenario.simulation.step = std::ldexp(1.0, -12);
    Simulation whole(scenario), stopped(scenario);
    whole.control(64.0, law, {.memory = 1});
    stopped.control(64.0, law, {.memory = 1});
    const double dt = 0.25, instant = 9.0 / 64.0;
    whole.advance(instant);
    whole.advance(dt - instant);
    stop_at = 8.5 / 64.0;
    EXPECT_THROW(stopped.advance(dt), Stopped) << integrator;
    EXPECT_EQ(stopped.time(), instant) << integrator;
    stop_at = INFINITY;
    stopped.advance(dt - instant);
    EXPECT_EQ(stopped.state().y, whole.state().y) << integrator;
    EXPECT_EQ(stopped.state().memory.control, whole.state().memory.control) << integrator;
  }
}

TEST(Observer, KeepsNothingOfTheLastEpisode) {
  const Scenario s = read_scenario(models + "six_bar_rolling.toml");
  Simulation sim(s);
  const Dynamics dynamics(s.model, s.simulation.formulation, s.simulation.constraints);
  Observer reused(dynamics, INFINITY);
  const double first = reused.observe(sim.state()).energy[balance];
  const std::vector<double> rest = reused.observe(sim.state()).rest_lengths;
  sim.advance(1.4);  // two winches are under way
  EXPECT_NE(reused.observe(sim.state()).rest_lengths, rest);
  sim.reset();
  EXPECT_EQ(reused.observe(sim.state()).energy[balance], first);
  Observer fresh(dynamics, INFINITY);
  EXPECT_EQ(reused.observe(sim.state()).tensions, fresh.observe(sim.state()).tensions);
}

}  // namespace
}  // namespace taut::testing
