// Damping of the cables as eq. (3) of Savin et al. (2020) prints it, -γ (ṙ_i - ṙ_j), beside its part along the cable.
#pragma once

#include "apps/taut/studies/savin_prism.h"

namespace taut::reproduce {

// The prism let go from 50°, with γ (N s/m) in the cables in place of the drag on the rods.
void damping_of_cables(const Prism& prism, double damping, Findings& out, const Step& step);

}  // namespace taut::reproduce
