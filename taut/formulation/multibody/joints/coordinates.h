// Kinds of joint coordinates q and velocities v: q̇ = N(q) v, the step q ⊕ δ along a velocity, and its derivatives.
//
//   Plain<n>   q̇ = v
//   Turn       q = (w, x, y, z), a quaternion that turns successor coordinates into predecessor coordinates,
//              v = ω in successor coordinates:   q̇ = ½ q ω
//   Pose       q = (quaternion, r), r the successor's origin in predecessor coordinates, v = (ω, v) in successor
//              coordinates:   ṙ = R(q) v
//
// Nothing depends on the norm of a quaternion but its rates, so a step may leave |q| = 1 a little; normalise() returns
// to it. q ⊕ δ is the motion for unit time at the constant velocity δ. Derivatives of joint quantities are taken along
// ⊕; to have them along q multiply by N⁺ from the right (N⁺N = 1, and what does not depend on |q| has no other part).
#pragma once

#include "taut/formulation/multibody/system/spatial.h"

namespace taut::multibody {

template <int n>
struct Plain {
  static constexpr int nq = n, nv = n;
  using Map = Eigen::Matrix<double, nq, nv>;
  using Back = Eigen::Matrix<double, nv, nq>;

  static void neutral(double* q) {
    for (int i = 0; i < n; ++i) q[i] = 0.0;
  }
  static void rates(const double*, const double* v, double* q_rate) {
    for (int i = 0; i < n; ++i) q_rate[i] = v[i];
  }
  static Map rate_map(const double*) { return Map::Identity(); }
  static Back rate_map_inverse(const double*) { return Back::Identity(); }
  static Eigen::Matrix<double, nq, nq> rates_by_q(const double*, const double*) {
    return Eigen::Matrix<double, nq, nq>::Zero();
  }
  static void retract(const double* q, const double* step, double* out) {
    for (int i = 0; i < n; ++i) out[i] = q[i] + step[i];
  }
  // The step from a to b.
  static void difference(const double* a, const double* b, double* step) {
    for (int i = 0; i < n; ++i) step[i] = b[i] - a[i];
  }
  static double normalise(double*) { return 0.0; }
};

// The rotation of a quaternion, whatever its norm.
inline Mat3 rotation(const double* p) {
  const double w = p[0], x = p[1], y = p[2], z = p[3];
  const double k = 2.0 / (w * w + x * x + y * y + z * z);
  Mat3 R;
  R << 1.0 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y),  //
      k * (x * y + w * z), 1.0 - k * (x * x + z * z), k * (y * z - w * x),   //
      k * (x * z - w * y), k * (y * z + w * x), 1.0 - k * (x * x + y * y);
  return R;
}

struct Turn {
  static constexpr int nq = 4, nv = 3;
  using Map = Eigen::Matrix<double, nq, nv>;
  using Back = Eigen::Matrix<double, nv, nq>;

  static Vec3 vector(const double* q) { return {q[1], q[2], q[3]}; }
  static double square(const double* q) { return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]; }

  static void neutral(double* q) { q[0] = 1.0, q[1] = q[2] = q[3] = 0.0; }
  // The product a b.
  static void multiply(double aw, const Vec3& a, double bw, const Vec3& b, double* out) {
    const Vec3 c = aw * b + bw * a + a.cross(b);
    out[0] = aw * bw - a.dot(b), out[1] = c[0], out[2] = c[1], out[3] = c[2];
  }
  static void rates(const double* q, const double* v, double* q_rate) {
    multiply(q[0], vector(q), 0.0, 0.5 * Vec3::Map(v), q_rate);
  }
  static Map rate_map(const double* q) {
    Map N;
    N << -q[1], -q[2], -q[3], q[0], -q[3], q[2], q[3], q[0], -q[1], -q[2], q[1], q[0];
    return 0.5 * N;
  }
  static Back rate_map_inverse(const double* q) { return (4.0 / square(q)) * rate_map(q).transpose(); }
  static Eigen::Matrix4d rates_by_q(const double*, const double* v) {
    Eigen::Matrix4d m;
    m << 0.0, -v[0], -v[1], -v[2], v[0], 0.0, v[2], -v[1], v[1], -v[2], 0.0, v[0], v[2], v[1], -v[0], 0.0;
    return 0.5 * m;
  }
  static void retract(const double* q, const double* step, double* out) {
    const Vec3 half = 0.5 * Vec3::Map(step);
    const double angle = half.norm();
    multiply(q[0], vector(q), std::cos(angle), angle_series(angle).s1 * half, out);
  }
  static void difference(const double* a, const double* b, double* step) {
    double turn[4];
    multiply(a[0], -vector(a), b[0], vector(b), turn);
    const Vec3 axis = vector(turn);
    const double sine = axis.norm(), angle = 2.0 * std::atan2(sine, std::abs(turn[0]));
    Vec3::Map(step) = sine == 0.0 ? Vec3::Zero() : Vec3((std::copysign(angle, turn[0]) / sine) * axis);
  }
  // Returns how far the norm was off.
  static double normalise(double* q) {
    const double norm = std::sqrt(square(q));
    for (int i = 0; i < 4; ++i) q[i] /= norm;
    return std::abs(norm - 1.0);
  }
};

struct Pose {
  static constexpr int nq = 7, nv = 6;
  using Map = Eigen::Matrix<double, nq, nv>;
  using Back = Eigen::Matrix<double, nv, nq>;

  static void neutral(double* q) {
    Turn::neutral(q);
    q[4] = q[5] = q[6] = 0.0;
  }
  static void rates(const double* q, const double* v, double* q_rate) {
    Turn::rates(q, v, q_rate);
    Vec3::Map(q_rate + 4) = rotation(q) * Vec3::Map(v + 3);
  }
  static Map rate_map(const double* q) {
    Map N = Map::Zero();
    N.topLeftCorner<4, 3>() = Turn::rate_map(q);
    N.bottomRightCorner<3, 3>() = rotation(q);
    return N;
  }
  static Back rate_map_inverse(const double* q) {
    Back N = Back::Zero();
    N.topLeftCorner<3, 4>() = Turn::rate_map_inverse(q);
    N.bottomRightCorner<3, 3>() = rotation(q).transpose();
    return N;
  }
  static Eigen::Matrix<double, nq, nq> rates_by_q(const double* q, const double* v) {
    Eigen::Matrix<double, nq, nq> m = Eigen::Matrix<double, nq, nq>::Zero();
    m.topLeftCorner<4, 4>() = Turn::rates_by_q(q, v);
    m.bottomLeftCorner<3, 4>() = -rotation(q) * skew(Vec3::Map(v + 3)) * Turn::rate_map_inverse(q);
    return m;
  }
  static void retract(const double* q, const double* step, double* out) {
    const Vec3 way = exponential(Eigen::Map<const Vec6>(step)).r, position = Vec3::Map(q + 4) + rotation(q) * way;
    Turn::retract(q, step, out);
    Vec3::Map(out + 4) = position;
  }
  static void difference(const double* a, const double* b, double* step) {
    Turn::difference(a, b, step);
    // The way is V(ω) v with V of the exponential; V⁻¹ = 1 - ½ ω× + (1 - h cot h)/θ² ω×ω×, h = θ/2.
    const Vec3 w = Vec3::Map(step), way = rotation(a).transpose() * (Vec3::Map(b + 4) - Vec3::Map(a + 4));
    const AngleSeries s = angle_series(0.5 * w.norm());
    const double factor = 0.25 * (s.s2 - s.s3) / s.s1;
    Vec3::Map(step + 3) = way - 0.5 * w.cross(way) + factor * w.cross(w.cross(way));
  }
  static double normalise(double* q) { return Turn::normalise(q); }
};

// x plus the multiple of 2π that brings it nearest to `previous`.
inline double continue_angle(double x, double previous) {
  constexpr double turn = 6.283185307179586476925286766559;
  return x + turn * std::round((previous - x) / turn);
}

}  // namespace taut::multibody
