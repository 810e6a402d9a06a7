// Will a machine stand still? Its spanning tree, loops, degrees of freedom, and what is left of the forces at rest.
#pragma once

#include <string>
#include <vector>

#include "taut/model/scenario.h"

namespace taut {

struct State;

struct MachineCheck {
  std::string topology;  // tree and loops, a line each
  int degrees_of_freedom = 0, imposed = 0, loops = 0, constraints = 0, redundant = 0, parts = 1;
  double imbalance = 0.0;          // largest net force on a joint's coordinate, over the mean member force
  std::string worst;               // that coordinate, "" where nothing moves
  double net = 0.0;                // N or N m
  double mean_force = 0.0;         // N
  std::vector<std::string> slack;  // cables and pulleys without tension
};

// At the start, or at a state of the machine. Throws InputError.
MachineCheck inspect_machine(const Scenario& scenario, const State* at = nullptr);

}  // namespace taut
