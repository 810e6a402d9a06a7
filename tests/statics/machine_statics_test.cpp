// Statics of machines in joint coordinates: forces, self-stress, mechanisms and stiffness against the papers' closed forms
// and against the other route to each number.
#include "taut/statics/machine/machine_statics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taut/form/relax_machine.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double force_of(const MachineStatics& s, const std::string& name) {
  for (std::size_t i = 0; i < s.members.size(); ++i)
    if (s.members[i].name == name) return s.forces[static_cast<long>(i)];
  ADD_FAILURE() << name;
  return 0.0;
}

// Arsenault and Gosselin (2005): every rigid cable pulls with K L; along each leg, of length ρ from A to C, acts the force
// 2 K ρ, which the knee holds by the torque 2 K ρ √(L_s² - ρ²/4).
TEST(MachineStatics, ThreeLegsCarryTheClosedForm) {
  const double angles[] = {-70.55, -97.13, -84.003};
  const Scenario scenario =
      generated("three_dof_mechanism", {{"from_1", angles[0]}, {"from_2", angles[1]}, {"from_3", angles[2]}});
  const MachineStatics s = analyse_machine(scenario.model);
  EXPECT_TRUE(s.at_start);
  EXPECT_LT(s.imbalance, 1e-12);
  const double K = 1000.0, L = std::sqrt(0.5), Ls = std::sqrt(2.0);
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    EXPECT_NEAR(force_of(s, "cable" + number), K * L, 1e-8);
    EXPECT_NEAR(force_of(s, "a1-a2"), K * L, 1e-8);
    const double rho = 2.0 * Ls * std::cos(0.5 * angles[i] * std::numbers::pi / 180.0);
    const double torque = force_of(s, "knee" + number) * s.members.back().length;
    EXPECT_NEAR(std::abs(torque), 2.0 * K * rho * std::sqrt(Ls * Ls - 0.25 * rho * rho), 1e-7) << i;
    // Each rod is pressed by the part of the leg's force along it.
    EXPECT_NEAR(s.bar_forces[2 * i], -2.0 * K * rho * 0.5 * rho / Ls, 1e-7) << i;
    EXPECT_NEAR(s.bar_forces[2 * i + 1], -2.0 * K * rho * 0.5 * rho / Ls, 1e-7) << i;
  }
  // 12 velocities; 9 springs, 3 cables and 3 knees hold them: three states of self-stress, nothing moves.
  EXPECT_EQ(s.states, 3);
  EXPECT_EQ(s.rank, 12);
  EXPECT_TRUE(s.mechanisms.empty());
  EXPECT_EQ(s.stability, Stability::prestress_stable);
}

// K by columns of forces and differences is the K of the linearised motion: springs and rigid cables, cables on pulleys
// with Lieskovský's torques and with those of their energy.
TEST(MachineStatics, StiffnessIsThatOfTheMotion) {
  Model strut = generated("single_strut").model, conservative = strut;
  for (PulleySpec& pulley : conservative.pulleys) pulley.conservative = true;
  for (const Model& start : {generated("three_dof_mechanism").model, strut, conservative}) {
    const RelaxResult found = relax_machine(start, {});
    ASSERT_TRUE(found.converged) << found.reason;
    const MachineStatics s = analyse_machine(found.model);
    ASSERT_TRUE(s.at_start) << s.imbalance;
    MachineForces forces(found.model);
    forces.net_force(forces.start());
    const MatrixXd B = forces.allowed(), S = forces.stiffness(), other = B.transpose() * s.stiffness * B;
    EXPECT_LT((S - other).norm(), 1e-9 * S.norm()) << found.model.name;
  }
}

// Lieskovský (2022): six winches on six degrees of freedom of the struts. Only where the tips are turned by 150° can they
// pull against each other; there one motion changes no cable, and the self-stress stops it.
TEST(MachineStatics, ManipulatorIsSingularAtOneTwist) {
  for (const double twist : {120.0, 140.0, 150.0, 155.0}) {
    const Scenario scenario = generated("tensegrity_manipulator", {{"gravity", 0.0}, {"twist", twist}});
    StaticsOptions options;
    options.min_tension = 10.0;
    const MachineStatics s = analyse_machine(scenario.model, options);
    const int singular = twist == 150.0 ? 1 : 0;
    EXPECT_EQ(s.states, singular) << twist;
    ASSERT_EQ(s.mechanisms.size(), static_cast<std::size_t>(singular)) << twist;
    if (!singular) continue;
    EXPECT_TRUE(s.sign_feasible);
    EXPECT_TRUE(s.forces_feasible);
    EXPECT_EQ(s.mechanisms[0].kind, MechanismKind::infinitesimal);
    EXPECT_EQ(s.stability, Stability::prestress_stable);
    EXPECT_GT(s.held->eigenvalue, 0.0);
    // The winches let go: the cables give as they turn.
    EXPECT_LT(s.given->eigenvalue, 0.0);
    // By symmetry top cables carry alike, and so do the others; each winch holds its cable by T R.
    const double top = force_of(s, "B1-top"), bottom = force_of(s, "B1-bot");
    EXPECT_NEAR(std::min(top, bottom), 10.0, 1e-6);
    for (const char* strut : {"B2", "B3"}) {
      EXPECT_NEAR(force_of(s, std::string(strut) + "-top"), top, 1e-6);
      EXPECT_NEAR(force_of(s, std::string(strut) + "-bot"), bottom, 1e-6);
    }
    EXPECT_NEAR(force_of(s, "B1-top-revoluteJt") * s.members.back().length, 0.05 * top, 1e-6);
    // Nothing is loaded: the links carry nothing.
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.bar_forces[i], 0.0, 1e-6);
  }
}

}  // namespace
}  // namespace taut::testing
