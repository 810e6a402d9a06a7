// Accelerations of nodes in any formulation: ẍ = X v̇ + Ẋ v.
#pragma once

#include "taut/formulation/formulation.h"

namespace taut {

// At the placed nodes, with v̇; into `a`, stride 4 with a last entry that is not looked at. Throws InputError for a
// formulation that is not known here.
void node_accelerations(const Formulation& formulation, const double* q, const double* v, const double* v_rate,
                        Terms& terms, double* a);

}  // namespace taut
