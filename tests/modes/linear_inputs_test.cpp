// Inputs of linear models: torques of joints, rest lengths of cables and their rates.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "taut/modes/linearise.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::VectorXd;

// `taut linearise`: torques that actuators or controllers apply are inputs, and rates of rest lengths act on dampers.
TEST(Linearise, TorquesAreInputsNamedByTheirJoints) {
  const Scenario s = generated("single_strut");
  const Dynamics dynamics(s.model, "multibody", ConstraintMethod::projection);
  const LinearModel linear = linearise(dynamics, dynamics.start());
  ASSERT_EQ(linear.inputs, (std::vector<std::string>{"B1-pulleyJt", "B2-pulleyJt", "B3-pulleyJt"}));
  ASSERT_EQ(linear.B.cols(), 3);
  // Against the motion with another torque.
  const State start = dynamics.start();
  const auto rates = [&](double change) {
    Model other = s.model;
    other.drives[1].signal.value += change;
    const Dynamics changed(other, "multibody", ConstraintMethod::projection);
    Terms terms = changed.make_terms();
    VectorXd rate = VectorXd::Zero(changed.size());
    changed.rhs(0.0, start.y.data(), rate.data(), terms);
    return VectorXd(rate.head(start.nq + start.nv));
  };
  const VectorXd by_torque = (rates(0.01) - rates(-0.01)) / 0.02;
  ASSERT_EQ(by_torque.size(), linear.B.rows());  // every state changes here
  EXPECT_LT((linear.B.col(1) - by_torque).norm(), 1e-7 * by_torque.norm());
}

TEST(Linearise, DampersFeelTheRatesOfRestLengths) {
  Scenario s = generated("prism", {{"fixed", 1}});
  for (Cable& cable : s.model.cables) cable.law.damping = 5.0;
  const Dynamics dynamics(s.model, "nodal", ConstraintMethod::projection);
  const State start = dynamics.start();
  const LinearModel linear = linearise(dynamics, start);
  ASSERT_EQ(linear.B_rate.cols(), static_cast<long>(s.model.cables.size()));
  const auto rates = [&](double speed) {
    Terms terms = dynamics.make_terms();
    dynamics.cables().set_winches({{4, s.model.cables[4].rest_length, speed}}, terms.cables);
    VectorXd rate = VectorXd::Zero(dynamics.size());
    dynamics.rhs(0.0, start.y.data(), rate.data(), terms);
    return rate;
  };
  const VectorXd difference = (rates(0.01) - rates(-0.01)) / 0.02;
  const std::vector<std::string> names = dynamics.formulation().facts().state_names;
  VectorXd kept(linear.B.rows());
  long next = 0;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty()) kept[next++] = difference[static_cast<long>(i)];
  EXPECT_GT(kept.norm(), 0.1);
  EXPECT_LT((linear.B_rate.col(4) - kept).norm(), 1e-9 * kept.norm());
  LinearOptions states;
  states.lengths_as_states = true;
  const LinearModel wide = linearise(dynamics, start, states);
  EXPECT_LT((wide.B.col(4).head(kept.size()) - kept).norm(), 1e-9 * kept.norm());
  EXPECT_EQ(wide.B(kept.size() + 4, 4), 1.0);
}

}  // namespace
}  // namespace taut::testing
