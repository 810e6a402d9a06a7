// The manipulator of Lieskovský (2022) at one instant, as figures 5.13 d, e and 5.14 d, e draw it.
#pragma once

#include <optional>

#include "apps/taut/studies/picture.h"
#include "taut/results/run.h"

namespace taut::reproduce {

// At the first row at or after t, with the path of its end-effector. Nothing where the run ended before.
std::optional<Picture> manipulator_picture(const Run& motion, double t, const std::string& title);

}  // namespace taut::reproduce
