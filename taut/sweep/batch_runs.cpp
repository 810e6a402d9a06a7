#include "taut/sweep/batch_runs.h"

#include <cmath>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/batch/batch.h"
#include "taut/integrate/choose.h"
#include "taut/run/divergence.h"
#include "taut/run/settle.h"
#include "taut/run/trust.h"

namespace taut {

namespace {

// Of the energy in play. A run fails where the balance is off by 10 of it. Powers at rows miss what an impact dissipates in
// between; energy that seems to come from nowhere is the sign of steps that are too long.
constexpr double most_lost = 3.0, most_gained = 0.1;
constexpr double doubtful_length = 1e-9;  // of a rigid bar, relative: the leapfrog keeps it to rounding

// What is dissipated and the work, by the powers at rows.
class RowEnergies {
 public:
  void look(const Terms& terms, Sample& sample) {
    const double dissipated_power = terms.dissipated_power, work_power = terms.work_power;
    if (began_) {
      const double half = 0.5 * (sample.t - time_);
      lost_ += half * (dissipated_power + last_dissipated_);
      done_ += half * (work_power + last_work_);
    }
    auto& energy = sample.energy;
    energy[dissipated] = lost_, energy[work] = done_;
    energy[balance] = energy[kinetic] + energy[elastic] + energy[gravity] + energy[contact] + lost_ - done_;
    if (!began_) first_ = energy;
    began_ = true, time_ = sample.t, last_dissipated_ = dissipated_power, last_work_ = work_power;
  }
  bool doubtful(const Sample& sample) const {
    const double in_play = energy_off(first_, sample.energy).in_play;
    const double gained = sample.energy[balance] - first_[balance];
    return !(gained <= most_gained * in_play && gained >= -most_lost * in_play);
  }

 private:
  bool began_ = false;
  double time_ = 0.0, last_dissipated_ = 0.0, last_work_ = 0.0, lost_ = 0.0, done_ = 0.0;
  std::array<double, energy_columns> first_{};
};

// As it lies in the batch; from a card robot after robot.
std::vector<double> all_of(const Batch& batch, const BatchArray& array) {
  if (array.on_card) return batch.copy(array);
  const auto* const from = static_cast<const double*>(array.data);
  return {from, from + static_cast<long>(array.numbers) * array.stride};
}

}  // namespace

std::vector<long> BatchRuns::make(const std::vector<long>& runs, const std::atomic<bool>* stop,
                                  const std::function<void(long, const SweepRow&)>& put) {
  const StopScope scope(stop);
  std::vector<long> left;
  const std::vector<Robot> robots = prepare(runs, stop, left);
  if (robots.empty()) return left;
  const auto leave_all = [&] {
    for (const Robot& robot : robots) left.push_back(robot.run);
    return left;
  };
  Motion motion;
  try {
    motion = move(robots);
  } catch (const InputError&) {
    return leave_all();
  } catch (const RunError&) {
    return leave_all();
  }
  for (std::size_t i = 0; i < robots.size(); ++i) {
    stop_if_asked();
    std::optional<SweepRow> row;
    if (motion.good[i]) row = measure(robots[i], motion, static_cast<long>(i));
    if (row)
      put(robots[i].run, *row);
    else
      left.push_back(robots[i].run);
  }
  return left;
}

std::vector<BatchRuns::Robot> BatchRuns::prepare(const std::vector<long>& runs, const std::atomic<bool>* stop,
                                                 std::vector<long>& left) {
  std::vector<Robot> robots;
  for (const long run : runs) {
    stop_if_asked();
    Robot robot{run, {}, {}};
    job_.plan().at(run, robot.values);
    bool good = false;
    try {
      const Scenario& scenario = variation_.at(robot.values, run);
      good = scenario.simulation == fit_.base.simulation;
      if (good && scenario.simulation.settle) {
        Settled settled = settle(scenario, stop);
        stop_if_asked();
        good = settled.failure.empty();
        robot.scenario = std::move(settled.scenario);
      } else if (good) {
        robot.scenario = scenario;
      }
    } catch (const InputError&) {
      good = false;
    }
    if (good)
      robots.push_back(std::move(robot));
    else
      left.push_back(run);
  }
  return robots;
}

BatchRuns::Motion BatchRuns::move(const std::vector<Robot>& robots) const {
  BatchOptions options;
  options.step = fit_.grid.step;
  options.threads = 1;  // every worker has a batch of its own
  options.device = fit_.on_card ? BatchDevice::cuda : BatchDevice::cpu;
  options.card = fit_.card;
  Scenario base = fit_.base;
  base.simulation.settle = false;  // robots stand where they have settled
  Batch batch(base, static_cast<long>(robots.size()), options);
  std::vector<const Model*> models;
  for (const Robot& robot : robots) models.push_back(&robot.scenario.model);
  const std::vector<std::string> reasons = batch.take(models);

  Motion motion;
  const BatchArray nodes = batch.nodes();
  motion.number_apart = nodes.on_card ? 1 : nodes.stride;
  motion.robot_apart = nodes.on_card ? nodes.numbers : 1;
  const auto keep = [&] {
    if (!fit_.rows) return;
    motion.nodes.push_back(all_of(batch, batch.nodes()));
    motion.velocities.push_back(all_of(batch, batch.velocities()));
  };
  keep();
  for (const int steps : fit_.grid.steps) {
    stop_if_asked();
    batch.step(steps);
    keep();
  }
  for (std::size_t i = 0; i < robots.size(); ++i) motion.good.push_back(reasons[i].empty() && batch.done()[i] == 0);
  return motion;
}

std::optional<SweepRow> BatchRuns::measure(const Robot& robot, const Motion& motion, long index) {
  const SweepFile& sweep = job_.sweep();
  try {
    if (!measure_ || !measure_->fits(robot.scenario.model)) measure_.emplace(sweep, robot.scenario);
    measure_->prepare(robot.values, nullptr);
    measure_->begin(robot.scenario);
    Summary summary;
    summary.simulated_s = fit_.grid.times.back();
    for (const int steps : fit_.grid.steps) summary.steps += steps;
    if (fit_.rows && !look_at_rows(motion, index, robot.scenario, summary)) return std::nullopt;
    measure_->finish(summary);
    bool interrupted = false;
    return row_of(sweep, *measure_, summary, interrupted);
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const RunError&) {
    return std::nullopt;
  }
}

bool BatchRuns::look_at_rows(const Motion& motion, long index, const Scenario& scenario, Summary& summary) {
  const Dynamics dynamics(scenario.model, "nodal", scenario.simulation.constraints);
  if (fit_.grid.step > stable_step(estimate_stiffness(dynamics), "symplectic")) return false;
  Observer observer(dynamics, scenario.simulation.duration);
  RowChecks checks(dynamics);
  RowEnergies energies;
  State state = dynamics.start();
  const std::vector<double>& times = fit_.grid.times;
  summary.steps = 0;
  for (std::size_t row = 0; row < times.size(); ++row) {
    state.t = times[row];
    if (row > 0) summary.steps += fit_.grid.steps[row - 1];
    for (int k = 0; k < state.nq; ++k) {
      const auto at = static_cast<std::size_t>(k * motion.number_apart + index * motion.robot_apart);
      state.q()[k] = motion.nodes[row][at];
      state.v()[k] = motion.velocities[row][at];
    }
    Sample& sample = observer.observe(state);
    energies.look(observer.terms(), sample);
    if (energies.doubtful(sample) || observer.bar_length_error() > doubtful_length) return false;
    measure_->sample(sample);
    checks.look(sample, observer.bar_length_error());
    summary.simulated_s = state.t;
    if (!measure_->condition_met()) continue;
    summary.status = RunStatus::interrupted;
    break;
  }
  checks.report(summary);
  return true;
}

}  // namespace taut
