// The sparse saddle-point solver against dense solutions, on random systems of full rank, with redundant but
// consistent constraints, and its count of redundant constraints against singular values.
#include "taut/solve/sparse/saddle.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <atomic>
#include <numeric>

#include "taut/base/stop.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct System {
  MatrixXd M, G;
  VectorXd f, gamma;
};

// A sparse positive definite M (diagonal plus couplings smaller than it) and a sparse G of m rows.
System random_system(Random& random, int n, int m, int entries_per_row) {
  System s{MatrixXd::Zero(n, n), MatrixXd::Zero(m, n), VectorXd(n), VectorXd(m)};
  for (int i = 0; i < n; ++i) {
    s.M(i, i) += random.between(0.5, 2.0);
    s.f[i] = random.between(-1.0, 1.0);
  }
  for (int k = 0; k < n; ++k) {
    const int i = random.below(n), j = random.below(n);
    if (i == j) continue;
    const double mass = random.between(0.1, 1.0);
    s.M(i, i) += mass / 3.0, s.M(j, j) += mass / 3.0;
    s.M(i, j) += mass / 6.0, s.M(j, i) += mass / 6.0;
  }
  for (int c = 0; c < m; ++c) {
    for (int k = 0; k < entries_per_row; ++k) s.G(c, random.below(n)) += random.between(-1.0, 1.0);
    s.gamma[c] = random.between(-1.0, 1.0);
  }
  return s;
}

struct Answer {
  VectorXd a, mu;
  std::vector<int> left_out;
  bool positive = false;
};

Answer solve_sparse(const System& s) {
  const int n = static_cast<int>(s.M.rows()), m = static_cast<int>(s.G.rows());
  std::vector<SparseEntry> mass, pattern;
  std::vector<double> values;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i)
      if (s.M(i, j) != 0.0) mass.push_back({i, j, s.M(i, j)});
  for (int c = 0; c < m; ++c)
    for (int i = 0; i < n; ++i)
      if (s.G(c, i) != 0.0) {
        pattern.push_back({c, i, 0.0});
        values.push_back(s.G(c, i));
      }
  const Saddle saddle(n, m, mass, pattern);
  SaddleFactor factor = saddle.make_factor();
  std::vector<double> rhs(n + m), scratch(n + m);
  Answer answer;
  // Twice with the same factor: a second factorisation must not see anything of the first.
  for (int pass = 0; pass < 2; ++pass) {
    saddle.factorise(values.data(), factor);
    VectorXd::Map(rhs.data(), n) = s.f;
    VectorXd::Map(rhs.data() + n, m) = s.gamma;
    saddle.solve(factor, rhs.data(), scratch.data());
  }
  answer.a = VectorXd::Map(rhs.data(), n);
  answer.mu = VectorXd::Map(rhs.data() + n, m);
  for (int c = 0; c < m; ++c)
    if (saddle.left_out(factor, c)) answer.left_out.push_back(c);
  EXPECT_EQ(static_cast<int>(answer.left_out.size()), factor.left_out);
  answer.positive = saddle.positive(factor);
  return answer;
}

// a from the null space of G: a = a_p + Z (ZᵀMZ)⁻¹ Zᵀ(f - M a_p), which needs no multipliers and no full rank.
VectorXd solve_by_null_space(const System& s) {
  if (s.G.rows() == 0) return s.M.llt().solve(s.f);
  const Eigen::JacobiSVD<MatrixXd> svd(s.G, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const auto& sigma = svd.singularValues();
  int rank = 0;
  while (rank < sigma.size() && sigma[rank] > 1e-10 * sigma[0]) ++rank;
  const MatrixXd U = svd.matrixU().leftCols(rank), V = svd.matrixV().leftCols(rank);
  const VectorXd particular = V * sigma.head(rank).cwiseInverse().asDiagonal() * (U.transpose() * s.gamma);
  const MatrixXd Z = svd.matrixV().rightCols(s.G.cols() - rank);
  if (Z.cols() == 0) return particular;
  return particular + Z * (Z.transpose() * s.M * Z).llt().solve(Z.transpose() * (s.f - s.M * particular));
}

int rank_of(const MatrixXd& G) {
  if (G.rows() == 0) return 0;
  Eigen::JacobiSVD<MatrixXd> svd(G);
  svd.setThreshold(1e-10);
  return static_cast<int>(svd.rank());
}

double condition_of(const MatrixXd& G) {
  if (G.rows() == 0) return 1.0;
  const VectorXd sigma = Eigen::JacobiSVD<MatrixXd>(G).singularValues();
  return sigma[0] / sigma[rank_of(G) - 1];
}

// The multipliers enter as M a + Gᵀμ = f. Rounding grows with the square of G's condition, since the elimination
// works on G M⁻¹ Gᵀ.
void expect_solution(const System& s, const Answer& answer) {
  const double condition = condition_of(s.G), tolerance = 1e-14 * std::max(100.0, condition * condition);
  const VectorXd expected = solve_by_null_space(s);
  const double size = 1.0 + expected.cwiseAbs().maxCoeff();
  EXPECT_LT((answer.a - expected).cwiseAbs().maxCoeff(), tolerance * size);
  EXPECT_LT((s.M * answer.a + s.G.transpose() * answer.mu - s.f).cwiseAbs().maxCoeff(),
            tolerance * (size + answer.mu.cwiseAbs().sum()));
  EXPECT_TRUE(answer.positive);
}

TEST(Saddle, MatchesDenseSolutionOnRandomSystemsOfFullRank) {
  Random random(1);
  int checked = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + random.below(40), m = random.below(n + 1);
    const System s = random_system(random, n, m, 1 + random.below(6));
    if (rank_of(s.G) < m || condition_of(s.G) > 1e3) continue;
    const Answer answer = solve_sparse(s);
    EXPECT_TRUE(answer.left_out.empty());
    expect_solution(s, answer);
    EXPECT_LT((s.G * answer.a - s.gamma).norm(), 1e-8);
    ++checked;
  }
  EXPECT_GT(checked, 150);
}

// Rows repeated, scaled, and summed, with right sides that agree: the solution is that without them.
TEST(Saddle, LeavesOutRedundantConsistentRows) {
  Random random(2);
  int checked = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 4 + random.below(30), base = 2 + random.below(n / 2 - 1), extra = 1 + random.below(5);
    System s = random_system(random, n, base, 2 + random.below(4));
    if (rank_of(s.G) < base || condition_of(s.G) > 1e2) continue;
    // Extra rows are combinations of one to three of the base rows; then all are shuffled.
    MatrixXd combine = MatrixXd::Zero(base + extra, base);
    combine.topRows(base).setIdentity();
    for (int c = 0; c < extra; ++c)
      for (int k = random.below(3); k >= 0; --k) combine(base + c, random.below(base)) += random.between(0.5, 2.0);
    for (int c = base + extra - 1; c > 0; --c) combine.row(c).swap(combine.row(random.below(c + 1)));
    const System whole{s.M, combine * s.G, s.f, combine * s.gamma};
    const Answer answer = solve_sparse(whole);
    EXPECT_EQ(static_cast<int>(answer.left_out.size()), extra);
    for (int c : answer.left_out) EXPECT_EQ(answer.mu[c], 0.0);
    expect_solution(whole, answer);
    EXPECT_LT((whole.G * answer.a - whole.gamma).cwiseAbs().maxCoeff(), 1e-9);
    const Answer without = solve_sparse(s);
    EXPECT_LT((answer.a - without.a).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + without.a.cwiseAbs().maxCoeff()));
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

// More rows than unknowns, integer entries (so that many are exactly dependent), rows of zeros.
TEST(Saddle, CountsRankLikeSingularValues) {
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + random.below(12), m = random.below(2 * n + 1);
    System s = random_system(random, n, m, 1);
    for (int c = 0; c < m; ++c)
      for (int i = 0; i < n; ++i) s.G(c, i) = random.chance(0.3) ? random.below(5) - 2 : 0;
    s.gamma.setZero();
    const Answer answer = solve_sparse(s);
    EXPECT_EQ(m - static_cast<int>(answer.left_out.size()), rank_of(s.G)) << "trial " << trial << "\n" << s.G;
    EXPECT_LT((s.G * answer.a).norm(), 1e-10);
  }
}

// Unknowns that follow others by rows of their own: the same solution, and fill that grows with their number, whatever
// they follow has to do with each other.
TEST(Saddle, FollowersCostTheirNumber) {
  Random random(9);
  for (int followers : {3, 10, 40, 200}) {
    const int base = 6, n = base + followers, m = followers + 2;
    System s{MatrixXd::Zero(n, n), MatrixXd::Zero(m, n), VectorXd::Random(n), VectorXd::Random(m)};
    for (int i = 0; i < n; ++i) s.M(i, i) = random.between(0.5, 2.0) * (i == 0 ? 1e-6 : 1.0);
    for (int i = base; i < n; ++i) s.M(i, 0) = s.M(0, i) = 1e-5 * random.between(-1.0, 1.0);
    for (int i = 0; i < base; ++i) s.G(0, i) = random.between(-1.0, 1.0), s.G(1, i) = random.between(-1.0, 1.0);
    for (int k = 0; k < followers; ++k) {
      s.G(2 + k, base + k) = 1.0;
      for (int i = 0; i < base; ++i) s.G(2 + k, i) = random.between(-2.0, 2.0);
    }
    std::vector<SparseEntry> mass, pattern;
    std::vector<double> values, rhs(n + m), scratch(n + m);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i <= j; ++i)
        if (s.M(i, j) != 0.0) mass.push_back({i, j, s.M(i, j)});
    for (int c = 0; c < m; ++c)
      for (int i = 0; i < n; ++i)
        if (s.G(c, i) != 0.0) pattern.push_back({c, i, s.G(c, i)}), values.push_back(s.G(c, i));
    std::vector<char> constant(m, 1);
    constant[0] = constant[1] = 0;
    const Saddle saddle(n, m, mass, pattern, 1e-8, constant);
    EXPECT_LT(saddle.fill(), 20 * n);
    SaddleFactor factor = saddle.make_factor();
    saddle.factorise(values.data(), factor);
    EXPECT_EQ(factor.left_out, 0);
    EXPECT_TRUE(saddle.positive(factor));
    VectorXd::Map(rhs.data(), n) = s.f;
    VectorXd::Map(rhs.data() + n, m) = s.gamma;
    saddle.solve(factor, rhs.data(), scratch.data());
    MatrixXd full = MatrixXd::Zero(n + m, n + m);
    full.topLeftCorner(n, n) = s.M;
    full.topRightCorner(n, m) = s.G.transpose();
    full.bottomLeftCorner(m, n) = s.G;
    VectorXd right(n + m);
    right << s.f, s.gamma;
    const VectorXd wanted = full.fullPivLu().solve(right);
    EXPECT_LT((VectorXd::Map(rhs.data(), n + m) - wanted).norm(), 1e-8 * wanted.norm()) << followers;
  }
}

TEST(Saddle, WithoutConstraintsSolvesTheMassMatrix) {
  Random random(4);
  const System s = random_system(random, 20, 0, 0);
  expect_solution(s, solve_sparse(s));
}

TEST(Saddle, SeesAMassMatrixThatIsNotPositive) {
  System s{MatrixXd::Identity(3, 3), MatrixXd::Zero(0, 3), VectorXd::Zero(3), VectorXd::Zero(0)};
  s.M(0, 1) = s.M(1, 0) = 1.0;  // singular: both pivots 1, 0
  EXPECT_FALSE(solve_sparse(s).positive);
  s.M(0, 1) = s.M(1, 0) = 1.5;
  EXPECT_FALSE(solve_sparse(s).positive);
}

// The factor of a chain of n bars in space grows as n: what makes a class-k tower cost O(bars).
TEST(Saddle, FillOfAChainGrowsLinearly) {
  const auto fill = [](int bars) {
    std::vector<SparseEntry> mass, pattern;
    for (int i = 0; i < 3 * (bars + 1); ++i) mass.push_back({i, i, 2.0});
    for (int k = 0; k < bars; ++k)
      for (int axis = 0; axis < 3; ++axis) {
        mass.push_back({3 * k + axis, 3 * k + 3 + axis, 0.5});
        pattern.push_back({k, 3 * k + axis, 1.0});
        pattern.push_back({k, 3 * k + 3 + axis, 1.0});
      }
    return Saddle(3 * (bars + 1), bars, mass, pattern).fill();
  };
  const double small = static_cast<double>(fill(100)) / 100, large = static_cast<double>(fill(3000)) / 3000;
  EXPECT_LT(large, 1.3 * small);
  EXPECT_LT(large, 60.0);  // a bar's 7 × 7 dense triangle has 21, its neighbours' couplings as many again
}

// A stop is heard within a factorisation, which leaves nothing behind that the next one would meet.
TEST(Saddle, IsStoppedWithinAFactorisation) {
  const std::vector<SparseEntry> mass = {{0, 0, 2.0}, {0, 1, 0.5}, {1, 1, 2.0}, {2, 2, 3.0}},
                                 jacobian = {{0, 0, 1.0}, {0, 2, -1.0}};
  const double values[] = {1.0, -1.0};
  const Saddle saddle(3, 1, mass, jacobian);
  SaddleFactor whole = saddle.make_factor(), stopped = saddle.make_factor();
  saddle.factorise(values, whole);
  std::atomic<bool> stop = true;
  {
    const StopScope scope(&stop);
    EXPECT_THROW(saddle.factorise(values, stopped), Stopped);
    // Who asked first is heard.
    const std::atomic<bool> other = false;
    const StopScope inner(&other);
    EXPECT_THROW(saddle.factorise(values, stopped), Stopped);
    stop = false;
    saddle.factorise(values, stopped);
  }
  stop = true;
  saddle.factorise(values, stopped);
  EXPECT_EQ(stopped.inverse, whole.inverse);
  EXPECT_EQ(stopped.lower, whole.lower);
}

}  // namespace
}  // namespace taut::testing
