// The text of answers as the program prints and writes them. A command that has written a field without a number has
// failed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "taut/answers/json.h"

namespace taut {

// text_of(), which remembers the first field without a number.
std::string result_text(const Json& object, int indent = 2);

// Of all that result_text() has made; empty: none.
const std::string& field_without_number();

}  // namespace taut
