// A model file and the files that it builds on (`model = "other.toml"`), parsed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taut/file/override.h"
#include "taut/file/read/problems.h"
#include "taut/file/value.h"

namespace taut {

struct Document {
  std::shared_ptr<const Source> source;
  Table root;

  const std::string& file() const { return *source->name; }
};

// Weakest first: the file at the bottom of the chain, then each that builds on it, `text` (of `file`) last.
// Throws InputError with everything found so far when a file cannot be read, or builds on itself.
std::vector<Document> load_documents(std::string_view text, const std::string& file,
                                     const std::vector<Override>& overrides, Problems& problems);

// A path in a file is relative to that file.
std::string path_beside(const std::string& file, const std::string& path);

}  // namespace taut
