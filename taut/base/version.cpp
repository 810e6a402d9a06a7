#include "taut/base/version.h"

namespace taut {

const char* version() { return TAUT_VERSION; }

std::string program_version() { return "taut " TAUT_VERSION; }

}  // namespace taut
