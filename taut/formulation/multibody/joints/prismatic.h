// Sliding along one axis of the frame by q (m): E = 1, r = q axis, S = (0, axis), c_J = 0.
#pragma once

#include "taut/formulation/multibody/joints/joint_motion.h"

namespace taut::multibody {

template <>
struct Motion<Prismatic> : Prismatic {
  using Coordinates = Plain<1>;
  static std::array<const char*, 1> names() { return {"position"}; }

  Transform transform(const double* q) const {
    return {Mat3::Identity(), Vec3(axis == 0 ? q[0] : 0.0, axis == 1 ? q[0] : 0.0, axis == 2 ? q[0] : 0.0)};
  }
  void move(const double* q, const double* v, JointMotion& m) const {
    m.X = transform(q);
    m.S.col(0).setZero();
    m.velocity.setZero();
    m.S(axis + 3, 0) = 1.0;
    m.velocity[axis + 3] = v[0];
    m.bias.setZero();
  }
  void constraint_forces(const double*, Mat6& T) const {
    for (int i = 0, column = 0; i < 6; ++i)
      if (i != axis + 3) T.col(column++) = unit6(i);
  }
  bool fit(const Transform& X, double* q) const {
    q[0] = X.r[axis];
    return true;
  }
};

}  // namespace taut::multibody
