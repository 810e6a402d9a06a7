#include "taut/model/shape/frame_pose.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

constexpr double in_line = 1e-9;  // twice the area of a triangle over its size squared: less is a line

double largest(const Vec3& v) { return v.cwiseAbs().maxCoeff(); }

// In (-π, π], and no negative zero.
double principal(double angle) { return angle <= -std::numbers::pi ? std::numbers::pi : angle + 0.0; }

}  // namespace

bool place_frame(const Vec3& a, const Vec3& b, const Vec3& c, Pose& pose) {
  pose.origin = (a + b + c) / 3.0;
  const Vec3 to_a = a - pose.origin, to_b = b - pose.origin, to_c = c - pose.origin;
  const double size = std::max({largest(to_a), largest(to_b), largest(to_c)});
  if (!(size > 0.0) || !std::isfinite(size)) return false;

  // A triangle no wider than the rounding of its corners is a line too.
  const Vec3 p = to_a / size, normal = p.cross(to_b / size);
  const double rounding =
      8.0 * std::numeric_limits<double>::epsilon() * std::max({largest(a), largest(b), largest(c)}) / size;
  if (!(normal.norm() > in_line + rounding)) return false;
  const Vec3 x = p.normalized(), z = (normal - normal.dot(x) * x).normalized();
  pose.axes << x, z.cross(x), z;
  return true;
}

Pose relative_pose(const Pose& base, const Pose& pose) {
  return {base.axes.transpose() * (pose.origin - base.origin), base.axes.transpose() * pose.axes};
}

EulerAngles euler_angles(const Mat3& R) {
  const double cos_pitch = std::hypot(R(0, 0), R(1, 0));
  EulerAngles angles;
  angles.pitch = std::atan2(-R(2, 0), cos_pitch) + 0.0;
  if (!(cos_pitch > locked_pitch)) {
    angles.yaw = principal(std::atan2(-R(0, 1), R(1, 1)));
    return angles;
  }
  angles.yaw = principal(std::atan2(R(1, 0), R(0, 0)));
  // Rz(-yaw) R = Ry(pitch) Rx(roll): what yaw misses near ±90°, roll makes up for.
  const double s = R(1, 0) / cos_pitch, c = R(0, 0) / cos_pitch;
  angles.roll = principal(std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)));
  return angles;
}

FramePoses::FramePoses(const Model& model) : frames_(model.frames), poses_(model.frames.size()) {
  for (size_t i = 0; i < frames_.size(); ++i) {
    const auto& [a, b, c] = frames_[i].nodes;
    place_frame(model.nodes[a].position, model.nodes[b].position, model.nodes[c].position, poses_[i]);
  }
}

void FramePoses::place(const std::vector<double>& nodes, std::vector<double>& columns) {
  const auto at = [&](int node) { return Vec3(nodes.data() + 3 * node); };
  for (size_t i = 0; i < frames_.size(); ++i) {
    const auto& [a, b, c] = frames_[i].nodes;
    place_frame(at(a), at(b), at(c), poses_[i]);
  }
  columns.resize(frame_columns * frames_.size());
  for (size_t i = 0; i < frames_.size(); ++i) {
    const int base = frames_[i].relative_to;
    const Pose pose = base < 0 ? poses_[i] : relative_pose(poses_[base], poses_[i]);
    const EulerAngles angles = euler_angles(pose.axes);
    double* out = columns.data() + frame_columns * i;
    std::copy_n(pose.origin.data(), 3, out);
    out[3] = angles.yaw, out[4] = angles.pitch, out[5] = angles.roll;
  }
}

}  // namespace taut
