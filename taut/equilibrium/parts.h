// Connected parts of a structure and the rigid motions that its supports leave free.
#pragma once

#include <vector>

#include "taut/model/model.h"

namespace taut {

struct Parts {
  int count = 0;
  std::vector<int> of_node;        // part of each node, numbered in order of first node
  std::vector<int> rigid_motions;  // per part: independent rigid velocity fields that respect supports and constraints
  int total_rigid_motions() const;
};

// Nodes are connected by bars, bodies, cables and linear constraints.
Parts find_parts(const Model& model);

}  // namespace taut
