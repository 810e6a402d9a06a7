// Drawings of Savin et al. (2020).
#pragma once

#include "apps/taut/studies/savin_prism.h"

namespace taut::reproduce {

// Marks where a curve turns: its largest and its smallest value where they are neither at the start nor at the end.
void mark_turns(Plot& plot);

// Fig. 5: the prism in one state, rods I to III, cables 0 to 8; cables of the same strain have the same colour.
std::string pictogram(const std::string& title, const Prism& prism, const Scenario& scenario, const RunRow& row);

}  // namespace taut::reproduce
