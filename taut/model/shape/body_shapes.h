// Uniform bodies of simple shapes: where their centre is and how their mass is spread.
//
//   second = (1/m) ∫ (r - c)(r - c)ᵀ dm, m²;     inertia about the centre: m (tr(second) 1 - second).
#pragma once

#include <string>
#include <vector>

#include "taut/model/body.h"

namespace taut {

struct Shape {
  Vec3 centre = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  double volume = 0.0;  // m³
  BodyShape drawn{};    // nothing for a plate, which its outline shows
};

Mat3 inertia_of(const Shape& shape, double mass);  // exactly symmetric

// A flat polygon; corners in order, either way round.
Shape plate_shape(const std::vector<Vec3>& corners, double thickness);
// Edges along the columns of `axes`, which are orthonormal.
Shape box_shape(const Vec3& centre, const Vec3& size, const Mat3& axes);
// inner_radius = 0: a cylinder.
Shape tube_shape(const Vec3& centre, const Vec3& axis, double length, double radius, double inner_radius);
Shape sphere_shape(const Vec3& centre, double radius);

// Why the points are not the corners of a plate, in this order: fewer than three, not in one plane, no area, sides that
// cross. Empty if they are. `names` go with the points.
std::string polygon_problem(const std::vector<Vec3>& corners, const std::vector<std::string>& names);

// Points of one plane that are the corners of their convex hull, in order.
std::vector<int> hull_corners(const std::vector<Vec3>& points);

}  // namespace taut
