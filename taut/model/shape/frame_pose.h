// Where a frame on three nodes is and how it is turned:
//
//   r = (a + b + c)/3,   x = (a - r)/|a - r|,   z = (a - r) × (b - r)/|(a - r) × (b - r)|,   y = z × x
//   C = [x y z r; 0 0 0 1],   relative to another frame: C_rel⁻¹ C        (Fadeyev et al. 2019, eq. 16)
//
// Turns are given as ZYX Euler angles: [x y z] = Rz(yaw) Ry(pitch) Rx(roll), rad.
#pragma once

#include <array>
#include <numbers>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct Pose {
  Vec3 origin = Vec3::Zero();    // r, m
  Mat3 axes = Mat3::Identity();  // its columns are x, y, z
};

// The frame on nodes at a, b, c. False where they lie in one line: then only the origin is set, the axes stay.
bool place_frame(const Vec3& a, const Vec3& b, const Vec3& c, Pose& pose);

// C_base⁻¹ C.
Pose relative_pose(const Pose& base, const Pose& pose);

// cos(pitch) up to which yaw and roll turn about one axis and have no rates.
inline constexpr double locked_pitch = 1e-9;

struct EulerAngles {
  double yaw = 0.0, pitch = 0.0, roll = 0.0;  // in (-π, π], [-π/2, π/2], (-π, π]
};

// Of a rotation. At a pitch of ±90° yaw and roll turn about the same axis: there all of the turn is yaw, and roll is 0.
EulerAngles euler_angles(const Mat3& rotation);

inline constexpr const char* world_frame = "world";  // what stands still; no frame is called that
inline constexpr double degrees_per_radian = 180.0 / std::numbers::pi;
inline constexpr int frame_columns = 6;
inline constexpr std::array<const char*, frame_columns> frame_names = {"x", "y", "z", "yaw", "pitch", "roll"};

// The poses of a model's frames, row after row. While the nodes of a frame lie in one line its origin goes on and its
// axes are those of the last row in which they did not, at first those of the start.
class FramePoses {
 public:
  FramePoses() = default;  // of no frames
  explicit FramePoses(const Model& model);

  // `nodes`: 3 numbers per node; `columns`: frame_columns per frame, relative to what the frame says.
  void place(const std::vector<double>& nodes, std::vector<double>& columns);

  // In the world, as last placed: all that is remembered.
  const std::vector<Pose>& poses() const { return poses_; }
  void remember(const std::vector<Pose>& poses) { poses_ = poses; }

 private:
  std::vector<Frame> frames_;
  std::vector<Pose> poses_;  // in the world
};

}  // namespace taut
