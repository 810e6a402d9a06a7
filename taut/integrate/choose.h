// What `integrator = "auto"` means: how stiff the start state is decides.
#pragma once

#include <string>
#include <string_view>

#include "taut/dynamics/dynamics.h"

namespace taut {

struct Stiffness {
  double oscillation = 0.0;  // rad/s, √ of the largest eigenvalue of -∂v̇/∂q
  double damping = 0.0;      // 1/s, the largest eigenvalue of -∂v̇/∂v
};

// By power iteration on differences of the right-hand side at the start, at rest also as it would be on the ground
// (pressed in until one node carries the whole weight); colliding bars by their law and the lightest of them; cables
// that slide with friction at rest as well. The largest of these.
Stiffness estimate_stiffness(const Dynamics& dynamics);

struct Choice {
  std::string integrator, reason;
};

Choice choose_integrator(const Dynamics& dynamics);

// What to tell the user when a method's fixed step is too long for the damping and friction of contact or of sliding
// cables, which then chatters instead of diverging; empty when there is nothing to tell.
std::string friction_step_warning(const Dynamics& dynamics, std::string_view integrator, double step);

}  // namespace taut
