// The machines of Lieskovský (2022): degrees of freedom and trees as printed, cables without mass, the equilibrium of
// the single strut, and its motion in the three variants of the involute joint.
#include "tests/formulation/multibody/machines.h"

#include <gtest/gtest.h>

#include "taut/solve/dense.h"

namespace taut::testing {
namespace {

using namespace multibody;

// The pulleys' torques: 0.1 N m, the first as given.
void drive_pulleys(Machine& m, double first) {
  for (Connection& c : m.joints)
    if (c.name.ends_with("pulleyJt")) {
      const double value = c.name == "B1-pulleyJt" ? first : 0.1;
      c.torque = [value](double, double* torque) { torque[0] = value; };
    }
}

TEST(MultibodyMachines, SingleStrutHasFiveDegreesOfFreedomAndThePrintedTree) {
  SingleStrut machine;
  machine.cross_shaft = true;
  Machine made = machine.build();
  const System system(made);
  EXPECT_EQ(system.degrees_of_freedom, 5);
  EXPECT_EQ(system.redundant, 0);
  EXPECT_EQ(system.loops.rows, 9);
  // Listing 5.1.
  EXPECT_EQ(describe(system.machine, system.topology), R"(Spanning tree:
ground
  cross-shaft, joint x-revoluteJt (revolute)
    strut, joint y-revoluteJt (revolute)
  B1-block, joint B1-blockJt (revolute)
    B1-pulley, joint B1-pulleyJt (revolute)
      B1-cable, joint B1-involuteJt (involute)
  B2-block, joint B2-blockJt (revolute)
    B2-pulley, joint B2-pulleyJt (revolute)
      B2-cable, joint B2-involuteJt (involute)
  B3-block, joint B3-blockJt (revolute)
    B3-pulley, joint B3-pulleyJt (revolute)
      B3-cable, joint B3-involuteJt (involute)
Loop joints:
  B1-loopJt (spherical), predecessor strut, successor B1-cable
  B2-loopJt (spherical), predecessor strut, successor B2-cable
  B3-loopJt (spherical), predecessor strut, successor B3-cable
)");
}

TEST(MultibodyMachines, ManipulatorHasTwelveDegreesOfFreedomAndThePrintedLoops) {
  Moving m(Manipulator{}.build());
  EXPECT_EQ(m.system.degrees_of_freedom, 12);
  EXPECT_EQ(m.system.redundant, 0);
  EXPECT_EQ(m.system.tree.nv, 39);
  EXPECT_EQ(m.system.loops.rows, 27);
  std::vector<std::string> loops;
  for (const int j : m.system.topology.loops) loops.push_back(m.system.machine.joints[j].name);
  EXPECT_EQ(loops, (std::vector<std::string>{"B1-top-loopJt", "B1-bot-loopJt", "B2-top-loopJt", "B2-bot-loopJt",
                                             "B3-top-loopJt", "B3-bot-loopJt", "B1-level-loopJt", "B2-level-loopJt",
                                             "B3-level-loopJt"}));
  // Without the wish for a floating end-effector taut finds a tree with fewer coordinates, and the same freedom.
  Machine other = Manipulator{}.build();
  std::erase_if(other.joints, [](const Connection& c) { return c.name == "floatingJt"; });
  Moving n(other);
  EXPECT_EQ(n.system.degrees_of_freedom, 12);
  EXPECT_EQ(n.system.tree.nv, 36);
  // Both move alike.
  m.advance(1e-5, 100);
  n.advance(1e-5, 100);
  m.place(), n.place();
  EXPECT_LT((m.point(0) - n.point(0)).norm(), 1e-12);
}

// Cables, cross shafts, links and blocks without mass: H is singular, and yet the equations have one solution.
TEST(MultibodyMachines, BodiesWithoutMassAreNoTroubleWhereLoopsHoldThem) {
  for (const bool heavy : {true, false}) {
    SingleStrut machine;
    machine.heavy_blocks = heavy;
    machine.strain = 5e-3;
    machine.damping = 20.0;
    Machine made = machine.build();
    drive_pulleys(made, 0.3);
    for (const Machine& each : {made, Manipulator{}.build()}) {
      Moving m(each);
      EXPECT_EQ(m.system.method, Method::sparse);
      Random random(3);
      for (double& v : m.v) v = random.between(-0.3, 0.3);
      filter_velocities(m.system, m.q.data(), m.v.data(), m.terms);
      m.forces[0] = Vec3(1.0, 2.0, -3.0);
      const VectorXd a = m.accelerate();
      const MatrixXd H = m.mass(), K = m.jacobian();
      EXPECT_LT(symmetric_eigenvalues(H)[0], 1e-15);
      Independent reduced(m.system);
      const VectorXd b = m.accelerate(reduced);
      EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-11 * (1.0 + a.cwiseAbs().maxCoeff()));
      // The equations themselves.
      m.accelerate();
      VectorXd torque(a.size());
      inverse(m.system, a.data(), m.terms.lambda.data(), m.terms, torque.data());
      for (int c = 0; c < a.size(); ++c)
        EXPECT_NEAR(torque[c], m.terms.applied[c] + m.terms.internal[c], 1e-11 * (1.0 + torque.cwiseAbs().maxCoeff()));
      EXPECT_LT((K * a - VectorXd::Map(m.terms.loops.k.data(), K.rows())).cwiseAbs().maxCoeff(),
                1e-12 * (1.0 + a.cwiseAbs().maxCoeff()));
    }
  }
}

// The printed equilibrium: strain 0.1 / (R E A) = 9.094568e-3, vertical, with or without gravity.
TEST(MultibodyMachines, SingleStrutStandsInItsEquilibrium) {
  for (const double g : {0.0, 9.81}) {
    SingleStrut machine;
    machine.strain = 0.1 / (machine.R * machine.EA);
    EXPECT_NEAR(machine.strain, 9.094568e-3, 1e-9);
    Machine made = machine.build();
    made.gravity = Vec3(0.0, 0.0, -g);
    drive_pulleys(made, 0.1);
    Moving m(made);
    // Loops: tangent length 1.344213562373 m.
    CableStatus status;
    const Link& cable = m.system.tree.links[3];
    ASSERT_TRUE(cable_status(m.system.tree.joints[3], m.q.data() + cable.q, m.v.data() + cable.v, status));
    EXPECT_NEAR(status.length, 1.344213562373, 1e-12);
    EXPECT_LT(m.accelerate().cwiseAbs().maxCoeff(), 1e-10);
  }
}

// 5.2: the first pulley with 0.1001 N m. The three variants are one motion, φ stays zero, ε₃ = ε₂.
TEST(MultibodyMachines, VariantsOfTheInvoluteJointAreOneMotion) {
  std::vector<Vec3> tips;
  std::vector<double> strains;
  for (const CableCoordinate last : {CableCoordinate::epsilon, CableCoordinate::u, CableCoordinate::l}) {
    SingleStrut machine;
    machine.strain = 0.1 / (machine.R * machine.EA);
    machine.last = last;
    Machine made = machine.build();
    drive_pulleys(made, 0.1001);
    Moving m(made);
    m.advance(1e-4, 2000);
    m.place();
    tips.push_back(m.point(0));
    EXPECT_NEAR(m.q[0], 0.0, 1e-12);
    EXPECT_LT(loop_error(m.system, m.terms), 1e-14);
    std::vector<double> now;
    for (std::size_t i = 0; i < m.system.tree.links.size(); ++i) {
      const Link& link = m.system.tree.links[i];
      CableStatus status;
      if (cable_status(m.system.tree.joints[i], m.q.data() + link.q, m.v.data() + link.v, status))
        now.push_back(status.strain);
    }
    ASSERT_EQ(now.size(), 3u);
    EXPECT_NEAR(now[1], now[2], 1e-12);
    if (strains.empty()) strains = now;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(now[i], strains[i], 1e-11);
  }
  EXPECT_GT(std::abs(tips[0][0]), 1e-6);  // it does move
  EXPECT_LT((tips[1] - tips[0]).norm(), 1e-11);
  EXPECT_LT((tips[2] - tips[0]).norm(), 1e-11);
}

// T + V + U = work of the torques + what Lieskovský's cable forces make while they are wound.
TEST(MultibodyMachines, WorkAndEnergyOfTheSingleStrutBalance) {
  SingleStrut machine;
  machine.strain = 0.1 / (machine.R * machine.EA);
  machine.damping = 5.0;
  Machine made = machine.build();
  drive_pulleys(made, 0.15);
  Moving m(made);
  const double before = m.energy();
  double work = 0.0;
  constexpr double h = 1e-4;
  constexpr int pairs = 500;
  // Simpson's rule.
  const auto power = [&] {
    m.accelerate();
    return m.terms.drive_power + m.terms.supplied - m.terms.dissipated;
  };
  for (int i = 0; i < pairs; ++i) {
    work += h / 3.0 * power();
    m.advance(h, 1);
    work += 4.0 * h / 3.0 * power();
    m.advance(h, 1);
    work += h / 3.0 * power();
  }
  EXPECT_GT(std::abs(work), 1e-4);
  EXPECT_NEAR(m.energy() - before, work, 1e-10);
}

// Arsenault and Gosselin (2005): nine degrees of freedom, six with the knees driven; the equilibrium in closed form.
TEST(MultibodyMachines, ThreeLegsStandInTheirEquilibrium) {
  ThreeLegs machine;
  machine.driven = false;
  EXPECT_EQ(System(machine.build()).degrees_of_freedom, 9);
  machine.driven = true;
  Moving m(machine.build());
  EXPECT_EQ(m.system.degrees_of_freedom, 6);
  const double L = machine.L, z = std::sqrt(30.0) / 3.0;
  const std::array<Vec3, 3> a = {Vec3::Zero(), Vec3(L, 0.0, 0.0), Vec3(0.5 * L, std::sqrt(0.75) * L, 0.0)};
  const Vec3 middle = (a[0] + a[1] + a[2]) / 3.0, x(std::sqrt(2.0) / 4.0, std::sqrt(6.0) / 12.0, z);
  const auto set = [&](const char* name, std::initializer_list<double> values) {
    for (const Link& link : m.system.tree.links)
      if (m.system.machine.joints[link.joint].name == name)
        std::copy(values.begin(), values.end(), m.q.data() + link.q);
  };
  const double alpha = std::atan2(z, (x + middle - 2.0 * a[0]).head<2>().norm());
  set("slide2x", {a[1][0]}), set("slide3x", {a[2][0]}), set("slide3y", {a[2][1]});
  for (const char* name : {"universal1", "universal2", "universal3"}) set(name, {alpha, 0.25 * M_PI});
  m.place();
  EXPECT_LT(m.loop_values().cwiseAbs().maxCoeff(), 1e-15);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT((m.point(i) - a[i]).norm(), 1e-15);
    EXPECT_LT((m.point(3 + i) - (x + middle - a[i])).norm(), 1e-14);
  }
  machine.pull(m);
  EXPECT_LT(m.accelerate().cwiseAbs().maxCoeff(), 1e-9);
  // Tension K L in every cable; torque of a knee K ρ √(4 L_s² - ρ²), eq. (39), which straightens the leg.
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(m.terms.lambda[i], -machine.K * L, 1e-9);
  const double rho = 2.0, torque = machine.K * rho * std::sqrt(4.0 * machine.Ls * machine.Ls - rho * rho);
  for (const Link& link : m.system.tree.links) {
    if (!link.imposed) continue;
    EXPECT_NEAR(m.terms.torque[link.v], torque, 1e-8);
  }
}

// The printed motion with the printed method: |φ| stays at 1e-15 with ten corrections in every step.
TEST(MultibodyMachines, ThreeLegsKeepTheirCablesInMotion) {
  const ThreeLegs machine;
  Moving m(machine.build());
  constexpr double h = 2e-3;
  double worst = 0.0;
  const auto rates = [&](const VectorXd& q, const VectorXd& v, double t) {
    m.place(q, v, t);
    machine.pull(m);
    return m.accelerate(q, v, t);
  };
  for (int i = 0; i < 2000; ++i) {
    // Heun's steps; the knees' accelerations jump at t = 1 and 3, which are multiples of h.
    const double t = i * h, before = std::nextafter(t + h, 0.0);
    const VectorXd a = rates(m.q, m.v, t), q1 = m.rates(m.q, m.v);
    const VectorXd v2 = m.v + h * a, p2 = m.q + h * q1, b = rates(p2, v2, before), q2 = m.rates(p2, v2);
    m.v += 0.5 * h * (a + b);
    m.q += 0.5 * h * (q1 + q2);
    drive(m.system, t + h, m.terms);
    impose(m.system, m.terms, m.q.data(), m.v.data());
    filter_velocities(m.system, m.q.data(), m.v.data(), m.terms);
    correct_configuration(m.system, 10, m.q.data(), m.v.data(), m.terms);
    m.place(m.q, m.v, t + h);
    for (int k = 0; k < 3; ++k)
      worst =
          std::max(worst, std::abs((m.point(3 + k) - m.point(3 + (k + 1) % 3)).squaredNorm() - machine.L * machine.L));
  }
  EXPECT_LE(worst, 2e-15);
  // On its way to x_F = 1 (it swings on for long).
  const Vec3 x = (m.point(3) + m.point(4) + m.point(5)) / 3.0;
  EXPECT_NEAR(x[0], 1.0, 0.3);
}

}  // namespace
}  // namespace taut::testing
