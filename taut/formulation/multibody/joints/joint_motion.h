// What every kind of joint offers: Motion<Kind>, the kind's parameters with
//
//   Coordinates                          Plain<n>, Turn or Pose: nq, nv, q̇ = N(q) v, q ⊕ δ
//   names()                              of its coordinates q
//   Transform transform(q)               ˢX_p, from the predecessor's frame to the successor's
//   void move(q, v, JointMotion&)        ˢX_p, S, v_J = S v, c_J = Ṡ v                                   (1.2.7, 1.2.8)
//   void constraint_forces(q, T)         T_c, 6 × (6 - nv), SᵀT_c = 0                                    (1.2.9)
//   void active_forces(q, T)             T_a, 6 × nv, SᵀT_a = 1; left out where the columns of S are orthonormal:
//                                        then T_a = S                                                    (1.2.10)
//   bool fit(X, q)                       q such that transform(q) is as X, for loops; angles go on from what q holds.
//                                        False: X is out of the joint's reach
//
// All spatial vectors are in the successor's coordinates. A quantity with nv columns fills the first ones of a 6 × 6.
//
// A loop joint keeps T_cᵀ v_J = 0 (1.2.6). Ṫ_c is not needed: SᵀT_c = 0 for all time gives -Ṫ_cᵀ v_J = T_cᵀ c_J, so
// (1.2.12) reads T_cᵀ a_J = T_cᵀ c_J.
#pragma once

#include "taut/formulation/multibody/joints/coordinates.h"
#include "taut/formulation/multibody/joints/joint.h"

namespace taut::multibody {

template <class Kind>
struct Motion;

// Unit spatial vector: 0..2 turn about x, y, z; 3..5 move along x, y, z.
inline Vec6 unit6(int i) {
  Vec6 m = Vec6::Zero();
  m[i] = 1.0;
  return m;
}

// The angle about the axis that fits E best, going on from `previous`.
inline double angle_about(int axis, const Mat3& E, double previous) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  return continue_angle(std::atan2(E(j, k) - E(k, j), E(j, j) + E(k, k)), previous);
}

}  // namespace taut::multibody
