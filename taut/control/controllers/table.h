// kind = "table": inputs as functions of time, whatever the structure does.
//
//   torques      u = path(t_k), held from instant to instant
//   rest lengths L0 = path(t_{k+1}) at the end of each period: straight lines between samples of the path
#pragma once

#include "taut/control/controller.h"

namespace taut {

std::unique_ptr<Controller> make_table(const ControllerSpec& spec);

}  // namespace taut
