#include "taut/solve/qp/equality_qp.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "taut/solve/sparse/sparse_lu.h"

namespace taut {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Eigen::VectorXd;

// δ of the symmetric elimination, large enough for pivots in any order.
constexpr double symmetric_delta = 1e-7;
// Its answers count where the multipliers fit to this part, and rows contradict each other by no more than that: the
// balance of a free structure does, linearised out of balance.
constexpr double accurate_multipliers = 1e-15, contradiction = 1e-8;

Matrix jacobian_of(const EqualityQp& qp) {
  Matrix jacobian(qp.right.size(), qp.weight.size());
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(qp.jacobian.size());
  for (const SparseEntry& e : qp.jacobian) triplets.emplace_back(e.row, e.column, e.value);
  jacobian.setFromTriplets(triplets.begin(), triplets.end());
  return jacobian;
}

// The residual of the program itself, without δ.
void residual_of(const EqualityQp& qp, const Matrix& jacobian, const VectorXd& unknown, VectorXd& right) {
  const long n = qp.weight.size(), m = qp.right.size();
  right.head(n) = qp.linear - qp.weight.cwiseProduct(unknown.head(n)) - jacobian.transpose() * unknown.tail(m);
  right.tail(m) = qp.right - jacobian * unknown.head(n);
}

// Elimination in symmetric order without a look at the pivots: fast, as there is little fill, but rough, which the
// passes mend unless rows depend on each other or nearly do. False if they do not.
bool solve_symmetric(const EqualityQp& qp, const Matrix& jacobian, EqualityQpSolution& result) {
  const long n = qp.weight.size(), m = qp.right.size();
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(jacobian.nonZeros() + n + m);
  for (long i = 0; i < n; ++i) triplets.emplace_back(i, i, qp.weight[i]);
  for (long k = 0; k < jacobian.outerSize(); ++k)
    for (Matrix::InnerIterator it(jacobian, k); it; ++it) triplets.emplace_back(n + it.row(), k, it.value());
  for (long i = 0; i < m; ++i) triplets.emplace_back(n + i, n + i, -symmetric_delta);
  Matrix lower(n + m, n + m);
  lower.setFromTriplets(triplets.begin(), triplets.end());
  const Eigen::SimplicialLDLT<Matrix> ldl(lower);
  if (ldl.info() != Eigen::Success) return false;
  VectorXd unknown = VectorXd::Zero(n + m), right(n + m);
  residual_of(qp, jacobian, unknown, right);
  double last = INFINITY;
  for (int pass = 0; pass < 30; ++pass) {
    const VectorXd next = unknown + ldl.solve(right);
    if (!next.allFinite()) return false;
    residual_of(qp, jacobian, next, right);
    const double stationarity = right.head(n).cwiseAbs().maxCoeff();
    const double violation = m > 0 ? right.tail(m).cwiseAbs().maxCoeff() : 0.0;
    // As long as it gets better: rows that contradict each other by no more than rounding stay so.
    if (pass > 2 && !(violation < 0.5 * last)) break;
    unknown = next;
    result.violation = last = violation;
    result.solved = stationarity <= accurate_multipliers * std::max(1.0, unknown.cwiseAbs().maxCoeff()) &&
                    violation <= contradiction;
  }
  result.z = unknown.head(n);
  result.multiplier = unknown.tail(m);
  return result.solved;
}

}  // namespace

EqualityQpSolution solve_equality_qp(const EqualityQp& qp, double delta) {
  const int n = static_cast<int>(qp.weight.size()), m = static_cast<int>(qp.right.size());
  const Matrix jacobian = jacobian_of(qp);
  EqualityQpSolution result;
  if (solve_symmetric(qp, jacobian, result)) return result;
  result = {};

  std::vector<std::pair<int, int>> places;
  std::vector<double> values;
  const auto put = [&](int row, int column, double value) {
    places.emplace_back(row, column);
    values.push_back(value);
  };
  for (int i = 0; i < n; ++i) put(i, i, qp.weight[i]);
  for (int k = 0; k < jacobian.outerSize(); ++k)
    for (Matrix::InnerIterator it(jacobian, k); it; ++it) {
      put(n + static_cast<int>(it.row()), k, it.value());
      put(k, n + static_cast<int>(it.row()), it.value());
    }
  for (int i = 0; i < m; ++i) put(n + i, n + i, -delta);
  SparseLu matrix(n + m, places);
  for (int k = 0; k < static_cast<int>(places.size()); ++k) matrix.values()[matrix.place(k)] += values[k];

  if (!matrix.factorise()) return result;
  Eigen::VectorXd unknown = Eigen::VectorXd::Zero(n + m), right(n + m);
  result.violation = INFINITY;
  // Each pass solves for the residual of the program itself, without δ.
  for (int pass = 0; pass < 10; ++pass) {
    residual_of(qp, jacobian, unknown, right);
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
