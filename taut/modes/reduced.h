// Small motions without their constraints: with the columns of Z spanning what the constraints allow, G Z = 0, and
// s = Z y,
//
//   ZᵀMZ ÿ + ZᵀCZ ẏ + ZᵀKZ y = 0.
//
// From the sparse matrices of node coordinates, or, for any formulation with q̇ = N v, from its Tangent: at rest
// ZᵀKZ = -ZᵀM ∂v̇/∂q N Z and ZᵀCZ = -ZᵀM ∂v̇/∂v Z, since what constraints add is orthogonal to Z.
#pragma once

#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/modes/matrices.h"

namespace taut {

struct ReducedMotion {
  Eigen::MatrixXd K, C, M;
  Eigen::MatrixXd weight;    // freedoms × 3: force of a unit acceleration along x, y, z
  Eigen::MatrixXd to_nodes;  // 3 per node × freedoms
  // Of other formulations than nodal.
  std::vector<std::string> coordinates;
  Eigen::MatrixXd to_coordinates;

  int freedoms() const { return static_cast<int>(K.rows()); }
};

ReducedMotion reduce(const MotionMatrices& matrices, std::size_t nodes);

// About a state, whose velocities are set to zero. Throws RunError when a derivative is not finite.
ReducedMotion reduce(const Dynamics& dynamics, State state);

}  // namespace taut
