// Sets of nodes that bars hold rigid with bars to spare: a plate with both diagonals, a tetrahedron with an inner node,
// bars laid twice. Their length constraints depend on each other, and in a flat or straight group even their rank lies:
// a square with both diagonals cannot fold, yet to first order nothing resists. So the group is written as what it is,
//
//   a base of up to four nodes (a segment, a triangle, a tetrahedron) with all its distances, and
//   every other node k as an affine combination of the base, x_k = Σ β_i x_i, which is exact for a rigid body.
#pragma once

#include <utility>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct RigidGroup {
  std::vector<int> nodes;                    // base first
  int base = 0;                              // how many of them are the base
  std::vector<std::vector<double>> weights;  // per node after the base: β of each base node
  std::vector<int> bars;                     // the model's bars inside the group
};

// The groups of rigid bars whose length constraints are dependent at the start. `bars` are the rigid ones.
std::vector<RigidGroup> find_rigid_groups(const Model& model, const std::vector<int>& bars);

}  // namespace taut
