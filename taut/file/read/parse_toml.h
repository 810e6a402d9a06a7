// From a file to a tree of values, or to an InputError with the place of the syntax error. Hostile input (a folder,
// binary junk, endless brackets, dotted keys a million levels deep) ends in a message like any other.
#pragma once

#include <string>
#include <string_view>

#include "taut/file/value.h"

namespace taut {

inline constexpr size_t largest_file = size_t{64} << 20;  // bytes
inline constexpr int deepest_nesting = 100;               // levels of tables and arrays

// The whole file; throws InputError when it cannot be read or is larger than `largest_file`.
std::string read_text_file(const std::string& file);

// Every value points to `source`, which names it in errors. Throws InputError.
Table parse_toml(std::string_view text, const Source& source);

}  // namespace taut
