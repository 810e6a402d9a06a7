// The models under tests/models, which several tests share.
#pragma once

#include <string>
#include <vector>

#include "taut/model/scenario.h"

namespace taut::testing {

// tests/models/NAME.toml as it stands.
std::string model_text(const std::string& name);

// The model with further lines at its end, and overrides as on the command line ("bars.*.mass=1").
Scenario test_model(const std::string& name, const std::string& more = "", const std::vector<std::string>& set = {});

// How far the tips of the manipulator's struts are turned against its feet about z, in degrees from 0 to 360.
double manipulator_twist(const Model& model);

}  // namespace taut::testing
