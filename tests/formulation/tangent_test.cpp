// The linearised motion that implicit steps use, against differences of the motion itself: (I - cJ) δ = r with J = ∂(q̇,
// v̇)/∂(q, v) taken column by column from the right-hand side.
#include <gtest/gtest.h>

#include "taut/dynamics/dynamics.h"
#include "taut/integrate/choose.h"
#include "taut/solve/dense.h"
#include "tests/formulation/random_structure.h"
#include "tests/support/dense.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A random structure with cables of every law, taut, damped; none near a switch or a kink of its law.
Model with_cables(Model model, unsigned seed, bool vector_damping = false) {
  Random random(seed + 77);
  model.cables.clear();
  const int n = static_cast<int>(model.nodes.size());
  for (int k = 0; k < 8; ++k) {
    std::vector<int> path = {random.below(n)};
    while (static_cast<int>(path.size()) < 2 + (k % 3 == 2 ? 2 : 0))
      path.push_back((path.back() + 1 + random.below(n - 1)) % n);
    if (k == 5 && path.back() != path.front()) path.push_back(path.front());
    CableLaw law = linear_law(random.between(20.0, 200.0), random.between(0.0, 0.5));
    law.kind = std::array{LawKind::linear, LawKind::softplus, LawKind::spring, LawKind::table}[k % 4];
    law.by_EA = k % 3 == 0;
    law.beta = 0.1;
    law.clip = k % 2 == 0;
    if (law.kind == LawKind::table) law.strain = {-0.1, 0.0, 1.0}, law.force = {0.0, 0.0, 30.0};
    if (vector_damping && path.size() == 2) law.damping_model = DampingModel::vector, law.clip = false;
    Cable& cable = model.cables[add_cable(model, path, law, 1.0)];
    // Shorter than it is by enough that no rate of elongation here slackens it.
    cable.rest_length = start_length(model, cable) * random.between(0.4, 0.6);
  }
  return model;
}

class TangentOf : public ::testing::TestWithParam<std::string> {};

TEST_P(TangentOf, IsTheDerivativeOfTheMotion) {
  const bool nodal = GetParam() == "nodal";
  int checked = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Model model = with_cables(nodal ? random_structure(seed) : random_rods(seed), seed, seed % 3 == 1);
    Random random(seed);
    const VectorXd start_rates = fitting_velocities(model, positions_of(model), random);
    for (std::size_t i = 0; i < model.nodes.size(); ++i)
      model.nodes[i].velocity = 0.3 * start_rates.segment<3>(3 * static_cast<long>(i));
    // Thick bars that spin, where the formulation knows them: gyroscopic terms are part of the derivative.
    if (GetParam() == "quaternion" && seed % 2 == 1)
      for (Bar& bar : model.bars)
        if (!bar.elastic) bar.axial_inertia = 0.3 * bar.inertia, bar.spin = 2.0;
    const Dynamics dynamics(model, GetParam(), ConstraintMethod::projection);
    // Where constraints are redundant, off the constraints the motion depends on which of them is left out.
    if (dynamics.formulation().facts().redundant_constraints > 0) continue;
    const State state = dynamics.start();
    Terms terms = dynamics.make_terms();
    // Coordinates that change: not those of supports, nor the number of a chart.
    std::vector<int> free;
    const int nq = state.nq, nv = state.nv, per_rod = GetParam() == "quaternion" ? 7 : 6;
    for (int i = 0; i < nq; ++i)
      if (nodal ? !model.nodes[i / 3].fixed[i % 3] : per_rod == 7 || i % per_rod != 5) free.push_back(i);
    for (int i = 0; i < nv; ++i)
      if (!nodal || !model.nodes[i / 3].fixed[i % 3]) free.push_back(nq + i);
    const int n = static_cast<int>(free.size());
    const auto pick = [&](const VectorXd& y) {
      return VectorXd::NullaryExpr(n, [&](long i) { return y[free[i]]; }).eval();
    };
    const auto rates = [&](const VectorXd& y) {
      VectorXd rate = VectorXd::Zero(dynamics.size());
      dynamics.rhs(0.0, y.data(), rate.data(), terms);
      return pick(rate);
    };
    MatrixXd J(n, n);
    constexpr double epsilon = 1e-6;
    for (int j = 0; j < n; ++j) {
      VectorXd y = state.y;
      y[free[j]] += epsilon;
      const VectorXd above = rates(y);
      y[free[j]] -= 2.0 * epsilon;
      J.col(j) = (above - rates(y)) / (2.0 * epsilon);
    }
    // The tangent at the same place.
    VectorXd rate = VectorXd::Zero(dynamics.size());
    dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
    const auto tangent = dynamics.formulation().make_tangent(dynamics.cables());
    tangent->evaluate(state.q(), state.v(), rate.data() + state.nq, terms);
    for (double c : {0.003, 0.05}) {
      ASSERT_TRUE(tangent->factorise(c));
      VectorXd all = VectorXd::Zero(nq + nv);
      for (int i : free) all[i] = random.between(-1.0, 1.0);
      const VectorXd r = pick(all);
      tangent->solve(all.data(), all.data() + nq);
      const VectorXd found = pick(all);
      const MatrixXd A = MatrixXd::Identity(n, n) - c * J;
      // Differences leave 1e-9 of J, which the inverse may enlarge.
      const double size = 1.0 + found.cwiseAbs().maxCoeff();
      EXPECT_LT((A * found - r).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + c * J.cwiseAbs().maxCoeff()) * size) << "c " << c;
      EXPECT_LT((solve_full_pivot(A, r) - found).cwiseAbs().maxCoeff(), 1e-9 / reciprocal_condition(A) * size)
          << "c " << c;
    }
    // J itself, and what a change of forces does: with zero moves it is the difference of two accelerations.
    VectorXd change = VectorXd::Zero(nq + nv), product = change;
    for (int i : free) change[i] = random.between(-1.0, 1.0);
    tangent->multiply({.q = change.data(), .v = change.data() + nq}, product.data(), product.data() + nq);
    EXPECT_LT((J * pick(change) - pick(product)).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + J.cwiseAbs().maxCoeff()));
    const VectorXd push =
        VectorXd::NullaryExpr(3 * static_cast<long>(model.nodes.size()), [&] { return random.between(-1.0, 1.0); });
    VectorXd unused(nq), by_push(nv), pushed(nv), unpushed(nv);
    tangent->multiply({.force = push.data()}, unused.data(), by_push.data());
    dynamics.forces(0.0, state.q(), state.v(), terms);
    dynamics.formulation().accelerate(state.q(), state.v(), {}, terms, unpushed.data());
    for (long i = 0; i < push.size(); ++i) terms.force[static_cast<std::size_t>(i + i / 3)] += push[i];
    dynamics.formulation().accelerate(state.q(), state.v(), {}, terms, pushed.data());
    EXPECT_LT((pushed - unpushed - by_push).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + pushed.cwiseAbs().maxCoeff()));
    ++checked;
  }
  EXPECT_GT(checked, 70);
}

INSTANTIATE_TEST_SUITE_P(Formulations, TangentOf,
                         ::testing::Values("nodal", "minimal", "minimal_bounded", "quaternion"),
                         [](const auto& one) { return one.param; });

// An implicit step may leave out what little keeps its matrix from being symmetric (nodal_tangent.h), as far as it is
// allowed to: then the iteration x += P⁻¹(r - A x), A = I - cJ, reaches the exact solution at that rate. At rest
// in balance nothing is left out; where bars and cables turn too far within c, the full matrix serves.
TEST(ImplicitStep, MissesNoMoreThanItMay) {
  constexpr double allowed = 0.05;
  std::vector<Model> models;
  for (const double damping : {20.0, 20e3})
    for (const double plates : {0.0, 1.0})
      models.push_back(generated("stacked", {{"damping", damping}, {"plates", plates}, {"gravity", 0.0}}).model);
  models.push_back(generated("six_bar", {{"damping", 50.0}}).model);
  models.push_back(generated("class2_tower", {{"damping", 1e3}}).model);
  models.push_back(generated("prism").model);
  const std::size_t in_balance = models.size();
  for (unsigned seed = 0; seed < 40; ++seed) models.push_back(with_cables(random_structure(seed), seed));
  int approximate = 0, full = 0;
  for (std::size_t which = 0; which < models.size(); ++which)
    for (double c : {1e-3, 1e-2, 1e-1})
      for (double speed : {0.0, 1e-3, 0.03, 1.0}) {
        SCOPED_TRACE(::testing::Message() << "model " << which << " c " << c << " speed " << speed);
        Model model = models[which];
        Random random(static_cast<unsigned>(which));
        const VectorXd rates = fitting_velocities(model, positions_of(model), random);
        for (std::size_t i = 0; i < model.nodes.size(); ++i)
          model.nodes[i].velocity = speed * rates.segment<3>(3 * static_cast<long>(i));
        const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
        const State state = dynamics.start();
        Terms terms = dynamics.make_terms();
        VectorXd rate = VectorXd::Zero(dynamics.size());
        dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
        const auto exactly = dynamics.formulation().make_tangent(dynamics.cables()),
                   quickly = dynamics.formulation().make_tangent(dynamics.cables());
        quickly->error_share = allowed;
        for (Tangent* tangent : {exactly.get(), quickly.get()})
          tangent->evaluate(state.q(), state.v(), rate.data() + state.nq, terms);
        const int nq = state.nq;
        const auto hold_supports = [&](VectorXd y) {
          for (int i = 0; i < nq; ++i)
            if (model.nodes[i / 3].fixed[i % 3]) y[i] = y[nq + i] = 0.0;
          return y;
        };
        const auto solve = [&](Tangent& tangent, VectorXd r) {
          tangent.solve(r.data(), r.data() + nq);
          return r;
        };
        const auto size = [&](const VectorXd& y) { return std::hypot(y.head(nq).norm(), c * y.tail(nq).norm()); };
        const VectorXd r = hold_supports(VectorXd::NullaryExpr(2 * nq, [&] { return random.between(-1.0, 1.0); }));
        ASSERT_TRUE(exactly->factorise(c) && quickly->factorise(c));
        const VectorXd wanted = solve(*exactly, r);
        VectorXd x = solve(*quickly, r), product(2 * nq);
        const double first = size(x - wanted) / size(wanted);
        for (int step = 0; step < 10; ++step) {
          exactly->multiply({.q = x.data(), .v = x.data() + nq}, product.data(), product.data() + nq);
          x += solve(*quickly, hold_supports(r - x + c * product));
        }
        const double last = size(x - wanted) / size(wanted);
        EXPECT_LT(first, 5.0 * allowed);
        EXPECT_LT(last, 1e-9);
        if (speed == 0.0 && which < in_balance) {
          EXPECT_LT(first, 1e-9);
        } else {
          approximate += first > 1e-9;
          full += first == 0.0;  // the same numbers exactly
        }
      }
  EXPECT_GT(approximate, 100);
  EXPECT_GT(full, 50);
}

// A mass on a damped cable: fastest oscillation √(k/m), fastest damping c/m, from the power iteration.
TEST(Choice, EstimatesStiffnessOfASimpleSystem) {
  Model model;
  model.gravity.setZero();
  add_node(model, {0, 0, 0}, 0.0, all_fixed);
  add_node(model, {1, 0, 0}, 2.0);
  add_cable(model, {0, 1}, linear_law(5000.0, 40.0), 0.9);
  const Stiffness s = estimate_stiffness(Dynamics(model, "nodal", ConstraintMethod::projection));
  EXPECT_NEAR(s.oscillation, std::sqrt(5000.0 / 2.0), 0.01 * 50.0);
  EXPECT_NEAR(s.damping, 20.0, 0.2);
}

TEST(Choice, TakesCvodeForStiffDampingOnly) {
  Scenario soft = generated("six_bar");
  soft.simulation.duration = 0.05;
  const Motion easy = run(soft);  // auto
  EXPECT_EQ(easy.summary.integrator, "dopri5");
  EXPECT_FALSE(easy.summary.integrator_reason.empty());
  for (Cable& cable : soft.model.cables) cable.law.damping = 2e4;
  const Motion stiff = run(soft);
  EXPECT_EQ(stiff.summary.integrator, "cvode");
  EXPECT_EQ(stiff.summary.status, RunStatus::done) << stiff.summary.reason;
  // It is worth it: far fewer steps than explicit ones would need (stability: h < 3.3 / 1e5 s).
  EXPECT_LT(stiff.summary.steps, 500);
}

}  // namespace
}  // namespace taut::testing
