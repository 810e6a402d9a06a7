// What a step has made of members that yield.
#pragma once

#include "taut/forces/cables.h"

namespace taut {

// How far the forces at the end of a step (in the terms, at time t) are from those after settling: a member that has
// turned back inside the step was still taken as yielding. Relative to its force, the largest of all members. A step
// that goes along the yielding, or not at all beyond it, has 0.
double yield_error(const Cables& cables, double t, const CableTerms& terms);

}  // namespace taut
