// { distribution = "normal", mean = 1, std = 0.1, min = 0.5 }: docs/sweeps.md.
#pragma once

#include "taut/model/fields.h"
#include "taut/sweep/distribution.h"

namespace taut {

// What is wrong is reported.
Distribution read_distribution(const Fields& fields);

}  // namespace taut
