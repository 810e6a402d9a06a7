// The words that [simulation] takes for formulation and integrator. The reader and every check ask here; tests hold the
// lists against what make_formulation and make_integrator know.
#pragma once

#include <string_view>
#include <vector>

#include "taut/model/scenario.h"

namespace taut {

const std::vector<std::string_view>& known_formulations();  // with "all"
const std::vector<std::string_view>& known_integrators();   // with "auto"

// The formulation of a scenario where one is wanted: of "all" the first, which the others are compared with.
std::string_view leading_formulation(const Scenario& scenario);

}  // namespace taut
