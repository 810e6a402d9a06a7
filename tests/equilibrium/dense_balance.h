// The balance of a model worked out densely from its data alone: shares no code with the solvers.
#pragma once

#include "taut/model/model.h"

namespace taut::testing {

double length_between(const Model& model, int a, int b);

// Largest net force on a free coordinate over the mean absolute member force, by least squares over all forces that
// rigid bars and linear constraints can give.
double dense_residual(const Model& model);

// Largest relative change of a rigid bar's length.
double largest_length_error(const Model& before, const Model& after);

// The six-bar with its nodes where a regular icosahedron has them: rods L/φ apart instead of L/2.
Model icosahedron(double length);

}  // namespace taut::testing
