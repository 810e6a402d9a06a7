// The equilibrium of a machine near its start, in joint coordinates (machine_equilibrium.h): what relax() and Newton's
// method of `taut form` do where there are joints or pulleys. The first falls to where the energy is least, the second
// goes to the nearest balance, stable or not.
#pragma once

#include "taut/form/relax.h"

namespace taut {

RelaxResult relax_machine(const Model& model, const RelaxOptions& options);
FormResult newton_machine(const Model& model, double tolerance);

}  // namespace taut
