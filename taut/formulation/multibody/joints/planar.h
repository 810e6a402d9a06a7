// Moving in the x-y plane of the predecessor: q = (x, y, θ), the successor's origin in predecessor coordinates (m) and
// the turn about z (rad).
//
//   E = R_z(θ)⁻¹,  r = (x, y, 0),  S = | 0   0   k |      c_J = (0, -θ̇ k × E (ẋ, ẏ, 0))
//                                      | E i E j 0 |
#pragma once

#include "taut/formulation/multibody/joints/joint_motion.h"

namespace taut::multibody {

template <>
struct Motion<Planar> : Planar {
  using Coordinates = Plain<3>;
  static std::array<const char*, 3> names() { return {"x", "y", "theta"}; }
  static constexpr std::array<int, 2> friction_groups{2, 1};

  static Transform transform(const double* q) {
    return {turn_about(2, std::sin(q[2]), std::cos(q[2])), Vec3(q[0], q[1], 0.0)};
  }
  static void move(const double* q, const double* v, JointMotion& m) {
    m.X = transform(q);
    const double c = m.X.E(0, 0), s = m.X.E(0, 1), along = c * v[0] + s * v[1], across = c * v[1] - s * v[0];
    m.S.col(0) << 0.0, 0.0, 0.0, c, -s, 0.0;
    m.S.col(1) << 0.0, 0.0, 0.0, s, c, 0.0;
    m.S.col(2) = unit6(2);
    m.velocity << 0.0, 0.0, v[2], along, across, 0.0;
    m.bias << 0.0, 0.0, 0.0, v[2] * across, -v[2] * along, 0.0;
  }
  static void constraint_forces(const double*, Mat6& T) {
    T.col(0) = unit6(0);
    T.col(1) = unit6(1);
    T.col(2) = unit6(5);
  }
  static bool fit(const Transform& X, double* q) {
    q[0] = X.r[0];
    q[1] = X.r[1];
    q[2] = angle_about(2, X.E, q[2]);
    return true;
  }
};

}  // namespace taut::multibody
