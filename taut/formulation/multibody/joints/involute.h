// A cable that unwinds from a pulley (Lieskovský 2022, 3.1). The predecessor's frame turns with the pulley: origin in
// its centre, z its axis. The successor's frame sits at the cable's end: x along the cable, away from the pulley, and y
// from the centre to the point where the cable leaves. φ is the angle unwrapped (rad), r the radius, l the length (m):
//
//   E = R_z(φ)⁻¹,   ˢp = r j + l i,   l = r φ + u                                                        (3.1.1-4)
//   S = | k                0        |      c_J = (0, j φ̇ l̇ + i l̈),   l̇ and l̈ at v̇ = 0                  (3.1.18-32)
//       | j l + i ∂u/∂φ    i ∂u/∂q₂ |
//
// InvoluteRigid: q = φ, u = 0. Involute: q = (φ, q₂) with q₂ = u, ε or l. With q₂ = l it is a revolute joint about z,
// the step r along y and a prismatic joint along x.
#pragma once

#include "taut/formulation/multibody/joints/joint_motion.h"
#include "taut/formulation/multibody/joints/pulley_cable.h"

namespace taut::multibody {

// ˢX_p of a cable of length l at the angle φ.
inline Transform involute_transform(double radius, double phi, double l) {
  const double s = std::sin(phi), c = std::cos(phi);
  return {turn_about(2, s, c), Vec3(l * c - radius * s, l * s + radius * c, 0.0)};
}

template <>
struct Motion<InvoluteRigid> : InvoluteRigid {
  using Coordinates = Plain<1>;
  static std::array<const char*, 1> names() { return {"phi"}; }

  Transform transform(const double* q) const { return involute_transform(radius, q[0], radius * q[0]); }
  void move(const double* q, const double* v, JointMotion& m) const {
    const double l = radius * q[0];
    m.X = involute_transform(radius, q[0], l);
    m.S.col(0) << 0.0, 0.0, 1.0, 0.0, l, 0.0;
    m.velocity << 0.0, 0.0, v[0], 0.0, l * v[0], 0.0;
    m.bias << 0.0, 0.0, 0.0, 0.0, radius * v[0] * v[0], 0.0;
  }
  // The last one is the tension, along the cable at its end: pulling it towards the pulley where negative.
  void constraint_forces(const double* q, Mat6& T) const {
    T.col(0) = unit6(0);
    T.col(1) = unit6(1);
    T.col(2) << 0.0, 0.0, -radius * q[0], 0.0, 1.0, 0.0;
    T.col(3) = unit6(5);
    T.col(4) = unit6(3);
  }
  static void active_forces(const double*, Mat6& T) { T.col(0) = unit6(2); }
  bool fit(const Transform& X, double* q) const {
    q[0] = angle_about(2, X.E, q[0]);
    return q[0] > 0.0;
  }
  void tell(const double* q, const double*, CableSwitch, CableStatus& out) const {
    out.free_length = out.length = radius * q[0];
    out.no_free_length = out.at_pulley = !(out.length > 0.0);
    tell_winding(range, q[0], out);
  }
  void set_length(const double* q, const double*, CableLength& out) const {
    out.value = radius * q[0];
    out.by[0] = radius;
  }
};

template <>
struct Motion<Involute> : Involute {
  using Coordinates = Plain<2>;
  std::array<const char*, 2> names() const { return {"phi", symbol(last)}; }

  CableShape<2> shape(const double* q) const { return {last, 0.0, {radius}, q}; }
  Transform transform(const double* q) const { return involute_transform(radius, q[0], shape(q).l); }
  void move(const double* q, const double* v, JointMotion& m) const {
    const CableShape<2> s = shape(q);
    m.X = involute_transform(radius, q[0], s.l);
    m.S.col(0) << 0.0, 0.0, 1.0, s.u_q[0], s.l, 0.0;
    m.S.col(1) << 0.0, 0.0, 0.0, s.u_q[1], 0.0, 0.0;
    const double u_rate = s.u_q[0] * v[0] + s.u_q[1] * v[1], u_second = 2.0 * s.u_qq(0, 1) * v[0] * v[1];
    m.velocity << 0.0, 0.0, v[0], u_rate, s.l * v[0], 0.0;
    m.bias << 0.0, 0.0, 0.0, u_second, v[0] * (radius * v[0] + u_rate), 0.0;
  }
  void constraint_forces(const double* q, Mat6& T) const {
    T.col(0) = unit6(0);
    T.col(1) = unit6(1);
    T.col(2) << 0.0, 0.0, -shape(q).l, 0.0, 1.0, 0.0;
    T.col(3) = unit6(5);
  }
  void active_forces(const double* q, Mat6& T) const {
    const CableShape<2> s = shape(q);
    T.col(0) = unit6(2);
    T.col(1) << 0.0, 0.0, -s.u_q[0] / s.u_q[1], 1.0 / s.u_q[1], 0.0, 0.0;
  }
  bool fit(const Transform& X, double* q) const {
    q[0] = angle_about(2, X.E, q[0]);
    const double l = (X.E * X.r)[0], l0 = radius * q[0];
    q[1] = last_coordinate(last, l0, l);
    return l0 > 0.0 && l > 0.0;
  }

  void add_torque(const double* q, const double* v, CableSwitch held, JointTorque& out) const {
    add_cable(material, shape(q), v, held, out);
  }
  void add_slopes(const double* q, const double* v, CableSwitch held, JointTorqueSlopes& out) const {
    add_cable_slopes(material, shape(q), v, held, out);
  }
  void tell(const double* q, const double* v, CableSwitch held, CableStatus& out) const {
    tell_cable(material, shape(q), v, held, out);
    tell_winding(range, q[0], out);
  }
  void set_length(const double* q, const double* v, CableLength& out) const { set_cable_length(shape(q), v, out); }
};

}  // namespace taut::multibody
