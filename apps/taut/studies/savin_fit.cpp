#include "apps/taut/studies/savin_fit.h"

#include <cmath>

namespace taut::reproduce {

std::optional<double> inertia_for(const Prism& prism, double psi_degrees) {
  // c(J) = A/m + B/J at two inertias.
  Prism other = prism;
  other.inertia = 2.0 * prism.inertia;
  const double at_one = start_curvature(prism, psi_degrees, side), at_two = start_curvature(other, psi_degrees, side);
  const double by_inertia = 2.0 * (at_one - at_two) * prism.inertia, by_mass = 2.0 * at_two - at_one;
  const double inertia = -by_inertia / by_mass;
  return inertia > 0.0 ? std::optional(inertia) : std::nullopt;
}

std::optional<double> drag_for(const Prism& prism, double psi_degrees, double duration, Reading reading) {
  const auto beyond = [&](double logarithm) {
    Prism tried = prism;
    tried.duration = duration;
    tried.drag = tried.turning_drag = std::exp(logarithm);
    const Scenario scenario = tilted(tried, psi_degrees);
    const Run motion = simulated(scenario, "fit of the drag");
    if (reading == Reading::upper_falls) return strain_rate(scenario, motion.back(), upper) < 0.0;
    return strain(tried, motion.back(), side) > strain(tried, motion.front(), side);
  };
  const auto found = turning_point(std::log(2.0 * duration), std::log(50.0 * duration), beyond);
  return found ? std::optional(std::exp(*found)) : std::nullopt;
}

}  // namespace taut::reproduce
