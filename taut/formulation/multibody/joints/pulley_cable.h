// The free part of a cable between pulleys, or a pulley and the cable's end: length, strain, stress and the torques
// that follow (Lieskovský 2022, 3.1.2).
//
//   free length     l₀ = L + Σ r_i φ_i      φ_i the angle unwrapped from pulley i (rad), L the free length at φ = 0 (m)
//   length          l = l₀ + u = l₀ (1 + ε)
//   last coordinate u (3.1.20), ε (3.1.25) or l (3.1.30)
//   stress × area   F = EA ε + μA ε̇         taut while ε > 0 and, if clipped, F > 0; else 0
//
// Torques on q = (φ..., last), with ∂ = ∂/∂q:
//
//   as Lieskovský   -F ∂u                             (3.1.16-17 with the sign of a torque): a cable that pulls along
//                                                     itself
//   conservative    -F l₀ ∂ε - ½ EA ε² ∂l₀            the gradient of U = ½ EA ε² l₀, and the damping of the stress μ ε̇
//
// Lieskovský varies u alone; its torques differ from the gradient by ½ EA ε² ∂l₀, which winding up under load turns into
// energy: supplied = -(F ε - ½ EA ε²) l̇₀. Dissipated (F - EA ε) l₀ ε̇ ≥ 0 in both.
#pragma once

#include <algorithm>
#include <array>

#include "taut/formulation/multibody/joints/joint.h"

namespace taut::multibody {

inline const char* symbol(CableCoordinate last) {
  return last == CableCoordinate::u ? "u" : last == CableCoordinate::epsilon ? "eps" : "l";
}

// Lengths of n coordinates, the last one u, ε or l. Derivatives by q; l₀ is linear, the others have the same second
// derivatives as u.
template <int n>
struct CableShape {
  using Vec = Eigen::Matrix<double, n, 1>;
  using Mat = Eigen::Matrix<double, n, n>;
  double l0, u, l;
  Vec l0_q, u_q;
  Mat u_qq = Mat::Zero();

  CableShape(CableCoordinate last, double at_zero, const std::array<double, n - 1>& radius, const double* q) {
    l0 = at_zero;
    for (int i = 0; i < n - 1; ++i) {
      l0 += radius[i] * q[i];
      l0_q[i] = radius[i];
    }
    l0_q[n - 1] = 0.0;
    const double x = q[n - 1];
    switch (last) {
      case CableCoordinate::u:
        u = x, l = l0 + x;
        u_q = Vec::Unit(n - 1);
        break;
      case CableCoordinate::epsilon:
        u = l0 * x, l = l0 * (1.0 + x);
        u_q = x * l0_q;
        u_q[n - 1] = l0;
        u_qq.col(n - 1) = l0_q;
        u_qq.row(n - 1) = l0_q;
        break;
      case CableCoordinate::l:
        u = x - l0, l = x;
        u_q = -l0_q;
        u_q[n - 1] = 1.0;
        break;
    }
  }
};

// Strain, its rate and the stress × area that they make. A cable without free length carries nothing.
struct CableStress {
  double strain, strain_rate, force, elastic, switch_value;
  bool taut;
};

template <int n>
CableStress cable_stress(const CableMaterial& m, const CableShape<n>& s, const double* v, CableSwitch held) {
  if (!(s.l0 > 0.0)) return {0.0, 0.0, 0.0, 0.0, 0.0, false};
  double u_rate = 0.0, l0_rate = 0.0;
  for (int i = 0; i < n; ++i) u_rate += s.u_q[i] * v[i], l0_rate += s.l0_q[i] * v[i];
  CableStress t;
  t.strain = s.u / s.l0;
  t.strain_rate = (u_rate - t.strain * l0_rate) / s.l0;
  t.elastic = m.EA * t.strain;
  t.force = t.elastic + m.damping * t.strain_rate;
  t.switch_value = m.clip ? std::min(t.elastic, t.force) : t.elastic;
  t.taut = held == CableSwitch::by_sign ? t.switch_value > 0.0 : held == CableSwitch::held_taut;
  if (!t.taut) {
    t.force = 0.0;
    t.elastic = std::max(t.elastic, 0.0);
  }
  return t;
}

// Adds the cable's torques, energy and powers.
template <int n>
void add_cable(const CableMaterial& m, const CableShape<n>& s, const double* v, CableSwitch held, JointTorque& out) {
  const CableStress t = cable_stress(m, s, v, held);
  double l0_rate = 0.0;
  for (int i = 0; i < n; ++i) {
    l0_rate += s.l0_q[i] * v[i];
    const double pull = m.conservative
                            ? t.force * (s.u_q[i] - t.strain * s.l0_q[i]) + 0.5 * t.elastic * t.strain * s.l0_q[i]
                            : t.force * s.u_q[i];
    out.torque[i] -= pull;
  }
  out.energy += 0.5 * t.elastic * t.strain * s.l0;
  out.dissipated += (t.force - t.elastic) * s.l0 * t.strain_rate;
  if (!m.conservative) out.supplied -= (t.force - 0.5 * t.elastic) * t.strain * l0_rate;
}

// Adds the derivatives of the torques; on the side of the switch where the evaluation is.
template <int n>
void add_cable_slopes(const CableMaterial& m, const CableShape<n>& s, const double* v, CableSwitch held,
                      JointTorqueSlopes& out) {
  using Vec = Eigen::Matrix<double, n, 1>;
  using Mat = Eigen::Matrix<double, n, n>;
  const CableStress t = cable_stress(m, s, v, held);
  if (!(s.l0 > 0.0)) return;
  const Vec speed = Vec::Map(v), e_q = (s.u_q - t.strain * s.l0_q) / s.l0;
  const Mat e_qq = (s.u_qq - e_q * s.l0_q.transpose() - s.l0_q * e_q.transpose()) / s.l0;
  const Vec force_q = t.taut ? Vec(m.EA * e_q + m.damping * (e_qq * speed)) : Vec(Vec::Zero());
  const Vec force_v = t.taut ? Vec(m.damping * e_q) : Vec(Vec::Zero());
  auto by_q = out.by_q.template topLeftCorner<n, n>();
  auto by_v = out.by_v.template topLeftCorner<n, n>();
  if (m.conservative) {
    by_q -= s.l0 * e_q * force_q.transpose() + t.force * (e_q * s.l0_q.transpose() + s.l0 * e_qq) +
            t.elastic * s.l0_q * e_q.transpose();
    by_v -= s.l0 * e_q * force_v.transpose();
  } else {
    by_q -= s.u_q * force_q.transpose() + t.force * s.u_qq;
    by_v -= s.u_q * force_v.transpose();
  }
}

template <int n>
void set_cable_length(const CableShape<n>& s, const double* v, CableLength& out) {
  out.value = s.l;
  for (int i = 0; i < n; ++i) {
    out.by[i] = s.l0_q[i] + s.u_q[i];
    for (int j = 0; j < n; ++j) out.drift += s.u_qq(i, j) * v[i] * v[j];
  }
}

// Fills what the shape and the stress tell.
template <int n>
void tell_cable(const CableMaterial& m, const CableShape<n>& s, const double* v, CableSwitch held, CableStatus& out) {
  const CableStress t = cable_stress(m, s, v, held);
  out.free_length = s.l0;
  out.length = s.l;
  out.strain = t.strain;
  out.tension = t.force;
  out.switch_value = t.switch_value;
  out.slack = !t.taut;
  out.no_free_length = !(s.l0 > 0.0);
  out.at_pulley = !(s.l > 0.0);
}

inline void tell_winding(const WindingRange& range, double angle, CableStatus& out) {
  out.overlaps = out.overlaps || angle < range.least;
  out.off_pulley = out.off_pulley || angle > range.most;
}

}  // namespace taut::multibody
