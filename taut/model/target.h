// What a structure shall carry: a tension of every cable of a group, or of their mean. `taut form --method prestress`
// finds the shape and the rest lengths for it.
#pragma once

#include <vector>

namespace taut {

struct Target {
  std::vector<int> cables;  // indices
  double tension = 0.0;     // N
  bool mean = false;        // of the group; otherwise of each

  bool operator==(const Target&) const = default;
};

}  // namespace taut
