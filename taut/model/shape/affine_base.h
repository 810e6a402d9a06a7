// The affine span of points: which of them span what all of them span, and how the others follow from those,
//
//   x_k = Σ β_i x_i,  Σ β_i = 1,      i over a base of up to four points (a point, a segment, a triangle, a
//   tetrahedron).
//
// For points of a rigid body this holds throughout its motion.
#pragma once

#include <vector>

#include "taut/base/types.h"

namespace taut {

// Indices of up to four of the points, each as far as possible from the span of the earlier ones; those nearer to it
// than `flat` (m) count as in it.
std::vector<int> spanning(const std::vector<Vec3>& at, const std::vector<int>& points, double flat);

// β of a point with respect to a base of independent points; of its foot where it is not in their span.
std::vector<double> affine_weights(const std::vector<Vec3>& at, const std::vector<int>& base, const Vec3& point);

// The largest distance of one of the points from the first.
double extent(const std::vector<Vec3>& at, const std::vector<int>& points);

}  // namespace taut
