#include "taut/form/stress_matrix.h"

#include <algorithm>
#include <cmath>

#include "taut/equilibrium/stiffness/tangent_stiffness.h"
#include "taut/equilibrium/tolerances.h"
#include "taut/solve/dense.h"
#include "taut/solve/spectrum.h"

namespace taut {

namespace {

using Members = std::vector<std::pair<int, int>>;

double row_sum_bound(int nodes, const Members& members, const Eigen::VectorXd& q) {
  std::vector<double> sum(nodes, 0.0);
  for (std::size_t k = 0; k < members.size(); ++k)
    for (int node : {members[k].first, members[k].second}) sum[node] += 2.0 * std::abs(q[static_cast<long>(k)]);
  return sum.empty() ? 0.0 : *std::max_element(sum.begin(), sum.end());
}

LowestEigenvectors dense_lowest(int nodes, const Members& members, const Eigen::VectorXd& q, int count) {
  LowestEigenvectors result;
  result.size = row_sum_bound(nodes, members, q);
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(nodes, nodes);
  for (const SparseEntry& e : stress_matrix(nodes, members, q)) d(e.row, e.column) = d(e.column, e.row) = e.value;
  // The vector 1 goes to the top.
  d.array() += (1.0 + 2.0 * result.size) / nodes;
  const SymmetricEigen solver = symmetric_eigen(d);
  result.values = solver.values.head(count);
  result.vectors = solver.vectors.leftCols(count);
  result.converged = solver.converged;
  return result;
}

// LDLᵀ of D + σ if that is positive definite.
bool shifted_factor(int nodes, std::vector<SparseEntry> entries, double shift, Saddle& saddle, SaddleFactor& factor) {
  for (int i = 0; i < nodes; ++i) entries.push_back({i, i, shift});
  saddle = Saddle(nodes, 0, entries, {});
  factor = saddle.make_factor();
  saddle.factorise(nullptr, factor);
  return saddle.positive(factor);
}

}  // namespace

std::vector<SparseEntry> stress_matrix(int nodes, const Members& members, const Eigen::VectorXd& q) {
  std::vector<SparseEntry> entries;
  for (int i = 0; i < nodes; ++i) entries.push_back({i, i, 0.0});
  for (std::size_t k = 0; k < members.size(); ++k) {
    const auto [a, b] = members[k];
    const double density = q[static_cast<long>(k)];
    entries.push_back({a, a, density});
    entries.push_back({b, b, density});
    entries.push_back({std::min(a, b), std::max(a, b), -density});
  }
  sum_repeated(entries);
  return entries;
}

Eigen::VectorXd stress_product(const Members& members, const Eigen::VectorXd& q, const Eigen::VectorXd& y) {
  Eigen::VectorXd product = Eigen::VectorXd::Zero(y.size());
  for (std::size_t k = 0; k < members.size(); ++k) {
    const auto [a, b] = members[k];
    const double pull = q[static_cast<long>(k)] * (y[a] - y[b]);
    product[a] += pull;
    product[b] -= pull;
  }
  return product;
}

LowestEigenvectors lowest_eigenvectors(int nodes, const Members& members, const Eigen::VectorXd& q, int count,
                                       const Eigen::MatrixXd& guess, EigenMethod method) {
  count = std::min(count, nodes - 1);
  if (method == EigenMethod::dense || (method == EigenMethod::by_size && nodes <= 60))
    return dense_lowest(nodes, members, q, count);
  LowestEigenvectors result;
  result.size = row_sum_bound(nodes, members, q);
  const std::vector<SparseEntry> entries = stress_matrix(nodes, members, q);
  Saddle saddle;
  SaddleFactor factor;
  double shift = faint_stiffness * result.size;
  while (!shifted_factor(nodes, entries, shift, saddle, factor) && shift < 4.0 * result.size) shift *= 10.0;

  EigenOperators of{nodes, nodes - 1, shift, {}, {}, {}};
  std::vector<double> scratch(nodes);
  of.solve = [&](Eigen::MatrixXd& X) {
    for (int j = 0; j < X.cols(); ++j) {
      saddle.solve(factor, X.col(j).data(), scratch.data());
      X.col(j).array() -= X.col(j).mean();
    }
  };
  of.stiffness = [&](const Eigen::MatrixXd& X) {
    Eigen::MatrixXd product(X.rows(), X.cols());
    for (int j = 0; j < X.cols(); ++j) product.col(j) = stress_product(members, q, X.col(j));
    return product;
  };
  const Eigenpairs lowest = lowest_eigenpairs(of, count, guess);
  result.values = lowest.values;
  result.vectors = lowest.vectors;
  result.converged = lowest.converged;
  return result;
}

}  // namespace taut
