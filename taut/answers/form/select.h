// Members and nodes that options of `taut form` name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taut/answers/form/form.h"

namespace taut {

// "a1-b3,a2-b1", "cables", "bars", or with * for any text: "a*-b*". Members as numbers of equilibrium/members.h, ascending.
// Throws InputError that names the option.
std::vector<int> select_members(const Model& model, const std::string& text, const char* option);

// The same with its number. Throws InputError where that is no number.
std::pair<std::vector<int>, double> select_with_number(const Model& model, const MembersNumber& given,
                                                       const char* option);
// "MEMBERS=NUMBER".
MembersNumber read_members_number(const std::string& text);

// Names of nodes, with * for any text.
std::vector<int> select_nodes(const Model& model, const std::string& text, const char* option);

}  // namespace taut
