// A row between two steps: what its members have yielded by then is theirs, and none of the step's.
#pragma once

#include "taut/dynamics/dynamics.h"

namespace taut {

inline void settle_row(const Dynamics& dynamics, State& row, Terms& terms) {
  if (!dynamics.cables().yields()) return;
  CableTerms kept = terms.cables;
  dynamics.forces(row.t, row.q(), row.v(), terms);
  dynamics.settle_yield(row.t, row, terms);
  terms.cables = std::move(kept);
}

}  // namespace taut
