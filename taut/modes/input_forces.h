// What inputs of linear and full models act on.
#pragma once

#include "taut/dynamics/dynamics.h"

namespace taut {

// Force on the nodes, 3 each, when the tension of a cable grows by `slope`; after Dynamics::forces.
Eigen::VectorXd force_of_cable(const Dynamics& dynamics, const Terms& terms, int cable, double slope);

// The same by its rest length, at fixed lengths and rates.
Eigen::VectorXd force_by_rest_length(const Dynamics& dynamics, const Terms& terms, int cable);

// The velocity that the torque of an input acts on; -1: there is none.
int velocity_of(const Dynamics& dynamics, const ControlInput& input);

}  // namespace taut
