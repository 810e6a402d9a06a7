// Lengths of driven bars as inputs of linear models, against differences of the motion.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "taut/modes/linearise.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::VectorXd;

// A signal with this value, rate and second rate at t = 0, cubic until t = 1.
Signal course(double value, double rate, double second) {
  return {.kind = SignalKind::hermite,
          .times = {0.0, 1.0},
          .values = {value, value + rate + 0.5 * second},
          .slopes = {rate, rate + second}};
}

struct Case {
  Scenario scenario;
  int bar;
  double rate, second;  // of the length at t = 0
};

// The prism falls, turns and has dampers; its bar 1 grows.
Case moving_prism() {
  Scenario s = generated("prism");
  for (Cable& cable : s.model.cables) cable.law.damping = 2.0;
  for (std::size_t i = 0; i < s.model.nodes.size(); ++i) {
    const Vec3 x = s.model.nodes[i].position;
    s.model.nodes[i].velocity = Vec3(0.2, -0.1, 0.3) + Vec3(0.5, 1.0, -2.0).cross(x);
  }
  return {s, 1, 0.3, -0.8};
}

// A bar that is held at one end.
Case pendulum() {
  Scenario s = empty_scenario();
  s.model.gravity = {0, 0, -9.81};
  const int a = add_node(s.model, {0, 0, 0}, 0.0, all_fixed),
            b = add_node(s.model, {0.5, 0.2, -0.8}, 0.3, {}, {0.2, 0.7, 0.3});
  add_bar(s.model, a, b, 1.0);
  add_cable(s.model, {b, add_node(s.model, {1, 1, 0}, 0.0, all_fixed)}, linear_law(50.0, 1.0), 0.5);
  return {s, 0, 0.4, 1.5};
}

// ẏ of the state with another course of the length.
VectorXd rates(const Case& c, const std::string& formulation, const State* at, const Vec3& change,
               const DriftGains& gains) {
  Model model = c.scenario.model;
  const double length = start_length(model, model.bars[c.bar]);
  drive_length(model, c.bar, course(length + change[0], c.rate + change[1], c.second + change[2]));
  const Dynamics dynamics(model, formulation, ConstraintMethod::baumgarte, gains);
  Terms terms = dynamics.make_terms();
  VectorXd rate = VectorXd::Zero(dynamics.size());
  dynamics.rhs(0.0, at->y.data(), rate.data(), terms);
  return rate.head(at->nq + at->nv);
}

void compare(const Case& c, const std::string& formulation) {
  SCOPED_TRACE(formulation);
  Model model = c.scenario.model;
  drive_length(model, c.bar, course(start_length(model, model.bars[c.bar]), c.rate, c.second));
  const DriftGains gains{30.0, 7.0};
  const Dynamics dynamics(model, formulation, ConstraintMethod::baumgarte, gains);
  State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  VectorXd rate = VectorXd::Zero(dynamics.size());
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  dynamics.formulation().project(state.q(), state.v(), terms);
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  const std::unique_ptr<Tangent> tangent = dynamics.formulation().make_tangent(dynamics.cables());
  tangent->evaluate(state.q(), state.v(), rate.data() + state.nq, terms);
  VectorXd unit = VectorXd::Zero(static_cast<long>(model.bars.size()));
  unit[c.bar] = 1.0;
  for (int k = 0; k < 3; ++k) {
    Change change;
    change.gains = gains;
    (k == 0 ? change.length : k == 1 ? change.length_rate : change.length_second) = unit.data();
    VectorXd found = VectorXd::Zero(state.nq + state.nv);
    tangent->multiply(change, found.data(), found.data() + state.nq);
    const double h = 1e-5;
    Vec3 step = Vec3::Zero();
    step[k] = h;
    const VectorXd expected =
        (rates(c, formulation, &state, step, gains) - rates(c, formulation, &state, -step, gains)) / (2.0 * h);
    EXPECT_LT((found - expected).norm(), 1e-6 * (1.0 + expected.norm())) << "k = " << k;
    if (k == 0) {
      EXPECT_GT(expected.norm(), 0.1);
    }
  }
}

TEST(BarInputs, DerivativesByLengthsAreThoseOfTheMotion) {
  for (const char* formulation : {"nodal", "minimal", "quaternion", "minimal_bounded"}) {
    compare(moving_prism(), formulation);
    compare(pendulum(), formulation);
  }
}

// The columns of A, with a bar that grows: implicit steps take the same derivatives.
TEST(BarInputs, DerivativesByTheStateFeelTheGrowth) {
  for (const char* formulation : {"nodal", "minimal", "quaternion"})
    for (const Case& c : {moving_prism(), pendulum()}) {
      SCOPED_TRACE(formulation);
      Model model = c.scenario.model;
      drive_length(model, c.bar, course(start_length(model, model.bars[c.bar]), c.rate, c.second));
      const Dynamics dynamics(model, formulation, ConstraintMethod::projection);
      State state = dynamics.start();
      Terms terms = dynamics.make_terms();
      VectorXd rate = VectorXd::Zero(dynamics.size());
      dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
      dynamics.formulation().project(state.q(), state.v(), terms);
      const LinearModel linear = linearise(dynamics, state);
      const std::vector<std::string>& names = dynamics.formulation().facts().state_names;
      std::vector<int> kept;
      for (std::size_t i = 0; i < names.size(); ++i)
        if (!names[i].empty()) kept.push_back(static_cast<int>(i));
      for (std::size_t j = 0; j < kept.size(); ++j) {
        const double h = 1e-6;
        VectorXd up = VectorXd::Zero(dynamics.size()), down = up, y = state.y;
        y[kept[j]] += h;
        dynamics.rhs(0.0, y.data(), up.data(), terms);
        y[kept[j]] -= 2.0 * h;
        dynamics.rhs(0.0, y.data(), down.data(), terms);
        const VectorXd difference = (up - down) / (2.0 * h);
        EXPECT_LT((linear.A.col(static_cast<long>(j)) - difference(kept)).norm(), 1e-6 * (1.0 + linear.A.norm()))
            << names[kept[j]];
      }
    }
}

TEST(BarInputs, DrivenBarsAreInputsInEveryFormulation) {
  Scenario s = generated("prism");
  drive_length(s.model, 2, constant_signal(start_length(s.model, s.model.bars[2])));
  const Dynamics dynamics(s.model, "minimal", ConstraintMethod::projection);
  const LinearModel linear = linearise(dynamics, dynamics.start(), {.bar_lengths = true});
  EXPECT_EQ(linear.inputs.back(), s.model.bars[2].name);
  EXPECT_EQ(linear.inputs.size(), s.model.cables.size() + 1);
  const LinearModel states = linearise(dynamics, dynamics.start(), {.bar_lengths = true, .lengths_as_states = true});
  EXPECT_EQ(states.states.back(), s.model.bars[2].name + ".length");
}

}  // namespace
}  // namespace taut::testing
