// One model in every formulation that can represent it: the first run goes to the recorders, the others are compared
// with it row by row. They describe the same motion, so the difference is what their integrators leave.
#pragma once

#include "taut/run/simulate.h"

namespace taut {

// The summary is that of the first formulation, with `formulations` and `largest_difference`; failed when one of them
// fails. Throws InputError when none can represent the model.
Summary compare_formulations(const Scenario& scenario, const std::vector<Recorder*>& recorders, const RunHooks& hooks);

}  // namespace taut
