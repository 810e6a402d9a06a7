// A scenario as the tree of values that its model file has: what the writer prints, and what the reader takes from a
// generator.
#pragma once

#include "taut/file/value.h"
#include "taut/model/scenario.h"

namespace taut {

// Every value points to `source`.
Table tree_of(const Scenario& scenario, const Source& source);
Table tree_of(const Scenario& scenario);

}  // namespace taut
