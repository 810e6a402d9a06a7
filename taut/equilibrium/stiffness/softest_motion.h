// The motion of least stiffness at an equilibrium: K φ = λ φ along the constraints, G φ = 0, λ nearest to 0, by sparse LU
// (solve/spectrum.h). Motions of the whole, which nothing resists, are taken out on the way.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "taut/equilibrium/static_forces.h"

namespace taut {

struct SoftMotion {
  double stiffness = 0.0;  // λ, N/m
  Eigen::VectorXd motion;  // φ, 3 per node, its largest entry 1; 0 where nothing can move
};

// No eigenvalue of K exceeds this, N/m; 1 where nothing is stiff.
double stiffness_bound(const StaticForces& statics, const NetForce& net);

// `stiffness` are the entries of StaticForces::stiffness() at `net`, the last net_force(); `length` a typical one, m.
SoftMotion softest_motion(const StaticForces& statics, const NetForce& net, const std::vector<SparseEntry>& stiffness,
                          double length, const std::function<void(Eigen::VectorXd&)>& remove_rigid);

// "node d along (1, 0, 0)": what moves at this equilibrium without anything that resists, rigid motions apart; empty:
// nothing. With a ground, which holds what it does by touch, nothing is said.
std::string free_motion(StaticForces& statics, const Eigen::VectorXd& x);

// The node that moves furthest, -1 where none does, and how far.
struct FurthestMove {
  int node = -1;
  Vec3 along = Vec3::Zero();
};
FurthestMove furthest_move(const Eigen::VectorXd& motion);

// "(0.71, 0, -0.71)": three digits, without the noise that rounding leaves beside the largest.
std::string direction_text(const Vec3& along);

}  // namespace taut
