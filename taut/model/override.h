// "key.path=value" texts, as of --set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/model/problems.h"
#include "taut/model/toml.h"

namespace taut {

struct Override {
  std::string source;             // "--set key.path=value"
  std::string key;                // "key.path", as given
  std::vector<std::string> path;  // its parts, unquoted
  toml::table tree;               // the path as nested tables, down to the value
};

// The parts of the path are divided by dots; a part in quotes may hold anything. The value is a TOML value, or a
// bare word, which is taken as a text. Reports what is wrong; nothing then.
std::optional<Override> parse_override(const std::string& text, Problems& problems);

}  // namespace taut
