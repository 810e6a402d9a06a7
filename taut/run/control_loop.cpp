#include "taut/run/control_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/model/control_names.h"

namespace taut {

namespace {

constexpr double reached = 0.05;  // of the way that it was asked to go
constexpr double held = 1e-3;     // of its scale, where it was asked to stay

// What is large for a target: m as the structure is, rad 1, other units as the value that is wanted.
double scale_of(const Model& model, const ControlTarget& target) {
  const std::string_view in = unit(model, target);
  if (in == "rad") return 1.0;
  if (in != "m" || model.nodes.empty()) return 0.0;
  Vec3 low = model.nodes.front().position, high = low;
  for (const Node& node : model.nodes) low = low.cwiseMin(node.position), high = high.cwiseMax(node.position);
  return (high - low).norm();
}

}  // namespace

bool ControlLoop::Errors::missed() const {
  const double most = asked > held * scale ? reached * asked : held * scale;
  return rows > 0 && std::abs(last) > most;
}

ControlLoop::ControlLoop(const Dynamics& dynamics)
    : dynamics_(dynamics),
      seen_(dynamics.make_terms()),
      rate_(Eigen::VectorXd::Zero(dynamics.size())),
      control_(dynamics),
      sight_(dynamics),
      row_sight_(dynamics),
      records_(!control_columns(dynamics.model()).empty()) {
  log = control_.start_log();
  seen_.contact.keep_forces = dynamics.contact().presses();
  // Where the errors stand in a row: behind the inputs, each after what is wanted.
  std::size_t column = 0;
  for (const ControllerSpec& spec : dynamics.model().controllers) {
    std::vector<Errors>& list = errors_.emplace_back();
    if (spec.kind == ControllerKind::roll) continue;
    column += spec.steer.inputs.size();
    for (std::size_t k = 0; k < spec.steer.targets.size(); ++k, column += 2)
      list.push_back(
          {.column = column + 1, .start = spec.start, .scale = scale_of(dynamics.model(), spec.steer.targets[k])});
    if (spec.kind == ControllerKind::near_rigid) column += dynamics.model().pulleys.size();
  }
}

void ControlLoop::rule(Terms& terms) { terms.law = control_.law(); }

Observation ControlLoop::look(const State& state) {
  dynamics_.recall(state, seen_);
  dynamics_.rhs(state.t, state.y.data(), rate_.data(), seen_);
  return sight_.look(state, seen_);
}

void ControlLoop::begin(State& state) {
  if (dynamics_.model().controllers.empty()) return;
  // Laws know where their targets shall be only afterwards.
  control_.begin(look(state), state);
  rule(seen_);
}

void ControlLoop::act(State& state) {
  if (!control_.due(state)) return;
  Observation now;
  now.t = state.t;
  now.dynamics = &dynamics_;
  now.state = &state;
  now.terms = &seen_;
  dynamics_.recall(state, seen_);
  control_.update(control_.looks() ? look(state) : now, state, log);
}

void ControlLoop::record(const State& state, Terms& observed, Sample& sample) {
  if (!records_) return;
  control_.record(row_sight_.look(state, observed), log, sample.controls);
  last_ = sample.controls;
  last_time_ = state.t;
  for (std::vector<Errors>& list : errors_)
    for (Errors& e : list) {
      if (state.t < e.start) continue;
      const double wanted = sample.controls[e.column - 1], error = sample.controls[e.column];
      if (e.rows == 0) e.first = wanted - error;
      e.asked = std::max(e.asked, std::abs(wanted - e.first));
      if (e.scale == 0.0) e.scale = std::abs(wanted);
      e.last = error;
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

// Targets that were not where they should be in the last row.
std::string ControlLoop::missed_targets(std::size_t controller) const {
  const Model& model = dynamics_.model();
  std::string text;
  int missed = 0;
  for (std::size_t k = 0; k < errors_[controller].size(); ++k) {
    const Errors& e = errors_[controller][k];
    if (!e.missed() || ++missed > 1) continue;
    const ControlTarget& target = model.controllers[controller].steer.targets[k];
    const double wanted = last_[e.column - 1];
    text = fmt::format("missed its targets: at t = {:g} s {} was {:.4g} {}, wanted {:.4g}", last_time_,
                       target_name(model, target), wanted - e.last, unit(model, target), wanted);
  }
  return missed > 1 ? text + fmt::format(", and {} more of its targets were off", missed - 1) : text;
}

void ControlLoop::report(Summary& summary) const {
  const Model& model = dynamics_.model();
  // That an input is free is known only some time later.
  summary.control_events = log.events;
  std::stable_sort(summary.control_events.begin(), summary.control_events.end(),
                   [](const ControlEvent& a, const ControlEvent& b) { return a.time < b.time; });
  summary.control_events_dropped = log.dropped;
  const std::vector<std::string> names = controller_names(model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ControllerSpec& spec = model.controllers[i];
    if (spec.start > summary.simulated_s)
      summary.warnings.push_back(
          fmt::format("controller {} never acted: it starts at t = {:g} s", names[i], spec.start));
    if (spec.kind == ControllerKind::roll) continue;
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
      const InputUse& use = control_.use(log, i, k);
      entry.inputs.push_back({input_name(model, spec.steer.inputs[k]), use.saturations, use.saturated_s});
    }
  }
  for (std::string& warning : control_.warnings()) summary.warnings.push_back(std::move(warning));
}

void ControlLoop::judge(State& end, Summary& summary) {
  const std::vector<std::string> names = controller_names(dynamics_.model());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const std::string missed = missed_targets(i); !missed.empty())
      summary.warnings.push_back(fmt::format("controller {} {}", names[i], missed));
  if (names.empty()) return;
  for (std::string& warning : control_.shortfalls(look(end), end)) summary.warnings.push_back(std::move(warning));
}

}  // namespace taut
