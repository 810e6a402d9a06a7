// What the search for a prestress begins with.
#pragma once

#include <vector>

#include "taut/model/model.h"

namespace taut {

// The wanted tensions in force: those of the model, or, without any, the mean tension of the start shape. Cables
// between fixed nodes keep their tension. Throws InputError when there is none to go by.
std::vector<WantedTension> wanted_tensions(const Model& model);

// Nodes that are derived from others: of a linear constraint the one with the largest coefficient, the later of equals;
// of a body those that three or four others span.
std::vector<char> derived_nodes(const Model& model);

}  // namespace taut
