// What supports and constraints hold of each part.
#pragma once

#include <vector>

#include "taut/equilibrium/parts.h"
#include "taut/model/model.h"

namespace taut {

// The axes along which a support or a constraint holds a part.
std::vector<Axes> held_axes(const Model& model, const Parts& parts);

// A part on which weight and loads pull along an axis that nothing holds: it has no equilibrium.
struct Unsupported {
  int part = -1;              // -1: there is none
  Vec3 force = Vec3::Zero();  // N, along the axes that are free
  int node = -1;              // the first of the part
};

// `external` are weight and loads per node, N. A ground may hold anything: with one, nothing counts as unsupported.
Unsupported find_unsupported(const Model& model, const Parts& parts, const std::vector<Vec3>& external);

}  // namespace taut
