// kind = "computed_torque": inputs by inverse dynamics of the whole model (inverse_dynamics.h), for accelerations
//
//   a = r̈ + k_d (ṙ - ẋ) + k_p (r - x)        of the targets x along their path r
//
// at every instant. The winch winds at a constant rate L̇0 over the period h, so that the cable has its tension T at the
// end of it, damping included:
//
//   law(l + l̇ h - L0', l̇ - L̇0) = T,    L0' = L0 + L̇0 h
//
// With the length of the instant alone the cable's stiffness would act a period too late, against its damping; without
// the winch's own rate a damped cable would be pulled or let go by c L̇0. In between, the tension of a linear cable lies
// between its elastic part now and T.
//
// Of all inputs that make the accelerations, the smallest within the bounds of inputs and tensions. Where none does,
// those that come nearest, and an event says what is in the way.
#pragma once

#include <memory>

#include "taut/control/controller.h"

namespace taut {

// Throws InputError: what InverseDynamics says.
std::unique_ptr<Controller> make_computed_torque(const Dynamics& dynamics, const ControllerSpec& spec,
                                                 Targets& targets);

}  // namespace taut
