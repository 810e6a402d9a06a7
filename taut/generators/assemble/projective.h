// Self-stress survives a projective map: where densities q balance nodes p, the nodes p/w with w affine in p are
// balanced by q w_a w_b, because Σ q w_a w_b (p_b/w_b - p_a/w_a) = w_a Σ q (p_b - p_a) - p_a Σ q (w_b - w_a) = 0. The
// stress matrix becomes W Ω W, so what was super-stable stays so, and with w > 0 what pulled pulls. Straight towers
// become tapered ones and rings in this way.
#pragma once

#include <vector>

#include "taut/generators/assemble/assemble.h"

namespace taut {

// w = 1 at z = 0 and 1/ratio at the height of the highest node: radii shrink to `ratio` at the top, and heights
// are stretched so that the top stays where it was. Moves the nodes and returns w of each.
std::vector<double> taper_nodes(Model& model, double ratio);

// Cables with force density scale · w_a w_b (N/m) between rings of n nodes: those that join the same two rings are
// alike. Throws as add_cables() does.
void add_weighted_cables(Model& model, const Pairs& pairs, const CableLaw& law, double density,
                         const std::vector<double>& weight, int n);

}  // namespace taut
