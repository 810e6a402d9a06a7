// What is wrong with a resolved model, entity by entity. The reader turns each finding into a place in the
// file; validate() into a key. Every rule about values lives here once.
#pragma once

#include <string>
#include <vector>

#include "taut/model/scenario.h"

namespace taut {

enum class Part {
  model,
  environment,
  node,
  bar,
  body,
  joint,
  pulley,
  cable,
  constraint,
  actuator,
  drive,
  controller,
  load,
  frame,
  target,
  simulation
};

struct Finding {
  Part part = Part::model;
  int index = -1;       // in the model's list of that part; -1 for environment, simulation and the model itself
  std::string key;      // e.g. "stiffness", "rest_length.period"; empty: the entity as a whole
  std::string message;  // what is wrong, what was expected
};

// Rules for each entity by itself: finite numbers, signs, ranges, indices, names given twice.
std::vector<Finding> check_entities(const Model& model);
std::vector<Finding> check_simulation(const Simulation& simulation);

// Rules for the whole, to be asked once the entities are sound: every free node has mass, nodes span the
// mass of their body, every constraint is met by the start positions, nothing is inside the ground, no bars cross,
// the nodes of a frame span a triangle.
std::vector<Finding> check_structure(const Model& model);

}  // namespace taut
