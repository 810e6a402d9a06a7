// What of the forces on the nodes no constraint force can balance, on the free coordinates:
//
//   r = f - Gᵀμ with G r = 0,     G = ∂g/∂x of bar lengths, bodies and linear constraints,
//
// by a saddle point with unit weights. Dependent constraints are left out.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "taut/formulation/formulation.h"
#include "taut/solve/sparse/saddle.h"

namespace taut {

class NodeBalance {
 public:
  // `nodal`: the nodal formulation of the model.
  NodeBalance(const Model& model, const Formulation& nodal);

  // G at x, 3 per node; the first call comes before any split().
  void place(const double* x);
  // f, 3 per node, becomes r, which is 0 along fixed axes; returns μ.
  Eigen::VectorXd split(Eigen::VectorXd& f);

  const std::vector<int>& unknown_of() const { return unknown_of_; }        // of each coordinate; -1: fixed
  const std::vector<int>& coordinate_of() const { return coordinate_of_; }  // of each unknown
  int constraints() const { return static_cast<int>(ends_.size()); }
  // The ends of the distance that a row of G keeps; (-1, -1) for a linear row.
  std::pair<int, int> ends_of_row(int row) const { return ends_[row]; }
  const std::vector<SparseEntry>& pattern() const { return pattern_; }  // of G on the unknowns
  const std::vector<double>& values() const { return values_; }         // in that order

 private:
  const Formulation& nodal_;
  std::vector<int> unknown_of_, coordinate_of_;
  std::vector<std::pair<int, int>> ends_;
  std::vector<SparseEntry> pattern_;
  std::vector<double> values_, rhs_, scratch_;
  Saddle saddle_;
  SaddleFactor factor_;
};

}  // namespace taut
