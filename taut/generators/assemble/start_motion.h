// A structure thrown as a rigid body: velocity + spin × r at the start, r from the origin.
#pragma once

#include <vector>

#include "taut/generators/assemble/numbers.h"
#include "taut/model/model.h"

namespace taut {

std::vector<Parameter> motion_parameters();  // velocity_x ... spin_z
void start_motion(Model& model, const Numbers& numbers);

}  // namespace taut
