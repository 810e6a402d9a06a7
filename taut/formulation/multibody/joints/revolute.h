// Turning about one axis of the frame by the angle q (rad): E = R_axis(q)⁻¹, r = 0, S = (axis, 0), c_J = 0.
#pragma once

#include "taut/formulation/multibody/joints/joint_motion.h"

namespace taut::multibody {

template <>
struct Motion<Revolute> : Revolute {
  using Coordinates = Plain<1>;
  static std::array<const char*, 1> names() { return {"angle"}; }

  Transform transform(const double* q) const {
    return {turn_about(axis, std::sin(q[0]), std::cos(q[0])), Vec3::Zero()};
  }
  void move(const double* q, const double* v, JointMotion& m) const {
    m.X = transform(q);
    m.S.col(0).setZero();
    m.velocity.setZero();
    m.S(axis, 0) = 1.0;
    m.velocity[axis] = v[0];
    m.bias.setZero();
  }
  void constraint_forces(const double*, Mat6& T) const {
    for (int i = 0, column = 0; i < 6; ++i)
      if (i != axis) T.col(column++) = unit6(i);
  }
  bool fit(const Transform& X, double* q) const {
    q[0] = angle_about(axis, X.E, q[0]);
    return true;
  }
};

}  // namespace taut::multibody
