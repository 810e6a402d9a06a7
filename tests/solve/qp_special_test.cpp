// The QP solver where it is hard or misused: degenerate and badly scaled problems, linear ones, warm starts, limits,
// bad input, and no allocation in a control loop.
#include <gtest/gtest.h>

#include <cstdlib>

#include "taut/solve/qp/qp.h"
#include "tests/solve/qp_problems.h"

namespace {

thread_local long frees = 0;

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) {},
                                                                [](const volatile void*) { ++frees; });
}
#else
// glibc's own entry point under the public name: whatever is allocated for a while comes back through here.
extern "C" {
void __libc_free(void* place);
void free(void* place) {
  if (place != nullptr) ++frees;
  __libc_free(place);
}
}
#endif

namespace taut::testing {
namespace {

Eigen::VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

// Twelve half-planes through one point, where the objective wants to go further: any two of them are active.
TEST(QpSpecial, ManyConstraintsThroughOnePoint) {
  Qp qp;
  qp.P = Eigen::Matrix2d::Identity();
  qp.q = vec({-10.0, -10.0});
  qp.C.resize(12, 2);
  for (int i = 0; i < 12; ++i) {
    const double angle = 0.1 + 0.12 * i;
    qp.C.row(i) << std::cos(angle), std::sin(angle);
  }
  qp.u = qp.C * vec({2.0, 1.0});
  const QpSolution s = solve_qp(qp);
  ASSERT_EQ(s.status, QpStatus::optimal);
  EXPECT_LT((s.x - vec({2.0, 1.0})).norm(), 1e-14);
  EXPECT_LT(optimality_error(qp, s), 1e-14);
}

// The same rows many times, sums of rows, equalities that repeat, variables held by their bounds: one answer.
TEST(QpSpecial, RepeatedAndDependentRowsChangeNothing) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    const Curvature curvature = seed % 2 == 0 ? Curvature::definite : Curvature::semidefinite;
    Qp qp = random_problem({curvature, 6, 2, 5}, random);
    qp.lower[0] = qp.upper[0] = 0.5 * (std::max(qp.lower[0], -5.0) + std::min(qp.upper[0], 5.0));
    const QpSolution plain = solve_qp(qp);
    if (plain.status != QpStatus::optimal) continue;
    Qp more = qp;
    more.A.resize(4, 6);
    more.A << qp.A, qp.A.row(0) - 3.0 * qp.A.row(1), 1e5 * qp.A.row(1);
    more.b.resize(4);
    more.b << qp.b, qp.b[0] - 3.0 * qp.b[1], 1e5 * qp.b[1];
    more.C.resize(12, 6);
    more.C << qp.C, 1e-6 * qp.C, Eigen::RowVectorXd::Unit(6, 0), Eigen::RowVectorXd::Zero(6);
    more.l.resize(12);
    more.u.resize(12);
    more.l << qp.l, 1e-6 * qp.l, qp.lower[0], -1.0;
    more.u << qp.u, 1e-6 * qp.u, qp.lower[0], 0.0;
    const QpSolution s = solve_qp(more);
    ASSERT_EQ(s.status, QpStatus::optimal) << "seed " << seed;
    EXPECT_LT(optimality_error(more, s), 1e-11) << "seed " << seed;
    EXPECT_NEAR(s.objective, plain.objective, 1e-10 * (1.0 + std::abs(plain.objective))) << "seed " << seed;
  }
}

// Units do not matter: with variables and rows in others, by powers of ten, x is the same to rounding.
TEST(QpSpecial, UnitsDoNotMatter) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const Qp qp = random_problem({seed % 2 == 0 ? Curvature::definite : Curvature::semidefinite, 7, 2, 7}, random);
    std::uniform_real_distribution<double> exponent(-4.0, 4.0);
    const Eigen::VectorXd unit = Eigen::VectorXd::NullaryExpr(7, [&] { return std::pow(10.0, exponent(random)); });
    const Eigen::VectorXd row = Eigen::VectorXd::NullaryExpr(7, [&] { return std::pow(10.0, exponent(random)); });
    Qp other;
    other.P = unit.asDiagonal() * qp.P * unit.asDiagonal();
    other.q = unit.cwiseProduct(qp.q);
    other.A = qp.A * unit.asDiagonal();
    other.b = qp.b;
    other.C = row.asDiagonal() * qp.C * unit.asDiagonal();
    other.l = row.cwiseProduct(qp.l);
    other.u = row.cwiseProduct(qp.u);
    other.lower = qp.lower.cwiseQuotient(unit);
    other.upper = qp.upper.cwiseQuotient(unit);
    const QpSolution a = solve_qp(qp), b = solve_qp(other);
    ASSERT_EQ(a.status, b.status) << "seed " << seed;
    if (a.status != QpStatus::optimal) continue;
    EXPECT_NEAR(a.objective, b.objective, 1e-10 * (1.0 + std::abs(a.objective))) << "seed " << seed;
    EXPECT_LT(b.stationarity, 1e-10);
    EXPECT_LT(b.infeasibility, 1e-10);
  }
}

// P has no inverse, and some directions are only held by constraints; without them the way down has no end.
TEST(QpSpecial, SemidefiniteAndLinear) {
  Qp qp;
  qp.P = Eigen::Matrix3d::Zero();
  qp.P(0, 0) = 2.0;
  qp.q = vec({-2.0, -1.0, 0.0});
  qp.C = Eigen::RowVector3d(1.0, 1.0, 0.0);
  qp.u = vec({5.0});
  const QpSolution s = solve_qp(qp);
  ASSERT_EQ(s.status, QpStatus::optimal);
  EXPECT_NEAR(s.x[0], 0.5, 1e-14);
  EXPECT_NEAR(s.x[1], 4.5, 1e-13);
  EXPECT_NEAR(s.z[0], -1.0, 1e-14);

  qp.u[0] = infinity;
  const QpSolution down = solve_qp(qp);
  ASSERT_EQ(down.status, QpStatus::unbounded);
  EXPECT_LT((down.direction - vec({0.0, 1.0, 0.0})).norm(), 1e-12);

  // A transport problem: the cheapest of the corners, by hand.
  Qp lp;
  lp.q = vec({4.0, 1.0, 2.0, 3.0});
  lp.A.resize(3, 4);
  lp.A << 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0;
  lp.b = vec({3.0, 4.0, 5.0});
  lp.lower = Eigen::Vector4d::Zero();
  const QpSolution corner = solve_qp(lp);
  ASSERT_EQ(corner.status, QpStatus::optimal);
  EXPECT_LT((corner.x - vec({1.0, 2.0, 4.0, 0.0})).norm(), 1e-13);
  EXPECT_NEAR(corner.objective, 14.0, 1e-12);
}

TEST(QpSpecial, WarmStartsAreFasterAndEqual) {
  QpWorkspace workspace;
  QpSolution cold, warm;
  long cold_iterations = 0, warm_iterations = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    Qp qp = random_problem({static_cast<Curvature>(seed % 3), 12, 3, 12, seed % 4 == 0}, random);
    solve_qp(qp, workspace, warm);
    if (warm.status != QpStatus::optimal) continue;
    // As in a control loop: the next problem differs a little, and starts from the active set of the last.
    std::normal_distribution<double> normal;
    for (double& entry : qp.q) entry *= 1.0 + 0.01 * normal(random);
    solve_qp(qp, workspace, cold);
    solve_qp(qp, workspace, warm, {0, &warm.active});
    ASSERT_EQ(warm.status, cold.status) << "seed " << seed;
    if (cold.status != QpStatus::optimal) continue;
    EXPECT_LT(optimality_error(qp, warm), 1e-11) << "seed " << seed;
    EXPECT_NEAR(warm.objective, cold.objective, 1e-11 * (1.0 + std::abs(cold.objective))) << "seed " << seed;
    cold_iterations += cold.iterations;
    warm_iterations += warm.iterations;

    // A start that makes no sense costs iterations, not the answer.
    QpActiveSet nonsense{std::vector<QpSide>(12, QpSide::upper), std::vector<QpSide>(12, QpSide::lower)};
    solve_qp(qp, workspace, warm, {0, &nonsense});
    EXPECT_EQ(warm.status, cold.status) << "seed " << seed;
    EXPECT_NEAR(warm.objective, cold.objective, 1e-11 * (1.0 + std::abs(cold.objective))) << "seed " << seed;
  }
  EXPECT_LT(5 * warm_iterations, cold_iterations);
}

TEST(QpSpecial, NothingIsAllocatedInAControlLoop) {
  for (const int n : {6, 60, 150})
    for (const Curvature curvature : {Curvature::definite, Curvature::semidefinite, Curvature::none}) {
      std::mt19937 random(1);
      const Qp first = random_problem({curvature, n, n / 4, n}, random),
               second = random_problem({curvature, n, n / 4, n}, random);
      QpWorkspace workspace;
      QpSolution s;
      solve_qp(first, workspace, s);
      const long before = frees;
      solve_qp(second, workspace, s);
      solve_qp(first, workspace, s, {0, &s.active});
      EXPECT_EQ(frees, before) << n << " variables";
    }
  const long before = frees;
  { const Eigen::VectorXd counted = Eigen::VectorXd::Zero(100); }
  EXPECT_GT(frees, before);
}

TEST(QpSpecial, TheIterationLimitIsSaid) {
  std::mt19937 random(2);
  const Qp qp = random_problem({Curvature::definite, 20, 2, 20}, random);
  const QpSolution free = solve_qp(qp);
  ASSERT_EQ(free.status, QpStatus::optimal);
  const QpSolution s = solve_qp(qp, {3, nullptr});
  EXPECT_EQ(s.status, QpStatus::iteration_limit);
  EXPECT_LE(s.iterations, 4);
  EXPECT_TRUE(s.x.allFinite());
  EXPECT_GT(s.infeasibility, 1e-6);
}

TEST(QpSpecial, BadInputIsRefusedWithAReason) {
  const auto reason = [](const Qp& qp) {
    const QpSolution s = solve_qp(qp);
    EXPECT_EQ(s.status, QpStatus::invalid);
    return s.message;
  };
  Qp good;
  good.P = Eigen::Matrix2d::Identity();
  good.q = vec({1.0, 2.0});
  EXPECT_EQ(solve_qp(good).status, QpStatus::optimal);
  Qp qp = good;
  qp.P(1, 1) = -1e-3;
  EXPECT_EQ(reason(qp), "P is not positive semi-definite: the problem is not convex");
  qp.P << 1.0, 2.0, 2.0, 1.0;
  EXPECT_EQ(reason(qp), "P is not positive semi-definite: the problem is not convex");
  qp.P << 1.0, 2.0, 0.0, 5.0;
  EXPECT_EQ(reason(qp), "P is not symmetric: P(1, 2) = 2, P(2, 1) = 0 (from 1)");
  qp.P = Eigen::Matrix3d::Identity();
  EXPECT_EQ(reason(qp), "P is 3 × 3, expected 2 × 2");
  qp = good;
  qp.q[1] = std::nan("");
  EXPECT_EQ(reason(qp), "q contains nan, expected numbers of magnitude 1e+100 at most");
  qp = good;
  qp.C = Eigen::RowVector3d(1.0, 2.0, 3.0);
  EXPECT_EQ(reason(qp), "C has 3 columns, expected 2 (one for each entry of q)");
  qp = good;
  qp.lower = vec({0.0});
  EXPECT_EQ(reason(qp), "lower has 1 entries, expected 2");
  qp = good;
  qp.upper = vec({1.0, -infinity});
  EXPECT_EQ(reason(qp), "upper contains -inf, expected a number or inf");

  // Rounding is no reason: a Gram matrix of rank 1, and what a product leaves of a zero.
  qp.P << 1.0 / 3.0, 1.0, 1.0, 3.0 - 4e-16;
  qp.lower = vec({-1.0, -1.0});
  EXPECT_EQ(solve_qp(qp).status, QpStatus::invalid);  // upper is still −∞
  qp.upper = vec({1.0, 1.0});
  EXPECT_EQ(solve_qp(qp).status, QpStatus::optimal);
  qp.P << -1e-17, 0.0, 0.0, 1.0;
  EXPECT_EQ(solve_qp(qp).status, QpStatus::optimal);
}

// Numbers of any size, also where products of them overflow: an end, no NaN, and nothing called optimal that is not.
TEST(QpSpecial, WildNumbersEndToo) {
  int optimal = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    std::mt19937 random(seed);
    Qp qp = random_problem({static_cast<Curvature>(seed % 3), 5, 1, 5, seed % 2 == 0}, random);
    std::uniform_real_distribution<double> exponent(-95.0, 95.0);
    for (Eigen::VectorXd* sides : {&qp.q, &qp.b, &qp.l, &qp.u, &qp.lower, &qp.upper})
      for (double& side : *sides) side *= std::pow(10.0, exponent(random));
    for (Eigen::MatrixXd* matrix : {&qp.A, &qp.C})
      for (Eigen::Index i = 0; i < matrix->size(); ++i) matrix->data()[i] *= std::pow(10.0, exponent(random));
    qp.P *= std::pow(10.0, exponent(random));
    const QpSolution s = solve_qp(qp);
    EXPECT_TRUE(s.x.allFinite()) << "seed " << seed;
    if (s.status != QpStatus::optimal) continue;
    ++optimal;
    EXPECT_LT(s.stationarity, 1e-9) << "seed " << seed;
    EXPECT_LT(s.infeasibility, 1e-9) << "seed " << seed;
  }
  EXPECT_GT(optimal, 20);
}

TEST(QpSpecial, EmptyProblemsAreProblems) {
  Qp nothing;
  EXPECT_EQ(solve_qp(nothing).status, QpStatus::optimal);
  nothing.A.resize(1, 0);
  nothing.b = vec({1.0});
  EXPECT_EQ(solve_qp(nothing).status, QpStatus::infeasible);
  Qp free;
  free.q = vec({0.0, 0.0});
  EXPECT_EQ(solve_qp(free).status, QpStatus::optimal);
  free.q[1] = 1.0;
  EXPECT_EQ(solve_qp(free).status, QpStatus::unbounded);
}

}  // namespace
}  // namespace taut::testing
