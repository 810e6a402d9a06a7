// Looks columns of rows up by name; a name that is not there fails the test.
#include "tests/support/columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "taut/model/control_names.h"
#include "taut/model/joint_spec.h"

namespace taut::testing {
namespace {

double value_of(const std::vector<double>& values, const std::vector<std::string>& names, const std::string& column) {
  const auto found = std::find(names.begin(), names.end(), column);
  EXPECT_NE(found, names.end()) << column;
  return values.at(static_cast<std::size_t>(found - names.begin()));
}

}  // namespace

double joint_value(const Scenario& scenario, const Sample& row, const std::string& column) {
  return value_of(row.joints, joint_columns(scenario.model), column);
}

double control_value(const Scenario& scenario, const Sample& row, const std::string& column) {
  return value_of(row.controls, control_columns(scenario.model), column);
}

}  // namespace taut::testing
