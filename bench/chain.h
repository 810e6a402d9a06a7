// A chain of tubes of 0.3 m that hang from one another, bent in space and at rest.
#pragma once

#include "taut/model/model.h"

namespace taut::bench {

// Hinges turn about x and y by turns.
Model chain(int bodies, JointType type);

}  // namespace taut::bench
