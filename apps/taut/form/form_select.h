// Members and nodes named on the command line of `taut form`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taut/model/model.h"

namespace taut {

// "a1-b3,a2-b1", "cables", "bars", or with * for any text: "a*-b*". Members as numbers of equilibrium/members.h, ascending.
// Throws InputError that names the option.
std::vector<int> select_members(const Model& model, const std::string& text, const char* option);

// The same with "=number" at the end.
std::pair<std::vector<int>, double> select_with_number(const Model& model, const std::string& text, const char* option);

// Names of nodes, with * for any text.
std::vector<int> select_nodes(const Model& model, const std::string& text, const char* option);

}  // namespace taut
