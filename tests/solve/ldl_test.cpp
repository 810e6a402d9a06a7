// The sparse elimination that constrained motion and implicit steps share, against dense solutions: indefinite
// matrices, rows that are left out, panels of every width, fill; and the system of a changing mass matrix with its
// constraints (kkt.h): quasi-definite ones, dependent rows, followers.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>

#include "taut/solve/kkt.h"
#include "taut/solve/sparse/sparse_ldl.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<std::vector<int>> upper_pattern(const MatrixXd& A) {
  std::vector<std::vector<int>> columns(A.cols());
  for (int j = 0; j < A.cols(); ++j)
    for (int i = j; i >= 0; --i)
      if (A(i, j) != 0.0 || i == j) columns[j].push_back(i);
  return columns;
}

void factorise(const SparseLdl& ldl, const MatrixXd& A, const std::vector<char>& out, LdlFactor& factor) {
  ldl.factorise(
      [&](int k, double* y) {
        for (int i = 0; i < k; ++i)
          if (A(i, k) != 0.0) y[i] += A(i, k);
        return A(k, k);
      },
      [&](int k, double diagonal, double pivot) {
        EXPECT_EQ(diagonal, A(k, k));
        return out[k] ? 0.0 : 1.0 / pivot;
      },
      factor);
}

// Symmetric, of either sign on the diagonal, which outweighs the rest of its row: every order of elimination works.
MatrixXd random_indefinite(Random& random, int n, double density) {
  MatrixXd A = MatrixXd::Zero(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i)
      if (random.chance(density)) A(i, j) = A(j, i) = random.between(-1.0, 1.0);
  for (int i = 0; i < n; ++i)
    A(i, i) = (A.row(i).cwiseAbs().sum() + random.between(0.2, 1.0)) * (random.chance(0.5) ? 1.0 : -1.0);
  return A;
}

// Entries that elimination of the dense pattern makes nonzero below the diagonal.
long dense_fill(const MatrixXd& A) {
  Eigen::MatrixXi pattern = (A.array() != 0.0).cast<int>();
  long fill = 0;
  for (int k = 0; k < A.rows(); ++k)
    for (int i = k + 1; i < A.rows(); ++i) {
      if (pattern(i, k) == 0) continue;
      ++fill;
      for (int j = k + 1; j < A.rows(); ++j) pattern(i, j) |= pattern(k, j);
    }
  return fill;
}

TEST(SparseLdl, SolvesIndefiniteSystemsLikeDenseElimination) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    // Some are dense, so that panels of every width and their rests occur.
    const int n = 1 + random.below(trial % 3 == 0 ? 14 : 60);
    const MatrixXd A = random_indefinite(random, n, trial % 3 == 0 ? 1.0 : random.between(0.0, 0.2));
    const SparseLdl ldl(upper_pattern(A));
    EXPECT_EQ(ldl.fill(), dense_fill(A));
    LdlFactor factor;
    ldl.make_factor(factor);
    const std::vector<char> none(n, 0);
    // The same factor for other values first: nothing of them may remain.
    factorise(ldl, 3.0 * A - MatrixXd(A.diagonal().asDiagonal()), none, factor);
    factorise(ldl, A, none, factor);
    const VectorXd b = VectorXd::NullaryExpr(n, [&] { return random.between(-1.0, 1.0); });
    VectorXd x = b;
    ldl.solve(factor, x.data());
    EXPECT_LT((x - A.fullPivLu().solve(b)).cwiseAbs().maxCoeff(), 1e-11) << "trial " << trial << " n " << n;
    // As many negative pivots as negative eigenvalues (Sylvester): here those of the diagonal.
    const auto negative = [](const auto& list) {
      return std::count_if(list.begin(), list.end(), [](double d) { return d < 0.0; });
    };
    EXPECT_EQ(negative(factor.inverse), (A.diagonal().array() < 0.0).count());
  }
}

// What is left out is as if it were not there: its unknown is 0, the others solve the rest.
TEST(SparseLdl, LeavesRowsOut) {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 2 + random.below(40);
    const MatrixXd A = random_indefinite(random, n, trial % 2 == 0 ? 1.0 : 0.15);
    std::vector<char> out(n, 0);
    std::vector<int> rest;
    for (int i = 0; i < n; ++i) {
      out[i] = random.chance(0.3);
      if (!out[i]) rest.push_back(i);
    }
    const SparseLdl ldl(upper_pattern(A));
    LdlFactor factor;
    ldl.make_factor(factor);
    factorise(ldl, A, out, factor);
    const VectorXd b = VectorXd::NullaryExpr(n, [&] { return random.between(-1.0, 1.0); });
    VectorXd x = b;
    ldl.solve(factor, x.data());
    const VectorXd wanted = A(rest, rest).fullPivLu().solve(b(rest));
    for (std::size_t k = 0; k < rest.size(); ++k) EXPECT_NEAR(x[rest[k]], wanted[static_cast<long>(k)], 1e-11);
    for (int i = 0; i < n; ++i)
      if (out[i]) {
        EXPECT_EQ(x[i], 0.0);
      }
  }
}

TEST(SparseLdl, KnowsNothingToDo) {
  const SparseLdl ldl(std::vector<std::vector<int>>{});
  LdlFactor factor;
  ldl.make_factor(factor);
  factorise(ldl, MatrixXd(0, 0), {}, factor);
  ldl.solve(factor, nullptr);
  EXPECT_EQ(ldl.fill(), 0);
}

// H positive definite, K of full rank but for copies of rows; H changes between factorisations. The last unknowns are
// in one row each: they follow.
TEST(Kkt, MatchesDenseSolutionsWithDependentRowsAndFollowers) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const int base = 4 + random.below(20), followers = random.below(6), n = base + followers;
    const int own = random.below(base / 2), copies = own > 0 ? random.below(3) : 0, m = own + copies + followers;
    MatrixXd H = random_indefinite(random, n, 0.2), K = MatrixXd::Zero(m, n);
    H.diagonal() = H.diagonal().cwiseAbs();
    for (int r = 0; r < own; ++r) {
      K(r, r) = random.between(1.0, 2.0);
      for (int k = 0; k < 3; ++k) K(r, own + random.below(base - own)) += random.between(-1.0, 1.0);
    }
    for (int r = 0; r < copies; ++r) K.row(own + r) = random.between(0.5, 2.0) * K.row(random.below(own));
    std::vector<int> follower(m, -1);
    for (int r = 0; r < followers; ++r) {
      const int row = own + copies + r;
      K(row, base + r) = 1.0;
      K(row, random.below(base)) = random.between(-1.0, 1.0);
      follower[row] = base + r;
    }
    Kkt::Pattern mass, jacobian;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        if (H(i, j) != 0.0) mass.emplace_back(i, j);
    for (int r = 0; r < m; ++r)
      for (int i = 0; i < n; ++i)
        if (K(r, i) != 0.0) jacobian.emplace_back(r, i);
    const Kkt kkt(n, m, mass, jacobian, std::vector<double>(m, 0.0), trial % 2 == 0 ? follower : std::vector<int>());
    KktFactor factor = kkt.make_factor();
    for (double scale : {1.0, 3.0}) {
      H.diagonal() *= scale;
      std::vector<double> h, k, size(m, 0.0), x(n + m);
      for (const auto& [i, j] : mass) h.push_back(H(i, j));
      for (const auto& [r, i] : jacobian) k.push_back(K(r, i)), size[r] += K(r, i) * K(r, i) / H(i, i);
      kkt.factorise(h.data(), k.data(), size.data(), 0.0, factor);
      EXPECT_EQ(factor.left_out, copies);
      EXPECT_EQ(factor.singular, -1);
      // Right sides that agree.
      const VectorXd some = VectorXd::NullaryExpr(n, [&] { return random.between(-1.0, 1.0); }), right = K * some,
                     f = VectorXd::NullaryExpr(n, [&] { return random.between(-1.0, 1.0); });
      VectorXd::Map(x.data(), n) = f;
      VectorXd::Map(x.data() + n, m) = right;
      kkt.solve(factor, k.data(), x.data());
      const VectorXd a = VectorXd::Map(x.data(), n), multiplier = VectorXd::Map(x.data() + n, m);
      EXPECT_LT((K * a - right).lpNorm<Eigen::Infinity>(), 1e-10);
      EXPECT_LT((H * a + K.transpose() * multiplier - f).lpNorm<Eigen::Infinity>(), 1e-10);
      for (int r = 0; r < m; ++r)
        if (kkt.left_out(factor, r)) {
          EXPECT_EQ(multiplier[r], 0.0);
        }
    }
    // A mass matrix that is not positive is named.
    std::vector<double> h, k, size(m, 1.0);
    for (const auto& [i, j] : mass) h.push_back(i == j && i == base - 1 ? -H(i, i) : H(i, j));
    for (const auto& [r, i] : jacobian) k.push_back(K(r, i));
    kkt.factorise(h.data(), k.data(), size.data(), 0.0, factor);
    EXPECT_EQ(factor.singular, base - 1);
  }
}

}  // namespace
}  // namespace taut::testing
