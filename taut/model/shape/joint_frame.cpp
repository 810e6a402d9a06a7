#include "taut/model/shape/joint_frame.h"

#include <Eigen/Geometry>
#include <cmath>

namespace taut {

Vec3 unit_direction(const Vec3& v) {
  const double square = v.squaredNorm();
  return std::abs(square - 1.0) <= 1e-15 ? v : Vec3(v / std::sqrt(square));
}

Mat3 frame_about(const Vec3& axis) {
  Eigen::Index least = 0;
  axis.cwiseAbs().minCoeff(&least);
  Mat3 frame;
  frame.row(2) = unit_direction(axis);
  frame.row(0) = Vec3::Unit(least).cross(frame.row(2)).normalized();
  frame.row(1) = frame.row(2).cross(frame.row(0));
  return frame;
}

Mat3 frame_of(const Vec3& x, const Vec3& y) {
  Mat3 frame;
  frame.row(0) = unit_direction(x);
  Vec3 across = unit_direction(y);
  if (std::abs(across.dot(frame.row(0))) > 1e-15)
    across = (across - across.dot(frame.row(0)) * frame.row(0).transpose()).normalized();
  frame.row(1) = across;
  frame.row(2) = frame.row(0).cross(frame.row(1));
  return frame;
}

}  // namespace taut
