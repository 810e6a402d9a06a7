// The version of this library, CMake's, in one place.
#pragma once

#include <string>

namespace taut {

const char* version();          // "0.3.0"
std::string program_version();  // "taut 0.3.0", as results name their origin

}  // namespace taut
