// What taut statics prints: sentences first, numbers after.
#pragma once

#include "taut/answers/statics.h"

namespace taut {

void print_statics(const Model& model, const Statics& statics);
void print_machine_statics(const Model& model, const MachineStatics& statics);

}  // namespace taut
