// Three coordinates of a node in an array of stride 4.
#pragma once

#include <cstddef>

#include "taut/base/types.h"

namespace taut {

inline Vec3 at3(const double* array, int node) { return Vec3(array + 4 * static_cast<std::size_t>(node)); }
inline void put3(double* array, int node, const Vec3& value) {
  Vec3::Map(array + 4 * static_cast<std::size_t>(node)) = value;
}

}  // namespace taut
