// Unknowns that linear constraints determine: from the rows Σ c_i x_i = value, one unknown each as a combination of
// others, x_k = Σ β_i x_i + constant, by elimination, so that none of the others follows itself.
//
// A quadratic form uᵀK u has another matrix in what does not follow, BᵀK B with u = B y. Along the constraints both are
// one. But a force on a node that follows (a cable at a rigid body's corner) is passed on to what it follows only in
// the second: there a motion of the whole that costs nothing has BᵀK B y = 0, while K u is what turns with the
// structure, the forces of the constraints.
#pragma once

#include <utility>
#include <vector>

#include "taut/solve/sparse/saddle.h"

namespace taut {

class Followers {
 public:
  // `rows`: the entries of every linear row, (unknown, coefficient). Rows that depend on others determine nothing.
  Followers(int unknowns, const std::vector<std::vector<std::pair<int, double>>>& rows);

  // What an unknown follows; nothing but itself where it is free.
  const std::vector<std::pair<int, double>>& of(int unknown) const { return terms_[unknown]; }

  bool none() const { return none_; }

  // BᵀK B from K, both on and above the diagonal, entries repeated.
  std::vector<SparseEntry> carried(const std::vector<SparseEntry>& upper) const;

 private:
  bool none_;
  std::vector<std::vector<std::pair<int, double>>> terms_;
};

}  // namespace taut
