// Values that win over the file: --set key.path=value, and options that stand for a key.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/file/read/problems.h"
#include "taut/file/value.h"

namespace taut {

struct Override {
  std::shared_ptr<const Source> source;  // as it was typed, and its key path
  std::vector<std::string> path;         // the parts of the key path, unquoted
  Table tree;                            // the path as nested tables, down to the value
};

// What the sources of --set texts start with.
inline constexpr const char* set_prefix = "--set ";

// "key.path=value", as of --set. The parts of the path are divided by dots; a part in quotes may hold anything. The
// value is a TOML value, or a bare word, which is taken as a text. Reports what is wrong; nothing then.
std::optional<Override> parse_override(const std::string& text, Problems& problems);

// The parts of a key path; none if it is no path.
std::vector<std::string> parse_key_path(std::string_view text);

// A value for the key of that path; `typed` names it in errors, as in "--duration 2". Throws InputError: a path that is too
// deep.
Override override_value(const std::string& key, Value value, std::string typed);

}  // namespace taut
