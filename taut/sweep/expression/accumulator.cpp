#include "taut/sweep/expression/accumulator.h"

#include <algorithm>
#include <cmath>

namespace taut {

using Kind = Reduction::Kind;

namespace {

bool of_condition(Kind kind) { return kind == Kind::first_holds || kind == Kind::last_holds || kind == Kind::duration; }
bool of_events(Kind kind) { return kind == Kind::count || kind == Kind::first_event || kind == Kind::last_event; }

// Times of rows are sums and products of steps: a time asked for may miss the first or last row by rounding.
bool equal_times(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

// s at time t between two rows.
double interpolated(double t0, double s0, double t1, double s1, double t) {
  if (t == t1) return s1;
  const double share = (t - t0) / (t1 - t0);
  return s0 * (1 - share) + s1 * share;
}

double event_result(const Reduction& reduction, EventList list) {
  double count = 0, first = NAN, last = NAN;
  for (const ListedEvent& event : list) {
    if (reduction.named && event.name != reduction.name) continue;
    ++count;
    if (!(first <= event.time)) first = event.time;
    if (!(last >= event.time)) last = event.time;
  }
  return reduction.kind == Kind::count ? count : reduction.kind == Kind::first_event ? first : last;
}

}  // namespace

Accumulator::Accumulator(const Expression& expression) : programs_(&expression.programs()) {
  std::size_t most = 0;
  for (const Reduction& reduction : programs_->reductions) {
    State state;
    state.condition = tracks_.size();
    states_.push_back(state);
    if (of_condition(reduction.kind)) tracks_.emplace_back(reduction);
    most = std::max(most, reduction.differences.size());
  }
  aggregates_.resize(programs_->aggregates.size());
  differences_.resize(most);
  results_.resize(states_.size());
}

void Accumulator::begin(std::span<const double> parameters) {
  parameters_ = parameters;
  started_ = false;
  ProgramInputs in;
  in.parameters = parameters;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Reduction& reduction = programs_->reductions[i];
    const bool sums = reduction.kind == Kind::mean || reduction.kind == Kind::rms || reduction.kind == Kind::integral;
    states_[i].value = sums ? 0.0 : NAN;
    states_[i].time = reduction.kind == Kind::at ? run_program(reduction.time, in) : NAN;
    states_[i].last = NAN;
  }
  for (ConditionTrack& track : tracks_) track.begin();
}

void Accumulator::row(double t, std::span<const double> signals) {
  if (!started_) first_time_ = t;
  run_aggregates(*programs_, signals, parameters_, aggregates_);
  ProgramInputs in;
  in.parameters = parameters_;
  in.signals = signals;
  in.aggregates = aggregates_;
  in.columns = programs_->columns;

  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Reduction& reduction = programs_->reductions[i];
    if (of_condition(reduction.kind)) {
      const std::size_t count = reduction.differences.size();
      for (std::size_t k = 0; k < count; ++k) differences_[k] = run_program(reduction.differences[k], in);
      tracks_[states_[i].condition].row(t, {differences_.data(), count});
    } else if (!of_events(reduction.kind)) {
      signal_row(reduction.kind, states_[i], t, run_program(reduction.signal, in));
    }
  }
  started_ = true;
  time_ = t;
}

void Accumulator::signal_row(Kind kind, State& state, double t, double s) const {
  const double step = started_ ? t - time_ : 0.0, before = started_ ? state.last : s;
  const auto take = [&] {
    state.value = s;
    state.time = t;
  };
  switch (kind) {
    // What is no number stays: nothing is greater or smaller.
    case Kind::max:
    case Kind::time_of_max:
      if (!started_ || s > state.value || std::isnan(s)) take();
      break;
    case Kind::min:
    case Kind::time_of_min:
      if (!started_ || s < state.value || std::isnan(s)) take();
      break;
    case Kind::mean:
    case Kind::integral:
      state.value += step * (before / 2 + s / 2);
      break;
    case Kind::rms:
      state.value += step * (before * before + before * s + s * s) / 3;
      break;
    case Kind::first:
      if (!started_) state.value = s;
      break;
    case Kind::last:
      state.value = s;
      break;
    case Kind::at:
      if (!started_ && equal_times(state.time, t)) state.value = s;
      if (started_ && state.time > time_ && state.time <= t)
        state.value = interpolated(time_, before, t, s, state.time);
      break;
    default:
      break;
  }
  state.last = s;
}

double Accumulator::result(const Reduction& reduction, const State& state, std::span<const EventList> events) const {
  if (of_events(reduction.kind)) return event_result(reduction, events[reduction.events]);
  if (!started_) return NAN;
  const double length = time_ - first_time_;
  switch (reduction.kind) {
    case Kind::mean:
      return length > 0 ? state.value / length : state.last;
    case Kind::rms:
      return length > 0 ? std::sqrt(state.value / length) : std::abs(state.last);
    case Kind::time_of_max:
    case Kind::time_of_min:
      return std::isnan(state.value) ? NAN : state.time;
    case Kind::at:
      // Behind the last row by no more than rounding.
      return std::isnan(state.value) && equal_times(state.time, time_) ? state.last : state.value;
    case Kind::first_holds:
      return tracks_[state.condition].first_time();
    case Kind::last_holds:
      return tracks_[state.condition].last_time();
    case Kind::duration:
      return tracks_[state.condition].duration();
    default:
      return state.value;
  }
}

double Accumulator::finish(std::span<const double> scalars, std::span<const EventList> events) {
  for (std::size_t i = 0; i < states_.size(); ++i) results_[i] = result(programs_->reductions[i], states_[i], events);
  ProgramInputs in;
  in.parameters = parameters_;
  in.scalars = scalars;
  in.reductions = results_;
  return run_program(programs_->result, in);
}

}  // namespace taut
