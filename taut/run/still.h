// A model at rest as a run of one row: what pictures of a model file start from.
#pragma once

#include "taut/results/run.h"

namespace taut {

// The start shape as a run of one row, with the forces at t = 0. Throws InputError when the formulation refuses the
// model.
Run still_run(const Scenario& scenario);

}  // namespace taut
