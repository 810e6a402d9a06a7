#include "taut/run/control_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/model/control_names.h"

namespace taut {

namespace {

constexpr std::size_t most_events = 1000;  // of inputs that go to and fro at their bounds

}  // namespace

ControlLoop::ControlLoop(const Dynamics& dynamics, Terms& integrated, Terms& observed)
    : dynamics_(dynamics),
      seen_(dynamics.make_terms()),
      integrated_(integrated),
      observed_(observed),
      rate_(Eigen::VectorXd::Zero(dynamics.size())),
      control_(dynamics),
      sight_(dynamics),
      row_sight_(dynamics),
      records_(!control_columns(dynamics.model()).empty()) {
  if (control_.law())
    for (Terms* terms : {&seen_, &integrated_, &observed_}) (*terms->multibody).law = control_.law();
  // Where the errors stand in a row: behind the inputs, each after what is wanted.
  std::size_t column = 0;
  for (const ControllerSpec& spec : dynamics.model().controllers) {
    column += spec.steer.inputs.size();
    std::vector<Errors>& list = errors_.emplace_back();
    for (std::size_t k = 0; k < spec.steer.targets.size(); ++k, column += 2)
      list.push_back({column + 1, spec.start, 0.0, 0.0, 0});
    if (spec.kind == ControllerKind::near_rigid) column += dynamics.model().pulleys.size();
  }
  hand_over();
}

void ControlLoop::hand_over() {
  for (Terms* terms : {&seen_, &integrated_, &observed_}) terms->cables.winches = control_.winches();
}

Observation ControlLoop::look(const State& state) {
  dynamics_.recall(state, seen_);
  dynamics_.rhs(state.t, state.y.data(), rate_.data(), seen_);
  return sight_.look(state, seen_);
}

void ControlLoop::keep(std::vector<ControlReport> reports) {
  for (ControlReport& report : reports) {
    if (events_.size() < most_events)
      events_.push_back({report.time, report.controller, std::move(report.what)});
    else
      ++dropped_;
  }
}

void ControlLoop::begin(const State& state) {
  if (dynamics_.model().controllers.empty()) return;
  // Laws know where their targets shall be only afterwards.
  if (control_.law()) (*seen_.multibody).law = nullptr;
  control_.begin(look(state));
  if (control_.law()) (*seen_.multibody).law = control_.law();
}

void ControlLoop::act(const State& state) {
  if (!control_.due(state.t)) return;
  Observation now;
  now.t = state.t;
  now.dynamics = &dynamics_;
  now.state = &state;
  now.terms = &seen_;
  keep(control_.update(control_.looks() ? look(state) : now));
  hand_over();
}

void ControlLoop::record(const State& state, Sample& sample) {
  if (!records_) return;
  keep(control_.record(row_sight_.look(state, observed_), sample.controls));
  last_ = sample.controls;
  last_time_ = state.t;
  for (std::vector<Errors>& list : errors_)
    for (Errors& e : list) {
      if (state.t < e.start) continue;
      const double error = sample.controls[e.column];
      e.largest = std::max(e.largest, std::abs(error));
      e.squares += error * error;
      ++e.rows;
    }
}

std::string ControlLoop::worst_error() const {
  const Model& model = dynamics_.model();
  double worst = 1e-2;  // of the size of what is wanted, and 1
  std::string text;
  for (std::size_t i = 0; i < errors_.size(); ++i)
    for (std::size_t k = 0; k < errors_[i].size() && !last_.empty(); ++k) {
      const Errors& e = errors_[i][k];
      const double wanted = last_[e.column - 1], error = last_[e.column];
      if (last_time_ < e.start || !(std::abs(error) > worst * (1.0 + std::abs(wanted)))) continue;
      worst = std::abs(error) / (1.0 + std::abs(wanted));
      const ControlTarget& target = model.controllers[i].steer.targets[k];
      text = fmt::format(
          "; controller {} did not follow its path: at t = {:g} s {} was {:.4g} {}, wanted {:.4g}: is that in reach?",
          controller_names(model)[i], last_time_, target_name(model, target), wanted - error, unit(model, target),
          wanted);
    }
  return text;
}

void ControlLoop::report(Summary& summary) const {
  const Model& model = dynamics_.model();
  // That an input is free is known only some time later.
  summary.control_events = events_;
  std::stable_sort(summary.control_events.begin(), summary.control_events.end(),
                   [](const ControlEvent& a, const ControlEvent& b) { return a.time < b.time; });
  summary.control_events_dropped = dropped_;
  const std::vector<std::string> names = controller_names(model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ControllerSpec& spec = model.controllers[i];
    if (spec.kind == ControllerKind::roll) continue;
    if (spec.start > summary.simulated_s)
      summary.warnings.push_back(
          fmt::format("controller {} never acted: it starts at t = {:g} s", names[i], spec.start));
    ControllerSummary& entry = summary.controllers.emplace_back();
    entry.name = names[i];
    entry.kind = name(spec.kind);
    for (std::size_t k = 0; k < spec.steer.targets.size(); ++k) {
      const Errors& e = errors_[i][k];
      const double rms = e.rows > 0 ? std::sqrt(e.squares / static_cast<double>(e.rows)) : 0.0;
      const ControlTarget& target = spec.steer.targets[k];
      entry.targets.push_back({target_name(model, target), unit(model, target), e.largest, rms});
    }
    for (std::size_t k = 0; k < spec.steer.inputs.size(); ++k) {
      const InputUse& use = control_.inputs_of(static_cast<int>(i))[k];
      entry.inputs.push_back({input_name(model, spec.steer.inputs[k]), use.saturations, use.saturated_s});
    }
  }
  for (std::string& warning : control_.warnings()) summary.warnings.push_back(std::move(warning));
}

}  // namespace taut
