// A ball joint: q the unit quaternion that turns successor into predecessor coordinates, v = ω in successor
// coordinates.
//   E = R(q)ᵀ, r = 0, S = (1, 0), c_J = 0
#pragma once

#include "taut/formulation/multibody/joints/joint_motion.h"

namespace taut::multibody {

// The quaternion of the rotation Eᵀ, of the two that on the side of what q holds.
inline void fit_quaternion(const Mat3& E, double* q) {
  const Eigen::Quaterniond p(Mat3(E.transpose()));
  const double sign = p.w() * q[0] + p.x() * q[1] + p.y() * q[2] + p.z() * q[3] < 0.0 ? -1.0 : 1.0;
  q[0] = sign * p.w(), q[1] = sign * p.x(), q[2] = sign * p.y(), q[3] = sign * p.z();
}

template <>
struct Motion<Spherical> : Spherical {
  using Coordinates = Turn;
  static std::array<const char*, 4> names() { return {"qw", "qx", "qy", "qz"}; }
  static constexpr std::array<int, 1> friction_groups{3};

  static Transform transform(const double* q) { return {rotation(q).transpose(), Vec3::Zero()}; }
  static void move(const double* q, const double* v, JointMotion& m) {
    m.X = transform(q);
    m.S.leftCols<3>().setIdentity();
    m.velocity << v[0], v[1], v[2], 0.0, 0.0, 0.0;
    m.bias.setZero();
  }
  static void constraint_forces(const double*, Mat6& T) {
    for (int i = 0; i < 3; ++i) T.col(i) = unit6(i + 3);
  }
  static bool fit(const Transform& X, double* q) {
    fit_quaternion(X.E, q);
    return true;
  }
};

}  // namespace taut::multibody
