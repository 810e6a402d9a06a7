// taut check for models with joints: the spanning tree, loops, degrees of freedom, and whether it stands still.
#pragma once

#include <string>
#include <vector>

#include "taut/model/scenario.h"

namespace taut {

struct MechanismCheck {
  std::string topology;  // tree and loops, a line each
  int degrees_of_freedom = 0, imposed = 0, loops = 0, constraints = 0, redundant = 0, parts = 1;
  double imbalance = 0.0;          // largest net force on a joint's coordinate, over the mean member force
  std::string worst;               // that coordinate, "" where nothing moves
  double net = 0.0;                // N or N m
  double mean_force = 0.0;         // N
  std::vector<std::string> slack;  // cables and pulleys without tension
};

// Throws InputError.
MechanismCheck inspect_mechanism(const Scenario& scenario);

void print_text(const MechanismCheck& check, const Model& model);
void print_json(const MechanismCheck& check);

}  // namespace taut
