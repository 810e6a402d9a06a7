// Reads back what record_summary.h writes.
#pragma once

#include <string>

#include "taut/model/model.h"
#include "taut/results/summary.h"

namespace taut {

// The summary from its JSON text; what is missing keeps its standard value, and so does null. Throws InputError when it
// is not such a text or names a cable that the model has not.
Summary parse_summary(const std::string& json, const Model& model);

}  // namespace taut
