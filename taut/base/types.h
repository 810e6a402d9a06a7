// Small shared types: vectors, axes, non-owning arrays.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>

namespace taut {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Axes = std::array<bool, 3>;  // one flag for each of x, y, z

}  // namespace taut
