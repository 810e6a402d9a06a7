// What the bodies of a machine carry at rest, at the last net_force() of its forces: every force and moment with which
// nodes, joints, loops and weight act on a body, and of a bar what its sections transmit,
//
//   N(s) = -u·Σ F_k,   M(s) = |u × Σ (m_k + (p_k - p(s)) × F_k) × u|      over what acts before s, u from a to b
//
// Weight of a bar hangs on its ends, as in the axial forces of structures, so that what bends it is what others do to it.
#pragma once

#include <vector>

#include "taut/equilibrium/machine/machine_forces.h"

namespace taut {

// In the axes of the body's link (multibody/system/tree.h).
struct PointLoad {
  Vec3 at = Vec3::Zero();      // m
  Vec3 force = Vec3::Zero();   // N
  Vec3 moment = Vec3::Zero();  // N m
};

struct BarLoad {
  double least = 0.0, most = 0.0;  // N, of the axial force along the bar, tension positive
  double moment = 0.0;             // N m, the largest that bends it
  double end_moment = 0.0;         // N m, the larger of those at its ends: what a joint there holds
  bool whole = false;              // it is a body; else nothing but its axial force is known
};

struct PulleyCable {
  double tension = 0.0, length = 0.0, free_length = 0.0;  // N; m, from the pulley on; the same without force
};

// Per link of the tree. In balance forces and moments of each add up to zero.
std::vector<std::vector<PointLoad>> loads_on_links(MachineForces& forces);
// Per bar of the model.
std::vector<BarLoad> bar_loads(MachineForces& forces);
// Per body of the model: the largest moment about its centre with which one joint or node acts on it, N m.
std::vector<double> body_moments(MachineForces& forces);
// Per pulley of the model.
std::vector<PulleyCable> pulley_cables(MachineForces& forces);

}  // namespace taut
