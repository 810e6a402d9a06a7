// What supports and constraints leave free of the rigid motions of each part, for equilibria.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/analysis/parts.h"
#include "taut/model/model.h"

namespace taut {

// A part on which weight and loads pull along an axis that nothing holds: it has no equilibrium.
struct Unsupported {
  int part = -1;              // -1: there is none
  Vec3 force = Vec3::Zero();  // N, along the axes that are free
  int node = -1;              // the first of the part
};

// `external` are weight and loads per node, N. A ground may hold anything: with one, nothing counts as unsupported.
Unsupported find_unsupported(const Model& model, const Parts& parts, const std::vector<Vec3>& external);

// Takes the rigid motions out of a small displacement (3 per node) at positions x, part by part: the translations and
// rotations that supports and constraints leave free; where weight or loads act, only the translations, since a turn
// then changes the balance.
void remove_rigid_motions(const Model& model, const Parts& parts, const std::vector<Vec3>& external,
                          const Eigen::VectorXd& x, Eigen::VectorXd& displacement);

}  // namespace taut
