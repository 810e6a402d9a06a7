// `point_mass`: node positions with all mass lumped at nodes, bars kept by their length constraints (Berkeley chapter,
// §3.4). A bar of mass m with its centre at the fraction σ puts m(1-σ) on one end and mσ on the other; that is the bar
// itself if its inertia is m σ(1-σ) L² (a dumbbell, m L²/4), and another one otherwise, which the remark says. The
// equations are those of `nodal` with a diagonal mass matrix.
#pragma once

#include "taut/formulation/nodal/nodal.h"

namespace taut {

// True when lumping changes nothing: dumbbell bars, cables and elastic bars massless or lumped already.
bool is_lumped(const Model& model);
Model lumped(const Model& model);

// Held by a base so that it exists before Nodal refers to it.
struct LumpedModel {
  Model lumped_model;
};

class PointMass final : private LumpedModel, public Nodal {
 public:
  explicit PointMass(const Model& model);  // throws InputError
};

}  // namespace taut
