// Pieces of TOML text: strings and keys with whatever they hold, numbers that read back to the same double.
#pragma once

#include <string>
#include <string_view>

namespace taut {

// In double quotes, escaped; valid UTF-8 is kept as it is.
std::string toml_string(std::string_view text);

// Bare where TOML allows it, else as toml_string.
std::string toml_key(std::string_view key);

// The shortest text that reads back to the same number, always with a point or an exponent.
std::string toml_number(double value);

}  // namespace taut
