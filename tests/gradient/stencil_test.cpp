// ∂f/∂p of the right-hand side by differences, against the analytic derivatives of cable forces; and its formulas.
#include "taut/gradient/stencil.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "taut/forces/cable_tangent.h"
#include "taut/gradient/parameter.h"
#include "taut/modes/input_forces.h"

namespace taut {
namespace {

TEST(Stencil, IsExactForPolynomialsOfDegreeFour) {
  for (const Stencil& stencil : {Stencil::both_sides(), Stencil::one_side(1.0), Stencil::one_side(-1.0)})
    for (int degree = 0; degree <= 4; ++degree) {
      double sum = 0.0;
      for (std::size_t k = 0; k < stencil.points(); ++k)
        sum += stencil.weight[k] * std::pow(0.7 + stencil.offset[k], degree);
      EXPECT_NEAR(sum, degree * std::pow(0.7, degree - 1), 1e-12) << degree;
    }
}

// Of a damped prism in motion: rest length, stiffness and damping of one cable.
TEST(Stencil, OfTheRightHandSideIsTheAnalyticDerivative) {
  Draft draft = Draft::generated("prism", {});
  draft.set({{"cables.*.damping", {7.0}},
             {"nodes.b1.velocity", {List{{10.0}, {3.0}, {2.0}}}},
             {"simulation.integrator", {"dopri5"}}});
  NearbyModel base(differentiable(draft.scenario()).scenario);
  const int nq = base.start.nq, nv = base.start.nv;
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(nq + nv + 2);
  base.dynamics.rhs(0.0, base.start.y.data(), rate.data(), base.terms);
  const auto tangent = base.dynamics.formulation().make_tangent(base.dynamics.cables());
  tangent->evaluate(base.start.q(), base.start.v(), rate.data() + nq, base.terms);
  const int cable = 8, slot = base.dynamics.cables().slot_of_cable(cable);
  const double e = base.terms.cables.length[slot] - base.terms.cables.rest[slot], e_rate = base.terms.cables.rate[slot];
  const auto analytic = [&](const Eigen::VectorXd& force) {
    Eigen::VectorXd by = Eigen::VectorXd::Zero(nq + nv);
    tangent->multiply({.force = force.data(), .gains = {}}, by.data(), by.data() + nq);
    return Eigen::VectorXd(by.tail(nv));
  };
  const auto by_differences = [&](const std::string& key) {
    const std::string path = "cables.8." + key;
    const GradientParameter p = make_parameter(draft, base, path, *draft.get(path)->number());
    const Eigen::VectorXd by = p.derivative([&](std::size_t k) {
      Eigen::VectorXd beside = Eigen::VectorXd::Zero(nq + nv + 2);
      p.models[k]->dynamics.rhs(0.0, base.start.y.data(), beside.data(), p.models[k]->terms);
      return beside;
    });
    return Eigen::VectorXd(by.segment(nq, nv));
  };
  // Rounding is that of all forces that meet at a node: the cable moves fast, so that its damper is one of them.
  const auto expect_same = [&](const char* key, const Eigen::VectorXd& b) {
    EXPECT_GT(b.norm(), 0.0);
    EXPECT_LT((by_differences(key) - b).norm(), 1e-10 * b.norm()) << key;
  };
  expect_same("rest_length", analytic(force_by_rest_length(base.dynamics, base.terms, cable)));
  expect_same("stiffness", analytic(force_of_cable(base.dynamics, base.terms, cable, e)));
  expect_same("damping", analytic(force_of_cable(base.dynamics, base.terms, cable, e_rate)));
}

// Damping 0 has models on one side only.
TEST(Stencil, TakesOneSideAtTheEndOfARange) {
  Draft draft = Draft::generated("prism", {});
  draft.set("simulation.integrator", {"dopri5"});
  const NearbyModel base(differentiable(draft.scenario()).scenario);
  EXPECT_EQ(make_parameter(draft, base, "cables.7.damping", 0.0).stencil.points(), 5u);
  EXPECT_EQ(make_parameter(draft, base, "cables.7.stiffness", 1000.0).stencil.points(), 4u);
}

}  // namespace
}  // namespace taut
