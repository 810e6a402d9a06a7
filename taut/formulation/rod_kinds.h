// Makers of the formulations of rods; all throw InputError when they cannot represent the model.
#pragma once

#include "taut/formulation/formulation.h"

namespace taut {

std::unique_ptr<Formulation> make_minimal(const Model& model);
std::unique_ptr<Formulation> make_minimal_bounded(const Model& model);
std::unique_ptr<Formulation> make_quaternion(const Model& model);

}  // namespace taut
