#include "taut/sweep/measure.h"

#include <fmt/format.h>

namespace taut {

namespace {

template <typename A, typename B>
bool same_names(const std::vector<A>& a, const std::vector<B>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.name == other.name; });
}

// Cells of a TOML text count from its quotation mark.
Problem problem_at(const Place& place, const char* key, const ExpressionError& error) {
  return {place, key, fmt::format("column {}: {}", error.column(), error.what())};
}

}  // namespace

Measure::Measure(const Study& study, const Scenario& scenario)
    : study_(study), model_(scenario.model), names_(study, model_) {
  std::vector<Problem> problems;
  const Resolver resolver = names_.resolver();
  expressions_.reserve(study.records.size() + 1);
  const auto parse = [&](const std::string& text, const Place& place, const char* key) {
    try {
      expressions_.push_back(parse_expression(text, resolver));
    } catch (const ExpressionError& error) {
      problems.push_back(problem_at(place, key, error));
    }
  };
  for (const StudyRecord& record : study.records) parse(record.value, record.place, "record.value");
  if (study.bisect) parse(study.bisect->holds, study.bisect->place, "bisect.holds");
  if (!study.stop.empty()) {
    try {
      stop_ = parse_expression(study.stop, resolver, ExpressionUse::condition);
    } catch (const ExpressionError& error) {
      problems.push_back(problem_at(study.stop_place, "stop", error));
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  for (const Expression& expression : expressions_) accumulators_.emplace_back(expression);
  signals_.resize(names_.signals());
  records_.resize(study.records.size());
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
  for (Accumulator& accumulator : accumulators_) accumulator.begin(parameters_);
}

void Measure::sample(const Sample& sample) {
  names_.take(sample, signals_);
  for (Accumulator& accumulator : accumulators_) accumulator.row(sample.t, signals_);
  if (!stop_) return;
  met_ = met_ || stop_->holds(signals_, parameters_);
  if (met_ || (outside_ != nullptr && *outside_)) halt_ = true;
}

void Measure::finish(const Summary& summary) {
  const std::vector<double> scalars = RunNames::scalars(summary);
  const RunEvents events(summary, model_);
  for (std::size_t i = 0; i < accumulators_.size(); ++i) {
    const double value = accumulators_[i].finish(scalars, events.lists());
    if (i < records_.size())
      records_[i] = value;
    else
      holds_ = value != 0.0 && value == value;
  }
}

}  // namespace taut
