// Members that yield: what a step begins with and what it has made of them.
#pragma once

#include "taut/forces/cables.h"

namespace taut {

// With the forces at time t in the terms: the next step begins here (settle_yield, yield_error), whatever was before.
void begin_yield(const Cables& cables, double t, CableTerms& terms);

// How far the forces at the end of a step (in the terms, at time t) are from those after settling: a member that has
// turned back inside the step was still taken as yielding. Relative to its force, the largest of all members. A step
// that goes along the yielding, or not at all beyond it, has 0.
double yield_error(const Cables& cables, double t, const CableTerms& terms);

}  // namespace taut
