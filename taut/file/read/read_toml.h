// Reads a model file (docs/model-format.md). Throws InputError with every problem of the file at once, each
// with file, line, column, key, what is wrong and what was expected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/file/override.h"
#include "taut/model/scenario.h"

namespace taut {

// `set` are "key.path=value" texts, as of --set; they win over the file and over files it builds on, and `options` win
// over them.
Scenario read_scenario(const std::string& file, const std::vector<std::string>& set = {},
                       const std::vector<Override>& options = {});

// The same from text; `file` is only the name that errors mention and that relative paths start from.
Scenario read_scenario_text(std::string_view text, const std::string& file, const std::vector<std::string>& set = {},
                            const std::vector<Override>& options = {});

}  // namespace taut
