// Mechanisms one by one: which of them go on and which stop.
//
// A mechanism d keeps all lengths to first order. It is infinitesimal if a self-stress blocks its second order,
// dᵀK_g d ≠ 0 (of one sign for the mechanisms beside it), and finite if there is no self-stress at all. What is left is
// followed (follow_mechanism.h): the tangents of the finite motions that are found are finite mechanisms, what is
// across them is infinitesimal.
#pragma once

#include <string>
#include <vector>

#include "taut/statics/follow_mechanism.h"
#include "taut/statics/stability.h"

namespace taut {

struct Mechanism {
  MechanismKind kind = MechanismKind::undecided;
  Eigen::VectorXd shape;    // over the unknowns, of length 1
  double stiffening = 0.0;  // dᵀK_g d with the given forces, N/m
};

// `forces`: a self-stress to judge by first, over all rows; may be zero. Softest first.
std::vector<Mechanism> find_mechanisms(const StaticRows& rows, const StaticSpaces& spaces,
                                       const Eigen::VectorXd& forces);

struct NodeMove {
  int node = -1;
  Vec3 move = Vec3::Zero();
};
// Nodes by how far they move, furthest first, down to a part of the furthest.
std::vector<NodeMove> largest_moves(const StaticRows& rows, const Eigen::VectorXd& motion, double down_to = 0.5);
// "b1, b2 and b3 move, b1 most, along (0, 0.71, -0.71)".
std::string motion_text(const Model& model, const StaticRows& rows, const Eigen::VectorXd& motion);

}  // namespace taut
