// Words about paths of equilibria.
#pragma once

#include "taut/form/path/path_system.h"

namespace taut {

// "the load": what p is a part of.
const char* whole(PathKind kind);
// "load path".
const char* path_name(PathKind kind);

}  // namespace taut
