// A gradient as JSON: what `taut gradient --json` prints and Python returns.
#pragma once

#include "taut/answers/json.h"
#include "taut/gradient/sensitivity.h"

namespace taut {

Json json_of(const Sensitivity& sensitivity);

}  // namespace taut
