// Springs, dampers and friction of a joint, each per velocity coordinate.
//
//   spring    plain coordinates   U = ½ k (q - q₀)²
//             quaternion          U = 2 Σ k_i x_i², x the vector part of q₀* q (unit): ½ k θ² for small turns θ, smooth
//                                 for all; with equal k the torque is -k sin θ about the axis of the turn
//             position r          U = ½ Σ k_i (r - r₀)_i², along the predecessor's axes
//   damper    -c v,  c ≥ 0
//   friction  -f g(|v|/w) v/|v|,  g(s) = 2s - s² for s < 1, else 1: Coulomb's law from the slip speed w on. Directions
//             that are alike (all turns of a ball joint, both ways in a plane) share one f and w, those of the first
//             of them, and v is their vector.
#pragma once

#include "taut/formulation/multibody/joints/coordinates.h"
#include "taut/formulation/multibody/joints/joint.h"

namespace taut::multibody {

// Adds the springs' torque and energy; with slopes, their derivatives as well.
template <int n>
void add_springs(Plain<n>, const Passive& p, const double* q, JointTorque& out, JointTorqueSlopes* slopes) {
  for (int i = 0; i < n; ++i) {
    const double e = q[i] - p.rest[i];
    out.torque[i] -= p.stiffness[i] * e;
    out.energy += 0.5 * p.stiffness[i] * e * e;
    if (slopes) slopes->by_q(i, i) -= p.stiffness[i];
  }
}

inline void add_springs(Turn, const Passive& p, const double* q, JointTorque& out, JointTorqueSlopes* slopes) {
  double turn[4];
  Turn::multiply(p.rest[0], -Turn::vector(p.rest.data()), q[0], Turn::vector(q), turn);
  Turn::normalise(turn);
  const double w = turn[0];
  const Vec3 x = Turn::vector(turn), k = Vec3::Map(p.stiffness.data()), kx = k.cwiseProduct(x);
  out.torque.head<3>() -= 2.0 * (w * kx + kx.cross(x));
  out.energy += 2.0 * x.dot(kx);
  if (slopes) {
    // dw = -½ x·δ, dx = ½ (w + x×) δ.
    const Mat3 dx = 0.5 * (w * Mat3::Identity() + skew(x)), dkx = k.asDiagonal() * dx;
    slopes->by_q.topLeftCorner<3, 3>() -= 2.0 * (w * dkx - 0.5 * kx * x.transpose() + skew(kx) * dx - skew(x) * dkx);
  }
}

inline void add_springs(Pose, const Passive& p, const double* q, JointTorque& out, JointTorqueSlopes* slopes) {
  add_springs(Turn{}, p, q, out, slopes);
  const Mat3 E = rotation(q).transpose();
  const Vec3 k = Vec3::Map(p.stiffness.data() + 3), e = Vec3::Map(q + 4) - Vec3::Map(p.rest.data() + 4);
  const Vec3 force = E * k.cwiseProduct(e);
  out.torque.tail<3>() -= force;
  out.energy += 0.5 * e.dot(k.cwiseProduct(e));
  if (slopes) {
    slopes->by_q.bottomLeftCorner<3, 3>() -= skew(force);
    slopes->by_q.bottomRightCorner<3, 3>() -= E * k.asDiagonal() * E.transpose();
  }
}

// Adds dampers and friction; groups are the numbers of coordinates that share their friction.
template <std::size_t count>
void add_resistance(const std::array<int, count>& groups, const Passive& p, const double* v, JointTorque& out,
                    JointTorqueSlopes* slopes) {
  int first = 0;
  for (const int size : groups) {
    double square = 0.0;
    for (int i = first; i < first + size; ++i) square += v[i] * v[i];
    // Friction is -f factor v; factor changes along v by `fade` v vᵀ.
    const double speed = std::sqrt(square), f = p.friction[first], slip = p.slip[first];
    const bool slides = speed >= slip;
    const double factor = slides ? f / speed : f * (2.0 - speed / slip) / slip;
    for (int i = first; i < first + size; ++i) {
      const double resistance = p.damping[i] + factor;
      out.torque[i] -= resistance * v[i];
      out.dissipated += resistance * v[i] * v[i];
    }
    if (slopes) {
      const double fade = slides ? f / (square * speed) : speed > 0.0 ? f / (slip * slip * speed) : 0.0;
      for (int i = first; i < first + size; ++i) {
        slopes->by_v(i, i) -= p.damping[i] + factor;
        for (int j = first; j < first + size; ++j) slopes->by_v(i, j) += fade * v[i] * v[j];
      }
    }
    first += size;
  }
}

}  // namespace taut::multibody
