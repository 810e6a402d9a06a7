// What `integrator = "auto"` means: how stiff the start state is decides.
#pragma once

#include <string>

#include "taut/dynamics/dynamics.h"

namespace taut {

struct Stiffness {
  double oscillation = 0.0;  // rad/s, √ of the largest eigenvalue of -∂v̇/∂q
  double damping = 0.0;      // 1/s, the largest eigenvalue of -∂v̇/∂v
};

// By power iteration on differences of the right-hand side at the start.
Stiffness estimate_stiffness(const Dynamics& dynamics);

struct Choice {
  std::string integrator, reason;
};

Choice choose_integrator(const Dynamics& dynamics);

}  // namespace taut
