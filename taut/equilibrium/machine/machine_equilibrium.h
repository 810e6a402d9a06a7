// Equilibrium of a machine, by damped Newton steps from a position near it or far away. Each step solves, along the ways
// that the loops allow (machine_forces.h),
//
//   (S + σ s) y = r,   then q ⊕ B y goes back onto the loops.
//
// σ is raised until the symmetric part is positive definite (so that energy falls, and a saddle point is left behind) and
// after a step that gains nothing, and lowered as steps succeed, as in find_equilibrium.h; s is the size of S. Whether
// a step gains is judged by the work ½(Q + Q')·(q' ⊖ q) > 0 of the forces along it, or by the net force.
#pragma once

#include <atomic>
#include <string>

#include "taut/equilibrium/machine/machine_forces.h"
#include "taut/equilibrium/tolerances.h"

namespace taut {

struct MachineSearch {
  double tolerance = equilibrium_found;  // of the residual; rounding of the positions allows what it allows
  long iterations = 2000;
  // To where the energy is least; a start out of balance by less than a thousandth is only polished. False: to the
  // nearest balance, saddle points too, by Newton steps without damping.
  bool falls = true;
  const std::atomic<bool>* stop = nullptr;  // set from outside: ends early
};

struct MachineEquilibrium {
  bool found = false;
  bool stable = false;  // no motion in which the energy falls, and none but rigid ones in which it stays
  std::string free;     // what moves without anything that resists; empty: nothing
  std::string reason;   // why nothing was found
  long iterations = 0;
  Eigen::VectorXd q;  // the best position met
  MachineNet net;     // there
};

MachineEquilibrium find_equilibrium(MachineForces& forces, const MachineSearch& search = {});

// Eigenvalues of S, real parts, ascending, N/m, without idle turns and rigid motions of the whole; the first of the
// motions that nothing resists, as a velocity; at the last net_force().
struct MachineStability {
  Eigen::VectorXd stiffness;
  double scale = 0.0;      // N/m, size of S
  Eigen::VectorXd motion;  // v, the softest motion
  int softest = -1;        // the velocity that moves most in the softest motion
};
MachineStability machine_stability(MachineForces& forces);
// Fills `stable` and `free` at the last net_force().
void judge_stability(MachineForces& forces, MachineEquilibrium& found);

}  // namespace taut
