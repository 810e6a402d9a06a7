// Derivatives of the contact forces, for implicit steps and linear models: blocks between nodes, as CableTangent has
// them.
#pragma once

#include <utility>
#include <vector>

#include "taut/forces/contact.h"

namespace taut {

class ContactTangent {
 public:
  explicit ContactTangent(const Model& model);

  // Pairs (row node, column node), the same for both derivatives. Grows when bars touch that never did before.
  const std::vector<std::pair<int, int>>& blocks() const { return blocks_; }

  // 9 numbers per block, row by row, at x and v (stride 4) of the last Contact::apply with these terms. True when
  // blocks() has grown.
  bool evaluate(const double* x, const double* v, const ContactTerms& terms, std::vector<double>& by_position,
                std::vector<double>& by_velocity);

 private:
  Contact contact_;
  std::vector<std::pair<int, int>> blocks_;
  std::vector<std::pair<int, int>> bars_;      // sorted; those that have blocks
  std::vector<std::size_t> first_block_;       // of each of them
  std::vector<std::pair<int, int>> pressing_;  // now
};

}  // namespace taut
