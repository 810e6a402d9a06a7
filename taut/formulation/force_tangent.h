// Derivatives of everything that acts on nodes, as 3×3 blocks between nodes: what the tangents of all formulations
// share.
#pragma once

#include <utility>
#include <vector>

#include "taut/forces/cable_tangent.h"
#include "taut/forces/contact_tangent.h"
#include "taut/forces/drag.h"
#include "taut/formulation/terms.h"

namespace taut {

class ForceTangent {
 public:
  ForceTangent(const Model& model, const Cables& cables);

  // Pairs (row node, column node); a pair may come more than once. evaluate() may add to them at the end, when bars
  // touch that never did before.
  const std::vector<std::pair<int, int>>& blocks() const { return blocks_; }
  // 9 numbers per block, row by row: ∂f/∂x and ∂f/∂ẋ.
  const std::vector<double>& by_position() const { return by_position_; }
  const std::vector<double>& by_velocity() const { return by_velocity_; }

  // Whether both derivatives are symmetric but for the turning of damped cables: neither contact nor friction, nor
  // softplus cables with vector damping.
  bool symmetric() const { return symmetric_; }
  // f(block, l, r) for every block whose ∂f/∂x has the part -l rᵀ from turning.
  template <class F>
  void each_turning(const F& f) const {
    cable_tangent_.each_turning(turning_, f);
  }

  // At the nodes and forces of these terms.
  void evaluate(const Terms& terms);

 private:
  const Cables& cables_;
  CableTangent cable_tangent_;
  Drag drag_;
  ContactTangent contact_tangent_;
  std::size_t before_contact_;  // blocks of cables and drag
  std::vector<std::pair<int, int>> blocks_;
  bool symmetric_;
  std::vector<double> turning_;
  std::vector<double> by_position_, by_velocity_, contact_by_position_, contact_by_velocity_;
};

}  // namespace taut
