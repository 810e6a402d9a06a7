// Lieskovský (2022), 5.4: the manipulator settles, then its end-effector follows Tables 5.8 and 5.9.
#pragma once

#include "apps/taut/studies/study.h"

namespace taut::reproduce {

// The models and runs of the manipulator come first: the report animates it.
void steer_manipulators(const Settings& settings, Findings& findings, const Step& step);
constexpr int manipulator_steps = 7;

}  // namespace taut::reproduce
