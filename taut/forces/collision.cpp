#include "taut/forces/collision.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taut {

namespace {

// ε over r_a + r_b.
constexpr double rounding = 0.1;
// The margin of the list over the mean length of the bars.
constexpr double margin_share = 0.05;

Eigen::Matrix3d cross_matrix(const Vec3& a) {
  Eigen::Matrix3d m;
  m << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return m;
}

double length3(const double* a) { return std::sqrt(dot3(a, a)); }

// Shares of the nodes (a0, a1, b0, b1) in p - q.
std::array<double, 4> shares(const Closest& c) { return {1.0 - c.s, c.s, c.t - 1.0, -c.t}; }

}  // namespace

RodContact::RodContact(const Model& model) : nodes_(model.nodes.size()), bars_(model) {
  if (!model.collision || model.bars.size() < 2) return;
  any_ = true;
  law_ = contact_law(*model.collision);
  friction_ = model.collision->friction, slip_speed_ = model.collision->slip_speed;
  double length = 0.0, thickest = 0.0;
  thinnest_ = model.bars[0].radius;
  for (const Bar& bar : model.bars) {
    length += start_length(model, bar);
    thickest = std::max(thickest, bar.radius);
    thinnest_ = std::min(thinnest_, bar.radius);
  }
  margin_ = std::max(margin_share * length / static_cast<double>(model.bars.size()), 2.0 * thickest);
}

CollisionTerms RodContact::make_terms() const {
  CollisionTerms terms;
  if (!any_) return terms;
  terms.list.reserve(8 * bars_.capsules().size());
  terms.room.entries.reserve(32 * bars_.capsules().size());
  terms.room.pairs.reserve(32 * bars_.capsules().size());
  return terms;
}

RodContact::Touch RodContact::touch(const double* x, int i, int j) const {
  const Capsule &a = bars_.capsules()[i], &b = bars_.capsules()[j];
  const double reach = a.radius + b.radius;
  Touch touch{closest_points(x + 4 * a.a, x + 4 * a.b, x + 4 * b.a, x + 4 * b.b, rounding * reach), 0.0, 0.0};
  // Axes that meet in their middles: no direction, and no division by zero.
  touch.distance = std::max(std::sqrt(touch.closest.squared), 1e-12 * reach);
  touch.depth = reach - touch.distance;
  return touch;
}

void RodContact::keep_list(const double* x, CollisionTerms& terms) const {
  if (!terms.reference.empty()) {
    double farthest = 0.0;
    for (std::size_t i = 0; i < nodes_; ++i) {
      double moved = 0.0;
      for (int axis = 0; axis < 3; ++axis) {
        const double by = x[4 * i + axis] - terms.reference[4 * i + axis];
        moved += by * by;
      }
      farthest = std::max(farthest, moved);
    }
    if (farthest <= 0.25 * margin_ * margin_) return;
  }
  terms.reference.assign(x, x + 4 * nodes_);
  near_pairs(bars_.capsules(), x, margin_, terms.room);
  terms.list.clear();
  for (const auto& [i, j] : terms.room.pairs) {
    if (!bars_.may_collide(i, j)) continue;
    ++terms.pair_tests;
    if (touch(x, i, j).depth > -margin_) terms.list.emplace_back(i, j);
  }
  // Forces are summed in an order that does not depend on where the list was made.
  std::sort(terms.list.begin(), terms.list.end());
  ++terms.listings;
}

double RodContact::apply(const double* x, const double* v, double* f, CollisionTerms& terms) const {
  keep_list(x, terms);
  double power = 0.0;
  for (const auto& [i, j] : terms.list) {
    ++terms.pair_tests;
    const Touch t = touch(x, i, j);
    if (!(t.depth > 0.0)) continue;
    // δ̇ = -(p - q)·(ṗ - q̇)/D at fixed s and t.
    const std::array<int, 4> at = nodes(i, j);
    const std::array<double, 4> share = shares(t.closest);
    double rate = 0.0;
    for (int k = 0; k < 4; ++k) rate -= share[k] * dot3(t.closest.apart, v + 4 * at[k]) / t.distance;
    const Press p = press(law_, t.depth, rate);
    for (int k = 0; k < 4; ++k)
      for (int axis = 0; axis < 3; ++axis)
        f[4 * at[k] + axis] += p.force * share[k] * t.closest.apart[axis] / t.distance;
    power += (p.force - p.elastic) * rate;
    if (friction_ > 0.0) power += rub(x, v, at, t.closest, p.force * length3(t.closest.apart) / t.distance, f);
  }
  return power;
}

double RodContact::energy(const double* x, const CollisionTerms& terms) const {
  double sum = 0.0;
  for (const auto& [i, j] : terms.list) sum += contact_energy(law_, touch(x, i, j).depth);
  return sum;
}

std::array<int, 4> RodContact::nodes(int i, int j) const {
  const Capsule &a = bars_.capsules()[i], &b = bars_.capsules()[j];
  return {a.a, a.b, b.a, b.b};
}

void RodContact::pressing(const double* x, const CollisionTerms& terms, std::vector<std::pair<int, int>>& pairs) const {
  pairs.clear();
  for (const auto& [i, j] : terms.list)
    if (touch(x, i, j).depth > 0.0) pairs.emplace_back(i, j);
}

void RodContact::derivatives(const double* x, const double* v, int i, int j, Eigen::Matrix<double, 12, 12>& by_position,
                             Eigen::Matrix<double, 12, 12>& by_velocity) const {
  using Row = Eigen::Matrix<double, 12, 1>;
  by_position.setZero();
  by_velocity.setZero();
  const Touch t = touch(x, i, j);
  if (!(t.depth > 0.0)) return;
  const Closest& c = t.closest;
  const std::array<int, 4> at = nodes(i, j);
  const std::array<double, 4> share = shares(c);
  const Vec3 apart(c.apart[0], c.apart[1], c.apart[2]);
  Row velocity, gradient;  // gradient of V = D²/2
  for (int k = 0; k < 4; ++k) {
    velocity.segment<3>(3 * k) = Eigen::Map<const Vec3>(v + 4 * at[k]);
    gradient.segment<3>(3 * k) = share[k] * apart;
  }

  // Second derivatives of V: at fixed (s, t), less what their moving takes off: - g_z H⁻¹ g_zᵀ over the free ones.
  Eigen::Matrix<double, 12, 12> bend;
  for (int k = 0; k < 4; ++k)
    for (int l = 0; l < 4; ++l) bend.block<3, 3>(3 * k, 3 * l) = share[k] * share[l] * Eigen::Matrix3d::Identity();
  const auto place = [&](int k) { return Eigen::Map<const Vec3>(x + 4 * at[k]); };
  const Vec3 along_a = place(1) - place(0), along_b = place(3) - place(2);
  Row by_s, by_t;
  for (int k = 0; k < 4; ++k) {
    by_s.segment<3>(3 * k) = share[k] * along_a + (k == 0 ? -1.0 : k == 1 ? 1.0 : 0.0) * apart;
    by_t.segment<3>(3 * k) = -share[k] * along_b + (k == 2 ? 1.0 : k == 3 ? -1.0 : 0.0) * apart;
  }
  if (c.s_free && c.t_free) {
    const double determinant = c.ss * c.tt - c.st * c.st;
    bend -= (c.tt * by_s * by_s.transpose() - c.st * (by_s * by_t.transpose() + by_t * by_s.transpose()) +
             c.ss * by_t * by_t.transpose()) /
            determinant;
  } else if (c.s_free) {
    bend -= by_s * by_s.transpose() / c.ss;
  } else if (c.t_free) {
    bend -= by_t * by_t.transpose() / c.tt;
  }

  // D = √(2V), then F = N ∂D/∂x with N by depth δ = const - D and its rate.
  const Row slope = gradient / t.distance;
  const Eigen::Matrix<double, 12, 12> curve = (bend - slope * slope.transpose()) / t.distance;
  const Press p = press(law_, t.depth, -slope.dot(velocity));
  by_position = p.force * curve - slope * (p.by_depth * slope + p.by_rate * (curve * velocity)).transpose();
  by_velocity = -p.by_rate * slope * slope.transpose();
  if (!(friction_ > 0.0)) return;

  // F = -N g w/|w| with N from above, on the nodes by Wᵀ.
  const Slide s = slide(x, v, at, c);
  const double direct = apart.norm() / t.distance;
  const Slip rub = taut::slip(friction_, slip_speed_, s.slip.norm());
  const Row along = -rub.factor * direct * (s.map.transpose() * s.slip);
  const Eigen::Matrix3d by_slip =
      rub.factor * Eigen::Matrix3d::Identity() + rub.slope_over_speed * s.slip * s.slip.transpose();
  by_position -= along * (p.by_depth * slope + p.by_rate * (curve * velocity)).transpose();
  by_velocity -= p.by_rate * along * slope.transpose();
  by_velocity -= p.force * direct * s.map.transpose() * by_slip * s.map;
}

RodContact::Slide RodContact::slide(const double* x, const double* v, const std::array<int, 4>& at,
                                    const Closest& closest) const {
  const std::array<double, 4> share = shares(closest);
  const Vec3 apart(closest.apart[0], closest.apart[1], closest.apart[2]);
  std::array<Vec3, 4> arm;
  Vec3 middle = Vec3::Zero();
  for (int k = 0; k < 4; ++k) arm[k] = Vec3(x + 4 * at[k]), middle += 0.25 * arm[k];
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();
  for (Vec3& r : arm) {
    r -= middle;
    J += r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose();
  }
  // Ends in one line do not turn about it, and nothing depends on what comes out for that.
  J.diagonal().array() += 1e-15 * J.trace();
  // w = Σ share ẋ + (p - q) × ω, without its part along p - q.
  const Eigen::Matrix3d lever = cross_matrix(apart) * J.inverse();
  const double size = apart.norm();
  const Vec3 n = size > 0.0 ? Vec3(apart / size) : Vec3::Zero();
  const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - n * n.transpose();
  Slide result{{}, Vec3::Zero()};
  for (int k = 0; k < 4; ++k) {
    result.map.middleCols<3>(3 * k) = across * (share[k] * Eigen::Matrix3d::Identity() + lever * cross_matrix(arm[k]));
    result.slip += result.map.middleCols<3>(3 * k) * Vec3(v + 4 * at[k]);
  }
  return result;
}

double RodContact::rub(const double* x, const double* v, const std::array<int, 4>& at, const Closest& closest,
                       double normal, double* f) const {
  const Slide s = slide(x, v, at, closest);
  const double drag = normal * slip(friction_, slip_speed_, s.slip.norm()).factor;
  for (int k = 0; k < 4; ++k)
    for (int axis = 0; axis < 3; ++axis) f[4 * at[k] + axis] -= drag * s.map.col(3 * k + axis).dot(s.slip);
  return drag * s.slip.squaredNorm();
}

}  // namespace taut
