#include "taut/forces/sliding.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/base/types.h"

namespace taut {

namespace {

struct Piece {
  double length, rate;
  Vec3 along, relative;  // unit vector; v_b - v_a
};

Piece piece_of(const SlidingCable& cable, int i) {
  const Vec3 d(cable.direction + 4 * i);
  Piece p;
  p.length = std::max(d.norm(), 1e-140);  // nodes that coincide: a length of nothing, but not zero
  p.along = d / p.length;
  p.relative = Vec3(cable.node_velocities + 4 * cable.b[i]) - Vec3(cable.node_velocities + 4 * cable.a[i]);
  p.rate = p.along.dot(p.relative);
  return p;
}

double turn(const Vec3& before, const Vec3& after) { return std::atan2(before.cross(after).norm(), before.dot(after)); }

// r = ln(T_{k+1}/T_k) and its derivatives by θ and s.
struct LogRatio {
  double value, by_angle, by_slip;
};

LogRatio log_ratio(const SlidingFriction& friction, double angle, double s) {
  const double mu = friction.coefficient;
  if (friction.kind == SlidingKind::capstan) return {mu * angle * s, mu * s, mu * angle};
  const double sine = std::sin(0.5 * angle), x = mu * s * sine, slope = 1.0 / (1.0 - x * x);
  return {2.0 * std::atanh(x), mu * s * std::cos(0.5 * angle) * slope, 2.0 * mu * sine * slope};
}

}  // namespace

double slide(const SlidingCable& cable, double* share, double* speed) {
  const int n = cable.pieces;
  double length = 0.0, rate = 0.0;
  for (int i = 0; i < n; ++i) {
    const Piece p = piece_of(cable, i);
    length += p.length;
    rate += p.rate;
  }
  // Sliding speeds, and logarithms of the tensions relative to the first piece.
  double passed = 0.0, passed_rate = 0.0, log = 0.0, most = 0.0;
  bool level = true;
  Vec3 before = Vec3::Zero();
  for (int i = 0; i < n; ++i) {
    const Piece p = piece_of(cable, i);
    if (i > 0) {
      const double s = std::tanh(speed[i - 1] / cable.friction.slip_speed);
      const double ratio = log_ratio(cable.friction, turn(before, p.along), s).value;
      level = level && ratio == 0.0;
      log += ratio;
      most = std::max(most, log);
    }
    share[i] = log;
    passed += p.length;
    passed_rate += p.rate;
    speed[i] = i + 1 < n ? passed / length * rate - passed_rate + cable.reel * (length - passed) : 0.0;
    before = p.along;
  }
  if (level) {
    std::fill_n(share, n, 1.0);
    return 0.0;
  }
  // Relative to the tightest piece nothing overflows.
  double mean = 0.0, loss = 0.0;
  for (int i = 0; i < n; ++i) {
    share[i] = std::exp(share[i] - most);
    mean += piece_of(cable, i).length / length * share[i];
  }
  mean = std::max(mean, 1e-200);
  for (int i = 0; i < n; ++i) share[i] /= mean;
  for (int i = 0; i + 1 < n; ++i) loss += speed[i] * (share[i + 1] - share[i]);
  return loss;
}

SlidingTangent slide_tangent(const SlidingCable& cable, const double* share, const double* speed) {
  const int n = cable.pieces;
  std::vector<Piece> pieces;
  double length = 0.0, rate = 0.0;
  for (int i = 0; i < n; ++i) {
    pieces.push_back(piece_of(cable, i));
    length += pieces[i].length;
    rate += pieces[i].rate;
  }
  // ∂r_k: row k of `ratio`, through the speed of all pieces and the angle between two.
  SlidingTangent ratio{Eigen::MatrixXd::Zero(n - 1, 3 * n), Eigen::MatrixXd::Zero(n - 1, 3 * n)};
  double passed = 0.0;
  for (int k = 0; k + 1 < n; ++k) {
    passed += pieces[k].length;
    const double share_passed = passed / length, s = std::tanh(speed[k] / cable.friction.slip_speed);
    const Vec3 &u = pieces[k].along, &w = pieces[k + 1].along;
    const LogRatio r = log_ratio(cable.friction, turn(u, w), s);
    const double by_speed = r.by_slip * (1.0 - s * s) / cable.friction.slip_speed;
    for (int j = 0; j < n; ++j) {
      // ∂φ_k/∂l̇_j and ∂φ_k/∂l_j.
      const double behind = j <= k ? 1.0 : 0.0, by_rate = share_passed - behind,
                   by_length = -by_rate * rate / length + (1.0 - behind) * cable.reel;
      const Piece& p = pieces[j];
      const Vec3 swing = (p.relative - p.rate * p.along) / p.length;
      ratio.by_velocity.block<1, 3>(k, 3 * j) = by_speed * by_rate * p.along.transpose();
      ratio.by_position.block<1, 3>(k, 3 * j) = by_speed * (by_rate * swing + by_length * p.along).transpose();
    }
    const Vec3 across_u = w - u.dot(w) * u, across_w = u - u.dot(w) * w;
    const double sine = across_u.norm();
    if (!(sine > 1e-12)) continue;
    ratio.by_position.block<1, 3>(k, 3 * k) -= r.by_angle / (sine * pieces[k].length) * across_u.transpose();
    ratio.by_position.block<1, 3>(k, 3 * k + 3) -= r.by_angle / (sine * pieces[k + 1].length) * across_w.transpose();
  }
  // d ln ρ_i = Σ_{k<i} dr_k - Σ_k (Σ_{j>k} w_j ρ_j) dr_k - (Σ ρ_j dl_j - dl)/l.
  SlidingTangent tangent{Eigen::MatrixXd::Zero(n, 3 * n), Eigen::MatrixXd::Zero(n, 3 * n)};
  for (int j = 0; j < n; ++j)
    tangent.by_position.block<1, 3>(0, 3 * j) = (1.0 - share[j]) / length * pieces[j].along.transpose();
  double ahead = 1.0;
  for (int k = 0; k + 1 < n; ++k) {
    ahead -= pieces[k].length / length * share[k];
    tangent.by_position.row(0) -= ahead * ratio.by_position.row(k);
    tangent.by_velocity.row(0) -= ahead * ratio.by_velocity.row(k);
  }
  for (int i = 1; i < n; ++i) {
    tangent.by_position.row(i) = tangent.by_position.row(i - 1) + ratio.by_position.row(i - 1);
    tangent.by_velocity.row(i) = tangent.by_velocity.row(i - 1) + ratio.by_velocity.row(i - 1);
  }
  return tangent;
}

}  // namespace taut
