// A six-bar that falls on the ground while a damped cable is wound in at a jump: contact, friction, slack cables, a
// signal. For tests of everything with a memory.
#pragma once

#include <string>

#include "taut/model/scenario.h"

namespace taut::testing {

// `euler` takes a tenth of the step.
Scenario falling_robot(const std::string& formulation, const std::string& integrator, double step, double tolerance);

}  // namespace taut::testing
