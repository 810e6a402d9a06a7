// The equations of motion of the whole, not linearised, at one state: what controllers that use the structure of a
// machine's equations need (computed torque, feedback linearisation).
//
//   M v̇ + c = B δu + Gᵀλ,   G v̇ = γ
//
// v are the velocities of the formulation, c holds everything that acts at the state with the inputs as they are
// (cables, weight, contact, drag, springs and drives of joints, and what comes from velocities), u are the inputs of
// linear_inputs(): rest lengths, torques. B is exact where tensions are linear in the rest length, else a derivative.
// G and γ are empty where the formulation has no constraints.
#pragma once

#include "taut/modes/linearise.h"

namespace taut {

struct FullModel {
  Eigen::MatrixXd M, B, G;
  Eigen::VectorXd c, gamma;
  std::vector<std::string> velocities, inputs;  // names of the rows of M and of the columns of B
};

FullModel full_model(const Dynamics& dynamics, const State& state);

}  // namespace taut
