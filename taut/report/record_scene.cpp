#include "taut/report/record_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "taut/model/shape/body_pose.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/model/words.h"
#include "taut/results/run.h"

namespace taut {

SceneRecorder::SceneRecorder(OutputDir& dir, std::string title, std::string name, std::string_view page,
                             std::size_t budget)
    : file_(dir, name), title_(std::move(title)), page_(page), budget_(budget) {}

void SceneRecorder::begin(const Scenario& scenario) {
  picture_ = Picture(scenario.model);
  counts_ = counts_text(scenario.model);
  scenario_ = scenario;
  structure_ = describe(scenario.model);
  scenario_.model = structure_.model;
  energies_.begin(scenario);
  const Model& model = scenario_.model;
  nodes_.width = 3 * model.nodes.size();
  tensions_.width = lengths_.width = model.cables.size();
  bar_forces_.width = model.bars.size();
  error_.width = 1;
  frames_.width = frame_columns * model.frames.size();
  bodies_.width = pose_columns * structure_.bodies.size();
  // As many rows as the run will have, if they fit.
  const double expected = std::ceil(scenario.simulation.duration / scenario.simulation.output_step) + 1.0;
  const double row =
      static_cast<double>(nodes_.width + 2 * tensions_.width + bar_forces_.width + frames_.width + bodies_.width + 1) *
      sizeof(float);
  const auto rows = static_cast<std::size_t>(std::clamp(expected, 1.0, static_cast<double>(budget_) / row + 1.0));
  for (List* list : lists()) list->values.reserve(list->width * rows);
}

void SceneRecorder::sample(const Sample& row) {
  const Sample& sample = picture_.add_to(row);
  energies_.sample(sample);
  last_kept_ = rows_++ % stride_ == 0;
  if (last_kept_) keep(sample);
  std::size_t floats = 0;
  for (const List* list : lists()) floats += list->values.size();
  if (sizeof(float) * floats > budget_ && t_.size() > 2) {
    last_kept_ = last_kept_ && t_.size() % 2 == 1;  // of an odd number of rows the last one stays
    thin();
  }
  if (!last_kept_) last_ = sample;
}

void SceneRecorder::append(List& list, const std::vector<double>& row) {
  // What comes only in some runs has its width from the first row.
  if (list.width == 0) list.width = row.size();
  for (const double value : row) list.values.push_back(static_cast<float>(value));
}

void SceneRecorder::keep(const Sample& sample) {
  keep_rest_lengths(sample);
  t_.push_back(sample.t);
  energy_.insert(energy_.end(), sample.energy.begin(), sample.energy.end());
  append(nodes_, sample.nodes);
  append(tensions_, sample.tensions);
  append(lengths_, sample.lengths);
  append(bar_forces_, sample.bar_forces);
  append(contact_forces_, sample.contact_forces);
  append(support_forces_, sample.support_forces);
  append(frames_, sample.frames);
  append(bodies_, sample.bodies);
  error_.values.push_back(static_cast<float>(sample.constraint_error));
}

// Rest lengths take room only from the moment when one of them changes.
void SceneRecorder::keep_rest_lengths(const Sample& sample) {
  if (t_.empty()) first_rest_lengths_ = sample.rest_lengths;
  if (rest_lengths_.width == 0) {
    if (sample.rest_lengths == first_rest_lengths_) return;
    rest_lengths_.width = sample.rest_lengths.size();
    for (std::size_t row = 0; row < t_.size(); ++row)
      for (const double value : first_rest_lengths_) rest_lengths_.values.push_back(static_cast<float>(value));
  }
  for (const double value : sample.rest_lengths) rest_lengths_.values.push_back(static_cast<float>(value));
}

// Every second of the kept rows goes.
void SceneRecorder::thin() {
  const auto halve = [](auto& values, std::size_t width) {
    const std::size_t rows = width > 0 ? values.size() / width : 0;
    for (std::size_t row = 1; 2 * row < rows; ++row)
      std::copy_n(values.begin() + 2 * row * width, width, values.begin() + row * width);
    values.resize((rows + 1) / 2 * width);
  };
  for (List* list : lists()) halve(list->values, list->width);
  halve(t_, 1);
  halve(energy_, energy_columns);
  stride_ *= 2;
}

void SceneRecorder::other(const std::string& name, const Sample& row) {
  const Sample& sample = picture_.add_to(row);
  if (others_.empty() || others_.back().name != name) others_.push_back({name, {}, {}, {}, {}, {}, 0, false});
  Other& run = others_.back();
  if (run.left_out || run.rows++ % stride_ != 0) return;
  std::size_t floats = 0;
  for (const List* list : lists()) floats += list->values.size();
  for (const Other& each : others_)
    for (const List* list : {&each.nodes, &each.tensions, &each.frames, &each.bodies}) floats += list->values.size();
  if (sizeof(float) * floats > budget_) {
    run = {name, {}, {}, {}, {}, {}, 0, true};
    return;
  }
  run.t.push_back(sample.t);
  append(run.nodes, sample.nodes);
  append(run.tensions, sample.tensions);
  append(run.frames, sample.frames);
  append(run.bodies, sample.bodies);
}

ReportRun SceneRecorder::make_run(const Summary& summary) {
  const Model& model = scenario_.model;
  const std::size_t rows = t_.size();
  const auto take = [&](List& list, std::vector<std::size_t> shape) {
    return list.values.empty() ? ReportArray{} : report_array(std::move(list.values), std::move(shape));
  };
  ReportRun run;
  run.label = summary.formulation;
  // Inputs are the rest lengths of the driven cables.
  if (const std::vector<int> driven = driven_cables(model); !driven.empty() && !rest_lengths_.values.empty()) {
    ReportChannels inputs{cable_names(model, driven), "m", {}};
    std::vector<float> values;
    for (std::size_t row = 0; row < rows; ++row)
      for (const int cable : driven) values.push_back(rest_lengths_.values[row * rest_lengths_.width + cable]);
    inputs.values = report_array(std::move(values), {rows, inputs.names.size()});
    run.inputs = std::move(inputs);
  }
  run.support_nodes = support_nodes(model);
  run.nodes = take(nodes_, {rows, model.nodes.size(), 3});
  run.tensions = take(tensions_, {rows, tensions_.width});
  run.lengths = take(lengths_, {rows, lengths_.width});
  run.rest_lengths = take(rest_lengths_, {rows, rest_lengths_.width});
  run.bar_forces = take(bar_forces_, {rows, bar_forces_.width});
  run.constraint_error = take(error_, {rows});
  run.contact_forces = take(contact_forces_, {rows, model.nodes.size(), 3});
  run.support_forces = take(support_forces_, {rows, run.support_nodes.size(), 3});
  run.frames = take(frames_, {rows, model.frames.size(), frame_columns});
  run.bodies = take(bodies_, {rows, structure_.bodies.size(), pose_columns});
  run.energy = report_array(std::move(energy_), {rows, energy_columns});
  run.t = report_array(std::move(t_));
  run.slack_events = summary.slack_events;
  return run;
}

namespace {

// What only the rows tell: how much of a pulley's cable hangs free at the start, and whether there are poses.
void complete(ReportStructure& structure, const std::vector<double>& rest_lengths, bool poses,
              std::vector<std::string>& notes) {
  for (const ReportPulley& pulley : structure.pulleys)
    if (static_cast<std::size_t>(pulley.cable) < rest_lengths.size())
      structure.model.cables[pulley.cable].rest_length = rest_lengths[pulley.cable];
  if (poses || structure.bodies.empty()) return;
  structure.bodies.clear();
  structure.solids.clear();
  structure.pulleys.clear();
  notes.push_back("The run was recorded without the poses of its bodies, so they are not drawn: run it again.");
}

}  // namespace

Report SceneRecorder::make_report(const Summary& summary) {
  const Model& model = scenario_.model;
  Report report;
  report.title = model.name.empty() ? title_ : model.name;
  report.subtitle =
      fmt::format("{}; {:.6g} s by {}, {}", counts_, summary.simulated_s, summary.integrator, summary.formulation);
  report.structure = structure_;
  complete(*report.structure, first_rest_lengths_, !bodies_.values.empty(), report.notes);
  report.warnings = warning_sentences(model, summary);

  // The closing table in two parts.
  ReportTable table{"Summary", {}, {}};
  for (const auto& [name, value] : summary_lines(scenario_.simulation, summary, energies_.rows))
    table.rows.push_back({name, value});
  if (energies_.rows > 0) table.rows.push_back({"largest energy drift", drift_text(summary)});
  const std::size_t events = summary.slack_events.size() + static_cast<std::size_t>(summary.slack_events_dropped);
  table.rows.push_back({"slack events", events == 0 ? "none" : fmt::format("{}", events)});
  report.tables.push_back(std::move(table));
  if (energies_.rows > 0) {
    ReportTable energy{"Energy, J", {"", "at the start", "at the end"}, {}};
    for (int i = 0; i < energy_columns; ++i) {
      const auto [name, first, last] = energy_line(energies_, i);
      energy.rows.push_back({name, first, last});
    }
    report.tables.push_back(std::move(energy));
  }

  if (const std::size_t kept = t_.size(); kept < rows_)
    report.notes.push_back(
        fmt::format("This page shows {} of the {} rows of the run, every {} and the last; run.h5 holds all of them.",
                    kept, rows_, stride_ == 2 ? "second" : fmt::format("{}th", stride_)));
  if (summary.slack_events_dropped > 0)
    report.notes.push_back(
        fmt::format("{} slack events beyond those listed were counted only.", summary.slack_events_dropped));
  if (!t_.empty()) report.runs.push_back(make_run(summary));
  for (Other& other : others_) {
    if (other.left_out || other.t.empty()) {
      report.notes.push_back(
          fmt::format("The run in formulation {} has too many rows to be drawn over the others.", other.name));
      continue;
    }
    ReportRun run;
    run.label = other.name;
    const std::size_t rows = other.t.size();
    run.t = report_array(std::move(other.t));
    run.nodes = report_array(std::move(other.nodes.values), {rows, model.nodes.size(), 3});
    if (!model.cables.empty())
      run.tensions = report_array(std::move(other.tensions.values), {rows, model.cables.size()});
    if (!model.frames.empty())
      run.frames = report_array(std::move(other.frames.values), {rows, model.frames.size(), frame_columns});
    if (!other.bodies.values.empty())
      run.bodies = report_array(std::move(other.bodies.values), {rows, structure_.bodies.size(), pose_columns});
    report.runs.push_back(std::move(run));
  }
  return report;
}

void SceneRecorder::finish(const Summary& summary) {
  if (!last_kept_) keep(last_);
  write_report(
      make_report(summary), [&](std::string_view text) { file_.append(text, summary.simulated_s); }, page_);
  file_.finish(summary.simulated_s);
}

}  // namespace taut
