// Weight and loads of a structure in statics: what counts, who holds it.
#pragma once

#include <optional>
#include <vector>

#include "taut/statics/statics.h"

namespace taut {

// Fills external, falling, load_state and loaded_motion. The weight of a part that may move as a whole along it is left
// out, as if it fell freely.
void gather_loads(const Model& model, Statics& statics);

// What supports do, N per node: Gᵀt - f along fixed axes.
std::vector<Vec3> support_reactions(const Statics& statics);

// How far the loads may grow, with rest lengths that give the forces at hand. Nothing where there are none.
std::optional<Buckling> loaded_buckling(const Model& model, const Statics& statics);

}  // namespace taut
