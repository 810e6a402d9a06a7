// A machine drawn in another position: what a model file says when its joints stand at q.
//
// Nodes, bodies (centre and inertia), joints and pulleys are carried along with the bodies that they are on. Coordinates of
// joints go on as they were, so that springs, drives and imposed motions mean the same; those of ball and floating joints
// count from the drawn shape, which is the new one. Pulleys keep their cables: the strain is that of the new position.
#pragma once

#include "taut/formulation/multibody/system/system.h"
#include "taut/model/model.h"

namespace taut {

// `system` is that of the model's formulation. Throws InputError for a ball or floating joint with a spring, which rests in
// the drawn shape and would move along.
Model drawn_at(const Model& model, const multibody::System& system, const double* q);

}  // namespace taut
