// A frame on three nodes, as an output: origin r = (a + b + c)/3, x towards a, z along (a - r) × (b - r), y = z × x
// (Fadeyev et al. 2019, eq. 16). Its pose is given in the world or relative to another frame.
#pragma once

#include <array>
#include <string>

#include "taut/base/place.h"

namespace taut {

struct Frame {
  std::string name;
  std::array<int, 3> nodes{};  // node indices
  int relative_to = -1;        // frame index; -1: the world
  EntityPlace place{};

  bool operator==(const Frame&) const = default;
};

}  // namespace taut
