// { distribution = "normal", mean = 1, std = 0.1, min = 0.5 }: docs/sweeps.md.
#pragma once

#include "taut/file/read/fields.h"
#include "taut/sweep/draw/distribution.h"

namespace taut {

// What is wrong is reported.
Distribution read_distribution(const Fields& fields);

}  // namespace taut
