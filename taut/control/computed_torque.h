// kind = "computed_torque": inputs by inverse dynamics of the whole model (inverse_dynamics.h), for accelerations
//
//   a = r̈ + k_d (ṙ - ẋ) + k_p (r - x)        of the targets x along their path r
//
// at every instant. A tension is what its cable shall have at the end of the period: the winch keeps up with the cable,
//
//   L0 = L0(T, l) + l̇/rate,    L̇0 = l̇ for the damping
//
// since with the length of the instant alone the cable's stiffness would act a period too late, against its damping. Of
// all inputs that make them, the smallest within the bounds of inputs and tensions. Where none does, those that come
// nearest, and an event says what is in the way.
#pragma once

#include <memory>

#include "taut/control/controller.h"

namespace taut {

// Throws InputError: what InverseDynamics says.
std::unique_ptr<Controller> make_computed_torque(const Dynamics& dynamics, const ControllerSpec& spec,
                                                 Targets& targets);

}  // namespace taut
