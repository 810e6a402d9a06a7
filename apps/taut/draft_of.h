// A model file with --set on top of it, as a draft that can still be changed.
#pragma once

#include <string>
#include <vector>

#include "taut/file/draft.h"

namespace taut {

// Throws InputError with every problem of the file and of the texts "key.path=value".
Draft draft_of(const std::string& file, const std::vector<std::string>& set);

}  // namespace taut
