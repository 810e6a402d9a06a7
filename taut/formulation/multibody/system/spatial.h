// Spatial vectors after Featherstone (Lieskovský 2022, chapter 1): 6-vectors, angular part first.
//
//   motion  m = (ω, v)    v the velocity of the point at the origin of the frame       rad/s, m/s
//   force   f = (n, f)    n the moment about the origin of the frame                   N m, N        power f·m
//
// A transform from frame A to frame B stores E, which turns A coordinates into B coordinates, and r, the position of
// B's origin in A coordinates. As 6 × 6 matrices (3.1.4 with ˢp = E r; the text under 1.2.2 means X for motions):
//
//   X  = | E        0 |  motions        X* = | E  -E r× |  forces        X*⁻¹ = Xᵀ
//        | -E r×    E |                      | 0   E    |
//
// Cross products:  v × m = (ω×m_ω, ω×m_v + v×m_ω),   v ×* f = (ω×n + v×f, ω×f),   (v ×* f)·m = -f·(v × m).
#pragma once

#include <cmath>

#include "taut/base/types.h"

namespace taut::multibody {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

inline Vec6 spatial(const Vec3& angular, const Vec3& linear) {
  Vec6 m;
  m << angular, linear;
  return m;
}
inline auto angular(const Vec6& m) { return m.head<3>(); }
inline auto linear(const Vec6& m) { return m.tail<3>(); }

// a× as a matrix.
inline Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0;
  return m;
}

inline Vec6 cross_motion(const Vec6& v, const Vec6& m) {
  return spatial(angular(v).cross(angular(m)), angular(v).cross(linear(m)) + linear(v).cross(angular(m)));
}
inline Vec6 cross_force(const Vec6& v, const Vec6& f) {
  return spatial(angular(v).cross(angular(f)) + linear(v).cross(linear(f)), angular(v).cross(linear(f)));
}

// E of a frame that is turned by the angle about axis 0, 1 or 2.
inline Mat3 turn_about(int axis, double sine, double cosine) {
  Mat3 E;
  if (axis == 0)
    E << 1.0, 0.0, 0.0, 0.0, cosine, sine, 0.0, -sine, cosine;
  else if (axis == 1)
    E << cosine, 0.0, -sine, 0.0, 1.0, 0.0, sine, 0.0, cosine;
  else
    E << cosine, sine, 0.0, -sine, cosine, 0.0, 0.0, 0.0, 1.0;
  return E;
}

struct Transform {
  Mat3 E = Mat3::Identity();
  Vec3 r = Vec3::Zero();

  // From A to B: X m, X* f, and a point's coordinates.
  Vec6 motion(const Vec6& m) const { return spatial(E * angular(m), E * (linear(m) - r.cross(angular(m)))); }
  Vec6 force(const Vec6& f) const { return spatial(E * (angular(f) - r.cross(linear(f))), E * linear(f)); }
  Vec3 point(const Vec3& p) const { return E * (p - r); }

  // From B to A: X⁻¹ m, Xᵀ f, and a point's coordinates.
  Vec6 motion_back(const Vec6& m) const {
    const Vec3 w = E.transpose() * angular(m);
    return spatial(w, E.transpose() * linear(m) + r.cross(w));
  }
  Vec6 force_back(const Vec6& f) const {
    const Vec3 p = E.transpose() * linear(f);
    return spatial(E.transpose() * angular(f) + r.cross(p), p);
  }
  Vec3 point_back(const Vec3& p) const { return E.transpose() * p + r; }

  Transform inverse() const { return {E.transpose(), -(E * r)}; }

  // The matrix X.
  Mat6 matrix() const {
    Mat6 m;
    m << E, Mat3::Zero(), -E * skew(r), E;
    return m;
  }
};

// First X, then Y.
inline Transform operator*(const Transform& Y, const Transform& X) { return {Y.E * X.E, X.r + X.E.transpose() * Y.r}; }

// Of a rigid body, in a frame: mass m (kg), moment h = m c of the centre c (kg m), inertia I about the origin (kg m²).
//   momentum  I v = (I ω + h × v, m v - h × ω)
struct Inertia {
  double mass = 0.0;
  Vec3 moment = Vec3::Zero();
  Mat3 about_origin = Mat3::Zero();

  Vec6 operator*(const Vec6& v) const {
    return spatial(about_origin * angular(v) + moment.cross(linear(v)), mass * linear(v) - moment.cross(angular(v)));
  }
  Inertia& operator+=(const Inertia& other) {
    mass += other.mass;
    moment += other.moment;
    about_origin += other.about_origin;
    return *this;
  }
  double kinetic_energy(const Vec6& v) const { return 0.5 * v.dot(*this * v); }

  Mat6 matrix() const {
    Mat6 m;
    m << about_origin, skew(moment), -skew(moment), mass * Mat3::Identity();
    return m;
  }
};

// Mass, centre and inertia about the centre, all in the axes of the frame.
inline Inertia rigid_inertia(double mass, const Vec3& centre, const Mat3& about_centre) {
  const Mat3 c = skew(centre);
  return {mass, mass * centre, about_centre - mass * c * c};
}

// The inertia given in B, seen from A: Xᵀ I X.
inline Inertia inertia_back(const Transform& X, const Inertia& I) {
  const Vec3 h = X.E.transpose() * I.moment, moment = h + I.mass * X.r;
  const Mat3 r = skew(X.r);
  return {I.mass, moment, X.E.transpose() * I.about_origin * X.E - r * skew(h) - skew(moment) * r};
}

// The inertia given in A, seen from B: X* I X⁻¹.
inline Inertia inertia_to(const Transform& X, const Inertia& I) { return inertia_back(X.inverse(), I); }

// sin(x)/x and its like, by series where the quotient would lose digits (the terms left out are below 1e-16).
//   s1 = sin x/x,   s2 = (1 - cos x)/x²,   s3 = (x - sin x)/x³
struct AngleSeries {
  double s1, s2, s3;
};
inline AngleSeries angle_series(double x) {
  const double y = x * x;
  if (y < 0.25) {
    // 1 - y/(a₁b₁) (1 - y/(a₂b₂) (1 - ...)) with a, b = first, first + 1, first + 2, ...
    const auto series = [y](int first) {
      double sum = 1.0;
      for (int k = first + 12; k >= first; k -= 2) sum = 1.0 - y / (k * (k + 1.0)) * sum;
      return sum;
    };
    return {series(2), 0.5 * series(3), series(4) / 6.0};
  }
  const double half = std::sin(0.5 * x), sine = std::sin(x);
  return {sine / x, 2.0 * half * half / y, (x - sine) / (y * x)};
}

// Where a frame is after unit time that moves with the constant twist (in its own coordinates): the transform from
// its first position to its last. exp of the twist.
inline Transform exponential(const Vec6& twist) {
  const Vec3 w = angular(twist), v = linear(twist);
  const AngleSeries a = angle_series(w.norm());
  const Mat3 W = skew(w), WW = W * W;
  return {Mat3::Identity() - a.s1 * W + a.s2 * WW, v + a.s2 * w.cross(v) + a.s3 * (WW * v)};
}

// The turn by which R differs from the identity, axis times angle in [0, π].
inline Vec3 rotation_vector(const Mat3& R) {
  const Eigen::Quaterniond p(R);
  const double sine = p.vec().norm();
  if (sine == 0.0) return Vec3::Zero();
  const double angle = 2.0 * std::atan2(sine, std::abs(p.w()));
  return (std::copysign(angle, p.w()) / sine) * p.vec();
}

// How far the frame B of X lies from the frame B' of Y, both seen from A: turn (rotation vector) and way from B' to B,
// in B' coordinates. To first order the twist that takes B' to B.
inline Vec6 displacement(const Transform& X, const Transform& Y) {
  const Transform D = X * Y.inverse();
  return spatial(rotation_vector(D.E.transpose()), D.r);
}

}  // namespace taut::multibody
