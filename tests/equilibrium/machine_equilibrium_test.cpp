// Machines at rest: equilibria in joint coordinates against closed forms, stiffness against differences of energy and of
// forces, and models that stand where they were found.
#include "taut/equilibrium/machine/machine_equilibrium.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taut/file/read/read_toml.h"
#include "taut/file/write/write_toml.h"
#include "taut/form/relax_machine.h"
#include "taut/formulation/multibody/move_model.h"
#include "taut/modes/modes.h"
#include "taut/run/settle.h"
#include "tests/support/columns.h"
#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double g = 9.81, degree = std::numbers::pi / 180.0;

Scenario settled(const Scenario& scenario) {
  const Settled found = settle(scenario, nullptr);
  EXPECT_EQ(found.failure, "");
  return found.scenario;
}

// k θ = m g l/2 cos θ; its frequency there is √((k + m g l/2 sin θ)/(m l²/3)).
TEST(MachineEquilibrium, SprungRodHangsAsItsWeightBendsTheSpring) {
  const Scenario scenario = test_model("sprung_rod", "damping = 8\n");
  double angle = 0.3;
  for (int i = 0; i < 50; ++i) angle -= (30.0 * angle - g * std::cos(angle)) / (30.0 + g * std::sin(angle));
  const Scenario at = settled(scenario);
  EXPECT_NEAR(at.model.joints[0].position.at(0), angle, 1e-12);
  EXPECT_EQ(at.model.joints[0].rest, std::vector<double>{0.0});
  EXPECT_LT((at.model.nodes[1].position - Vec3(std::cos(angle), 0.0, -std::sin(angle))).norm(), 1e-12);
  const ModalAnalysis modes = find_modes(at.model, {.formulation = "multibody"});
  ASSERT_EQ(modes.count(), 1);
  EXPECT_NEAR(modes.square[0], (30.0 + g * std::sin(angle)) / (2.0 / 3.0), 1e-8);

  // Another way: let go and wait.
  Scenario waiting = scenario;
  waiting.simulation.duration = 30.0;
  waiting.simulation.output_step = 30.0;
  const Motion motion = run(waiting);
  EXPECT_NEAR(joint_value(waiting, motion.last(), "hinge.angle"), angle, 1e-7);
}

// A weight m on a rope EA from a drum of radius r whose bearing has a spring k: the drum turns by m g r/k and lets r
// times that out; the rope carries m g and is strained by m g/EA.
TEST(MachineEquilibrium, WeightOnASprungDrum) {
  const Scenario scenario = test_model("hook_on_a_drum", "", {"joints.bearing.stiffness=12"});
  const Scenario at = settled(scenario);
  const double strain = 3.0 * g / 5000.0, angle = 3.0 * g * 0.1 / 12.0;
  EXPECT_NEAR(at.model.joints[0].position.at(0), angle, 1e-9);
  EXPECT_NEAR(at.model.pulleys[0].strain, strain, 1e-12);
  EXPECT_NEAR(at.model.nodes[0].position.z(), -(1.0 / 1.001 + 0.1 * angle) * (1.0 + strain), 1e-9);
  EXPECT_NEAR(at.model.nodes[0].position.x(), 0.1, 1e-12);

  // The file that is written stands still, with the same tension.
  const Scenario read = read_scenario_text(to_toml(at), "settled.toml");
  MachineForces forces(read.model);
  EXPECT_LT(forces.net_force(forces.start()).residual, 1e-9);
  EXPECT_NEAR(forces.tensions().pulleys.at(0), 3.0 * g, 1e-9);
  Scenario running = read;
  running.simulation.duration = 1.0;
  const Motion motion = run(running);
  EXPECT_LT(distance(motion.rows.front(), motion.last()), 1e-9);
}

// Arsenault and Gosselin (2005): with other knee angles the mechanism falls to the equilibrium of those, which is known
// in closed form: side lengths L, every rigid cable pulls with K L.
TEST(MachineEquilibrium, ThreeLegsFallIntoTheClosedForm) {
  Scenario scenario = generated("three_dof_mechanism");
  const double to[] = {-70.55, -97.13, -84.003};
  for (int i = 0; i < 3; ++i) {
    scenario.model.drives[i].signal = Signal{};
    scenario.model.drives[i].signal.value = to[i] * degree;
  }
  const Scenario at = settled(scenario),
                 known = generated("three_dof_mechanism", {{"from_1", to[0]}, {"from_2", to[1]}, {"from_3", to[2]}});
  for (std::size_t i = 0; i < at.model.nodes.size(); ++i)
    EXPECT_LT((at.model.nodes[i].position - known.model.nodes[i].position).norm(), 1e-9) << at.model.nodes[i].name;
  MachineForces forces(at.model);
  EXPECT_LT(forces.net_force(forces.start()).residual, 1e-9);
  const MachineTensions tensions = forces.tensions();
  for (int i = 6; i < 9; ++i) EXPECT_NEAR(tensions.bars[i], 1000.0 * std::sqrt(0.5), 1e-6);
  const MachineStability stability = machine_stability(forces);
  EXPECT_EQ(stability.stiffness.size(), 6);
  EXPECT_GT(stability.stiffness[0], 1.0);
}

// The stiffness is the second derivative of the energy of the springs along the loops, and the first of the forces.
TEST(MachineEquilibrium, StiffnessIsTheCurvatureOfTheEnergy) {
  const Scenario scenario = generated("three_dof_mechanism");
  MachineForces forces(scenario.model);
  const VectorXd q = forces.start();
  ASSERT_LT(forces.net_force(q).residual, 1e-12);
  const MatrixXd S = forces.stiffness(), B = forces.allowed();
  EXPECT_LT((S - S.transpose()).norm(), 1e-9 * S.norm());
  const auto energy = [&](const VectorXd& y) {
    VectorXd there = q;
    const VectorXd step = B * y;
    multibody::retract(forces.system().tree, there.data(), step.data());
    EXPECT_TRUE(forces.project(there));
    forces.net_force(there);
    double sum = 0.0;
    for (double tension : forces.tensions().cables) sum += 0.5 * tension * tension / 1000.0;
    return sum;
  };
  const double h = 1e-3, middle = energy(VectorXd::Zero(B.cols()));
  for (long k = 0; k < B.cols(); ++k) {
    const VectorXd y = VectorXd::Unit(B.cols(), k) + 0.5 * VectorXd::Unit(B.cols(), (k + 1) % B.cols());
    const double one = energy(h * y) + energy(-h * y) - 2.0 * middle,
                 two = energy(2.0 * h * y) + energy(-2.0 * h * y) - 2.0 * middle;
    EXPECT_NEAR((16.0 * one - two) / (12.0 * h * h), y.dot(S * y), 1e-5 * S.norm()) << k;
  }
}

// Lieskovský (2022), 5.1.2: under constant torques the manipulator is in balance only where its tips are turned by 150°
// against the feet, the one twist at which its cables can pull against each other. Let go elsewhere, it leans its struts
// together and turns there; each cable then carries what its winch holds.
TEST(MachineEquilibrium, ManipulatorTurnsToItsSingularTwist) {
  for (const double start : {120.0, 140.0}) {
    const Scenario scenario = generated("tensegrity_manipulator", {{"gravity", 0.0}, {"twist", start}});
    const RelaxResult found = relax_machine(scenario.model, {});
    ASSERT_TRUE(found.converged) << found.reason;
    EXPECT_NEAR(manipulator_twist(found.model), 150.0, 1e-6) << start;
    EXPECT_TRUE(found.stable);
    ASSERT_EQ(found.tensions.size(), 6u);
    for (double tension : found.tensions) EXPECT_NEAR(tension, std::numbers::pi * 1e-6 * 20e6, 1e-6);
  }
}

// A strut that stands upright on constant torques: balanced, and about to fall. A start so near is kept.
TEST(MachineEquilibrium, UnstableBalanceIsKeptAndSaid) {
  const RelaxResult found = relax_machine(generated("single_strut").model, {});
  ASSERT_TRUE(found.converged) << found.reason;
  EXPECT_FALSE(found.stable);
  EXPECT_LT(found.largest_move, 1e-3);
}

}  // namespace
}  // namespace taut::testing
