#include "taut/run/run_result.h"

#include <algorithm>

#include "taut/run/observe.h"

namespace taut {

std::vector<int> support_nodes(const Model& model) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (const Axes& fixed = model.nodes[i].fixed; fixed[0] || fixed[1] || fixed[2])
      nodes.push_back(static_cast<int>(i));
  return nodes;
}

Sample row_of(const RunResult& result, std::size_t row) {
  const auto cut = [&](const std::vector<double>& all) {
    const std::size_t width = all.size() / result.rows();
    return std::vector<double>(all.begin() + width * row, all.begin() + width * (row + 1));
  };
  Sample sample;
  sample.t = result.t[row];
  sample.nodes = cut(result.nodes);
  sample.velocities = cut(result.velocities);
  sample.tensions = cut(result.tensions);
  sample.lengths = cut(result.lengths);
  sample.rest_lengths = cut(result.rest_lengths);
  sample.bar_forces = cut(result.bar_forces);
  sample.contact_forces = cut(result.contact_forces);
  sample.support_forces = cut(result.support_forces);
  sample.frames = cut(result.frames);
  sample.joints = cut(result.joints);
  sample.controls = cut(result.controls);
  if (!result.energy.empty())
    std::copy_n(result.energy.begin() + energy_columns * row, energy_columns, sample.energy.begin());
  if (!result.constraint_error.empty()) sample.constraint_error = result.constraint_error[row];
  return sample;
}

void replay(const RunResult& result, Recorder& recorder) {
  recorder.begin(result.scenario);
  for (std::size_t row = 0; row < result.rows(); ++row) recorder.sample(row_of(result, row));
  recorder.finish(result.summary);
}

RunResult still_result(const Scenario& scenario) {
  const Dynamics dynamics(scenario.model, scenario.simulation.formulation, scenario.simulation.constraints);
  Observer observer(dynamics, scenario.simulation.duration);
  const Sample& sample = observer.observe(dynamics.start());
  RunResult result;
  result.scenario = scenario;
  result.summary.formulation = dynamics.formulation().name();
  result.t = {sample.t};
  result.nodes = sample.nodes;
  result.velocities = sample.velocities;
  result.tensions = sample.tensions;
  result.lengths = sample.lengths;
  result.rest_lengths = sample.rest_lengths;
  result.bar_forces = sample.bar_forces;
  result.energy.assign(sample.energy.begin(), sample.energy.end());
  result.constraint_error = {sample.constraint_error};
  result.contact_forces = sample.contact_forces;
  result.support_forces = sample.support_forces;
  result.frames = sample.frames;
  result.joints = sample.joints;
  return result;
}

}  // namespace taut
