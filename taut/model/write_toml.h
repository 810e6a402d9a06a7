// Writes a model file that read_scenario reads back to the same Scenario, number for number.
#pragma once

#include <string>

#include "taut/model/scenario.h"

namespace taut {

std::string to_toml(const Scenario& scenario);

}  // namespace taut
