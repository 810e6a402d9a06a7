// The value of a recorded expression, gathered row by row while a run goes on. No row is kept: the memory is that of
// the reductions. With s(t) taken as linear between rows:
//
//   integral(s) = ∫ s dt,    mean(s) = ∫ s dt / ∫ dt,    rms(s) = √(∫ s² dt / ∫ dt)
//
// (the trapezoidal rule, and for s² the sum of Δt (s0² + s0 s1 + s1²) / 3); of a single row mean and rms are s and |s|.
// Without any row all reductions of signals are nan, and so are those of a signal that was nan at a row they look at.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "taut/sweep/expression/condition_track.h"
#include "taut/sweep/expression/expression.h"

namespace taut {

struct ListedEvent {
  double time = 0.0;      // s
  std::string_view name;  // of the member it happened to
};

using EventList = std::span<const ListedEvent>;

class Accumulator {
 public:
  // Of ExpressionUse::record. Keeps a reference.
  explicit Accumulator(const Expression& expression);

  // A new run. The parameters are looked at until finish: they must stay where they are.
  void begin(std::span<const double> parameters);
  // The next output row: time (not before the row before) and all signals. Allocates nothing.
  void row(double t, std::span<const double> signals);
  double finish(std::span<const double> scalars, std::span<const EventList> events);

 private:
  // What a reduction of a signal needs to know of the rows so far.
  struct State {
    double value = 0.0;         // the result so far, or an integral
    double time = 0.0;          // of an extreme, or the time asked for
    double last = 0.0;          // at the row before
    std::size_t condition = 0;  // which track
  };

  void signal_row(Reduction::Kind kind, State& state, double t, double s) const;
  double result(const Reduction& reduction, const State& state, std::span<const EventList> events) const;

  const ExpressionPrograms* programs_;
  std::span<const double> parameters_;
  bool started_ = false;
  double first_time_ = 0.0, time_ = 0.0;
  std::vector<State> states_;           // of each reduction
  std::vector<ConditionTrack> tracks_;  // of those of conditions
  std::vector<double> aggregates_, differences_, results_;
};

}  // namespace taut
