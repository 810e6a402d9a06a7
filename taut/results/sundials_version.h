// The version of the SUNDIALS library in use, e.g. "6.4.1".
#pragma once

#include <string>

namespace taut {

std::string sundials_version();

}  // namespace taut
