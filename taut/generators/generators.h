// Structures made from a few numbers, in exact equilibrium for the asked pretension: `[generate]` in a model
// file, `taut examples` on the command line. One file per kind in model/generators/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/scenario.h"

namespace taut {

struct Parameter {
  std::string key;
  std::optional<double> standard;  // value when not given; none: left out unless the user gives it
  std::string help;                // one phrase with the unit
  bool integer = false;
  std::string also{};  // another word for the key; may be empty
};

// The numbers for one call: the user's, completed by the standard ones.
using Parameters = std::map<std::string, double, std::less<>>;

struct Generator {
  std::string kind;
  std::string help;  // one line for `taut examples`
  std::vector<Parameter> parameters;
  // Throws InputError; a problem's key is the parameter's name.
  Scenario (*build)(const Parameters& parameters);
};

const std::vector<Generator>& generators();
const Generator* find_generator(std::string_view kind);

// The heading under which a list shows a kind; headings in the order of the list.
const std::vector<std::string>& families();
const std::string& family_of(const Generator& generator);

// Fills in standard values, refuses unknown keys and non-integers, then builds.
Scenario generate(const Generator& generator, const Parameters& given);

}  // namespace taut
