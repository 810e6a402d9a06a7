// Fixed steps that meet every output row and the end of the segment: between two such times the asked step is
// shortened to the nearest whole fraction.
#pragma once

#include <algorithm>
#include <cmath>

#include "taut/integrate/integrator.h"

namespace taut {

// Calls step(h, t_after) for each step; at the rows calls row() before emitting. state.t is set after each step.
template <class Step, class Row>
void advance_fixed(State& state, double t_end, double asked, Outputs& outputs, Step step, Row row) {
  while (state.t < t_end && !outputs.stopped()) {
    const double target = std::min(outputs.next(), t_end), from = state.t;
    const long count = std::max(1L, static_cast<long>(std::ceil((target - from) / asked - 1e-9)));
    const double h = (target - from) / static_cast<double>(count);
    for (long i = 1; i <= count && !outputs.stopped(); ++i) {
      const double after = i == count ? target : from + static_cast<double>(i) * h;
      step(h, after);
      state.t = after;
    }
    if (state.t != target) return;
    row();
    if (target == outputs.next() && target < t_end) outputs.emit(state);
  }
}

}  // namespace taut
