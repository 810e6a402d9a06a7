// Is the start shape in balance? Net force on every node, with the bar forces that leave the least of it.
//
//   r = f - Gᵀμ with G r = 0: the part of the applied forces f (cables, elastic bars, loads, weight, contact) that no
//   choice of axial forces in rigid bars and of constraint forces can balance; along free axes only.
//
// The weight of a part that can fall freely, and that does not stand on the ground, is left out: it accelerates the
// part as a whole and strains nothing. A structure that is just slack, all of whose forces are rounding (only_rounding
// in static_forces.h), carries nothing and is in balance: forces and imbalance are then 0, here as in form-finding.
#pragma once

#include <vector>

#include "taut/model/model.h"

namespace taut {

struct Balance {
  std::vector<Vec3> net_force;        // N, per node
  std::vector<double> cable_tension;  // N, per cable
  std::vector<double> bar_force;      // N, per bar, tension positive
  double mean_force = 0.0;            // mean absolute member force, N
  double imbalance = 0.0;             // largest net node force over mean_force (or over itself if there is none)
  int worst_node = -1;
  std::vector<int> slack;        // cables without tension
  bool weight_left_out = false;  // some part falls freely
};

// At rest at t = 0, whatever moves at the start. Throws InputError when the nodal formulation refuses the model.
Balance start_balance(const Model& model);

}  // namespace taut
