#include "taut/equilibrium/node_balance.h"

#include <algorithm>

#include "taut/equilibrium/tolerances.h"
#include "taut/formulation/matrices.h"

namespace taut {

NodeBalance::NodeBalance(const Model& model, const Formulation& nodal) : nodal_(nodal) {
  const int n = nodal.facts().nq;
  unknown_of_.assign(n, -1);
  for (int i = 0; i < n; ++i)
    if (!model.nodes[i / 3].fixed[i % 3]) {
      unknown_of_[i] = static_cast<int>(coordinate_of_.size());
      coordinate_of_.push_back(i);
    }
  const Eigen::VectorXd origin = Eigen::VectorXd::Zero(n);
  const SeamMatrices matrices = nodal.matrices(origin.data(), nullptr, {.G = true});
  const int rows = static_cast<int>(matrices.G.rows());
  ends_.assign(rows, {-1, -1});
  for (int column = 0; column < matrices.G.outerSize(); ++column)
    for (SparseMatrix::InnerIterator it(matrices.G, column); it; ++it) {
      if (unknown_of_[column] >= 0) pattern_.push_back({static_cast<int>(it.row()), unknown_of_[column], it.value()});
      if (matrices.constant[it.row()]) continue;
      // The length of a bar, ½(b·b - L²).
      auto& [a, b] = ends_[it.row()];
      if (a < 0)
        a = column / 3;
      else if (column / 3 != a)
        b = column / 3;
    }
  values_.assign(pattern_.size(), 0.0);
  const int unknowns = static_cast<int>(coordinate_of_.size());
  std::vector<SparseEntry> unit;
  for (int k = 0; k < unknowns; ++k) unit.push_back({k, k, 1.0});
  saddle_ = Saddle(unknowns, rows, unit, pattern_, dependent_constraint, matrices.constant);
  factor_ = saddle_.make_factor();
  rhs_.assign(unknowns + rows, 0.0);
  scratch_ = rhs_;
}

void NodeBalance::place(const double* x) {
  const SparseMatrix jacobian = nodal_.matrices(x, nullptr, {.G = true}).G;
  std::size_t k = 0;
  for (int column = 0; column < jacobian.outerSize(); ++column)
    for (SparseMatrix::InnerIterator it(jacobian, column); it; ++it)
      if (unknown_of_[column] >= 0) values_[k++] = it.value();
  saddle_.factorise(values_.data(), factor_);
}

Eigen::VectorXd NodeBalance::split(Eigen::VectorXd& f) {
  const int n = static_cast<int>(coordinate_of_.size());
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  for (int i = 0; i < n; ++i) rhs_[i] = f[coordinate_of_[i]];
  saddle_.solve(factor_, rhs_.data(), scratch_.data());
  f.setZero();
  for (int i = 0; i < n; ++i) f[coordinate_of_[i]] = rhs_[i];
  return Eigen::Map<const Eigen::VectorXd>(rhs_.data() + n, constraints());
}

}  // namespace taut
