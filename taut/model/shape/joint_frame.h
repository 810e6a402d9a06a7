// Frames of joints from the directions that matter. What is a unit vector already stays as it is to the last digit, so
// that a frame survives being written and read.
#pragma once

#include "taut/base/types.h"

namespace taut {

Vec3 unit_direction(const Vec3& v);

// Rows: two directions across the axis, the same for the same axis, and the axis itself.
Mat3 frame_about(const Vec3& axis);

// Rows: x, y (turned into the plane across x where it is not quite there) and z.
Mat3 frame_of(const Vec3& x, const Vec3& y);

}  // namespace taut
