// A cable tangent to two pulleys with parallel axes, which Lieskovský (2022) names as future work. Both frames turn
// with their pulleys: origins in the centres, z the axes. The cable leaves the first as in the involute joint, with x
// along it and the centre at y = -r₁, runs for the length l and winds onto the second, whose centre lies at y = -σ r₂:
// σ = 1 open (both on one side of the cable), σ = -1 crossed.
//
//   φ₁, φ₂ the angles unwrapped (rad);   l₀ = L + r₁ φ₁ + r₂ φ₂,  l = l₀ + u                                       (m)
//   centre to centre, in axes i', j' along and across the cable:   l i' + (r₁ - σ r₂) j'
//   from the first frame to the axes of the cable: φ₁ about z; on to the second frame: σ φ₂
//
//   S = | k                        σ k                   0           |    i' = (cos φ₂, -σ sin φ₂, 0)
//       | (σ r₂ + ∂u/∂φ₁) i' + l j'   (r₂ + ∂u/∂φ₂) i'   ∂u/∂q₃ i'   |    j' = (σ sin φ₂, cos φ₂, 0)
//
//   v_J = ((φ̇₁ + σ φ̇₂) k, a i' + b j'),  a = l̇ - (r₁ - σ r₂) φ̇₁,  b = l φ̇₁
//   c_J = (0, (l̈ + σ φ̇₂ b) i' + (l̇ φ̇₁ - σ φ̇₂ a) j'),   l̈ at v̇ = 0
//
// TwoPulleyRigid: q = (φ₁, φ₂), u = 0, one constraint more: the tension along i', at the arm -σ r₂. TwoPulley:
// q = (φ₁, φ₂, q₃) with q₃ = u, ε or l. Without the second pulley, r₂ = 0, the involute joint with a pin at its end.
#pragma once

#include "taut/formulation/multibody/joints/involute.h"

namespace taut::multibody {

inline double sigma(const PulleyPair& p) { return p.crossed ? -1.0 : 1.0; }

// i' and j' in the successor's coordinates.
struct CableAxes {
  Vec6 along, across;
};
inline CableAxes cable_axes(const PulleyPair& p, double phi2) {
  const double c = std::cos(phi2), s = sigma(p) * std::sin(phi2);
  CableAxes a;
  a.along << 0.0, 0.0, 0.0, c, -s, 0.0;
  a.across << 0.0, 0.0, 0.0, s, c, 0.0;
  return a;
}

// The cable's axes turned on by σ φ₂, as `a` says.
inline Transform pulley_transform(const PulleyPair& p, double phi1, const CableAxes& a, double l) {
  const Transform end = involute_transform(p.first, phi1, l);
  const double c = end.E(0, 0), s = end.E(0, 1), c2 = a.along[3], s2 = a.across[3];
  return {turn_about(2, s * c2 + c * s2, c * c2 - s * s2), end.r - sigma(p) * p.second * Vec3(-s, c, 0.0)};
}

// v_J and c_J from the length, its rate and the second rate that it has at v̇ = 0.
inline void pulley_speeds(const PulleyPair& p, const CableAxes& e, double l, double l_rate, double l_second,
                          const double* v, JointMotion& m) {
  const double a = l_rate - (p.first - sigma(p) * p.second) * v[0], b = l * v[0], turn = sigma(p) * v[1];
  m.velocity = a * e.along + b * e.across + (v[0] + turn) * unit6(2);
  m.bias = (l_second + turn * b) * e.along + (l_rate * v[0] - turn * a) * e.across;
}

// φ₁, φ₂ and l of a position of the second pulley; false where the circles have no such tangent.
inline bool fit_pulleys(const PulleyPair& p, const Transform& X, double* q, double& l) {
  const double offset = p.first - sigma(p) * p.second, square = X.r.head<2>().squaredNorm() - offset * offset;
  l = std::sqrt(std::max(square, 0.0));
  q[0] = continue_angle(std::atan2(X.r[1], X.r[0]) - std::atan2(offset, l), q[0]);
  q[1] = continue_angle(sigma(p) * (angle_about(2, X.E, 0.0) - q[0]), q[1]);
  return square > 0.0;
}

template <>
struct Motion<TwoPulleyRigid> : TwoPulleyRigid {
  using Coordinates = Plain<2>;
  static std::array<const char*, 2> names() { return {"phi1", "phi2"}; }

  double length(const double* q) const { return pulleys.at_zero + pulleys.first * q[0] + pulleys.second * q[1]; }
  Transform transform(const double* q) const {
    return pulley_transform(pulleys, q[0], cable_axes(pulleys, q[1]), length(q));
  }
  void move(const double* q, const double* v, JointMotion& m) const {
    const double l = length(q), side = sigma(pulleys), r2 = pulleys.second;
    const CableAxes e = cable_axes(pulleys, q[1]);
    m.X = pulley_transform(pulleys, q[0], e, l);
    m.S.col(0) = unit6(2) + side * r2 * e.along + l * e.across;
    m.S.col(1) = side * unit6(2) + r2 * e.along;
    pulley_speeds(pulleys, e, l, pulleys.first * v[0] + r2 * v[1], 0.0, v, m);
  }
  void constraint_forces(const double* q, Mat6& T) const {
    T.col(0) = unit6(0);
    T.col(1) = unit6(1);
    T.col(2) = unit6(5);
    T.col(3) = cable_axes(pulleys, q[1]).along - sigma(pulleys) * pulleys.second * unit6(2);
  }
  void active_forces(const double* q, Mat6& T) const {
    const Vec6 across = cable_axes(pulleys, q[1]).across / length(q);
    T.col(0) = across;
    T.col(1) = sigma(pulleys) * (unit6(2) - across);
  }
  bool fit(const Transform& X, double* q) const {
    double l = 0.0;
    return fit_pulleys(pulleys, X, q, l) && length(q) > 0.0;
  }
  void tell(const double* q, const double*, CableSwitch, CableStatus& out) const {
    out.free_length = out.length = length(q);
    out.no_free_length = out.at_pulley = !(out.length > 0.0);
    tell_winding(pulleys.first_range, q[0], out);
    tell_winding(pulleys.second_range, q[1], out);
  }
  void set_length(const double* q, const double*, CableLength& out) const {
    out.value = length(q);
    out.by[0] = pulleys.first;
    out.by[1] = pulleys.second;
  }
};

template <>
struct Motion<TwoPulley> : TwoPulley {
  using Coordinates = Plain<3>;
  std::array<const char*, 3> names() const { return {"phi1", "phi2", symbol(last)}; }

  CableShape<3> shape(const double* q) const { return {last, pulleys.at_zero, {pulleys.first, pulleys.second}, q}; }
  Transform transform(const double* q) const {
    return pulley_transform(pulleys, q[0], cable_axes(pulleys, q[1]), shape(q).l);
  }
  void move(const double* q, const double* v, JointMotion& m) const {
    const CableShape<3> s = shape(q);
    const double side = sigma(pulleys), r2 = pulleys.second;
    const CableAxes e = cable_axes(pulleys, q[1]);
    m.X = pulley_transform(pulleys, q[0], e, s.l);
    m.S.col(0) = unit6(2) + (side * r2 + s.u_q[0]) * e.along + s.l * e.across;
    m.S.col(1) = side * unit6(2) + (r2 + s.u_q[1]) * e.along;
    m.S.col(2) = s.u_q[2] * e.along;
    const double l_rate = (s.l0_q[0] + s.u_q[0]) * v[0] + (s.l0_q[1] + s.u_q[1]) * v[1] + s.u_q[2] * v[2];
    const double l_second = 2.0 * v[2] * (s.u_qq(0, 2) * v[0] + s.u_qq(1, 2) * v[1]);
    pulley_speeds(pulleys, e, s.l, l_rate, l_second, v, m);
  }
  static void constraint_forces(const double*, Mat6& T) {
    T.col(0) = unit6(0);
    T.col(1) = unit6(1);
    T.col(2) = unit6(5);
  }
  void active_forces(const double* q, Mat6& T) const {
    const CableShape<3> s = shape(q);
    const CableAxes e = cable_axes(pulleys, q[1]);
    const double side = sigma(pulleys), first = side * pulleys.second + s.u_q[0];
    const double second = side * (pulleys.second + s.u_q[1]);
    T.col(0) = e.across / s.l;
    T.col(1) = side * (unit6(2) - T.col(0));
    T.col(2) = (e.along - second * unit6(2) + ((second - first) / s.l) * e.across) / s.u_q[2];
  }
  bool fit(const Transform& X, double* q) const {
    double l = 0.0;
    const bool reached = fit_pulleys(pulleys, X, q, l);
    const double l0 = pulleys.at_zero + pulleys.first * q[0] + pulleys.second * q[1];
    q[2] = last_coordinate(last, l0, l);
    return reached && l0 > 0.0;
  }

  void add_torque(const double* q, const double* v, CableSwitch held, JointTorque& out) const {
    add_cable(material, shape(q), v, held, out);
  }
  void add_slopes(const double* q, const double* v, CableSwitch held, JointTorqueSlopes& out) const {
    add_cable_slopes(material, shape(q), v, held, out);
  }
  void tell(const double* q, const double* v, CableSwitch held, CableStatus& out) const {
    tell_cable(material, shape(q), v, held, out);
    tell_winding(pulleys.first_range, q[0], out);
    tell_winding(pulleys.second_range, q[1], out);
  }
  void set_length(const double* q, const double* v, CableLength& out) const { set_cable_length(shape(q), v, out); }
};

}  // namespace taut::multibody
