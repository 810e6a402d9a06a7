// The two-stage manipulator of Fadeyev et al. (2019) and its variants.
#pragma once

#include "apps/taut/studies/study.h"

namespace taut::reproduce {

// Table 7's shape with the targets and actuators of the settings; only nearly in equilibrium.
Scenario measured_robot(const Settings& settings);

Scenario with_damping(Scenario scenario, double damping);  // N s/m, of every string

// Which composite strings are cut, and where a motor acts on those that are.
enum class Cut { all, vertical, saddle, actuated };
enum class Motor { shared, lower_piece };

// Composite strings cut at their inner nodes into strings of the same EA and tension; an actuator's displacement is
// shared among the pieces by their lengths, or is that of the lowest one.
Scenario with_simple_strings(const Scenario& scenario, Cut cut = Cut::all, Motor motor = Motor::shared);

// The plates as uniform rigid triangles of the same mass, with the feet of the second stage fixed to the first one,
// instead of bars along their edges and midpoints.
Scenario with_rigid_plates(const Scenario& scenario);

}  // namespace taut::reproduce
