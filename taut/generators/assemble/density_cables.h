// Cables by force density: those of one class share q, not their length.
#pragma once

#include "taut/generators/assemble/assemble.h"

namespace taut {

// m, between two nodes.
double distance(const Model& model, int a, int b);

// Cables under the tension q × (own length), q in N/m. Throws InputError with key "pretension" if there is no rest
// length above 0 for it.
void add_cables_by_density(Model& model, const Pairs& pairs, const CableLaw& law, double q);

}  // namespace taut
