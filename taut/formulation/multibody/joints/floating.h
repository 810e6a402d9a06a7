// Free in space: q = (quaternion, r), v = (ω, v) in successor coordinates. E = R(q)ᵀ, S = 1, c_J = 0.
#pragma once

#include "taut/formulation/multibody/joints/spherical.h"

namespace taut::multibody {

template <>
struct Motion<Floating> : Floating {
  using Coordinates = Pose;
  static std::array<const char*, 7> names() { return {"qw", "qx", "qy", "qz", "x", "y", "z"}; }
  static constexpr std::array<int, 2> friction_groups{3, 3};

  static Transform transform(const double* q) { return {rotation(q).transpose(), Vec3::Map(q + 4)}; }
  static void move(const double* q, const double* v, JointMotion& m) {
    m.X = transform(q);
    m.S.setIdentity();
    m.velocity = Eigen::Map<const Vec6>(v);
    m.bias.setZero();
  }
  static void constraint_forces(const double*, Mat6&) {}
  static bool fit(const Transform& X, double* q) {
    fit_quaternion(X.E, q);
    Vec3::Map(q + 4) = X.r;
    return true;
  }
};

}  // namespace taut::multibody
