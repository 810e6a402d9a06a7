// Two frames that do not move against each other: X = 1, no coordinates, all six forces are constraint forces. As a
// loop joint it closes a frame; in a tree it lumps bodies.
#pragma once

#include "taut/formulation/multibody/joints/joint_motion.h"

namespace taut::multibody {

template <>
struct Motion<Fixed> : Fixed {
  using Coordinates = Plain<0>;
  static std::array<const char*, 0> names() { return {}; }

  static Transform transform(const double*) { return {}; }
  static void move(const double*, const double*, JointMotion& m) {
    m.X = {};
    m.velocity.setZero();
    m.bias.setZero();
  }
  static void constraint_forces(const double*, Mat6& T) { T.setIdentity(); }
  static bool fit(const Transform&, double*) { return true; }
};

}  // namespace taut::multibody
