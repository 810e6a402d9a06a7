#include "taut/forces/ground.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

GroundContact::GroundContact(const Model& model) {
  if (!model.ground || model.ground->law == PressKind::rigid) return;
  const Ground& ground = *model.ground;
  surface_.emplace(ground);
  law_ = contact_law(ground);
  friction_ = ground.friction, slip_speed_ = ground.slip_speed, viscous_ = ground.viscous;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (can_touch(model.nodes[i])) nodes_.push_back(static_cast<int>(i));
  bars_ = bars_on_ground(model, *surface_);
  points_ = bodies_on_ground(model, *surface_);
  for (const GroundBar& bar : bars_) bar_nodes_.push_back({bar.a, bar.b});
  touching_radius_ = ground.radius * std::hypot(1.0, surface_->steepest());
  if (!surface_->plane()) return;
  const Vec3 n = ground.normal.normalized();
  normal_ = Vec4{n.x(), n.y(), n.z(), 0.0};
  reach_.assign(model.nodes.size(), -std::numeric_limits<double>::infinity());
  const Vec3 origin = Vec3::Zero();
  for (const int i : nodes_) reach_[i] = surface_->depth(origin.data());
}

double GroundContact::node_force(const double* v, double d, const Vec3& gradient, double* f) const {
  const Eigen::Map<const Vec3> velocity(v);
  const double d_rate = gradient.dot(velocity);
  const Press p = press(law_, d, d_rate);
  const Vec3 slide = velocity - gradient * (d_rate / gradient.squaredNorm());
  const double speed2 = slide.squaredNorm();
  double drag = viscous_ > 0.0 ? viscous_ * onset(law_, d) : 0.0;
  if (friction_ > 0.0) drag += p.force * slip(friction_, slip_speed_, std::sqrt(speed2)).factor;
  for (int axis = 0; axis < 3; ++axis) f[axis] -= p.force * gradient[axis] + drag * slide[axis];
  return (p.force - p.elastic) * d_rate + drag * speed2;
}

// Four nodes at a time, until one of them touches.
double GroundContact::apply_plane(const double* x, const double* v, double* f) const {
  double power = 0.0;
  const Vec3 gradient(-normal_[0], -normal_[1], -normal_[2]);
  const auto touch = [&](int i, double d) {
    if (d > 0.0) power += node_force(v + 4 * i, d, gradient, f + 4 * i);
  };
  const int n = static_cast<int>(reach_.size());
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const double* const at = x + 4 * i;
    const Vec4 d = load4(&reach_[i]) - lane_sums(normal_ * load4(at), normal_ * load4(at + 4), normal_ * load4(at + 8),
                                                 normal_ * load4(at + 12));
    if (std::max(std::max(d[0], d[1]), std::max(d[2], d[3])) <= 0.0) continue;
    for (int k = 0; k < 4; ++k) touch(i + k, d[k]);
  }
  for (; i < n; ++i) touch(i, reach_[i] - dot(normal_, load4(x + 4 * i)));
  return power;
}

double GroundContact::apply(const double* x, const double* v, double* f) const {
  double power = 0.0;
  const bool everywhere = reaches_out(law_);
  if (riders() > 0) power += apply_riders(x, v, f);
  if (surface_->plane() && !everywhere) return power + apply_plane(x, v, f);
  for (const int i : nodes_) {
    if (!everywhere && surface_->surely_above(x + 4 * i)) continue;
    const auto [d, gradient] = surface_->depth_and_gradient(x + 4 * i);
    if (d > 0.0 || everywhere) power += node_force(v + 4 * i, d, gradient, f + 4 * i);
  }
  return power;
}

double GroundContact::energy(const double* x) const {
  double sum = 0.0;
  for (const int i : nodes_) sum += contact_energy(law_, surface_->depth(x + 4 * i));
  return riders() > 0 ? sum + rider_energy(x) : sum;
}

bool GroundContact::derivatives(const double* x, const double* v, Eigen::Matrix3d& by_position,
                                Eigen::Matrix3d& by_velocity) const {
  const auto [d, g] = surface_->depth_and_gradient(x);
  return derivatives_at(Vec3(x), Vec3(v), d, g, by_position, by_velocity);
}

bool GroundContact::derivatives_at(const Vec3& x, const Vec3& velocity, double d, const Vec3& g,
                                   Eigen::Matrix3d& by_position, Eigen::Matrix3d& by_velocity) const {
  if (!(d > 0.0) && !reaches_out(law_)) return false;
  using Eigen::Matrix3d;
  const Matrix3d bend = surface_->curvature(x.data());
  const double d_rate = g.dot(velocity), size2 = g.squaredNorm();
  const Press p = press(law_, d, d_rate);
  // N by x and by v.
  const Vec3 force_x = p.by_depth * g + p.by_rate * (bend * velocity), force_v = p.by_rate * g;
  by_position = -g * force_x.transpose() - p.force * bend;
  by_velocity = -g * force_v.transpose();

  // The sliding velocity v_t = v - g (g·v)/g², and the drag.
  const Vec3 slide = velocity - g * (d_rate / size2);
  const double speed = slide.norm();
  const Matrix3d slide_v = Matrix3d::Identity() - g * g.transpose() / size2;
  const Matrix3d slide_x = -(bend * d_rate + g * (bend * velocity).transpose()) / size2 +
                           g * (2.0 * d_rate / (size2 * size2)) * (bend * g).transpose();
  const Slip s = friction_ > 0.0 ? slip(friction_, slip_speed_, speed) : Slip{};
  const double drag = viscous_ * onset(law_, d) + p.force * s.factor;
  const Vec3 speed_part = p.force * s.slope_over_speed * slide;  // ∂drag/∂v_t
  const Vec3 drag_x = viscous_ * onset_slope(law_, d) * g + s.factor * force_x + slide_x.transpose() * speed_part;
  const Vec3 drag_v = s.factor * force_v + slide_v.transpose() * speed_part;
  by_position -= drag * slide_x + slide * drag_x.transpose();
  by_velocity -= drag * slide_v + slide * drag_v.transpose();
  return true;
}

}  // namespace taut
