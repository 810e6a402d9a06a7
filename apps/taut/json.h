// JSON of the program's results: fields in the order in which they are set.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace taut {

using Json = nlohmann::ordered_json;

// The first field of what text_of() has written that is no number (JSON has only null for it); empty: none. What is
// absent on purpose is Json() and does not count. A command that has written one has failed.
const std::string& field_without_number();

// Indented by so many blanks per level, with a newline at the end. What is not UTF-8 is replaced.
std::string text_of(const Json& object, int indent = 2);

}  // namespace taut
