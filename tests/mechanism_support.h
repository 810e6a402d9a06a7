// Mechanisms that several tests use, as model files, and columns of joints in the rows of a run.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support.h"

namespace taut::testing {

// A drum of radius 0.1 about y in a bearing, and a weight on a rope from it; further keys of the rope may follow.
inline std::string drum_and_weight(double mass) {
  return fmt::format(R"([nodes]
hook = [0.1, 0, -1]
[[bodies]]
name = "drum"
mass = 2
inertia = [0.02, 0.01, 0.02]
centre = [0, 0, 0]
[[bodies]]
name = "weight"
nodes = ["hook"]
mass = {}
inertia = [0.01, 0.01, 0.01]
[[joints]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "drum"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[pulleys]]
name = "rope"
body = "drum"
centre = [0, 0, 0]
axis = [0, -1, 0]
radius = 0.1
to = "hook"
)",
                     mass);
}

inline double joint_value(const Scenario& scenario, const Sample& row, const std::string& name) {
  const std::vector<std::string> names = joint_columns(scenario.model);
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return row.joints[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace taut::testing
