#include "taut/results/run.h"

#include <algorithm>

namespace taut {

namespace {

// A list of a row and the same of the run.
struct RowList {
  std::vector<double> Sample::*row;
  std::vector<double> RunColumns::*run;
};
constexpr RowList row_lists[] = {
    {&Sample::nodes, &RunColumns::nodes},
    {&Sample::velocities, &RunColumns::velocities},
    {&Sample::tensions, &RunColumns::tensions},
    {&Sample::lengths, &RunColumns::lengths},
    {&Sample::rest_lengths, &RunColumns::rest_lengths},
    {&Sample::bar_forces, &RunColumns::bar_forces},
    {&Sample::bar_lengths, &RunColumns::bar_lengths},
    {&Sample::bar_rest_lengths, &RunColumns::bar_rest_lengths},
    {&Sample::contact_forces, &RunColumns::contact_forces},
    {&Sample::support_forces, &RunColumns::support_forces},
    {&Sample::joints, &RunColumns::joints},
    {&Sample::controls, &RunColumns::controls},
    {&Sample::frames, &RunColumns::frames},
    {&Sample::bodies, &RunColumns::bodies},
    {&Sample::coordinates, &RunColumns::coordinates},
    {&Sample::memory, &RunColumns::memory},
};

}  // namespace

RunRow Run::operator[](std::size_t row) const {
  const RunColumns& c = columns;
  return {t[row],
          points(c.nodes, row),
          points(c.velocities, row),
          points(c.contact_forces, row),
          points(c.support_forces, row),
          values(c.tensions, row),
          values(c.lengths, row),
          values(c.rest_lengths, row),
          values(c.bar_forces, row),
          values(c.energy, row),
          values(c.joints, row),
          values(c.controls, row),
          values(c.frames, row),
          values(c.bodies, row)};
}

void RunRecorder::begin(const Scenario& scenario) {
  run = {};
  run.scenario = scenario;
}

void RunRecorder::sample(const Sample& sample) {
  run.t.push_back(sample.t);
  for (const RowList& list : row_lists) {
    const std::vector<double>& row = sample.*list.row;
    (run.columns.*list.run).insert((run.columns.*list.run).end(), row.begin(), row.end());
  }
  run.columns.energy.insert(run.columns.energy.end(), sample.energy.begin(), sample.energy.end());
  run.columns.constraint_error.push_back(sample.constraint_error);
}

void RunRecorder::finish(const Summary& summary) {
  run.summary = summary;
  run.events = events_of(summary, run.scenario.model);
}

void RunRecorder::rewind(double t) {
  const std::size_t rows = run.rows();
  const auto kept = static_cast<std::size_t>(std::lower_bound(run.t.begin(), run.t.end(), t) - run.t.begin());
  if (kept == rows) return;
  for (const RowList& list : row_lists) {
    std::vector<double>& all = run.columns.*list.run;
    all.resize(all.size() / rows * kept);
  }
  run.columns.energy.resize(energy_columns * kept);
  run.columns.constraint_error.resize(kept);
  run.t.resize(kept);
}

std::vector<int> support_nodes(const Model& model) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (const Axes& fixed = model.nodes[i].fixed; fixed[0] || fixed[1] || fixed[2])
      nodes.push_back(static_cast<int>(i));
  return nodes;
}

Sample row_of(const Run& run, std::size_t row) {
  Sample sample;
  sample.t = run.t[row];
  for (const RowList& list : row_lists) {
    const std::vector<double>& all = run.columns.*list.run;
    const auto width = static_cast<std::ptrdiff_t>(all.size() / run.rows());
    const auto first = all.begin() + width * static_cast<std::ptrdiff_t>(row);
    (sample.*list.row).assign(first, first + width);
  }
  if (!run.columns.energy.empty())
    std::copy_n(run.columns.energy.begin() + energy_columns * static_cast<std::ptrdiff_t>(row), energy_columns,
                sample.energy.begin());
  if (!run.columns.constraint_error.empty()) sample.constraint_error = run.columns.constraint_error[row];
  return sample;
}

void replay(const Run& run, Recorder& recorder) {
  recorder.begin(run.scenario);
  for (std::size_t row = 0; row < run.rows(); ++row) recorder.sample(row_of(run, row));
  recorder.finish(run.summary);
}

}  // namespace taut
