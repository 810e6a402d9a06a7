#include "taut/sweep/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace taut {

namespace {

template <typename A, typename B>
bool same_names(const std::vector<A>& a, const std::vector<B>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.name == other.name; });
}

}  // namespace

Measure::Measure(const SweepFile& sweep, const Scenario& scenario)
    : sweep_(sweep), model_(scenario.model), names_(sweep, model_) {
  const Resolver resolver = names_.resolver();
  const auto parse = [&](const std::string& text, const KeyPlace& place, const char* key, ExpressionUse use,
                         int before) -> std::optional<Expression> {
    try {
      return parse_expression(text, resolver, use);
    } catch (const ExpressionError& error) {
      problems_.push_back({place, key_at(place, key),
                           fmt::format("column {}: {}", std::max(1, error.column() - before), error.what())});
      return std::nullopt;
    }
  };
  for (const SweepRecord& record : sweep.records)
    expressions_.push_back(parse(record.value, record.place, "record.value", ExpressionUse::record, 0));
  if (sweep.bisect) {
    // A condition, and no number.
    const std::string holds = fmt::format("if({}, 1, 0)", sweep.bisect->holds);
    expressions_.push_back(parse(holds, sweep.bisect->place, "bisect.holds", ExpressionUse::record, 3));
  }
  if (!sweep.stop.empty()) stop_ = parse(sweep.stop, {sweep.stop_place, ""}, "stop", ExpressionUse::condition, 0);
  for (const std::optional<Expression>& expression : expressions_) {
    accumulators_.emplace_back();
    if (expression) accumulators_.back().emplace(*expression);
  }
  signals_.resize(names_.signals());
  records_.resize(sweep.records.size());
}

bool Measure::fits(const Model& model) const {
  return same_names(model.nodes, model_.nodes) && same_names(model.cables, model_.cables) &&
         same_names(model.bars, model_.bars) && same_names(model.frames, model_.frames) &&
         same_names(model.joints, model_.joints) && same_names(model.pulleys, model_.pulleys);
}

void Measure::prepare(std::span<const double> parameters, const std::atomic<bool>* stop) {
  parameters_.assign(parameters.begin(), parameters.end());
  outside_ = stop;
  halt_ = false;
  met_ = holds_ = false;
}

void Measure::begin(const Scenario& /*scenario*/) {
  for (auto& accumulator : accumulators_)
    if (accumulator) accumulator->begin(parameters_);
}

void Measure::sample(const Sample& sample) {
  names_.take(sample, signals_);
  for (auto& accumulator : accumulators_)
    if (accumulator) accumulator->row(sample.t, signals_);
  if (!stop_) return;
  met_ = met_ || stop_->holds(signals_, parameters_);
  if (met_ || (outside_ != nullptr && *outside_)) halt_ = true;
}

void Measure::finish(const Summary& summary) {
  const std::vector<double> scalars = RunNames::scalars(summary);
  const RunEvents events(summary, model_);
  dropped_events_ = names_.needs_events() ? summary.slack_events_dropped : 0;
  for (std::size_t i = 0; i < accumulators_.size(); ++i) {
    const double value =
        accumulators_[i] ? accumulators_[i]->finish(scalars, events.lists()) : std::numeric_limits<double>::quiet_NaN();
    if (i < records_.size())
      records_[i] = value;
    else
      holds_ = value == 1.0;
  }
}

}  // namespace taut
