// How a rod turns in `minimal`: azimuth θ and polar angle φ (Berkeley chapter, eqs 3.1-3.11),
//
//   u = (sin φ cos θ, sin φ sin θ, cos φ),   J sin²φ θ̈ = sin φ e_θ·g - 2 J sin φ cos φ θ̇ φ̇,   J φ̈ = e_φ·g + J sin φ cos
//   φ θ̇².
//
// Singular at φ = 0 and π. A second chart has its poles on the x axis, (x, y, z) -> (y, z, x); a rod changes charts
// when it comes within 30° of a pole of its own, and is then at least 60° away from those of the other. The third
// coordinate says which chart holds; its rate is zero. The bounded variant keeps to the first chart and evaluates the
// accelerations with φ at least 0.08 rad from the poles and |θ̇| at most 1 rad/s, as the Berkeley chapter does (§3.3.4):
// for comparison only. Supports of a bounded rod act along the true e_θ and e_φ, with 1/sin φ bounded.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/formulation/rods/rod_local.h"

namespace taut {

template <bool bounded>
struct PolarChart {
  static constexpr int nq = 3, nv = 2;
  static constexpr std::string_view name = bounded ? "minimal_bounded" : "minimal";
  static constexpr bool carries_spin = false;
  static constexpr const char* coordinate_names[nq] = {".theta", ".phi", ""};
  static constexpr const char* velocity_names[nv] = {".theta_rate", ".phi_rate"};
  using Local = RodLocal<nq, nv>;

  // World axis of local x, y, z in the second chart: y, z, x.
  static Vec3 to_world(const Vec3& local, double chart) {
    return chart == 0.0 ? local : Vec3(local[2], local[0], local[1]);
  }
  static Vec3 to_local(const Vec3& world, double chart) {
    return chart == 0.0 ? world : Vec3(world[1], world[2], world[0]);
  }

  // Unit vectors at (θ, φ): along u, towards larger θ and φ, and horizontally outwards.
  struct Frame {
    double s, c;
    Vec3 u, e_theta, e_phi, e_rho;
  };
  static Frame frame(double theta, double phi, double chart) {
    const double st = std::sin(theta), ct = std::cos(theta), s = std::sin(phi), c = std::cos(phi);
    return {s,
            c,
            to_world({s * ct, s * st, c}, chart),
            to_world({-st, ct, 0.0}, chart),
            to_world({c * ct, c * st, -s}, chart),
            to_world({ct, st, 0.0}, chart)};
  }

  static void start(const Rod&, const Vec3& u, const Vec3& u_rate, double* q, double* w) {
    q[2] = !bounded && std::abs(u[2]) > std::abs(u[0]) ? 1.0 : 0.0;
    take(u, u_rate, q, w);
  }

  static void take(const Vec3& u, const Vec3& u_rate, double* q, double* w) {
    const Vec3 local = to_local(u, q[2]);
    q[0] = std::atan2(local[1], local[0]);
    q[1] = std::atan2(std::hypot(local[0], local[1]), local[2]);
    const Frame f = frame(q[0], q[1], q[2]);
    w[0] = f.s != 0.0 ? f.e_theta.dot(u_rate) / f.s : 0.0;
    w[1] = f.e_phi.dot(u_rate);
  }

  static void motion(const double* q, const double* w, Vec3& u, Vec3& u_rate) {
    const Frame f = frame(q[0], q[1], q[2]);
    u = f.u;
    u_rate = f.s * w[0] * f.e_theta + w[1] * f.e_phi;
  }

  static void rates(const double*, const double* w, double* q_rate) {
    q_rate[0] = w[0];
    q_rate[1] = w[1];
    q_rate[2] = 0.0;
  }

  // φ and θ̇ as the accelerations see them, and their derivatives by φ and θ̇: 0 where a bound holds.
  struct Bounds {
    double phi, theta_rate, by_phi = 1.0, by_theta_rate = 1.0;
  };
  static constexpr double buffer = 0.08, fastest = 1.0;  // rad, rad/s
  static Bounds bounds(double phi, double theta_rate) {
    if constexpr (!bounded) return {phi, theta_rate};
    const double turned = std::remainder(phi, 2.0 * std::numbers::pi);
    const double kept = std::clamp(std::abs(turned), buffer, std::numbers::pi - buffer);
    return {kept, std::clamp(theta_rate, -fastest, fastest),
            kept == std::abs(turned) ? std::copysign(1.0, turned) : 0.0, std::abs(theta_rate) <= fastest ? 1.0 : 0.0};
  }

  static void accelerate(const Rod& rod, const double* q, const double* w, const Vec3& g, double* w_rate) {
    const Bounds b = bounds(q[1], w[0]);
    const Frame f = frame(q[0], b.phi, q[2]);
    w_rate[0] = (f.e_theta.dot(g) / rod.inertia - 2.0 * f.c * b.theta_rate * w[1]) / f.s;
    w_rate[1] = f.e_phi.dot(g) / rod.inertia + f.s * f.c * b.theta_rate * b.theta_rate;
  }

  static Eigen::Matrix2d inertia(const Rod& rod, const double* q) {
    const double s = std::sin(q[1]);
    return Eigen::Vector2d(rod.inertia * s * s, rod.inertia).asDiagonal();
  }
  static Eigen::Vector2d velocity_force(const Rod& rod, const double* q, const double* w) {
    const double sc = rod.inertia * std::sin(q[1]) * std::cos(q[1]);
    return {-2.0 * sc * w[0] * w[1], sc * w[0] * w[0]};
  }

  // Of the velocities, what turns the axis: all of them.
  static Eigen::Vector2d turning(const double*, const double* w) { return {w[0], w[1]}; }
  static Eigen::Vector2d spin_by_length(const Rod&, const double*, const double*) { return Eigen::Vector2d::Zero(); }

  static Eigen::Matrix<double, 3, nv> turn(const double* q) {
    const Frame f = frame(q[0], q[1], q[2]);
    Eigen::Matrix<double, 3, nv> T;
    T << f.s * f.e_theta, f.e_phi;
    return T;
  }
  // W⁻¹ H: how a force of a support turns the rod.
  static Eigen::Matrix<double, nv, 3> turned_by(const Rod& rod, const double* q) {
    const Frame f = frame(q[0], q[1], q[2]);
    const double s = std::copysign(std::sin(bounds(q[1], 0.0).phi), f.s);
    Eigen::Matrix<double, nv, 3> map;
    map << f.e_theta.transpose() / s, f.e_phi.transpose();
    return map / rod.inertia;
  }
  static Vec3 turn_bias(const double* q, const double* w) {
    const Frame f = frame(q[0], q[1], q[2]);
    return 2.0 * f.c * w[0] * w[1] * f.e_theta - f.s * w[0] * w[0] * f.e_rho - w[1] * w[1] * f.u;
  }

  static double tidy(const Rod&, double*, double*) { return 0.0; }
  static bool rechart(double* q, double* w) {
    if (bounded || std::abs(std::sin(q[1])) >= 0.5) return false;
    Vec3 u, u_rate;
    motion(q, w, u, u_rate);
    q[2] = 1.0 - q[2];
    take(u, u_rate, q, w);
    return true;
  }

  static void linearise(const Rod& rod, const double* q, const double* w, const double* w_rate, const Vec3& g,
                        const Vec3& held, Local& local) {
    const Frame f = frame(q[0], q[1], q[2]);
    const double t = w[0], p = w[1];
    local.u_q << f.s * f.e_theta, f.e_phi, Vec3::Zero();
    local.u_rate_q << -f.s * t * f.e_rho + p * f.c * f.e_theta, f.c * t * f.e_theta - p * f.u, Vec3::Zero();
    local.turn << f.s * f.e_theta, f.e_phi;
    const Vec3 by_theta =
        -(f.s * w_rate[0] + 2.0 * f.c * t * p) * f.e_rho + (w_rate[1] * f.c - f.s * t * t - p * p * f.s) * f.e_theta;
    const Vec3 by_phi =
        (f.c * w_rate[0] - 2.0 * f.s * t * p) * f.e_theta - w_rate[1] * f.u - f.c * t * t * f.e_rho - p * p * f.e_phi;
    local.u_second_q << by_theta, by_phi, Vec3::Zero();
    local.u_second_w << 2.0 * f.c * p * f.e_theta - 2.0 * f.s * t * f.e_rho, 2.0 * f.c * t * f.e_theta - 2.0 * p * f.u;
    linearise_forces(rod, q, w, w_rate, g, held, local);
    local.rate_q.setZero();
    local.rate_w << 1.0, 0.0, 0.0, 1.0, 0.0, 0.0;
  }

  // R and its derivatives, in the frame f at the true angle and b at the one that the accelerations see.
  static void linearise_forces(const Rod& rod, const double* q, const double* w, const double* w_rate, const Vec3& g,
                               const Vec3& held, Local& local) {
    const Bounds seen = bounds(q[1], w[0]);
    const Frame f = frame(q[0], q[1], q[2]), b = frame(q[0], seen.phi, q[2]);
    const double J = rod.inertia, t = seen.theta_rate, p = w[1], sc = J * b.s * b.c,
                 double_angle = J * (b.c * b.c - b.s * b.s), side = bounded ? std::copysign(1.0, f.s) : 1.0;
    const Vec3 around = g + side * held;  // what acts along e_θ
    local.force_map << b.s * b.e_theta.transpose(), b.e_phi.transpose();
    local.hold_map << side * b.s * f.e_theta.transpose(), f.e_phi.transpose();
    local.force_q << -b.s * b.e_rho.dot(around),
        seen.by_phi * (b.c * b.e_theta.dot(around) - 2.0 * double_angle * t * p - 2.0 * sc * w_rate[0]), 0.0,
        b.c * b.e_theta.dot(g) + f.c * f.e_theta.dot(held),
        seen.by_phi * (double_angle * t * t - b.u.dot(g)) - f.u.dot(held), 0.0;
    local.force_w << -2.0 * sc * p * seen.by_theta_rate, -2.0 * sc * t, 2.0 * sc * t * seen.by_theta_rate, 0.0;
    local.inertia = Eigen::Vector2d(J * b.s * b.s, J).asDiagonal();
  }

  // What a rod that grows adds to R: -2r W w, with the W that the accelerations see.
  static void linearise_growth(const Rod& rod, const double* q, const double* w, Local& local) {
    const Bounds seen = bounds(q[1], w[0]);
    local.force_q(0, 1) -=
        4.0 * rod.growth * rod.inertia * std::sin(seen.phi) * std::cos(seen.phi) * w[0] * seen.by_phi;
    local.force_w -= 2.0 * rod.growth * local.inertia;
  }
};

}  // namespace taut
