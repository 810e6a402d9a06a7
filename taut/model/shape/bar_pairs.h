// Which bars can collide: not those that share a node (an end of one may ride on the other), that a
// constraint joins, that belong to one body with both ends, or that are both held in place.
#pragma once

#include <utility>
#include <vector>

#include "taut/base/near_capsules.h"
#include "taut/model/model.h"

namespace taut {

class BarPairs {
 public:
  explicit BarPairs(const Model& model);
  const std::vector<Capsule>& capsules() const { return capsules_; }  // as the model's bars
  bool may_collide(int i, int j) const;

 private:
  std::vector<Capsule> capsules_;
  std::vector<char> held_;                   // both ends fixed along all axes
  std::vector<std::pair<int, int>> joined_;  // otherwise than by their ends; sorted, first < second
};

}  // namespace taut
