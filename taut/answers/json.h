// Answers as JSON: fields in the order in which they are set, as --json prints them. Only .cpp files include all of
// nlohmann/json.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace taut {

using Json = nlohmann::ordered_json;

// Indented by so many blanks per level, with a newline at the end. What is not UTF-8 is replaced.
std::string text_of(const Json& object, int indent = 2);

// The first field that is no number (JSON has only null for it), as in "matrices.stiffness"; empty: none. What is absent
// on purpose is Json() and does not count. An answer with such a field is none.
std::string field_without_number(const Json& object);

// What is said of that field.
std::string without_number_text(const std::string& field);

}  // namespace taut
