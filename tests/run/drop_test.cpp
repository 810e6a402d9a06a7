// The dropped six-bar: energy accounted for, the same motion from every integrator, results that do not depend on the
// step, from every formulation; the linearised motion with contact.
#include <gtest/gtest.h>

#include "taut/dynamics/dynamics.h"
#include "taut/file/read/read_toml.h"
#include "taut/formulation/formulation.h"
#include "taut/integrate/choose.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

// The standard six-bar, tilted by its throw, a little above the ground.
Scenario drop(double duration) {
  Scenario s = generated(
      "six_bar", {{"damping", 5.0}, {"beta", 0.01}, {"velocity_x", 0.5}, {"velocity_z", -1.0}, {"spin_y", 1.0}});
  s.model.gravity = {0, 0, -9.81};
  Ground& ground = s.model.ground.emplace();
  ground.height = -0.55;
  ground.stiffness = 2e4;
  ground.damping = 100.0;
  ground.slip_speed = 1e-2;
  s.simulation.duration = duration;
  s.simulation.output_step = 0.01;
  return s;
}

// All laws, friction, damping, the ground's and the bars' own collisions.
TEST(Drop, EnergyIsAccountedFor) {
  for (const PressKind law : {PressKind::linear, PressKind::smooth, PressKind::hunt_crossley}) {
    Scenario s = drop(0.4);
    Ground& ground = *s.model.ground;
    ground.law = law;
    ground.viscous = 5.0;
    if (law == PressKind::smooth) ground.beta = 1e-3;
    if (law == PressKind::hunt_crossley) ground.stiffness = 1e6, ground.damping = 0.5;
    s.model.collision.emplace();
    const Motion motion = run(s, "dopri5", 1e-10);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    EXPECT_LT(motion.summary.energy_drift, 1e-6) << name(law);
    EXPECT_GT(motion.last().energy[dissipated], 1.0);
    const Motion implicit = run(s, "cvode", 1e-8);
    EXPECT_LT(implicit.summary.energy_drift, 1e-4) << name(law);
    EXPECT_LT(distance(implicit.last(), motion.last()), 1e-4) << name(law);
  }
}

TEST(Drop, OnAHeightFieldEnergyIsAccountedForToo) {
  Scenario s = drop(0.4);
  HeightGrid& grid = s.model.ground->heights;
  grid = {-2.0, -2.0, 0.25, 0.25, 17, 17, {}};
  for (int i = 0; i < 17 * 17; ++i) grid.heights.push_back(0.03 * std::sin(1.3 * i) - 0.05);
  const Motion motion = run(s, "dopri5", 1e-10);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(motion.summary.energy_drift, 1e-6);
  EXPECT_GT(motion.last().energy[dissipated], 1.0);
}

TEST(Drop, EveryIntegratorGivesTheSameMotion) {
  const Scenario s = drop(0.3);
  const Sample reference = run(s, "dopri5", 1e-11).last();
  for (const auto& [method, accuracy, error] :
       {std::tuple{"cvode", 1e-10, 1e-6}, {"rk4", 1e-5, 1e-6}, {"symplectic", 1e-5, 1e-5}}) {
    const Motion motion = run(s, method, accuracy);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << method << ": " << motion.summary.reason;
    EXPECT_LT(distance(motion.last(), reference), error) << method;
  }
}

// With a law and cables that are smooth, Runge-Kutta keeps its order 4 through the impact and the leapfrog its order 2;
// with corners (touch-down, stick and slip) the error still falls at least like the step.
TEST(Drop, ThreeStepsConverge) {
  Scenario smooth = drop(0.25);
  smooth.model.ground->law = PressKind::smooth;
  smooth.model.ground->beta = 5e-3;
  smooth.model.ground->friction = 0.0;
  const auto falls = [](const Scenario& s, const char* method, double step) {
    const Sample reference = run(s, "dopri5", 1e-12).last();
    double error[3];
    for (int i = 0; i < 3; ++i) error[i] = distance(run(s, method, step / (1 << i)).last(), reference);
    return std::array{error[0] / error[1], error[1] / error[2]};
  };
  for (const double ratio : falls(smooth, "rk4", 1e-3)) EXPECT_NEAR(std::log2(ratio), 4.0, 0.5);
  for (const double ratio : falls(smooth, "symplectic", 4e-4)) EXPECT_NEAR(std::log2(ratio), 2.0, 0.3);
  for (const double ratio : falls(drop(0.25), "rk4", 1e-4)) EXPECT_GT(std::log2(ratio), 1.0);
}

TEST(Drop, EveryFormulationGivesTheSameMotion) {
  Scenario s = drop(0.25);
  s.model.collision.emplace();
  s.simulation.formulation = "nodal";
  const Sample reference = run(s, "dopri5", 1e-11).last();
  for (const char* formulation : {"minimal", "quaternion"}) {
    s.simulation.formulation = formulation;
    const Motion motion = run(s, "dopri5", 1e-11);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    EXPECT_LT(distance(motion.last(), reference), 1e-7) << formulation;
  }
}

// J d against differences of the motion, with nodes in the ground (sticking and sliding) and bars pressed on each
// other.
TEST(ContactTangent, IsTheDerivativeOfTheMotion) {
  Scenario s = generated("six_bar", {{"spin_x", 0.2}, {"spin_z", 0.3}, {"velocity_x", 0.02}, {"velocity_z", -0.1}});
  Ground& ground = s.model.ground.emplace();
  ground.height = -0.48;
  ground.normal = {0.05, 0.02, 1.0};
  ground.slip_speed = 0.05;
  ground.viscous = 3.0;
  Collision& collision = s.model.collision.emplace();
  collision.damping = 20.0;
  for (Bar& bar : s.model.bars) bar.radius = 0.13;  // neighbours are L/4 apart
  for (const char* formulation : {"nodal", "minimal", "quaternion", "point_mass"}) {
    const Dynamics dynamics(s.model, formulation, ConstraintMethod::projection);
    const State state = dynamics.start();
    Terms terms = dynamics.make_terms();
    const int nq = state.nq, nv = state.nv;
    Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size()), above = rate, below = rate;
    dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
    ASSERT_GT(dynamics.contact_energy(terms), 0.1);
    ASSERT_GT(dynamics.contact().collision().energy(terms.x.data(), terms.contact.collision), 0.01);
    const auto tangent = dynamics.formulation().make_tangent(dynamics.cables());
    tangent->evaluate(state.q(), state.v(), rate.data() + nq, terms);
    Random random(8);
    for (int trial = 0; trial < 10; ++trial) {
      Eigen::VectorXd d_v(nv), d_w(nv), d_q(nq), q_rate(nq), v_rate(nv);
      for (int i = 0; i < nv; ++i) d_v[i] = random.between(-1.0, 1.0), d_w[i] = random.between(-1.0, 1.0);
      dynamics.formulation().coordinate_rates(state.q(), d_w.data(), d_q.data());
      tangent->multiply({.q = d_q.data(), .v = d_v.data()}, q_rate.data(), v_rate.data());
      constexpr double h = 1e-7;
      Eigen::VectorXd y = state.y;
      y.head(nq) += h * d_q, y.segment(nq, nv) += h * d_v;
      dynamics.rhs(0.0, y.data(), above.data(), terms);
      y = state.y;
      y.head(nq) -= h * d_q, y.segment(nq, nv) -= h * d_v;
      dynamics.rhs(0.0, y.data(), below.data(), terms);
      const Eigen::VectorXd difference = (above - below).segment(nq, nv) / (2.0 * h);
      EXPECT_LT((difference - v_rate).norm(), 1e-5 * difference.norm()) << formulation;
    }
  }
}

// Friction at rest is as stiff as 2 μ N/(v_s m): `auto` knows before anything touches, and takes an implicit method.
TEST(Choice, CountsTheGroundBeforeItIsTouched) {
  Scenario s = empty_scenario();
  s.model.gravity = {0, 0, -9.81};
  add_node(s.model, {0, 0, 5.0}, 2.0, {}, {1, 0, 0});
  const auto estimate = [&] { return estimate_stiffness(Dynamics(s.model, "nodal", ConstraintMethod::projection)); };
  EXPECT_LT(estimate().damping, 1e-6);
  Ground& ground = s.model.ground.emplace();
  ground.stiffness = 2e4, ground.damping = 50.0, ground.friction = 0.5;
  EXPECT_NEAR(estimate().oscillation, std::sqrt(2e4 / 2.0), 1.0);
  EXPECT_NEAR(estimate().damping, 2.0 * 0.5 * 9.81 / 1e-3, 0.01 * 9810.0);
  EXPECT_EQ(choose_integrator(Dynamics(s.model, "nodal", ConstraintMethod::projection)).integrator, "cvode");
  ground.friction = 0.0;
  EXPECT_NEAR(estimate().damping, 25.0, 0.25);
  EXPECT_EQ(choose_integrator(Dynamics(s.model, "nodal", ConstraintMethod::projection)).integrator, "dopri5");
}

TEST(Drop, TheExampleRunsAndComesToRestOnTheGround) {
  const Scenario s = read_scenario(std::string(TAUT_SOURCE_DIR) + "/models/six_bar_drop.toml");
  const Motion motion = run(s);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(motion.summary.energy_drift, 1e-4);
  // Its weight is carried in the end, and it has nearly stopped.
  double carried = 0.0;
  for (std::size_t i = 2; i < motion.last().contact_forces.size(); i += 3) carried += motion.last().contact_forces[i];
  EXPECT_NEAR(carried, 6.0 * 9.81, 0.1 * 6.0 * 9.81);
  EXPECT_LT(motion.last().energy[kinetic], 0.1);
}

}  // namespace
}  // namespace taut::testing
