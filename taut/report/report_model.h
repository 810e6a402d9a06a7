// A model file as a page: the still structure with its names, supports and loads, its members coloured by their force
// at the start, and whether that shape is in balance.
#pragma once

#include <string>

#include "taut/model/scenario.h"
#include "taut/report/report.h"

namespace taut {

// `title` serves where the model has no name. A model that cannot be simulated is shown without forces, with the
// reason.
Report model_report(const Scenario& scenario, const std::string& title);

}  // namespace taut
