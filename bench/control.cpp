// bench-control: what steering costs. One control update (equations of motion and quadratic programme) beside one
// evaluation of the same machine, and whole runs of the steered manipulator, the rolling six-bar (both policies) and a
// dropped one beside real time. Least times of many rounds, in which everything is measured in turn.
#include "taut/control/control.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/timing.h"
#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/run/simulate.h"

namespace taut::bench {
namespace {

constexpr double most_evaluations = 10.0, least_speed = 5.0, least_contact_speed = 1.0,
                 least_hard_speed = 2000.0;  // what taut asks of itself
constexpr int rounds = 40, updates = 50;

// An update costs so many evaluations.
bool update_cost(const Scenario& scenario) {
  const Dynamics dynamics(scenario.model, "multibody", ConstraintMethod::projection);
  Control control(dynamics);
  const State start = dynamics.start();
  State state = start;
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rate(dynamics.size());
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  Sight sight(dynamics);
  control.begin(sight.look(state, terms), state);
  ControlLog log = control.start_log();
  Observation now;
  now.dynamics = &dynamics;
  now.state = &state;
  now.terms = &terms;
  double update = INFINITY, evaluation = INFINITY;
  for (int round = 0; round < rounds; ++round) {
    double begin = core_seconds();
    for (int i = 0; i < updates; ++i) {
      state.t = now.t = control.next_before(INFINITY, state);
      control.update(now, state, log);
    }
    update = std::min(update, (core_seconds() - begin) / updates);
    begin = core_seconds();
    for (int i = 0; i < updates; ++i) dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
    evaluation = std::min(evaluation, (core_seconds() - begin) / updates);
  }
  const double ratio = update / evaluation;
  fmt::print("  {:<36} {:8.2f} us {:8.2f} us {:8.2f}   {}\n", scenario.model.name, 1e6 * update, 1e6 * evaluation,
             ratio, ratio <= most_evaluations ? "" : "too slow");
  return ratio <= most_evaluations;
}

bool run_speed(const Scenario& scenario, double least) {
  double best = INFINITY;
  Summary summary;
  for (int round = 0; round < 3; ++round) {
    const double begin = core_seconds();
    summary = simulate(scenario, std::vector<Recorder*>{});
    best = std::min(best, core_seconds() - begin);
  }
  const double speed = summary.simulated_s / best;
  fmt::print("  {:<36} {:8.2f} s  {:8.4f} s  {:8.1f}   {}   {} events of control\n", scenario.model.name,
             summary.simulated_s, best, speed, speed >= least && summary.status == RunStatus::done ? "" : "too slow",
             summary.control_events.size());
  return speed >= least && summary.status == RunStatus::done;
}

// The same robot, steps of 1 ms.
Scenario on_hard_ground(Scenario scenario) {
  scenario.model.name += ", hard ground";
  scenario.model.ground->law = PressKind::rigid;
  scenario.simulation.integrator = "symplectic";
  scenario.simulation.step = 1e-3;
  return scenario;
}

}  // namespace
}  // namespace taut::bench

int main(int argc, char** argv) {
  using namespace taut;
  using namespace taut::bench;
  const std::string folder = argc > 1 ? argv[1] : "models";
  try {
    bool good = true;
    const Scenario manipulator = read_scenario(folder + "/manipulator_steered.toml");
    fmt::print("one control update, one evaluation, ratio (at most {:g})\n", most_evaluations);
    good &= update_cost(manipulator);
    fmt::print("a whole run: simulated, core time, times real time (at least {:g}, with the ground {:g}, hard {:g})\n",
               least_speed, least_contact_speed, least_hard_speed);
    good &= run_speed(manipulator, least_speed);
    for (const char* file : {"six_bar_rolling", "six_bar_rolling_all", "six_bar_drop"})
      good &= run_speed(read_scenario(folder + "/" + file + ".toml"), least_contact_speed);
    good &= run_speed(on_hard_ground(read_scenario(folder + "/six_bar_rolling.toml")), least_hard_speed);
    return good ? 0 : 1;
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
