// How a rod turns in `quaternion`: unit quaternion p = (w, x, y, z) and angular velocity ω in the world frame (Savin
// et al., 2020),
//
//   u = p k p*/|p|²,   ṗ = ½ ω p,   I ω̇ = u × g - ω × I ω,   I = J + (J_a - J) u uᵀ.
//
// A thin rod has ω·u = 0, which u × g preserves, so its inertia about the axis does not matter and is taken as J: the
// equation is then ω̇ = u × g / J. The axis does not depend on |p|, and |p| is set to 1 after every step.
#pragma once

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "taut/formulation/rods/rod_local.h"
#include "taut/solve/dense.h"

namespace taut {

struct QuaternionChart {
  static constexpr int nq = 4, nv = 3;
  static constexpr std::string_view name = "quaternion";
  static constexpr bool carries_spin = true;
  static constexpr const char* coordinate_names[nq] = {".qw", ".qx", ".qy", ".qz"};
  static constexpr const char* velocity_names[nv] = {".wx", ".wy", ".wz"};
  using Local = RodLocal<nq, nv>;
  using Quaternion = Eigen::Vector4d;  // w, x, y, z

  // The axis: the third column of the rotation.
  static Vec3 axis(const double* p) {
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    return Vec3(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z) /
           (w * w + x * x + y * y + z * z);
  }
  static Eigen::Matrix3d cross(const Vec3& a) {
    Eigen::Matrix3d m;
    m << 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0;
    return m;
  }
  // ½ ω p = half(p) ω.
  static Eigen::Matrix<double, 4, 3> half(const double* p) {
    Eigen::Matrix<double, 4, 3> m;
    m << -p[1], -p[2], -p[3], p[0], p[3], -p[2], -p[3], p[0], p[1], p[2], -p[1], p[0];
    return 0.5 * m;
  }

  // The shortest turn from the z axis to u.
  static void start(const Rod& rod, const Vec3& u, const Vec3& u_rate, double* p, double* w) {
    const Eigen::Quaterniond turn = turn_between(Vec3::UnitZ(), u);
    p[0] = turn.w(), p[1] = turn.x(), p[2] = turn.y(), p[3] = turn.z();
    Vec3::Map(w) = u.cross(u_rate) + (rod.thin ? 0.0 : rod.spin) * u;
  }
  // The shortest turn from the present axis to u.
  static void take(const Vec3& u, const Vec3& u_rate, double* p, double* w) {
    const Eigen::Quaterniond turn = turn_between(axis(p), u) * Eigen::Quaterniond(p[0], p[1], p[2], p[3]);
    p[0] = turn.w(), p[1] = turn.x(), p[2] = turn.y(), p[3] = turn.z();
    Vec3::Map(w) = u.cross(u_rate);
  }

  static void motion(const double* p, const double* w, Vec3& u, Vec3& u_rate) {
    u = axis(p);
    u_rate = Vec3::Map(w).cross(u);
  }
  static void rates(const double* p, const double* w, double* p_rate) {
    Quaternion::Map(p_rate) = half(p) * Vec3::Map(w);
  }

  static void accelerate(const Rod& rod, const double* p, const double* w, const Vec3& g, double* w_rate) {
    const Vec3 u = axis(p), omega = Vec3::Map(w);
    Vec3 rate = u.cross(g) / rod.inertia;
    if (!rod.thin) rate -= (rod.axial_inertia / rod.inertia - 1.0) * omega.dot(u) * omega.cross(u);
    Vec3::Map(w_rate) = rate;
  }

  static Eigen::Matrix3d inertia(const Rod& rod, const double* p) {
    const Vec3 u = axis(p);
    return rod.inertia * Eigen::Matrix3d::Identity() + (rod.axial_inertia - rod.inertia) * u * u.transpose();
  }
  static Vec3 velocity_force(const Rod& rod, const double* p, const double* w) {
    const Vec3 u = axis(p), omega = Vec3::Map(w);
    return -(rod.axial_inertia - rod.inertia) * omega.dot(u) * omega.cross(u);
  }

  // Of ω, what turns the axis.
  static Vec3 turning(const double* p, const double* w) {
    const Vec3 u = axis(p), omega = Vec3::Map(w);
    return omega - omega.dot(u) * u;
  }
  // ∂ω̇/∂L · L at fixed forces and growth, but for u × g: of a rod that spins.
  static Vec3 spin_by_length(const Rod& rod, const double* p, const double* w) {
    if (rod.thin) return Vec3::Zero();
    const Vec3 u = axis(p), omega = Vec3::Map(w);
    return 2.0 * rod.axial_inertia / rod.inertia * omega.dot(u) * omega.cross(u);
  }

  static Eigen::Matrix3d turn(const double* p) { return -cross(axis(p)); }
  // W⁻¹ Tᵀ: how a force of a support turns the rod.
  static Eigen::Matrix3d turned_by(const Rod& rod, const double* p) {
    return inertia(rod, p).inverse() * turn(p).transpose();
  }
  static Vec3 turn_bias(const double* p, const double* w) {
    const Vec3 omega = Vec3::Map(w);
    return omega.cross(omega.cross(axis(p)));
  }

  // Norm of the quaternion, and no spin of a thin rod. Returns how far the norm was off.
  static double tidy(const Rod& rod, double* p, double* w) {
    const double norm = Quaternion::Map(p).norm();
    Quaternion::Map(p) /= norm;
    if (rod.thin) {
      const Vec3 u = axis(p);
      Vec3::Map(w) -= u.dot(Vec3::Map(w)) * u;
    }
    return std::abs(norm - 1.0);
  }
  // Whatever the constraint method: the norm.
  static bool rechart(double* p, double*) {
    Quaternion::Map(p).normalize();
    return false;
  }

  static void linearise(const Rod& rod, const double* p, const double* w, const double* w_rate, const Vec3& g,
                        const Vec3& held, Local& local) {
    const Vec3 u = axis(p), omega = Vec3::Map(w), omega_rate = Vec3::Map(w_rate);
    const double square = Quaternion::Map(p).squaredNorm(), extra = rod.axial_inertia - rod.inertia;
    // A change of p turns the axis by 4 half(p)ᵀ δp/|p|².
    local.u_q = -cross(u) * (4.0 / square) * half(p).transpose();
    local.turn = -cross(u);
    local.force_map = local.hold_map = cross(u);
    local.u_rate_q = cross(omega) * local.u_q;
    local.u_second_q = (cross(omega_rate) + cross(omega) * cross(omega)) * local.u_q;
    local.u_second_w = -cross(omega.cross(u)) - cross(omega) * cross(u);
    Eigen::Matrix3d by_axis = -cross(g + held);
    by_axis -= extra * (omega.cross(u) * omega.transpose() + omega.dot(u) * cross(omega) + u * omega_rate.transpose() +
                        u.dot(omega_rate) * Eigen::Matrix3d::Identity());
    local.force_q = by_axis * local.u_q;
    local.force_w = -extra * (omega.cross(u) * u.transpose() - omega.dot(u) * cross(u));
    local.inertia = inertia(rod, p);
    const double x = 0.5 * omega[0], y = 0.5 * omega[1], z = 0.5 * omega[2];
    local.rate_q << 0.0, -x, -y, -z, x, 0.0, -z, y, y, z, 0.0, -x, z, -y, x, 0.0;
    local.rate_w = half(p);
  }

  // What a rod that grows adds to R: -2r J (ω - (ω·u) u).
  static void linearise_growth(const Rod& rod, const double* p, const double* w, Local& local) {
    const Vec3 u = axis(p), omega = Vec3::Map(w);
    const double slowing = 2.0 * rod.growth * rod.inertia;
    local.force_q += slowing * (u * omega.transpose() + u.dot(omega) * Eigen::Matrix3d::Identity()) * local.u_q;
    local.force_w -= slowing * (Eigen::Matrix3d::Identity() - u * u.transpose());
  }
};

}  // namespace taut
