#include "taut/solve/equality_qp.h"

#include <Eigen/SparseCore>
#include <cmath>

#include "taut/solve/sparse_lu.h"

namespace taut {

EqualityQpSolution solve_equality_qp(const EqualityQp& qp, double delta) {
  const int n = static_cast<int>(qp.weight.size()), m = static_cast<int>(qp.right.size());
  Eigen::SparseMatrix<double> jacobian(m, n);
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(qp.jacobian.size());
  for (const SparseEntry& e : qp.jacobian) triplets.emplace_back(e.row, e.column, e.value);
  jacobian.setFromTriplets(triplets.begin(), triplets.end());

  std::vector<std::pair<int, int>> places;
  std::vector<double> values;
  const auto put = [&](int row, int column, double value) {
    places.emplace_back(row, column);
    values.push_back(value);
  };
  for (int i = 0; i < n; ++i) put(i, i, qp.weight[i]);
  for (int k = 0; k < jacobian.outerSize(); ++k)
    for (Eigen::SparseMatrix<double>::InnerIterator it(jacobian, k); it; ++it) {
      put(n + static_cast<int>(it.row()), k, it.value());
      put(k, n + static_cast<int>(it.row()), it.value());
    }
  for (int i = 0; i < m; ++i) put(n + i, n + i, -delta);
  SparseLu matrix(n + m, places);
  for (int k = 0; k < static_cast<int>(places.size()); ++k) matrix.values()[matrix.place(k)] += values[k];

  EqualityQpSolution result;
  if (!matrix.factorise()) return result;
  Eigen::VectorXd unknown = Eigen::VectorXd::Zero(n + m), right(n + m);
  result.violation = INFINITY;
  // Each pass solves for the residual of the program itself, without δ.
  for (int pass = 0; pass < 10; ++pass) {
    right.head(n) = qp.linear - qp.weight.cwiseProduct(unknown.head(n)) - jacobian.transpose() * unknown.tail(m);
    right.tail(m) = qp.right - jacobian * unknown.head(n);
    matrix.solve(right.data());
    const Eigen::VectorXd next = unknown + right;
    if (!next.allFinite()) break;
    const double violation = m > 0 ? (qp.right - jacobian * next.head(n)).cwiseAbs().maxCoeff() : 0.0;
    if (pass > 1 && violation >= 0.5 * result.violation) break;
    unknown = next;
    result.violation = violation;
    result.solved = true;
  }
  result.z = unknown.head(n);
  result.multiplier = unknown.tail(m);
  return result;
}

}  // namespace taut
