// Writes a model file that read_scenario reads back to the same Scenario, number for number.
#pragma once

#include <string>

#include "taut/file/value.h"
#include "taut/model/scenario.h"

namespace taut {

std::string to_toml(const Scenario& scenario);

// A value as it stands behind "key = "; a date as nothing.
std::string toml_value(const Value& value);

}  // namespace taut
