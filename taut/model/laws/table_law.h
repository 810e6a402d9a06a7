// The table of a cable law: F(ε) piecewise linear through (strain, force), the first and last segments reaching to
// infinity. Used by cable_law.cpp and yielding.cpp.
#pragma once

#include <algorithm>
#include <cstddef>

#include "taut/model/laws/cable_law.h"

namespace taut::table {

// The segment that holds strain ε.
inline std::size_t segment_of(const CableLaw& law, double strain) {
  const auto above = std::upper_bound(law.strain.begin() + 1, law.strain.end() - 1, strain);
  return static_cast<std::size_t>(above - law.strain.begin()) - 1;
}

inline double slope(const CableLaw& law, std::size_t segment) {
  return (law.force[segment + 1] - law.force[segment]) / (law.strain[segment + 1] - law.strain[segment]);
}

// F(ε), not clipped.
inline double force(const CableLaw& law, double strain) {
  const std::size_t i = segment_of(law, strain);
  return law.force[i] + slope(law, i) * (strain - law.strain[i]);
}

// The segment on which F leaves zero.
inline std::size_t first_pulling(const CableLaw& law) {
  std::size_t i = 0;
  while (i + 2 < law.force.size() && law.force[i + 1] <= 0.0) ++i;
  return i;
}

}  // namespace taut::table
