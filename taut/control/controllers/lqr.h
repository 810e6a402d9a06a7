// kind = "lqr": state feedback, optimal for the motion near the start, and along a path by the linear model
// (lqr_design.h).
#pragma once

#include "taut/control/controller.h"

namespace taut {

// `name`: of the controller, for messages. Throws InputError: what design_lqr says.
std::unique_ptr<Controller> make_lqr(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets,
                                     const std::string& name);

}  // namespace taut
