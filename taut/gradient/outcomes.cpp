#include "taut/gradient/outcomes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"

namespace taut {

namespace {

// Derivatives to the left and to the right that differ by more than this part of them are two.
constexpr double corner = 0.02;

SweepFile sweep_of_outcomes(const std::vector<std::string>& texts) {
  SweepFile sweep;
  for (const std::string& text : texts) sweep.records.push_back({text, text, {}});
  return sweep;
}

bool names_powers(const std::string& text) {
  return text.find("energy.dissipated") != std::string::npos || text.find("energy.work") != std::string::npos ||
         text.find("energy.balance") != std::string::npos || text.find("energy.*") != std::string::npos;
}

// The events of the run, each at its time in a model that is `off` away.
Summary moved(Summary summary, const std::vector<SwitchTime>& switches, std::size_t parameter, double off) {
  for (SlackEvent& event : summary.slack_events)
    for (const SwitchTime& s : switches)
      if (s.cable == event.cable && s.time == event.time && event.taut == (s.kind == SwitchTime::Kind::taut)) {
        event.time += off * s.by[static_cast<Eigen::Index>(parameter)];
        break;
      }
  return summary;
}

}  // namespace

Outcomes::Outcomes(const std::vector<std::string>& texts, NearbyModel& base,
                   const std::vector<GradientParameter>& parameters)
    : sweep_(sweep_of_outcomes(texts)), base_(base), parameters_(parameters), run_(seen(base)) {
  std::vector<Problem> problems;
  for (const Problem& problem : run_.measure->problems()) problems.push_back({{}, "outcome", problem.message});
  if (!problems.empty()) throw InputError(std::move(problems));
  powers_ = std::any_of(texts.begin(), texts.end(), names_powers);
  for (const GradientParameter& parameter : parameters_) {
    beside_.emplace_back();
    for (const auto& model : parameter.models) beside_.back().push_back(seen(*model));
  }
}

Outcomes::Seen Outcomes::seen(NearbyModel& model) const {
  Seen seen;
  seen.model = &model;
  seen.observer = std::make_unique<Observer>(model.dynamics, model.scenario->simulation.duration);
  seen.measure = std::make_unique<Measure>(sweep_, *base_.scenario);
  seen.measure->prepare({}, nullptr);
  seen.measure->begin(*base_.scenario);
  return seen;
}

void Outcomes::row(const State& state, const Eigen::MatrixXd& S, Sensitivity::Motion* motion) {
  run_.measure->sample(run_.observer->observe(state));
  if (motion != nullptr) motion->t.push_back(state.t);
  // A row at a jump is behind it, wherever that is.
  const std::vector<double>& jumps = base_.jumps;
  const auto segment = static_cast<std::size_t>(std::upper_bound(jumps.begin(), jumps.end(), state.t) - jumps.begin());
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const GradientParameter& parameter = parameters_[p];
    const std::size_t width = 3 * base_.scenario->model.nodes.size();
    Eigen::VectorXd nodes = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(width)), velocities = nodes;
    for (std::size_t k = 0; k < parameter.stencil.points(); ++k) {
      const Seen& beside = beside_[p][k];
      State near = state;
      near.y += parameter.off(k) * S.col(static_cast<Eigen::Index>(p));
      near.t = beside.model->time_between(state.t, segment);
      Sample& sample = beside.observer->observe(near);
      sample.t = state.t;
      beside.measure->sample(sample);
      if (motion == nullptr) continue;
      const double weight = parameter.stencil.weight[k] / parameter.step;
      nodes += weight * Eigen::Map<const Eigen::VectorXd>(sample.nodes.data(), nodes.size());
      velocities += weight * Eigen::Map<const Eigen::VectorXd>(sample.velocities.data(), nodes.size());
    }
    if (motion == nullptr) continue;
    motion->nodes[p].insert(motion->nodes[p].end(), nodes.begin(), nodes.end());
    motion->velocities[p].insert(motion->velocities[p].end(), velocities.begin(), velocities.end());
  }
}

void Outcomes::finish(const Summary& summary, const std::vector<SwitchTime>& switches, Sensitivity& result) {
  run_.measure->finish(summary);
  for (std::size_t i = 0; i < sweep_.records.size(); ++i)
    result.outcomes.push_back({sweep_.records[i].value, run_.measure->records()[i], {}});
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const GradientParameter& parameter = parameters_[p];
    for (std::size_t k = 0; k < parameter.stencil.points(); ++k)
      beside_[p][k].measure->finish(moved(summary, switches, p, parameter.off(k)));
    for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
      Sensitivity::Outcome& outcome = result.outcomes[i];
      const auto value = [&](std::size_t k) { return beside_[p][k].measure->records()[i]; };
      outcome.by.push_back(parameter.derivative(value));
      // To the left and to the right, where there are both.
      if (parameter.stencil.points() != 4) continue;
      const double left = (outcome.value - value(1)) / parameter.step,
                   right = (value(2) - outcome.value) / parameter.step,
                   rounding = (1e-11 * std::abs(outcome.value) + 1e-13) / parameter.step;
      if (std::abs(right - left) > corner * std::max(std::abs(left), std::abs(right)) + rounding)
        result.corners.push_back({parameter.key, outcome.text, NAN, "",
                                  fmt::format("the outcome has a corner here: its derivative is {:.6g} to the left and "
                                              "{:.6g} to the right",
                                              left, right)});
    }
  }
}

}  // namespace taut
