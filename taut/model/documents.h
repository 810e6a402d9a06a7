// A model file and the files that it builds on (`model = "other.toml"`), parsed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/model/override.h"
#include "taut/model/problems.h"
#include "taut/model/toml.h"

namespace taut {

struct Document {
  std::string file;
  toml::table root;
};

// Weakest first: the file at the bottom of the chain, then each that builds on it, `text` (of `file`) last.
// Throws InputError with everything found so far when a file cannot be read, or builds on itself.
std::vector<Document> load_documents(std::string_view text, const std::string& file,
                                     const std::vector<Override>& overrides, Problems& problems);

// A path in a file is relative to that file.
std::string path_beside(const std::string& file, const std::string& path);

}  // namespace taut
