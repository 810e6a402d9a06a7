// The numbers of a scenario, each with the path of its key: cables.a1-a2.rest_length, nodes.a1.at, environment.gravity,
// simulation.duration. Only those that lie in the scenario as the key gives them; what a key leads to is not here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/model/scenario.h"

namespace taut {

struct NumberAt {
  std::string_view section, member, key;  // member: empty in [environment] and [simulation]
  double* first = nullptr;
  int count = 1;       // 3: a vector
  char component = 0;  // 'x', 'y' or 'z' of a vector, which is there as a whole as well
};

// In an order that depends on the structure alone, not on values. The names are those of the scenario.
std::vector<NumberAt> numbers_of(Scenario& scenario);

// The last part of its path, with the component: "stiffness", "at.x".
std::string own_key(const NumberAt& number);
// Those that a key path names: cables.*.stiffness, nodes.3.at.x.
std::vector<int> numbers_at(const std::string& key, const std::vector<NumberAt>& numbers);

}  // namespace taut
