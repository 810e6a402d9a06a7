// The equations of motion as matrices against the accelerations that the integrators see, and against differences.
#include "taut/modes/full_model.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// v̇ of the velocities that have a name.
VectorXd accelerations(const Dynamics& dynamics, const State& state) {
  Terms terms = dynamics.make_terms();
  VectorXd rate = VectorXd::Zero(dynamics.size());
  dynamics.recall(state, terms);
  dynamics.rhs(state.t, state.y.data(), rate.data(), terms);
  const FormulationFacts& facts = dynamics.formulation().facts();
  std::vector<double> kept;
  for (int i = facts.nq; i < facts.nq + facts.nv; ++i)
    if (!facts.state_names[static_cast<std::size_t>(i)].empty()) kept.push_back(rate[i]);
  return Eigen::Map<VectorXd>(kept.data(), static_cast<long>(kept.size()));
}

// M v̇ + c is a force of constraints, Gᵀλ, and v̇ meets G v̇ = γ.
void expect_equations_of_motion(const Model& model, const std::string& formulation) {
  SCOPED_TRACE(formulation);
  const Dynamics dynamics(model, formulation, ConstraintMethod::projection);
  const State state = dynamics.start();
  const FullModel full = full_model(dynamics, state);
  const VectorXd v_rate = accelerations(dynamics, state);
  ASSERT_EQ(full.M.rows(), v_rate.size());
  ASSERT_EQ(full.velocities.size(), static_cast<std::size_t>(v_rate.size()));
  ASSERT_EQ(full.inputs.size(), static_cast<std::size_t>(full.B.cols()));
  VectorXd rest = full.M * v_rate + full.c;
  const double scale = full.c.norm();
  EXPECT_GT(scale, 1.0);
  if (full.G.rows() > 0) {
    EXPECT_LT((full.G * v_rate - full.gamma).norm(), 1e-9 * (1.0 + full.gamma.norm() + v_rate.norm()));
    const MatrixXd across = full.G.transpose();
    rest -= across * across.completeOrthogonalDecomposition().solve(rest);
  }
  EXPECT_LT(rest.norm(), 1e-9 * scale);

  // A rest length that changes: tensions are linear in it.
  for (std::size_t cable = 0; cable < model.cables.size(); cable += 7) {
    Model longer = model;
    longer.cables[cable].rest_length += 1e-3;
    const Dynamics other(longer, formulation, ConstraintMethod::projection);
    const VectorXd change = (full_model(other, other.start()).c - full.c) / 1e-3;
    EXPECT_LT((change + full.B.col(static_cast<long>(cable))).norm(), 1e-9 * (scale / 1e-3)) << cable;
    EXPECT_GT(change.norm(), 1.0);
  }
}

TEST(FullModel, IsTheMotionOfASpinningRobotInEveryFormulation) {
  Scenario scenario = generated("six_bar", {{"spin_x", 1.0}, {"spin_y", 0.7}, {"spin_z", 0.4}, {"velocity_x", 0.3}});
  scenario.model.gravity = Vec3(0.3, 0.0, -9.81);
  for (Cable& cable : scenario.model.cables) cable.law.damping = 3.0;
  scenario.model.bars[1].drag = 2.0;
  for (const char* formulation : {"nodal", "minimal", "quaternion"})
    expect_equations_of_motion(scenario.model, formulation);
  for (Bar& bar : scenario.model.bars) bar.inertia = 0.25 * bar.mass * bar.rest_length * bar.rest_length;
  expect_equations_of_motion(scenario.model, "point_mass");
}

// A machine: cables on pulleys, torques as inputs, which act on their joint alone.
TEST(FullModel, IsTheMotionOfAMachine) {
  const Scenario scenario = generated("single_strut");
  expect_equations_of_motion(scenario.model, "multibody");
  const Dynamics dynamics(scenario.model, "multibody", ConstraintMethod::projection);
  const FullModel full = full_model(dynamics, dynamics.start());
  ASSERT_GT(full.B.cols(), 0);
  for (long k = 0; k < full.B.cols(); ++k) {
    EXPECT_EQ(full.B.col(k).sum(), 1.0);
    EXPECT_EQ(full.B.col(k).norm(), 1.0);
  }
}

// One rod on a cable: M = diag(m, m, m, ...) on its centre, and c is minus the sum of tensions and weight.
TEST(FullModel, OfOneRodByHand) {
  Scenario scenario = empty_scenario(1.0, 0.1);
  Model& model = scenario.model;
  model.gravity = Vec3(0.0, 0.0, -10.0);
  const int a = add_node(model, Vec3(-0.5, 0.0, 0.0)), b = add_node(model, Vec3(0.5, 0.0, 0.0)),
            up = add_node(model, Vec3(0.5, 0.0, 2.0), 0.0, all_fixed);
  add_bar(model, a, b, 3.0);
  add_cable(model, {b, up}, linear_law(40.0, 0.0), 1.5);  // 20 N, upwards
  const Dynamics dynamics(model, "quaternion", ConstraintMethod::projection);
  const FullModel full = full_model(dynamics, dynamics.start());
  ASSERT_GE(full.M.rows(), 5);
  EXPECT_NEAR(full.M(0, 0), 3.0, 1e-12);
  EXPECT_NEAR(full.M(2, 2), 3.0, 1e-12);
  EXPECT_NEAR(full.c[0], 0.0, 1e-12);
  EXPECT_NEAR(full.c[2], 30.0 - 20.0, 1e-12);
  EXPECT_NEAR(full.B(2, 0), -40.0, 1e-12);  // a longer cable pulls less
  EXPECT_EQ(full.inputs.size(), 1u);
  EXPECT_EQ(full.G.rows(), 0);
}

}  // namespace
}  // namespace taut::testing
