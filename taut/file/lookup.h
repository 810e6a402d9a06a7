// The value that a model has under a key path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/file/override.h"
#include "taut/file/read/model_file.h"
#include "taut/file/value.h"
#include "taut/model/scenario.h"

namespace taut {

// Throws InputError: that is no path.
std::vector<std::string> path_of(const std::string& key);

// One table, or one value, and no list of entities.
bool is_plain(const std::string& section);

// Whether a section has a key, the first part of a path below an entity. Appends those that it has.
bool is_known(const std::string& section, const std::string& key, std::vector<std::string_view>& known);

// What the scenario holds, what its file would say, what was given: whichever has it first. With "*" a list of one for
// each entity. Nothing where the key is known and has no value. Throws InputError: there is no such key or entity.
std::optional<Value> look_up(const Scenario& scenario, ModelFile& file, const std::vector<Override>& overrides,
                             const std::string& key);

}  // namespace taut
