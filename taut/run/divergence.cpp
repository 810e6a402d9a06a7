#include "taut/run/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"

namespace taut {
namespace {

constexpr double most_off = 10.0;      // of the energy in play
constexpr double least_motion = 1e-6;  // of the structure's size

// Larger than all others where it is not a number.
double distance(const double* a, const double* b) {
  const double d = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  return std::isfinite(d) ? d : INFINITY;
}

double largest_distance(const std::vector<double>& nodes, const std::vector<double>& others) {
  double largest = 0.0;
  for (std::size_t i = 0; i + 2 < nodes.size(); i += 3) largest = std::max(largest, distance(&nodes[i], &others[i]));
  return largest;
}

}  // namespace

EnergyOff energy_off(const std::array<double, energy_columns>& first, const std::array<double, energy_columns>& now) {
  double largest = 0.0;
  for (const double term : now) largest = std::max(largest, std::abs(term));
  const double in_play = first[kinetic] + first[elastic] + std::abs(first[contact]) + std::abs(now[work]) +
                         std::abs(now[gravity] - first[gravity]);
  return {std::abs(now[balance] - first[balance]), in_play + 1e-9 * largest};
}

void DivergenceWatch::look(const Sample& sample) {
  const auto& e = sample.energy;
  if (start_.empty()) {
    start_ = sample.nodes;
    first_ = e;
    for (std::size_t i = 0; i + 2 < start_.size(); i += 3) size_ = std::max(size_, distance(&start_[i], &start_[0]));
    return;
  }
  const auto [off, in_play] = energy_off(first_, e);
  if (!std::isfinite(off))
    throw RunError(sample.t,
                   fmt::format("the motion diverged by t = {:g} s: its energy is not a finite number{}", sample.t,
                               step_advice(engine_.dynamics(), engine_.integrator().name(), step_)));
  if (off <= most_off * in_play) return;
  if (largest_distance(sample.nodes, start_) > least_motion * size_) fail(sample, off, in_play);
}

void DivergenceWatch::fail(const Sample& sample, double off, double in_play) const {
  const std::vector<double> rest(sample.velocities.size(), 0.0);
  std::size_t fastest = 0;
  for (std::size_t i = 0; i + 2 < sample.velocities.size(); i += 3)
    if (distance(&sample.velocities[i], &rest[i]) > distance(&sample.velocities[fastest], &rest[fastest])) fastest = i;
  const Dynamics& dynamics = engine_.dynamics();
  throw RunError(
      sample.t,
      fmt::format("the motion diverged by t = {:g} s: the balance of energy is off by {:.2g} J where {:.2g} J "
                  "are in play, and node \"{}\" moves at {:.2g} m/s{}",
                  sample.t, off, in_play, dynamics.model().nodes[fastest / 3].name,
                  distance(&sample.velocities[fastest], &rest[fastest]),
                  step_advice(dynamics, engine_.integrator().name(), step_)));
}

}  // namespace taut
