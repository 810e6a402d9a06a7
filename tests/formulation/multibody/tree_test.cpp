// Trees of bodies: where points are and how they move against differences, the mass matrix against the bodies' own
// energy, three ways to the accelerations, inverse dynamics, power; closed forms of pendulums and tops.
#include <gtest/gtest.h>

#include "tests/formulation/multibody/linkages.h"
#include "tests/support/differences.h"

namespace taut::testing {
namespace {

using namespace multibody;

constexpr int trees = 60;

TEST(MultibodyTree, PointsMoveAsTheirPositionsChange) {
  for (unsigned seed = 0; seed < trees; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Moving m(random_tree(6, random));
    VectorXd v_rate(m.v.size());
    for (double& a : v_rate) a = random.between(-1.0, 1.0);
    // A motion with this acceleration: its velocity at s is v + s v̇, its position q ⊕ (s v + s² v̇/2) to second order.
    const auto points = [&](double s, bool velocities) {
      m.place(m.along(m.q, s * m.v), m.v);
      VectorXd all(3 * m.forces.size());
      for (int i = 0; i < static_cast<int>(m.forces.size()); ++i)
        all.segment<3>(3 * i) = velocities ? m.point_velocity(i) : m.point(i);
      return all;
    };
    const VectorXd speeds = derivative([&](double s) { return points(s, false); }),
                   turning = derivative([&](double s) { return points(s, true); });
    const VectorXd placed = points(0.0, true);
    EXPECT_LT((speeds - placed).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + placed.cwiseAbs().maxCoeff()));
    // With v held the acceleration is that at v̇ = 0; v̇ adds what it would add to the velocity.
    VectorXd bias(placed.size()), all(placed.size());
    m.place();
    accelerations(m.system.tree, nullptr, m.terms.tree);
    for (int i = 0; i < static_cast<int>(m.forces.size()); ++i)
      bias.segment<3>(3 * i) = acceleration(m.system.tree, i, m.terms.tree);
    EXPECT_LT((turning - bias).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + bias.cwiseAbs().maxCoeff()));
    accelerations(m.system.tree, v_rate.data(), m.terms.tree);
    for (int i = 0; i < static_cast<int>(m.forces.size()); ++i)
      all.segment<3>(3 * i) = acceleration(m.system.tree, i, m.terms.tree);
    m.place(m.q, m.v + v_rate);
    for (int i = 0; i < static_cast<int>(m.forces.size()); ++i)
      EXPECT_LT((all.segment<3>(3 * i) - bias.segment<3>(3 * i) - m.point_velocity(i) + placed.segment<3>(3 * i))
                    .cwiseAbs()
                    .maxCoeff(),
                1e-11 * (1.0 + bias.cwiseAbs().maxCoeff()));
  }
}

// The bodies' energy from the velocities of four points: centre and three at unit distance along the axes.
TEST(MultibodyTree, MassMatrixIsThatOfTheBodiesEnergy) {
  for (unsigned seed = 0; seed < trees; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Machine machine = random_tree(7, random);
    machine.points.clear();
    for (int b = 0; b < 7; ++b)
      for (int k = -1; k < 3; ++k)
        add_point(machine, b, machine.bodies[b].centre + (k < 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Unit(k))));
    Moving m(machine);
    m.place();
    double bodies = 0.0;
    for (int b = 0; b < 7; ++b) {
      const Vec3 x = m.point(4 * b), v = m.point_velocity(4 * b);
      Mat3 R, W;  // axes, and their rates ω × axes
      for (int k = 0; k < 3; ++k) {
        R.col(k) = m.point(4 * b + 1 + k) - x;
        W.col(k) = m.point_velocity(4 * b + 1 + k) - v;
      }
      const Mat3 turn = R.transpose() * W;
      const Vec3 w(turn(2, 1), turn(0, 2), turn(1, 0));
      bodies += 0.5 * machine.bodies[b].mass * v.squaredNorm() + 0.5 * w.dot(machine.bodies[b].inertia * w);
    }
    EXPECT_NEAR(0.5 * m.v.dot(m.mass() * m.v), bodies, 1e-12 * bodies);
    EXPECT_NEAR(kinetic_energy(m.system.tree, m.terms.tree), bodies, 1e-12 * bodies);
  }
}

TEST(MultibodyTree, ArticulatedSparseAndDenseSolutionsAgreeAndInverseDynamicsUndoesThem) {
  for (unsigned seed = 0; seed < trees; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Machine machine = random_tree(1 + static_cast<int>(seed) % 12, random);
    // Torques on all joints, and one joint with an imposed motion.
    const int imposed = seed % 3 == 0 ? random.below(static_cast<int>(machine.joints.size())) : -1;
    for (int j = 0; j < static_cast<int>(machine.joints.size()); ++j) {
      Connection& c = machine.joints[j];
      JointVelocity a{};
      for (double& x : a) x = random.between(-3.0, 3.0);
      if (j == imposed)
        c.motion = [a, c](double, double* q_out, double* v_out, double* rate) {
          std::copy_n(c.start->begin(), coordinates(c.joint), q_out);
          std::copy_n(c.velocity.begin(), velocities(c.joint), v_out);
          std::copy_n(a.begin(), velocities(c.joint), rate);
        };
      else
        c.torque = [a, n = velocities(c.joint)](double, double* torque) { std::copy_n(a.begin(), n, torque); };
    }
    Moving fast(machine), sparse(machine, Method::sparse);
    ASSERT_EQ(fast.system.method, Method::articulated);
    ASSERT_EQ(sparse.system.method, Method::sparse);
    for (Vec3& f : fast.forces) f = random.vector(10.0);
    sparse.forces = fast.forces;
    const VectorXd a = fast.accelerate(), b = sparse.accelerate();
    const double size = 1.0 + a.cwiseAbs().maxCoeff();
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-11 * size);

    // Inverse dynamics: the torques that were there.
    VectorXd torque(a.size());
    inverse(fast.system, a.data(), nullptr, fast.terms, torque.data());
    const MatrixXd H = fast.mass();
    const double effort = 1.0 + (H.cwiseAbs() * a.cwiseAbs()).maxCoeff() + torque.cwiseAbs().maxCoeff();
    for (int c = 0; c < a.size(); ++c) {
      if (fast.system.tree.imposed[c]) continue;
      EXPECT_NEAR(torque[c], fast.terms.applied[c] + fast.terms.internal[c], 1e-12 * effort) << c;
    }

    // The mass matrix times the acceleration, and the bias from inverse dynamics at rest of v̇.
    VectorXd bias(a.size()), zero = VectorXd::Zero(a.size());
    inverse(fast.system, zero.data(), nullptr, fast.terms, bias.data());
    EXPECT_LT((H * a + bias - torque).cwiseAbs().maxCoeff(), 1e-12 * effort);
    for (int c = 0; c < a.size(); ++c) {
      if (!fast.system.tree.imposed[c]) continue;
      EXPECT_EQ(a[c], fast.terms.imposed_rate[c]);
    }
  }
}

// The rate of kinetic energy, by differences, is the power of weight, forces, torques and imposed motions.
TEST(MultibodyTree, PowerIsAccountedFor) {
  for (unsigned seed = 0; seed < trees; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Machine machine = random_tree(5, random);
    Connection& driven = machine.joints[random.below(5)];
    driven.torque = [n = velocities(driven.joint)](double, double* torque) { std::fill_n(torque, n, 2.0); };
    Moving m(machine);
    for (Vec3& f : m.forces) f = random.vector(5.0);
    const VectorXd a = m.accelerate();
    double power = m.terms.drive_power + m.terms.supplied - m.terms.dissipated;
    for (int i = 0; i < static_cast<int>(m.forces.size()); ++i) power += m.forces[i].dot(m.point_velocity(i));
    const auto energy = [&](double s) {
      m.place(m.along(m.q, s * m.v), m.v + s * a);
      VectorXd unused(a.size());
      const VectorXd q = m.along(m.q, s * m.v), v = m.v + s * a;
      accelerate(m.system, q.data(), v.data(), {}, m.terms, unused.data());
      return kinetic_energy(m.system.tree, m.terms.tree) + weight_energy(m.system.tree, m.terms.tree) + m.terms.energy;
    };
    // One-sided second differences in q ⊕ s v leave s² v̇/2, which has no first derivative at s = 0.
    const double h = 1e-4 / (1.0 + a.cwiseAbs().maxCoeff());
    const double gained = derivative(energy, h);
    const double scale = 1.0 + std::abs(power) + std::abs(energy(0.0));
    EXPECT_NEAR(gained, power, 1e-6 * scale * (1.0 + a.cwiseAbs().maxCoeff()));
  }
}

// Two uniform bars, 1 kg and 1 m, both released at 45° from straight down.
TEST(MultibodyTree, DoublePendulumFollowsTheReference) {
  Machine machine;
  machine.gravity = Vec3(0.0, -9.8, 0.0);
  const int a = add_rod(machine, "upper", 1.0, 1.0), b = add_rod(machine, "lower", 1.0, 1.0);
  add_joint(machine, "top", Revolute{2}, ground, {}, a).start = {-0.25 * M_PI};
  add_joint(machine, "middle", Revolute{2}, a, at(1.0, 0.0, 0.0), b).start = {0.0};
  add_point(machine, a, Vec3(1.0, 0.0, 0.0));
  add_point(machine, b, Vec3(1.0, 0.0, 0.0));
  Moving m(machine);
  EXPECT_EQ(m.system.degrees_of_freedom, 2);
  const double energy = m.energy();
  struct Row {
    int t;
    double x2, y2, x3, y3;
  };
  // The reference starts on the +x side.
  const Row rows[] = {{1, -0.574315445391, -0.818634087481, -1.299063012556, -1.507648574910},
                      {3, 0.023379709117, -0.999726657243, 0.110274341722, -1.995944165031},
                      {5, 0.624664601626, -0.780893165213, 1.340314930813, -1.479351901527}};
  constexpr int per_second = 2500;  // 2e-13 m from the step, measured by halving it
  for (const Row& row : rows) {
    m.advance(1.0 / per_second, row.t * per_second - static_cast<int>(std::lround(m.t * per_second)));
    m.place();
    EXPECT_NEAR(m.point(0)[0], row.x2, 2e-12);
    EXPECT_NEAR(m.point(0)[1], row.y2, 2e-12);
    EXPECT_NEAR(m.point(1)[0], row.x3, 2e-12);
    EXPECT_NEAR(m.point(1)[1], row.y3, 2e-12);
  }
  EXPECT_NEAR(m.energy(), energy, 1e-11 * std::abs(energy));
}

// A body free in space: angular momentum and energy stay, and the angular velocity in the body returns after Euler's
// period, 4 K(k) / sqrt((I₃-I₂)(2T I₁ - L²)/...) in the case L² > 2T I₂.
TEST(MultibodyTree, AsymmetricTopReturnsAfterEulersPeriod) {
  const Vec3 I(1.0, 2.0, 2.5), w(0.3, 0.4, 1.1);
  Machine machine;
  machine.gravity.setZero();
  add_body(machine, "top", 1.3, Vec3::Zero(), I.asDiagonal());
  Moving m(machine);
  EXPECT_EQ(m.system.topology.floating, 1);
  EXPECT_EQ(m.system.degrees_of_freedom, 6);
  m.v << w, 0.1, -0.2, 0.3;
  const double T2 = w.dot(I.asDiagonal() * w), L2 = (I.asDiagonal() * w).squaredNorm();
  ASSERT_GT(L2, T2 * I[1]);
  const double k = std::sqrt((I[1] - I[0]) * (T2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - T2 * I[0])));
  const double rate = std::sqrt((I[2] - I[1]) * (L2 - T2 * I[0]) / (I[0] * I[1] * I[2]));
  const double period = 4.0 * std::comp_ellint_1(k) / rate;
  const auto momentum = [&] {
    m.place();
    return Vec3(m.terms.tree.links[0].world.E.transpose() * (I.asDiagonal() * m.v.head<3>()));
  };
  const Vec3 before = momentum();
  const double energy = m.energy();
  constexpr int steps = 20000;
  m.advance(period / steps, steps);
  EXPECT_LT((m.v.head<3>() - w).norm(), 1e-11);
  EXPECT_LT((momentum() - before).norm(), 1e-11);
  EXPECT_NEAR(m.energy(), energy, 1e-12);
  // The centre goes straight on with its velocity, which is constant in the world.
  EXPECT_LT((m.q.tail<3>() - period * Vec3(0.1, -0.2, 0.3)).norm(), 1e-10);
}

}  // namespace
}  // namespace taut::testing
