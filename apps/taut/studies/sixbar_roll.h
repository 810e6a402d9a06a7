// The six-bar robot of the Berkeley chapter, and its roll by 24 cables (Fig. 3.5).
#pragma once

#include "apps/taut/studies/study.h"
#include "taut/generators/generators.h"

namespace taut::reproduce {

Scenario robot(const Settings& settings, Parameters more = {});

void roll(const Settings& settings, Findings& findings, const Step& step);

}  // namespace taut::reproduce
