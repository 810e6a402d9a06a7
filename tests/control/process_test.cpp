// Kind process in runs: the same law in another program gives the same run as a pid and as a function, to the last bit; a
// program sees what the rows hold; snapshots and restarts repeat; what is started is gone afterwards.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "taut/file/read/read_toml.h"
#include "taut/model/joint_spec.h"
#include "taut/run/recorded_state.h"
#include "taut/run/simulation.h"
#include "tests/control/process_support.h"
#include "tests/support/columns.h"

namespace taut::testing {
namespace {

using nlohmann::json;

// Rounded here: no product goes into a sum with digits that a Python program has not.
double rounded(double x) {
  volatile double once = x;
  return once;
}

Motion run_with(const Scenario& scenario, double rate, ControlFunction function, const ControlOptions& options) {
  Motion motion;
  RunHooks hooks;
  hooks.control = std::move(function);
  hooks.rate = rate;
  hooks.control_options = options;
  motion.summary = simulate(scenario, {&motion}, hooks);
  return motion;
}

// Gains and the period are powers of two: their products are exact, in whatever order and with whatever instructions. No
// command reaches a bound, where the integral of a pid would stand still.
TEST(Process, ThePidOfAHoistToTheLastBit) {
  const Policy policy(R"(
bias = header["start_commands"][0]
for line in sys.stdin:
    now = json.loads(line)
    error, integral = 1.25 - now["nodes"][1][2], now["memory"][0]
    answer({"commands": [bias - 0.5 * error - 4.0 * integral], "memory": [integral + error / 64]})
)");
  const std::string shared = "rate = 64\ninputs = [\"rope\"]\nbounds = [0.5, 2.0]\n";
  const std::vector<std::string> set = {"simulation.duration=3", "cables.rope.damping=40"};
  const Motion pid = run(test_model("hoist",
                                    "[[controllers]]\nkind = \"pid\"\ntargets = [\"load.z\"]\nposition_gain = -0.5\n"
                                    "integral_gain = -4\npath = { t = [0], values = [1.25] }\n" +
                                        shared,
                                    set));
  const Motion program = run(policy.of("hoist", shared + "memory = 1", set));
  expect_same(pid, program);
  for (std::size_t i = 0; i < pid.rows.size(); ++i)
    EXPECT_TRUE(same_bits(pid.rows[i].memory, program.rows[i].memory)) << i;
  EXPECT_NEAR(position(program.last(), 1).z(), 1.25, 1e-3);
  policy.expect_gone(1);
}

TEST(Process, AFunctionOnAPrismToTheLastBit) {
  const Policy policy(R"(
rest = header["start_rest_lengths"]
for line in sys.stdin:
    now = json.loads(line)
    memory = [m + 0.3 * v[2] for m, v in zip(now["memory"], now["velocities"])]
    answer({"commands": {name: rest[i] - 1e-4 * now["tensions"][i] + 0.02 * now["length_rates"][i]
                               + 0.01 * memory[i % 3] + 0.1 * (now["rest_lengths"][i] - now["lengths"][i])
                         for i, name in enumerate(header["cables"])}, "memory": memory})
)");
  Scenario plain = test_model("prism");
  plain.simulation.duration = 0.6;
  plain.simulation.output_step = 0.05;
  plain.model.nodes.back().velocity = {0.3, -0.2, 0.5};
  const std::size_t cables = plain.model.cables.size();
  const auto law = [&](const Observation& now, Commands& commands) {
    for (int k = 0; k < 3; ++k) commands.memory[static_cast<std::size_t>(k)] += rounded(0.3 * now.velocity(k).z());
    for (std::size_t i = 0; i < cables; ++i) {
      double sum = plain.model.cables[i].rest_length - rounded(1e-4 * now.tension[i]);
      sum += rounded(0.02 * now.length_rate[i]);
      sum += rounded(0.01 * commands.memory[i % 3]);
      commands[i] = sum + rounded(0.1 * rounded(now.rest[i] - now.length[i]));
    }
  };
  // Absent inputs: every cable, in their order, as the function has them.
  const Scenario steered =
      read_scenario_text(model_text("prism") + policy.controller("rate = 37\nspeed = 0.7\nmemory = 3"), "prism.toml",
                         {"simulation.duration=0.6", "simulation.output_step=0.05"});
  Scenario with = plain;
  with.model.controllers = steered.model.controllers;
  const Motion function = run_with(plain, 37.0, law, {.speed = 0.7, .memory = 3}), program = run(with);
  expect_same(function, program);
  EXPECT_NE(run(plain).last().nodes, program.last().nodes);
  policy.expect_gone(1);
}

TEST(Process, TorquesOnJointsToTheLastBit) {
  const Policy policy(R"(
angle, rate = (header["joints"].index("shoulder." + key) for key in ("angle", "angle_rate"))
for line in sys.stdin:
    now = json.loads(line)
    answer([-5.0 * now["joints"][angle] - 0.7 * now["joints"][rate], None])
)");
  const std::vector<std::string> set = {"simulation.duration=1"};
  const Scenario plain = test_model("two_link_arm", "", set);
  const std::vector<std::string> columns = joint_columns(plain.model);
  const auto column = [&](const char* name) {
    return std::find(columns.begin(), columns.end(), name) - columns.begin();
  };
  const auto angle = column("shoulder.angle"), rate = column("shoulder.angle_rate");
  const auto law = [&](const Observation& now, Commands& commands) {
    commands[0] = rounded(-5.0 * now.joints[angle]) - rounded(0.7 * now.joints[rate]);
    commands[1] = 0.0;
  };
  expect_same(run_with(plain, 90.0, law, {}), run(policy.of("two_link_arm", "rate = 90", set)));
  policy.expect_gone(1);
}

// Two balls on a rope that fall on the ground.
const std::string falling_pair = R"(name = "pair"
[environment]
ground = { stiffness = 2000, damping = 5 }
[nodes]
a = { at = [0, 0, 0.3], mass = 1 }
b = { at = [0.5, 0.1, 0.1], mass = 0.5, velocity = [0, 0.2, -0.3] }
[[cables]]
nodes = ["a", "b"]
name = "rope"
stiffness = 300
pretension = 3
[simulation]
duration = 0.5
output_step = 0.1
)";

TEST(Process, SeesWhatTheRowsHold) {
  for (const bool machine : {false, true}) {
    const Policy policy(R"(
with open("seen", "w") as seen:
    for line in sys.stdin:
        seen.write(line)
        answer({"commands": [1.5 if header["units"][0] == "N m" else 0.4 + 0.1 * json.loads(line)["time"]]})
)");
    const std::string keys = "rate = 10\nname = \"hand\"\nspeed = 0.05";
    const Scenario scenario =
        machine ? policy.of("hinged_rod", keys, {"simulation.output_step=0.1", "simulation.duration=0.5"})
                : read_scenario_text(falling_pair + policy.controller(keys), "pair.toml");
    const Motion motion = run(scenario);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    std::ifstream seen(policy.folder() / "seen");
    std::size_t row = 0;
    bool touched = false;
    std::vector<double> last = machine ? std::vector<double>{0.0} : motion.rows[0].rest_lengths;
    for (std::string line; std::getline(seen, line); ++row) {
      const json now = json::parse(line);
      const Sample& sample = motion.rows.at(row);
      const auto flat = [&](const char* key) {
        std::vector<double> all;
        for (const json& point : now.at(key)) all.insert(all.end(), point.begin(), point.end());
        return all;
      };
      EXPECT_EQ(now.at("time"), sample.t);
      EXPECT_EQ(flat("nodes"), sample.nodes);
      EXPECT_EQ(flat("velocities"), sample.velocities);
      EXPECT_EQ(now.at("lengths"), sample.lengths);
      EXPECT_EQ(now.at("tensions"), sample.tensions);
      EXPECT_EQ(now.at("rest_lengths"), sample.rest_lengths);
      EXPECT_EQ(now.at("commands"), last);
      EXPECT_EQ(now.at("memory"), json::array());
      EXPECT_EQ(now.contains("contact"), !machine);
      if (machine) {
        EXPECT_EQ(now.at("joints").at(1), joint_value(scenario, sample, "hinge.angle_rate")) << now.at("joints");
      } else {
        EXPECT_EQ(flat("contact"), sample.contact_forces);
        touched = touched || sample.contact_forces[2] + sample.contact_forces[5] > 0.0;
      }
      last = {machine ? 1.5 : 0.4 + 0.1 * sample.t};
    }
    EXPECT_EQ(row, 5U);  // none at the end: it has no instant after it
    EXPECT_EQ(touched, !machine);
  }
}

TEST(Process, TheHeaderNamesWhatThereIs) {
  const Policy policy("open('header', 'w').write(json.dumps(header))\nfor line in sys.stdin: answer({})\n");
  const Scenario scenario =
      policy.of("hoist", "name = \"hand\"\nrate = 8\nstart = 0.25\nbounds = [0.5, inf]\nmemory = 2\nspeed = 0.125");
  const Motion motion = run(scenario);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_EQ(json::parse(contents(policy.folder() / "header")),
            json::parse(R"({"taut": "controller", "format": 1, "controller": "hand", "model": "hoist", "rate": 8.0,
                            "start": 0.25, "speed": 0.125, "memory": 2, "inputs": ["rope"], "units": ["m"],
                            "bounds": [[0.5, null]], "nodes": ["hook", "load"], "cables": ["rope"], "joints": [],
                            "start_nodes": [[0, 0, 2], [0, 0, 1]], "start_rest_lengths": [0.97],
                            "start_commands": [0.97]})"));
  // What it leaves alone stays.
  EXPECT_EQ(motion.last().rest_lengths, (std::vector<double>{0.97}));
}

TEST(Process, TheEnergyBalanceCloses) {
  const Policy policy("for line in sys.stdin: answer([0.97 - 0.3 * json.loads(line)['time']])\n");
  const Motion motion = run(policy.of("hoist", "rate = 20\nspeed = 0.25", {"simulation.duration=2"}));
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(motion.summary.energy_drift, 1e-9);
  // A mass of 2 kg goes up by about half a metre.
  EXPECT_NEAR(motion.last().energy[work], 2.0 * 9.81 * (position(motion.last(), 1).z() - 1.0), 0.5);
  EXPECT_GT(motion.last().energy[work], 8.0);
}

const std::string integrating = R"(
for line in sys.stdin:
    now = json.loads(line)
    sum = now["memory"][0] + 0.1 * (1.2 - now["nodes"][1][2])
    answer({"commands": {"rope": 0.97 - 0.3 * sum}, "memory": [sum, now["time"]]})
)";

TEST(Process, ARestartGoesOnToTheLastBit) {
  const Policy policy(integrating);
  Scenario s = policy.of("hoist", "rate = 30\nmemory = 2", {"simulation.output_step=0.1", "simulation.duration=1"});
  s.simulation.integrator = "rk4";
  s.simulation.step = 1e-3;
  const taut::Run whole = simulate(s);
  for (const double at : {0.3, 0.5, 0.7}) {  // at an instant and between two
    const RecordedState from = recorded_state(whole, at);
    RunHooks hooks;
    hooks.from = &from;
    const taut::Run rest = simulate(s, hooks);
    ASSERT_EQ(rest.summary.status, RunStatus::done) << rest.summary.reason;
    const std::size_t first = whole.rows() - rest.rows();
    EXPECT_NEAR(rest.t.front(), at, 1e-12);
    for (std::size_t i = 0; i < rest.rows(); ++i) {
      expect_same(row_of(whole, first + i), row_of(rest, i));
      EXPECT_TRUE(same_bits(row_of(whole, first + i).memory, row_of(rest, i).memory)) << i;
    }
  }
  policy.expect_gone(4);
}

TEST(Process, SnapshotsRepeat) {
  const Policy policy(integrating);
  {
    Simulation sim(policy.of("hoist", "rate = 30\nmemory = 2"));
    EXPECT_TRUE(policy.processes().empty());  // not before it is asked
    sim.advance(0.25);
    const Snapshot here = sim.snapshot();
    sim.advance(0.4);
    const Eigen::VectorXd once = sim.state().y;
    sim.restore(here);
    sim.advance(0.4);
    EXPECT_EQ(sim.state().y, once);
    sim.reset();
    sim.advance(0.25);
    EXPECT_EQ(sim.state().y, here.state.y);
    ASSERT_EQ(policy.processes().size(), 1U);
    EXPECT_EQ(::kill(policy.processes().front(), 0), 0);  // it lives as long as the simulation
  }
  policy.expect_gone(1);
}

TEST(Process, ManyRunsAtOnceHaveAProcessEach) {
  const Policy policy(integrating);
  const Scenario s = policy.of("hoist", "rate = 30\nmemory = 2");
  const Motion alone = run(s);
  std::vector<Motion> motions(6);
  std::vector<std::thread> threads;
  for (Motion& motion : motions) threads.emplace_back([&] { motion = run(s); });
  for (std::thread& thread : threads) thread.join();
  for (const Motion& motion : motions) expect_same(alone, motion);
  policy.expect_gone(7);
}

std::vector<std::string> open_files() { return names_in("/proc/self/fd"); }

TEST(Process, GetsThreeFilesAndLeavesNone) {
  const Policy policy("for line in sys.stdin: answer({'note': ' '.join(sorted(os.listdir('/proc/self/fd')))})\n");
  const int other = ::open("/dev/null", O_RDONLY);  // as libraries open them, to be inherited
  const std::vector<std::string> before = open_files();
  const Motion motion = run(policy.of("hoist", "rate = 1"));
  EXPECT_EQ(open_files(), before);
  ::close(other);
  ASSERT_EQ(motion.summary.control_events.size(), 1U);
  EXPECT_EQ(motion.summary.control_events[0].what, "0 1 2 3");  // the last is of the list itself
  EXPECT_EQ(motion.summary.control_events[0].time, 0.0);
}

// Programs that others start meanwhile inherit none of its pipes: they would keep it from seeing their end.
TEST(Process, ItsPipesAreForNobodyElse) {
  const Policy policy("for line in sys.stdin: answer({})\n");
  const std::vector<std::string> before = open_files();
  Simulation sim(policy.of("hoist", "rate = 8"));
  sim.advance(0.1);
  std::size_t own = 0;
  for (const std::string& name : open_files())
    if (const int flags = ::fcntl(std::stoi(name), F_GETFD);
        flags >= 0 && std::find(before.begin(), before.end(), name) == before.end()) {
      EXPECT_TRUE((flags & FD_CLOEXEC) != 0) << name;
      ++own;
    }
  EXPECT_GE(own, 3U);
}

// A request that fills the pipe many times over, for a program that first writes what fills the other two.
TEST(Process, LongLinesBothWays) {
  const Policy policy(R"(
for line in sys.stdin:
    print("x" * 300000, file=sys.stderr, flush=True)
    now = json.loads(line)
    assert len(now["nodes"]) == 5001
    answer({"commands": {name: 0.5 for name in header["inputs"]}})
)");
  std::string text = "[nodes]\na = { at = [0, 0, 0], fixed = true }\n";
  std::string cables;
  for (int i = 0; i < 5000; ++i) {
    text += fmt::format("n{} = {{ at = [{}, 0, -1], mass = 1 }}\n", i, i);
    if (i < 3) cables += fmt::format("[[cables]]\nnodes = [\"a\", \"n{}\"]\nstiffness = 10\nrest_length = 1\n", i);
  }
  const Scenario s = read_scenario_text(
      text + cables + policy.controller("rate = 100") + "[simulation]\nduration = 0.03\nformulation = \"nodal\"\n",
      "many.toml");
  const Motion motion = run(s);
  EXPECT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_NEAR(motion.last().rest_lengths[0], 0.5, 1e-12);
}

}  // namespace
}  // namespace taut::testing
