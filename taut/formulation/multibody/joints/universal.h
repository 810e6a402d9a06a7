// Two axes that cross: first about the predecessor's x by φ, then about the successor's y by ψ (rad). Successor to
// predecessor coordinates: R = R_x(φ) R_y(ψ), as the strut of Lieskovský (2022), 5.1.1 stands on its base.
//
//   S = | cos ψ  0 |      c_J = φ̇ ψ̇ (-sin ψ, 0, cos ψ)       constraint torque along (-sin ψ, 0, cos ψ)
//       | 0      1 |
//       | sin ψ  0 |      (the linear rows are zero)
#pragma once

#include "taut/formulation/multibody/joints/joint_motion.h"

namespace taut::multibody {

template <>
struct Motion<Universal> : Universal {
  using Coordinates = Plain<2>;
  static std::array<const char*, 2> names() { return {"phi", "psi"}; }

  static Transform transform(const double* q) {
    const double sf = std::sin(q[0]), cf = std::cos(q[0]), sp = std::sin(q[1]), cp = std::cos(q[1]);
    Mat3 E;
    E << cp, sf * sp, -cf * sp, 0.0, cf, sf, sp, -sf * cp, cf * cp;
    return {E, Vec3::Zero()};
  }
  static void move(const double* q, const double* v, JointMotion& m) {
    m.X = transform(q);
    // The third row and column of E hold sin ψ and cos ψ.
    const double sp = m.X.E(2, 0), cp = m.X.E(0, 0);
    m.S.col(0) << cp, 0.0, sp, 0.0, 0.0, 0.0;
    m.S.col(1) = unit6(1);
    m.velocity << cp * v[0], v[1], sp * v[0], 0.0, 0.0, 0.0;
    m.bias << -sp * v[0] * v[1], 0.0, cp * v[0] * v[1], 0.0, 0.0, 0.0;
  }
  static void constraint_forces(const double* q, Mat6& T) {
    T.col(0) << -std::sin(q[1]), 0.0, std::cos(q[1]), 0.0, 0.0, 0.0;
    for (int i = 0; i < 3; ++i) T.col(i + 1) = unit6(i + 3);
  }
  static bool fit(const Transform& X, double* q) {
    q[0] = continue_angle(std::atan2(X.E(1, 2), X.E(1, 1)), q[0]);
    q[1] = continue_angle(std::atan2(X.E(2, 0), X.E(0, 0)), q[1]);
    return true;
  }
};

}  // namespace taut::multibody
