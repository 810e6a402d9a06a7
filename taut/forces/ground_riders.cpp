// The ground on the inside of bars and on the shapes of bodies.
#include <algorithm>
#include <cmath>

#include "taut/forces/ground.h"

namespace taut {

namespace {

Vec3 weighted(const double* of_nodes, const int* node, const std::array<double, 4>& weight, int count) {
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < count; ++k) sum += weight[k] * Vec3(of_nodes + 4 * node[k]);
  return sum;
}

// Weights of a point of a body that may move on it.
std::array<double, 4> weights_of(const Vec3& at, const double* x, const std::array<int, 4>& node) {
  const Vec3 origin(x + 4 * node[0]);
  Eigen::Matrix3d edges;
  for (int k = 1; k < 4; ++k) edges.col(k - 1) = Vec3(x + 4 * node[k]) - origin;
  const Vec3 part = edges.inverse() * (at - origin);
  return {1.0 - part.sum(), part[0], part[1], part[2]};
}

}  // namespace

std::span<const int> GroundContact::rider_nodes(int rider) const {
  const std::size_t k = static_cast<std::size_t>(rider);
  if (k < bars_.size()) return bar_nodes_[k];
  return points_[k - bars_.size()].node;
}

// Calls f(Touch) for the points of a bar that touch. From a point above the ground no point is looked at that is nearer
// than the way down, at the steepest slope of the ground.
template <class F>
void GroundContact::each_touch(const GroundBar& bar, const double* x, const F& f) const {
  const double* const xa = x + 4 * bar.a;
  const double* const xb = x + 4 * bar.b;
  const bool everywhere = reaches_out(law_);
  if (!everywhere && surface_->surely_above(xa) && surface_->surely_above(xb)) return;
  const bool skips = !everywhere && surface_->over_grid(xa) && surface_->over_grid(xb);
  const Vec3 a(xa), along = Vec3(xb) - a;
  const double part = 1.0 / (bar.points + 1);
  const double falls = part * (std::abs(along.z()) + surface_->steepest() * along.head<2>().norm());
  for (int k = 1; k <= bar.points; ++k) {
    const double s = k * part;
    const Vec3 at = a + s * along;
    if (skips) {
      const double above = at.z() - surface_->height(at.x(), at.y()) - touching_radius_;
      if (above > 0.0) {
        k += static_cast<int>(std::min(std::max(above / falls, 1.0), static_cast<double>(bar.points))) - 1;
        continue;
      }
    }
    const auto [d, gradient] = surface_->depth_and_gradient(at.data());
    if (d > 0.0 || everywhere) f(Touch{{1.0 - s, s, 0.0, 0.0}, d, gradient});
  }
}

bool GroundContact::touch(const GroundPoint& point, const double* x, Touch& touch) const {
  using Kind = GroundPoint::Kind;
  const Vec3 centre = weighted(x, point.node.data(), point.weight, 4);
  const bool everywhere = reaches_out(law_);
  const Vec3 lowest = centre - Vec3(0.0, 0.0, point.radius);
  if (!everywhere && !surface_->plane() && surface_->surely_above(lowest.data())) return false;
  const auto [d, gradient] = surface_->depth_and_gradient(centre.data());
  touch = {point.weight, d, gradient};
  if (point.kind == Kind::point) return d > 0.0 || everywhere;
  if (!everywhere && !(d + point.radius > 0.0)) return false;
  const Vec3 down = gradient.normalized();
  Reach reach{point.radius, point.radius * down};
  if (point.kind == Kind::rim) reach = reach_of_rim(weighted(x, point.node.data(), point.axis, 4), point.radius, down);
  touch.depth += reach.depth;
  touch.weight = weights_of(centre + reach.point, x, point.node);
  return touch.depth > 0.0 || everywhere;
}

double GroundContact::weighted_force(const double* v, const int* node, int count, const Touch& touch, double* f) const {
  const Vec3 velocity = weighted(v, node, touch.weight, count);
  Vec3 force = Vec3::Zero();
  const double power = node_force(velocity.data(), touch.depth, touch.gradient, force.data());
  for (int k = 0; k < count; ++k)
    for (int axis = 0; axis < 3; ++axis) f[4 * node[k] + axis] += touch.weight[k] * force[axis];
  return power;
}

double GroundContact::apply_riders(const double* x, const double* v, double* f) const {
  double power = 0.0;
  for (std::size_t i = 0; i < bars_.size(); ++i)
    each_touch(bars_[i], x, [&](const Touch& touch) { power += weighted_force(v, bar_nodes_[i].data(), 2, touch, f); });
  for (const GroundPoint& point : points_)
    if (Touch at; touch(point, x, at)) power += weighted_force(v, point.node.data(), 4, at, f);
  return power;
}

double GroundContact::rider_energy(const double* x) const {
  double sum = 0.0;
  for (const GroundBar& bar : bars_)
    each_touch(bar, x, [&](const Touch& touch) { sum += contact_energy(law_, touch.depth); });
  for (const GroundPoint& point : points_)
    if (Touch at; touch(point, x, at)) sum += contact_energy(law_, at.depth);
  return sum;
}

void GroundContact::add_derivatives(const double* x, const double* v, const int* node, int count, const Touch& touch,
                                    Square& by_position, Square& by_velocity) const {
  Eigen::Matrix3d at_x, at_v;
  if (!derivatives_at(weighted(x, node, touch.weight, count), weighted(v, node, touch.weight, count), touch.depth,
                      touch.gradient, at_x, at_v))
    return;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      by_position.block<3, 3>(3 * i, 3 * j) += touch.weight[i] * touch.weight[j] * at_x;
      by_velocity.block<3, 3>(3 * i, 3 * j) += touch.weight[i] * touch.weight[j] * at_v;
    }
}

bool GroundContact::rider_derivatives(int rider, const double* x, const double* v, Square& by_position,
                                      Square& by_velocity) const {
  by_position.setZero();
  by_velocity.setZero();
  bool any = false;
  const std::size_t k = static_cast<std::size_t>(rider);
  if (k < bars_.size()) {
    each_touch(bars_[k], x, [&](const Touch& touch) {
      add_derivatives(x, v, bar_nodes_[k].data(), 2, touch, by_position, by_velocity);
      any = true;
    });
    return any;
  }
  const GroundPoint& point = points_[k - bars_.size()];
  Touch at;
  any = touch(point, x, at);
  if (any) add_derivatives(x, v, point.node.data(), 4, at, by_position, by_velocity);
  return any;
}

}  // namespace taut
