// The QP solver: closed forms, enumeration of every active set, the optimality conditions on thousands of random
// problems, proofs of infeasibility and unboundedness, degenerate and badly scaled problems, warm starts, bad input.
#include "taut/solve/qp/qp.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <optional>
#include <set>
#include <tuple>

#include "tests/solve/qp_problems.h"

namespace taut::testing {
namespace {

Eigen::VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

// x is the point of a box nearest to a target; the multipliers are what is left of the gradient.
TEST(Qp, ProjectsOnABox) {
  Qp qp;
  qp.P = Eigen::Matrix3d::Identity();
  qp.q = vec({-2.0, 0.3, 5.0});
  qp.lower = vec({-1.0, -1.0, -1.0});
  qp.upper = vec({1.0, 1.0, 1.0});
  const QpSolution s = solve_qp(qp);
  ASSERT_EQ(s.status, QpStatus::optimal);
  EXPECT_EQ(s.x[0], 1.0);
  EXPECT_NEAR(s.x[1], -0.3, 1e-15);
  EXPECT_EQ(s.x[2], -1.0);
  EXPECT_NEAR(s.w[0], -1.0, 1e-15);  // upper side: ≤ 0
  EXPECT_EQ(s.w[1], 0.0);
  EXPECT_NEAR(s.w[2], 4.0, 1e-15);
  EXPECT_EQ(s.active.bounds, (std::vector<QpSide>{QpSide::upper, QpSide::none, QpSide::lower}));
  EXPECT_NEAR(s.objective, 0.5 * (1.0 + 0.09 + 1.0) - 2.0 - 0.09 - 5.0, 1e-14);
}

// A multiplier is the rate of the objective with its right-hand side: differences of two solutions say the same.
TEST(Qp, MultipliersAreRatesOfTheObjective) {
  std::mt19937 random(5);
  int compared = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Qp qp = random_problem({Curvature::definite, 6, 2, 6}, random);
    const QpSolution s = solve_qp(qp);
    ASSERT_EQ(s.status, QpStatus::optimal);
    const double h = 1e-5;
    const auto rate = [&](Eigen::VectorXd Qp::*sides, Eigen::Index i) {
      Qp more = qp, less = qp;
      (more.*sides)[i] += h;
      (less.*sides)[i] -= h;
      const QpSolution a = solve_qp(more), b = solve_qp(less);
      const bool comparable = a.active.rows == b.active.rows && a.active.bounds == b.active.bounds;
      return comparable ? std::optional((a.objective - b.objective) / (2.0 * h)) : std::nullopt;
    };
    // Quadratic in the side while the active set stays: the central difference is exact up to rounding (1e-16 / h).
    const auto expect = [&](std::optional<double> computed, double multiplier) {
      if (!computed) return;
      EXPECT_NEAR(*computed, multiplier, 1e-8 * (1.0 + std::abs(multiplier)));
      ++compared;
    };
    for (Eigen::Index i = 0; i < 2; ++i) expect(rate(&Qp::b, i), s.y[i]);
    for (Eigen::Index i = 0; i < 6; ++i) {
      if (s.z[i] != 0.0) expect(rate(s.z[i] > 0.0 ? &Qp::l : &Qp::u, i), s.z[i]);
      if (s.w[i] != 0.0) expect(rate(s.w[i] > 0.0 ? &Qp::lower : &Qp::upper, i), s.w[i]);
    }
  }
  EXPECT_GT(compared, 150);
}

// The least objective over all choices of active sides, each solved as a linear system; none where nothing is feasible.
std::optional<double> enumerate(const Qp& qp) {
  const Eigen::Index n = qp.q.size(), rows = qp.C.rows(), inequalities = rows + n;
  Eigen::MatrixXd normals(inequalities, n);
  normals << qp.C, Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd lower(inequalities), upper(inequalities);
  lower << qp.l, qp.lower;
  upper << qp.u, qp.upper;
  std::optional<double> best;
  std::vector<int> side(static_cast<std::size_t>(inequalities), 0);
  for (;;) {
    // The equations P x − Nᵀλ = −q, N x = sides.
    std::vector<std::pair<Eigen::RowVectorXd, double>> active;
    for (Eigen::Index i = 0; i < qp.A.rows(); ++i) active.emplace_back(qp.A.row(i), qp.b[i]);
    bool finite = true;
    for (Eigen::Index i = 0; i < inequalities; ++i) {
      const int which = side[static_cast<std::size_t>(i)];
      if (which == 0) continue;
      active.emplace_back(normals.row(i), which == 1 ? lower[i] : upper[i]);
      finite = finite && std::isfinite(active.back().second);
    }
    const auto k = static_cast<Eigen::Index>(active.size());
    if (finite && k <= n + qp.A.rows()) {
      Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + k, n + k);
      Eigen::VectorXd right(n + k);
      K.topLeftCorner(n, n) = qp.P;
      right.head(n) = -qp.q;
      for (Eigen::Index j = 0; j < k; ++j) {
        K.row(n + j).head(n) = active[static_cast<std::size_t>(j)].first;
        K.col(n + j).head(n) = -active[static_cast<std::size_t>(j)].first.transpose();
        right[n + j] = active[static_cast<std::size_t>(j)].second;
      }
      const Eigen::FullPivLU<Eigen::MatrixXd> lu(K);
      const Eigen::VectorXd x = lu.solve(right).head(n), value = normals * x;
      const bool solved = (K * lu.solve(right) - right).cwiseAbs().maxCoeff() < 1e-9;
      const bool inside = ((value - lower).array() > -1e-9).all() && ((upper - value).array() > -1e-9).all();
      const double objective = qp.q.dot(x) + 0.5 * x.dot(qp.P * x);
      if (solved && inside && (!best || objective < *best)) best = objective;
    }
    // The next choice, counting in threes.
    std::size_t i = 0;
    while (i < side.size() && side[i] == 2) side[i++] = 0;
    if (i == side.size()) return best;
    ++side[i];
  }
}

TEST(Qp, FindsTheBestOfAllActiveSets) {
  std::mt19937 random(11);
  int optimal = 0, infeasible = 0;
  for (int trial = 0; trial < 240; ++trial) {
    ProblemKind kind{trial % 2 == 0 ? Curvature::definite : Curvature::semidefinite, 1 + trial % 3, trial % 2, 2};
    kind.integers = trial % 4 < 2;
    kind.feasible = trial % 3 != 0;
    Qp qp = random_problem(kind, random);
    // A box keeps every objective bounded.
    qp.lower = qp.lower.cwiseMax(-9.0);
    qp.upper = qp.upper.cwiseMin(9.0);
    const QpSolution s = solve_qp(qp);
    const std::optional<double> best = enumerate(qp);
    ASSERT_EQ(s.status, best ? QpStatus::optimal : QpStatus::infeasible) << "trial " << trial;
    ++(best ? optimal : infeasible);
    if (best) {
      EXPECT_NEAR(s.objective, *best, 1e-9 * (1.0 + std::abs(*best))) << "trial " << trial;
    }
  }
  EXPECT_GT(optimal, 100);
  EXPECT_GT(infeasible, 20);
}

// Every answer proves itself: optimality conditions, a Farkas proof, or a ray. None gives up.
TEST(Qp, EveryAnswerProvesItself) {
  QpWorkspace workspace;
  QpSolution s;
  int optimal = 0, infeasible = 0, unbounded = 0;
  for (unsigned seed = 1; seed <= 9600; ++seed) {
    std::mt19937 random(seed);
    ProblemKind kind;
    kind.curvature = static_cast<Curvature>(seed % 3);
    kind.integers = seed % 2 == 0;
    kind.feasible = seed % 5 < 3;
    kind.scale = seed % 7 == 0 ? 5.0 : 0.0;
    kind.variables = 1 + static_cast<int>(random() % 10);
    kind.equalities = static_cast<int>(random() % (1 + static_cast<unsigned>(kind.variables) / 2));
    kind.rows = static_cast<int>(random() % 20);
    const Qp qp = random_problem(kind, random);
    solve_qp(qp, workspace, s);
    switch (s.status) {
      case QpStatus::optimal:
        ++optimal;
        ASSERT_LT(optimality_error(qp, s), 1e-11) << "seed " << seed;
        break;
      case QpStatus::infeasible:
        ++infeasible;
        ASSERT_FALSE(kind.feasible) << "seed " << seed;
        ASSERT_LT(conflict_error(qp, s), 1e-11) << "seed " << seed;
        break;
      case QpStatus::unbounded:
        ++unbounded;
        ASSERT_NE(kind.curvature, Curvature::definite) << "seed " << seed;
        ASSERT_LT(ray_error(qp, s), 1e-10) << "seed " << seed;
        break;
      default:
        FAIL() << "seed " << seed << ": " << name(s.status) << " " << s.message;
    }
  }
  EXPECT_GT(optimal, 4000);
  EXPECT_GT(infeasible, 1500);
  EXPECT_GT(unbounded, 100);
}

TEST(Qp, HundredsOfVariables) {
  for (const Curvature curvature : {Curvature::definite, Curvature::semidefinite, Curvature::none})
    for (const bool integers : {false, true}) {
      std::mt19937 random(3);
      const Qp qp = random_problem({curvature, 150, 30, 150, integers}, random);
      const QpSolution s = solve_qp(qp);
      ASSERT_EQ(s.status, QpStatus::optimal);
      EXPECT_LT(optimality_error(qp, s), 1e-10);
    }
}

// Without any one of the constraints in conflict the others can be met: the set is as small as can be.
TEST(Qp, ConflictsAreMinimal) {
  int conflicts = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    const Qp qp = random_problem({Curvature::definite, 5, 1, 6, seed % 2 == 0, false}, random);
    const QpSolution s = solve_qp(qp);
    if (s.status != QpStatus::infeasible) continue;
    ++conflicts;
    for (std::size_t without = 0; without <= s.conflict.size(); ++without) {
      // Only the constraints in conflict, less one; at last all of them.
      Qp rest;
      rest.P = Eigen::MatrixXd::Identity(5, 5);
      rest.q = Eigen::VectorXd::Zero(5);
      rest.A.resize(0, 5);
      rest.C.resize(static_cast<Eigen::Index>(s.conflict.size()), 5);
      rest.l = Eigen::VectorXd::Constant(rest.C.rows(), -infinity);
      rest.u = Eigen::VectorXd::Constant(rest.C.rows(), infinity);
      for (std::size_t j = 0; j < s.conflict.size(); ++j) {
        const QpConflict& term = s.conflict[j];
        const auto row = static_cast<Eigen::Index>(j);
        const bool equality = term.kind == QpKind::equality, bound = term.kind == QpKind::bound;
        rest.C.row(row).setZero();
        if (bound) rest.C(row, term.index) = 1.0;
        if (!bound) rest.C.row(row) = equality ? qp.A.row(term.index) : qp.C.row(term.index);
        if (j == without) continue;
        const Eigen::VectorXd& lower = equality ? qp.b : bound ? qp.lower : qp.l;
        const Eigen::VectorXd& upper = equality ? qp.b : bound ? qp.upper : qp.u;
        if (term.side != QpSide::upper) rest.l[row] = lower[term.index];
        if (term.side != QpSide::lower) rest.u[row] = upper[term.index];
      }
      const QpStatus expected = without < s.conflict.size() ? QpStatus::optimal : QpStatus::infeasible;
      ASSERT_EQ(solve_qp(rest).status, expected) << "seed " << seed << " without " << without;
    }
  }
  EXPECT_GT(conflicts, 200);
}

TEST(Qp, ConflictsAreNamed) {
  Qp qp;
  qp.q = vec({0.0, 0.0, 0.0});
  qp.A = Eigen::RowVector3d(1.0, 1.0, 0.0);
  qp.b = vec({10.0});
  qp.C = Eigen::RowVector3d(0.0, 1.0, -1.0);
  qp.l = vec({-1.0});
  qp.upper = vec({3.0, 4.0, infinity});
  const QpSolution s = solve_qp(qp);
  ASSERT_EQ(s.status, QpStatus::infeasible);
  EXPECT_EQ(s.conflict.size(), 3u);
  EXPECT_LT(conflict_error(qp, s), 1e-15);
  using Term = std::tuple<QpKind, int, QpSide>;
  const auto terms = [](const QpSolution& solution) {
    std::set<Term> found;
    for (const QpConflict& c : solution.conflict) found.emplace(c.kind, c.index, c.side);
    return found;
  };
  const Term equality{QpKind::equality, 0, QpSide::none};
  EXPECT_EQ(terms(s), (std::set<Term>{equality, {QpKind::bound, 0, QpSide::upper}, {QpKind::bound, 1, QpSide::upper}}));

  // Limits that cross, and rows that no x can change.
  qp.lower = vec({-infinity, 5.0, -infinity});
  EXPECT_EQ(terms(solve_qp(qp)),
            (std::set<Term>{{QpKind::bound, 1, QpSide::lower}, {QpKind::bound, 1, QpSide::upper}}));
  qp.lower[1] = 0.0;
  qp.A.setZero();
  EXPECT_EQ(terms(solve_qp(qp)), std::set<Term>{equality});
}

}  // namespace
}  // namespace taut::testing
