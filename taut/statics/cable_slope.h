// The stiffness of a cable along itself.
#pragma once

#include "taut/model/laws/cable_law.h"

namespace taut {

// dT/dl, N/m, of a cable of this length that carries this tension, with the rest length that gives it; where none does, as
// where it begins to pull.
double cable_slope(const CableLaw& law, double length, double own_rest, double tension);

}  // namespace taut
