// Equilibrium to rounding, by Newton steps from a shape near it. Each step solves, on the free coordinates,
//
//   | K + σS + ρGᵀG   Gᵀ | | δx |   | r |
//   | G               0  | | δμ | = | 0 |,   then x + δx goes back onto the constraints,
//
// K the stiffness of static_forces.h, S its bound per node. σ damps: it is raised until the matrix is positive definite
// along the constraints (so that energy falls, and a saddle point is left behind) and after a step that gains nothing,
// and lowered to 1e-10 as steps succeed, where it only keeps directions without stiffness (free rigid motions,
// mechanisms that nothing tightens) from moving: the step is then the one of least norm. ρ changes nothing but the
// pivots. Whether a step gains is judged by the work ½(f + f')·(x' - x) > 0 of the forces along it, or by the net
// force.
#pragma once

#include <atomic>

#include "taut/equilibrium/static_forces.h"
#include "taut/equilibrium/tolerances.h"

namespace taut {

struct EquilibriumOptions {
  double tolerance = equilibrium_found;  // of the residual (NetForce); rounding of the positions allows what it allows
  int iterations = 100;
  const std::atomic<bool>* stop = nullptr;  // set from outside: ends early
};

struct Equilibrium {
  bool found = false;
  bool stable = false;  // no direction in which the energy falls (neutral ones may be there)
  int iterations = 0;
  Eigen::VectorXd x;  // the best shape met, 3 per node
  NetForce net;       // there
};

// From x, which need not satisfy the constraints exactly.
Equilibrium find_equilibrium(StaticForces& statics, const Eigen::VectorXd& x, const EquilibriumOptions& options = {});

}  // namespace taut
