#include "taut/form/kinetic_damping.h"

#include <algorithm>
#include <cmath>

namespace taut {

KineticDamping::KineticDamping(StaticForces& statics, const Eigen::VectorXd& x)
    : statics_(statics), weighed_(statics.model()), first_(x) {
  for (Bar& bar : weighed_.bars) bar.mass = bar.inertia = 0.0;
  for (Body& body : weighed_.bodies) body.mass = 0.0;
  for (Cable& cable : weighed_.cables) cable.mass = 0.0;
  const Eigen::Map<const Eigen::Matrix3Xd> nodes(x.data(), 3, x.size() / 3);
  far_ = 100.0 * (nodes.rowwise().maxCoeff() - nodes.rowwise().minCoeff()).norm() + 1e-300;
  x_ = x;
  weigh();
}

// Masses from the stiffness here, and a formulation with them.
void KineticDamping::weigh() {
  const std::vector<double> bounds = statics_.stiffness_bounds(statics_.net_force(x_));
  // Where nothing is stiff, external forces on members of finite length turn them: force over length.
  double largest = *std::max_element(bounds.begin(), bounds.end()), pull = 0.0;
  for (const Vec3& force : statics_.external()) pull = std::max(pull, force.norm());
  largest = std::max(largest, 100.0 * pull / (0.01 * far_));
  if (!(largest > 0.0)) largest = 1.0;
  mass_.resize(bounds.size());
  for (std::size_t i = 0; i < bounds.size(); ++i)
    weighed_.nodes[i].mass = mass_[i] = 0.25 * safety_ * std::max(bounds[i], 1e-3 * largest);
  motion_ = make_formulation("nodal", weighed_);
  terms_ = motion_->make_terms();
  restart(x_);
}

void KineticDamping::restart(const Eigen::VectorXd& x) {
  x_ = x;
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(x.size());
  motion_->place_nodes(x.data(), rest.data(), terms_);
  statics_.forces(terms_.x, terms_.force);
  // Half a kick back, so that the first step ends with the velocity of half a step.
  motion_->leapfrog()->kick(-0.5, terms_);
  energy_ = last_energy_ = 0.0;
  since_ = 0;
}

bool KineticDamping::step() {
  last_velocity_ = terms_.xd;
  last_position_ = terms_.x;
  motion_->leapfrog()->leap(1.0, terms_);
  ++steps_;
  ++since_;
  double energy = 0.0;
  for (std::size_t i = 0; i < mass_.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) energy += 0.5 * mass_[i] * terms_.xd[4 * i + axis] * terms_.xd[4 * i + axis];
  // Too long a step for a bar, or for a cable that has become stiff: heavier nodes, from the last rest on.
  if (!std::isfinite(energy) || hasty_ > 4) {
    hasty_ = 0;
    safety_ *= 2.0;
    weigh();
    return false;
  }
  if (since_ > 1 && energy < energy_) {
    back_to_peak(last_energy_, energy_, energy);
    return true;
  }
  last_energy_ = energy_;
  energy_ = energy;
  statics_.forces(terms_.x, terms_.force);
  return false;
}

// The parabola through three energies, one step apart, has its top p steps after the middle one. The middle velocity
// led to last_position_; half a step before that it held.
void KineticDamping::back_to_peak(double before, double at, double after) {
  const double curvature = before - 2.0 * at + after;
  const double p = curvature < 0.0 ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0.0;
  Eigen::VectorXd x(x_.size());
  for (long i = 0; i < x.size(); ++i) {
    const long k = 4 * (i / 3) + i % 3;
    x[i] = last_position_[k] - (0.5 - p) * last_velocity_[k];
  }
  hasty_ = since_ <= 3 ? hasty_ + 1 : 0;
  ++peaks_;
  if (!statics_.project(x)) {
    hasty_ = 5;
    x = x_;
  }
  restart(x);
}

bool KineticDamping::to_peak(long most) {
  for (long last = steps_ + most; steps_ < last;) {
    if (step()) return true;
    if (steps_ % 64 != 0) continue;
    forceless_ = std::all_of(terms_.force.begin(), terms_.force.end(), [](double f) { return f == 0.0; });
    for (long i = 0; i < first_.size(); ++i) ran_away_ |= std::abs(terms_.x[4 * (i / 3) + i % 3] - first_[i]) > far_;
    if (forceless_ || ran_away_) break;
  }
  // No peak: rest here.
  Eigen::VectorXd x(x_.size());
  for (long i = 0; i < x.size(); ++i) x[i] = terms_.x[4 * (i / 3) + i % 3];
  if (statics_.project(x)) restart(x);
  return false;
}

void KineticDamping::ramp(long count) {
  for (long i = 1; i <= count; ++i) {
    const double u = static_cast<double>(i) / static_cast<double>(count);
    statics_.set_level(i == count ? 1.0 : u * u * u * (10.0 + u * (6.0 * u - 15.0)));
    step();
  }
}

}  // namespace taut
