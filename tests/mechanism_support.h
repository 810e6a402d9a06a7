// Columns of joints in the rows of a run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support.h"

namespace taut::testing {

inline double joint_value(const Scenario& scenario, const Sample& row, const std::string& name) {
  const std::vector<std::string> names = joint_columns(scenario.model);
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return row.joints[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace taut::testing
