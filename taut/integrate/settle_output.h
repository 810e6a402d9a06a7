// Members that yield, inside a step.
#pragma once

#include "taut/dynamics/dynamics.h"

namespace taut {

// An output between two steps: what its members have yielded by then is theirs, and none of the step's.
inline void settle_output(const Dynamics& dynamics, State& output, Terms& terms) {
  if (!dynamics.cables().yields()) return;
  CableTerms kept = terms.cables;
  dynamics.forces(output.t, output.q(), output.v(), terms);
  dynamics.settle_yield(output.t, output, terms);
  terms.cables = std::move(kept);
}

}  // namespace taut
