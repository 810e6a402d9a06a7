// Members that yield, inside a step.
#pragma once

#include "taut/dynamics/dynamics.h"

namespace taut {

// A row between two steps: what its members have yielded by then is theirs, and none of the step's.
inline void settle_row(const Dynamics& dynamics, State& row, Terms& terms) {
  if (!dynamics.cables().yields()) return;
  CableTerms kept = terms.cables;
  dynamics.forces(row.t, row.q(), row.v(), terms);
  dynamics.settle_yield(row.t, row, terms);
  terms.cables = std::move(kept);
}

// Where `holds`, which holds at `end` and not at `begin`, begins to; `end` becomes that time, at which it was asked
// last. False: it does not hold at the end.
template <class Holds>
bool first_time(double begin, double& end, const Holds& holds) {
  if (!holds(end)) return false;
  double low = begin, high = end;
  while (high - low > 1e-9 * (end - begin)) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? high : low) = middle;
  }
  end = high;
  return holds(end);
}

}  // namespace taut
