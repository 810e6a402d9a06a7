// The motion has left its constraints so far that nothing puts it back: most often a step was too long.
#pragma once

#include "taut/base/error.h"

namespace taut {

struct ConstraintsLost : RunError {
  using RunError::RunError;
};

}  // namespace taut
