// What is wrong with a resolved model, entity by entity. The reader turns each finding into a place in the
// file; validate() into a key. Every rule about values lives here once.
#pragma once

#include <string>
#include <vector>

#include "taut/base/place.h"
#include "taut/model/scenario.h"

namespace taut {

struct Finding {
  EntityKind kind = EntityKind::model;
  int index = -1;       // in the model's list of that kind; -1 for environment, simulation and the model itself
  std::string key;      // e.g. "stiffness", "rest_length.period"; empty: the entity as a whole
  std::string message;  // what is wrong, what was expected
};

// Rules for each entity by itself: finite numbers, signs, ranges, indices, names given twice.
std::vector<Finding> check_entities(const Model& model);
std::vector<Finding> check_simulation(const RunSettings& simulation);

// Rules for the whole, to be asked once the entities are sound: every free node has mass, nodes span the
// mass of their body, every constraint is met by the start positions, nothing is inside the ground, no bars cross,
// the nodes of a frame span a triangle.
std::vector<Finding> check_structure(const Model& model);

// The last check of a model made by hand or by a generator: throws InputError with every finding and its key.
void validate(const Model& model);

}  // namespace taut
