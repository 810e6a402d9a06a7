// --from RUN[@T]: the recorded state that a command starts from, instead of the start of the model file.
#pragma once

#include <string>

#include "apps/taut/command_line.h"
#include "taut/answers/from_run.h"

namespace taut {

Option from_option(std::string* to);

}  // namespace taut
