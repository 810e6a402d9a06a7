// What taut statics prints.
#pragma once

#include <string>

#include "taut/statics/statics.h"

namespace taut {

// Of what the nodes span: 0 a place, 1 a line, 2 a plane, 3.
int dimension_of(const Model& model);

// Sentences first, numbers after.
void print_statics(const Model& model, const Statics& statics);
// One object. `matrices`: with the equilibrium matrix and the tangent stiffness.
std::string statics_json(const Model& model, const Statics& statics, bool matrices);

}  // namespace taut
