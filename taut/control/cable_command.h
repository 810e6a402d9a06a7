// The rest length that makes a cable carry a wanted tension at its present length l and rate of elongation ė = l̇ - L̇0:
// the inverse of model/cable_law.h in L0, damping included.
//
//   linear, table   the elastic part must be T - c ė > 0: damping alone may be more than T, then no rest length does it
//   spring          T - c ė, pulling or pushing
//   softplus        k s(l - L0) + c s'(l - L0) ė = T, by bisection where c ė is not 0
//
// T = 0 means slack.
#pragma once

#include <string>

#include "taut/model/controller_spec.h"
#include "taut/model/laws/cable_law.h"

namespace taut {

// Above 0, m; springs given by stiffness may have none.
bool can_be_rest_length(const CableLaw& law, double rest_length);

// m; NaN if there is none.
double rest_length_for_tension(const CableLaw& law, double length, double rate, double tension);
// Why it is NaN.
std::string why_no_rest_length(const CableLaw& law, double length, double rate, double tension);

// The tensions that some rest length makes, N. Cables that only pull: from 0, or from what damping alone makes while
// the cable lengthens (taut cables only: being slack is not among them then), to that of a rest length of next to
// nothing. A softplus cable is never slack: the least is at a rest length 1000 β longer than the cable.
Bounds tension_range(const CableLaw& law, double length, double rate);

}  // namespace taut
