// Positions of the tree's joints at the start such that all loops are closed: given ones are kept, the others found
// from their guesses by damped Newton steps, the shortest in the coordinates, δ = Kᵀ (K Kᵀ + μ)⁻¹ (-g).
#pragma once

#include "taut/formulation/multibody/system/loops.h"

namespace taut::multibody {

// Without loops the given positions and guesses. Throws InputError: loops that cannot be closed, with how far they stay
// open; cables that do not reach their end or have no free length.
std::vector<double> assemble(const Machine& machine, const Tree& tree, const Loops& loops);

}  // namespace taut::multibody
