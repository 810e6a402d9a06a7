// The model at rest at t = 0: nothing moves (nodes, bodies, joints, bars about their axes), and driven cables have the
// rest length of t = 0.
#pragma once

#include "taut/model/model.h"

namespace taut {

Model at_rest(const Model& model);

}  // namespace taut
