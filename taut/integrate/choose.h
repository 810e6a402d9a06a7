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

// The longest step, s, with which a fixed-step method follows such a motion without growing: |λ| h inside its region of
// stability. 0: there is none (euler without damping); infinity for adaptive methods.
double stable_step(const Stiffness& stiffness, std::string_view integrator);

// What would keep a diverged run together, beginning with "; ": the step that is stable at the start, or a tolerance.
std::string step_advice(const Dynamics& dynamics, std::string_view integrator, double step);

// What to tell the user when a method's fixed step is too long for the damping and friction of contact or of sliding
// cables, which then chatters instead of diverging; empty when there is nothing to tell.
std::string friction_step_warning(const Dynamics& dynamics, std::string_view integrator, double step);

}  // namespace taut
