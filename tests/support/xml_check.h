// Whether a text is well-formed XML, as far as taut writes it: elements, attributes, character data, references.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taut::testing {

// Empty when it is; else what is wrong and where.
std::string xml_problem(std::string_view text);

}  // namespace taut::testing
