#include "taut/analysis/form_stress_matrix.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "taut/analysis/tangent_stiffness.h"

namespace taut {

namespace {

using Members = std::vector<std::pair<int, int>>;

double row_sum_bound(int nodes, const Members& members, const Eigen::VectorXd& q) {
  std::vector<double> sum(nodes, 0.0);
  for (std::size_t k = 0; k < members.size(); ++k)
    for (int node : {members[k].first, members[k].second}) sum[node] += 2.0 * std::abs(q[static_cast<long>(k)]);
  return sum.empty() ? 0.0 : *std::max_element(sum.begin(), sum.end());
}

void remove_mean(Eigen::MatrixXd& vectors) {
  for (int j = 0; j < vectors.cols(); ++j) vectors.col(j).array() -= vectors.col(j).mean();
}

void orthonormalise(Eigen::MatrixXd& vectors) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(vectors);
  vectors = qr.householderQ() * Eigen::MatrixXd::Identity(vectors.rows(), vectors.cols());
}

LowestEigenvectors dense_lowest(int nodes, const Members& members, const Eigen::VectorXd& q, int count) {
  LowestEigenvectors result;
  result.size = row_sum_bound(nodes, members, q);
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(nodes, nodes);
  for (const SparseEntry& e : stress_matrix(nodes, members, q)) d(e.row, e.column) = d(e.column, e.row) = e.value;
  // The vector 1 goes to the top.
  d.array() += (1.0 + 2.0 * result.size) / nodes;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(d);
  result.values = solver.eigenvalues().head(count);
  result.vectors = solver.eigenvectors().leftCols(count);
  result.converged = solver.info() == Eigen::Success;
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
                                       double tolerance, const Eigen::MatrixXd& guess, EigenMethod method) {
  count = std::min(count, nodes - 1);
  if (method == EigenMethod::dense || (method == EigenMethod::by_size && nodes <= 60))
    return dense_lowest(nodes, members, q, count);
  LowestEigenvectors result;
  result.size = row_sum_bound(nodes, members, q);
  const std::vector<SparseEntry> entries = stress_matrix(nodes, members, q);
  Saddle saddle;
  SaddleFactor factor;
  double shift = 1e-9 * result.size;
  while (!shifted_factor(nodes, entries, shift, saddle, factor) && shift < 4.0 * result.size) shift *= 10.0;

  // Subspace iteration with Rayleigh-Ritz; a few vectors more than asked for.
  const int width = std::min(nodes - 1, count + 10);
  Eigen::MatrixXd v(nodes, width), product(nodes, width);
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < nodes; ++i)
      v(i, j) = j < guess.cols() ? guess(i, j) : std::sin(1.0 + 7.3 * i + 1.7 * j + 0.37 * static_cast<double>(i) * j);
  std::vector<double> rhs(nodes), scratch(nodes);
  for (int pass = 0; pass < 300 && !result.converged; ++pass) {
    for (int j = 0; j < width; ++j) {
      std::copy_n(v.col(j).data(), nodes, rhs.data());
      saddle.solve(factor, rhs.data(), scratch.data());
      std::copy_n(rhs.data(), nodes, v.col(j).data());
      v.col(j).array() -= v.col(j).mean();
      v.col(j) /= v.col(j).norm();
    }
    orthonormalise(v);
    remove_mean(v);
    for (int j = 0; j < width; ++j) product.col(j) = stress_product(members, q, v.col(j));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(v.transpose() * product);
    v = v * ritz.eigenvectors();
    product = product * ritz.eigenvectors();
    result.values = ritz.eigenvalues().head(count);
    double worst = 0.0;
    for (int j = 0; j < count; ++j) worst = std::max(worst, (product.col(j) - ritz.eigenvalues()[j] * v.col(j)).norm());
    result.converged = worst <= std::max(1e-13 * result.size, tolerance * result.values.cwiseAbs().maxCoeff());
  }
  result.vectors = v.leftCols(count);
  return result;
}

}  // namespace taut
