// What can be commanded from outside, by a program that steps or a function that controls.
#pragma once

#include <vector>

#include "taut/run/engine.h"

namespace taut {

// Rest lengths of the cables that have actuators, torques of the joints that are driven; in a model that drives nothing,
// every cable and every joint of the tree. Without what controllers drive.
std::vector<EngineInput> commandable_inputs(const Dynamics& dynamics);
// Their names, for a scenario that is about to be run. Throws InputError when its formulation refuses it.
std::vector<std::string> commandable_names(const Scenario& scenario);

}  // namespace taut
