// Sets of nodes that move as one rigid body: bodies, bars with nodes attached, and nodes that bars hold rigid with bars
// to spare: a plate with both diagonals, a tetrahedron with an inner node, bars laid twice. The length constraints of
// the latter depend on each other, and in a flat or straight group even their rank lies: a square with both diagonals
// cannot fold, yet to first order nothing resists. So the group is written as what it is,
//
//   a base of up to four nodes (a segment, a triangle, a tetrahedron) with all its distances, and
//   every other node k as an affine combination of the base, x_k = Σ β_i x_i, which is exact for a rigid body.
#pragma once

#include <vector>

#include "taut/model/model.h"

namespace taut {

struct RigidGroup {
  std::vector<int> nodes;                    // base first
  int base = 0;                              // how many of them are the base
  std::vector<std::vector<double>> weights;  // per node after the base: β of each base node
  std::vector<int> bars;                     // the model's bars inside the group
  bool body = false;                         // whether a body is inside
};

// The bodies with all that is rigid with them, and the groups of rigid bars whose length constraints are dependent at
// the start. `bars` are the rigid ones.
std::vector<RigidGroup> find_rigid_groups(const Model& model, const std::vector<int>& bars);

// How many of the free coordinates of some nodes are bound when the nodes keep their distances and nothing else acts.
int rigid_rank(const Model& model, const std::vector<int>& nodes);

}  // namespace taut
