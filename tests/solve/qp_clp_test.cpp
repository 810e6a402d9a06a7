// An outside check of the QP solver: CLP, a linear programming code, on the same random problems. CLP judges quadratic
// problems too, since x solves a convex one exactly if it solves the linear one with the gradient at x:
//
//   f(x) − min f  ≤  gᵀx − min gᵀy over the feasible y,      g = P x + q
//
// and a problem is unbounded exactly if qᵀd < 0 for some d with P d = 0 that the constraints never stop.
// (CLP's own quadratic simplex does not end on some of these problems.) Compiled where the package is present.
#ifdef TAUT_HAVE_CLP

#include <coin/Clp_C_Interface.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/solve/qp_problems.h"

namespace taut::testing {
namespace {

enum ClpStatus { clp_optimal = 0, clp_infeasible = 1, clp_unbounded = 2 };

struct ClpAnswer {
  int status = -1;
  double objective = 0.0;
};

// minimise cᵀx over lower ≤ M x ≤ upper, left ≤ x ≤ right.
ClpAnswer minimise(const Eigen::VectorXd& c, const Eigen::MatrixXd& M, const Eigen::VectorXd& lower,
                   const Eigen::VectorXd& upper, const Eigen::VectorXd& left, const Eigen::VectorXd& right) {
  // Column by column, zeros left out.
  std::vector<int> start, row;
  std::vector<double> element;
  for (int j = 0; j < M.cols(); ++j) {
    start.push_back(static_cast<int>(row.size()));
    for (int i = 0; i < M.rows(); ++i) {
      if (M(i, j) == 0.0) continue;
      row.push_back(i);
      element.push_back(M(i, j));
    }
  }
  start.push_back(static_cast<int>(row.size()));
  const std::unique_ptr<Clp_Simplex, decltype(&Clp_deleteModel)> model(Clp_newModel(), &Clp_deleteModel);
  Clp_setLogLevel(model.get(), 0);
  Clp_loadProblem(model.get(), static_cast<int>(M.cols()), static_cast<int>(M.rows()), start.data(), row.data(),
                  element.data(), left.data(), right.data(), c.data(), lower.data(), upper.data());
  Clp_setPrimalTolerance(model.get(), 1e-9);
  Clp_setDualTolerance(model.get(), 1e-9);
  Clp_primal(model.get(), 0);
  return {Clp_status(model.get()), Clp_objectiveValue(model.get())};
}

// The constraints of the problem with a linear objective, within `reach` of x: a local minimum is a global one, and the
// rounding of a gradient that is 0 along an endless direction does no harm.
ClpAnswer minimise_linear(const Qp& qp, const Eigen::VectorXd& c, const Eigen::VectorXd& x, double reach) {
  Eigen::MatrixXd M(qp.A.rows() + qp.C.rows(), c.size());
  Eigen::VectorXd lower(M.rows()), upper(M.rows());
  M << qp.A, qp.C;
  lower << qp.b, qp.l;
  upper << qp.b, qp.u;
  return minimise(c, M, lower, upper, qp.lower.array().max(x.array() - reach), qp.upper.array().min(x.array() + reach));
}

// The steepest way down within |d_i| ≤ 1 along which nothing changes but qᵀd: 0 where the problem is bounded.
double descent_for_ever(const Qp& qp) {
  const Eigen::Index n = qp.q.size();
  const Eigen::MatrixXd P = qp.P.size() > 0 ? qp.P : Eigen::MatrixXd(0, n);
  Eigen::MatrixXd M(P.rows() + qp.A.rows() + qp.C.rows(), n);
  M << P, qp.A, qp.C;
  const auto side = [](double finite, double otherwise) { return std::isfinite(finite) ? 0.0 : otherwise; };
  Eigen::VectorXd lower = Eigen::VectorXd::Zero(M.rows()), upper = lower, left(n), right(n);
  for (Eigen::Index i = 0; i < qp.C.rows(); ++i) {
    lower[P.rows() + qp.A.rows() + i] = side(qp.l[i], -infinity);
    upper[P.rows() + qp.A.rows() + i] = side(qp.u[i], infinity);
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    left[i] = side(qp.lower[i], -1.0);
    right[i] = side(qp.upper[i], 1.0);
  }
  return minimise(qp.q, M, lower, upper, left, right).objective;
}

struct Tally {
  int optimal = 0, infeasible = 0, unbounded = 0, wrong = 0;
  double gap = 0.0;  // largest, over 1 + |g|ᵀ|x|
};

void compare(const ProblemKind& kind, unsigned seed, QpWorkspace& workspace, Tally& tally) {
  std::mt19937 random(seed);
  const Qp qp = random_problem(kind, random);
  QpSolution s;
  solve_qp(qp, workspace, s);
  const ClpAnswer feasible = minimise_linear(qp, Eigen::VectorXd::Zero(qp.q.size()), s.x, infinity);
  bool right = false;
  if (s.status == QpStatus::infeasible) {
    ++tally.infeasible;
    right = feasible.status == clp_infeasible;
  } else if (s.status == QpStatus::unbounded) {
    ++tally.unbounded;
    right = feasible.status == clp_optimal && descent_for_ever(qp) < -1e-8;
  } else if (s.status == QpStatus::optimal) {
    ++tally.optimal;
    const Eigen::VectorXd g = qp.P.size() > 0 ? Eigen::VectorXd(qp.P * s.x + qp.q) : qp.q;
    const ClpAnswer answer = minimise_linear(qp, g, s.x, 1.0 + s.x.cwiseAbs().maxCoeff());
    // Against the terms of gᵀx, not their sum: with x of 4e4 they cancel to 10, and what is left of them is rounding.
    const double gap = std::abs(g.dot(s.x) - answer.objective) / (1.0 + g.cwiseAbs().dot(s.x.cwiseAbs()));
    right = feasible.status == clp_optimal && answer.status == clp_optimal && gap < 1e-8;
    if (right) tally.gap = std::max(tally.gap, gap);
  }
  if (right) return;
  ++tally.wrong;
  ADD_FAILURE() << "seed " << seed << ", " << kind.variables << " variables: " << name(s.status) << ", CLP says "
                << feasible.status;
}

// 6000 problems: convex and linear, general and degenerate, most of them solvable or most of them not.
TEST(QpClp, AgreesOnRandomProblems) {
  QpWorkspace workspace;
  Tally tally;
  unsigned seed = 1;
  for (const Curvature curvature : {Curvature::definite, Curvature::semidefinite, Curvature::none})
    for (const bool integers : {false, true})
      for (const bool feasible : {true, false})
        for (int i = 0; i < 500; ++i, ++seed) {
          ProblemKind kind{curvature, 1 + i % 12, 0, 2 + i % 19, integers, feasible};
          kind.equalities = (i / 5) % (1 + kind.variables / 2);
          compare(kind, seed, workspace, tally);
        }
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_GT(tally.optimal, 2000);
  EXPECT_GT(tally.infeasible, 1000);
  EXPECT_GT(tally.unbounded, 50);
  RecordProperty("largest_gap", std::to_string(tally.gap));
}

// The size of a control step of a manipulator: 18 unknowns, 12 balance rows, tensions and torques within bounds.
TEST(QpClp, AgreesOnProblemsOfAManipulator) {
  QpWorkspace workspace;
  Tally tally;
  for (unsigned seed = 1; seed <= 500; ++seed)
    compare({seed % 2 == 0 ? Curvature::definite : Curvature::semidefinite, 18, 12, 6, false, seed % 5 != 0}, seed,
            workspace, tally);
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_GT(tally.optimal, 300);
  EXPECT_GT(tally.infeasible, 30);
}

}  // namespace
}  // namespace taut::testing

#endif
