// Where a part of a model stands in its file, for problems that are found after reading.
#pragma once

#include <string>
#include <string_view>

#include "taut/base/error.h"

namespace taut {

// `title` as the later rooms have it: joint "hinge", pulley "rope", bar "rod", body "plate", cable "a-b". A place in
// the file and the key as the reader would write it (joints[2]); unchanged where it is not found there, as in a file
// that builds on another.
void locate(const std::string& file, Problem& problem);

}  // namespace taut
