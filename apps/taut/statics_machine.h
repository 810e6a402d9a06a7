// What taut statics prints of a machine.
#pragma once

#include <string>

#include "taut/statics/machine/machine_statics.h"

namespace taut {

void print_machine_statics(const Model& model, const MachineStatics& statics);
// `matrices`: with the equilibrium matrix and the tangent stiffness.
std::string machine_statics_json(const Model& model, const MachineStatics& statics, bool matrices);

}  // namespace taut
