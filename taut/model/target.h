// What a structure shall carry: a tension of every cable of a group, or of their mean. `taut form --method prestress`
// finds the shape and the rest lengths for it.
#pragma once

#include <vector>

#include "taut/base/place.h"

namespace taut {

struct WantedTension {
  std::vector<int> cables;  // indices
  double tension = 0.0;     // N
  bool mean = false;        // of the group; otherwise of each
  EntityPlace place{};

  bool operator==(const WantedTension&) const = default;
};

}  // namespace taut
