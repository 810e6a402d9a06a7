// kind = "near_rigid": the torques of pulleys' joints by near-rigid control (near_rigid.h), for accelerations
//
//   a = r̈ + k_d (ṙ - ẋ) + k_p (r - x)        of the targets x along their path r
//
// at every instant, held until the next one, or, with rate = 0, at every evaluation of the motion, as Lieskovský (2022) does.
// The strains of all pulleys' cables are bounded. A trial step of an integrator may ask for what cannot be: the torques
// then stay as they were, and an instant or a row that has the same problem ends the run.
#pragma once

#include <memory>

#include "taut/control/controller.h"

namespace taut {

// Throws InputError: a formulation other than multibody, targets and inputs that it cannot steer or drive.
std::unique_ptr<Controller> make_near_rigid(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets);

}  // namespace taut
