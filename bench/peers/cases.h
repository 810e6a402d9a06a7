// The structures and motions on which everybody is measured.
#pragma once

#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut::bench {

struct Case {
  std::string key;    // for --case
  std::string title;  // for the table
  Model model;
  double duration = 1.0;  // s
};

// All start in the equilibrium shape, so that every cable is taut, with velocities that keep every bar's length: for
// each bar a seeded random translation and rotation, on top of a common spin. No gravity, no ground.
std::vector<Case> cases();

}  // namespace taut::bench
