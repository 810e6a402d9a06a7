// Numbers of joints and controllers in the rows of a run, by the names of their columns in the results.
#pragma once

#include <string>

#include "taut/model/scenario.h"
#include "taut/results/sample.h"

namespace taut::testing {

double joint_value(const Scenario& scenario, const Sample& row, const std::string& column);
double control_value(const Scenario& scenario, const Sample& row, const std::string& column);

}  // namespace taut::testing
