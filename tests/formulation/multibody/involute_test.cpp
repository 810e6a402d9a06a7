// The involute joint against the closed form of the involute (case N7), Lieskovský's printed equations, Newton's law for
// a mass on a wound cable, its own variants, and a revolute with a prismatic joint.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tests/formulation/multibody/specimens.h"

namespace taut::testing {
namespace {

using namespace multibody;
using Eigen::Matrix2d;
using Eigen::Vector2d;

constexpr double rounding = 1e-14;
constexpr CableCoordinate every_variant[] = {CableCoordinate::u, CableCoordinate::epsilon, CableCoordinate::l};

// One configuration in all variants: angle and length with their first and second rates.
struct Cable {
  double r, phi, l, phi_rate, l_rate, phi_second, l_second;
  double l0() const { return r * phi; }
  double strain() const { return (l - l0()) / l0(); }

  // q, q̇, q̈ of a variant; ∂q/∂(φ, l).
  Vector2d q, v, a;
  Matrix2d jacobian;
  void express(CableCoordinate last) {
    q[0] = phi, v[0] = phi_rate, a[0] = phi_second;
    jacobian << 1.0, 0.0, 0.0, 1.0;
    switch (last) {
      case CableCoordinate::l:
        q[1] = l, v[1] = l_rate, a[1] = l_second;
        break;
      case CableCoordinate::u:
        q[1] = l - r * phi, v[1] = l_rate - r * phi_rate, a[1] = l_second - r * phi_second;
        jacobian(1, 0) = -r;
        break;
      case CableCoordinate::epsilon:
        // 1 + ε = l/(r φ), differentiated twice.
        q[1] = l / (r * phi) - 1.0;
        v[1] = (l_rate - l * phi_rate / phi) / (r * phi);
        a[1] = (l_second - (2.0 * l_rate * phi_rate + l * phi_second) / phi +
                2.0 * l * phi_rate * phi_rate / (phi * phi)) /
               (r * phi);
        jacobian(1, 0) = -l / (r * phi * phi);
        jacobian(1, 1) = 1.0 / (r * phi);
        break;
    }
  }
};

Cable random_cable(Random& random) {
  Cable c;
  c.r = random.between(0.05, 0.4);
  c.phi = random.between(1.0, 9.0);
  c.l = c.r * c.phi * (1.0 + random.between(-0.05, 0.1));
  c.phi_rate = random.between(-2.0, 2.0);
  c.l_rate = random.between(-1.0, 1.0);
  c.phi_second = random.between(-3.0, 3.0);
  c.l_second = random.between(-3.0, 3.0);
  return c;
}

TEST(Involute, RigidCableDrawsTheInvoluteOfACircle) {
  const double r = 0.4;
  const Joint joint(InvoluteRigid{r});
  for (double phi = 0.1; phi < 8.0; phi += 0.37) {
    JointMotion m;
    const double rate = 1.3;
    move(joint, &phi, &rate, m);
    // The curve r (cos t + t sin t, sin t - t cos t), begun on the y axis instead of the x axis.
    const Vec3 curve(-r * (std::sin(phi) - phi * std::cos(phi)), r * (std::cos(phi) + phi * std::sin(phi)), 0.0);
    EXPECT_LT((m.X.r - curve).norm(), rounding);
    // Speed r φ φ̇ across the cable, which is tangent to the circle.
    const Vec3 along = m.X.E.transpose() * Vec3::UnitX(), tangent_point = m.X.r - r * phi * along;
    EXPECT_NEAR(tangent_point.norm(), r, rounding);
    EXPECT_NEAR(tangent_point.dot(along), 0.0, rounding);
    const Vec3 velocity = m.X.E.transpose() * m.velocity.tail<3>();
    EXPECT_NEAR(velocity.norm(), r * phi * rate, rounding);
    EXPECT_NEAR(velocity.dot(along), 0.0, rounding);
    // Acceleration at constant φ̇; the radius of curvature is the length of the cable.
    const Vec3 w = m.velocity.head<3>(), v = m.velocity.tail<3>();
    const Vec3 acceleration = m.X.E.transpose() * (Vec3(m.bias.tail<3>()) + w.cross(v));
    EXPECT_NEAR(std::pow(velocity.norm(), 3) / velocity.cross(acceleration).norm(), r * phi, 1e-13);
  }
}

// Arc length r φ²/2 by Simpson's rule over the speed, which is linear in φ: exact.
TEST(Involute, ArcLengthIsHalfTheSquareOfTheAngle) {
  const double r = 0.4;
  const Joint joint(InvoluteRigid{r});
  const auto speed = [&](double phi) {
    JointMotion m;
    const double one = 1.0;
    move(joint, &phi, &one, m);
    return m.velocity.tail<3>().norm();
  };
  EXPECT_NEAR(5.0 / 6.0 * (speed(0.0) + 4.0 * speed(2.5) + speed(5.0)), 0.5 * r * 25.0, rounding);
}

// Equations (3.1.18) to (3.1.34) as printed; torques are -e - d, with the step function of (3.1.14): the raw form.
TEST(Involute, PrintedEquations) {
  Random random(7);
  const Vec3 i = Vec3::UnitX(), j = Vec3::UnitY(), k = Vec3::UnitZ(), zero = Vec3::Zero();
  for (int n = 0; n < 50; ++n) {
    Cable c = random_cable(random);
    const double r = c.r, EA = 150.0, muA = 4.0;
    for (const CableCoordinate last : every_variant) {
      c.express(last);
      const double q1 = c.q[0], q2 = c.q[1], v1 = c.v[0], v2 = c.v[1];
      Vec6 S1, S2, bias;
      Vector2d e, d;
      if (last == CableCoordinate::u) {
        S1 = spatial(k, j * (r * q1 + q2)), S2 = spatial(zero, i);
        bias = spatial(zero, j * v1 * (r * v1 + v2));
        e = (q2 > 0.0) * EA * q2 / (r * q1) * Vector2d(0.0, 1.0);
        d = (q2 > 0.0) * muA * (q1 * v2 - v1 * q2) / (r * q1 * q1) * Vector2d(0.0, 1.0);
      } else if (last == CableCoordinate::epsilon) {
        S1 = spatial(k, j * r * q1 * (1.0 + q2) + i * r * q2), S2 = spatial(zero, i * r * q1);
        bias = spatial(zero, j * r * (1.0 + q2) * v1 * v1 + j * r * q1 * v1 * v2 + 2.0 * i * r * v1 * v2);
        e = (q2 > 0.0) * EA * q2 * Vector2d(r * q2, r * q1);
        d = (q2 > 0.0) * muA * v2 * Vector2d(r * q2, r * q1);
      } else {
        S1 = spatial(k, j * q2 - i * r), S2 = spatial(zero, i);
        bias = spatial(zero, j * v1 * v2);
        e = (q2 > r * q1) * EA * (q2 - r * q1) / (r * q1) * Vector2d(-r, 1.0);
        d = (q2 > r * q1) * muA * (q1 * v2 - v1 * q2) / (r * q1 * q1) * Vector2d(-r, 1.0);
      }
      const Joint joint(Involute{r, last, {EA, muA, false, false}, {}});
      JointMotion m;
      move(joint, c.q.data(), c.v.data(), m);
      EXPECT_LT((m.S.col(0) - S1).norm() + (m.S.col(1) - S2).norm(), rounding);
      EXPECT_LT((m.bias - bias).norm(), rounding);
      JointTorque t;
      internal_torque(joint, c.q.data(), c.v.data(), t);
      EXPECT_LT((t.torque.head<2>() + e + d).norm(), 1e-12);
    }
  }
}

TEST(Involute, VariantsAreOneMotion) {
  Random random(8);
  for (int n = 0; n < 100; ++n) {
    Cable c = random_cable(random);
    const CableMaterial material{200.0, random.between(0.0, 10.0), random.chance(0.5), random.chance(0.5)};
    JointMotion reference;
    JointTorque reference_torque;
    Vec6 reference_acceleration;
    for (const CableCoordinate last : {CableCoordinate::l, CableCoordinate::u, CableCoordinate::epsilon}) {
      c.express(last);
      const Joint joint(Involute{c.r, last, material, {}});
      JointMotion m;
      JointTorque t;
      move(joint, c.q.data(), c.v.data(), m);
      internal_torque(joint, c.q.data(), c.v.data(), t);
      const Vec6 acceleration = m.S.leftCols<2>() * c.a + m.bias;
      // On (φ, l): the torques times ∂q/∂(φ, l).
      t.torque.head<2>() = (c.jacobian.transpose() * t.torque.head<2>()).eval();
      if (last == CableCoordinate::l) {
        reference = m, reference_torque = t, reference_acceleration = acceleration;
        continue;
      }
      EXPECT_LT((m.X.matrix() - reference.X.matrix()).norm(), rounding);
      EXPECT_LT((m.velocity - reference.velocity).norm(), rounding);
      EXPECT_LT((acceleration - reference_acceleration).norm(), 10.0 * rounding);
      EXPECT_LT((t.torque - reference_torque.torque).norm(), 1e-12);
      EXPECT_NEAR(t.energy, reference_torque.energy, 1e-12);
      EXPECT_NEAR(t.dissipated, reference_torque.dissipated, 1e-11);
      EXPECT_NEAR(t.supplied, reference_torque.supplied, 1e-11);
    }
  }
}

// A revolute joint (angle φ), a frame beside its successor, and a prismatic joint (position l).
TEST(Involute, LengthVariantIsARevoluteAndAPrismaticJoint) {
  Random random(9);
  for (int n = 0; n < 100; ++n) {
    Cable c = random_cable(random);
    c.express(CableCoordinate::l);
    const Joint joint(Involute{c.r, CableCoordinate::l, {}, {}});
    const Joint turns(Revolute{2});
    const Transform between{Mat3::Identity(), Vec3(0.0, c.r, 0.0)};
    const Joint slides(Prismatic{0});
    JointMotion whole, first, second;
    move(joint, c.q.data(), c.v.data(), whole);
    move(turns, &c.q[0], &c.v[0], first);
    move(slides, &c.q[1], &c.v[1], second);
    // Velocity and acceleration through the tree (1.2.13 to 1.2.16) with the first predecessor at rest.
    const Transform on = second.X * between;
    const Vec6 v = on.motion(first.velocity) + second.velocity;
    const Vec6 a = on.motion(first.S.col(0) * c.a[0] + first.bias) + second.S.col(0) * c.a[1] + second.bias +
                   cross_motion(v, second.velocity);
    const Vec6 a_whole = whole.S.leftCols<2>() * c.a + whole.bias;
    EXPECT_LT(((on * first.X).matrix() - whole.X.matrix()).norm(), 4e-15);
    EXPECT_LT((v - whole.velocity).norm(), 4e-15);
    EXPECT_LT((a - a_whole).norm(), 4e-15);
  }
}

// A mass point at the end of a cable on a pulley that is held. Newton: m r̈ = m g - F along the cable. What remains of
// the pulley is its radius, so Lieskovský's torques are those of a cable that pulls along itself.
TEST(Involute, MassOnAWoundCableObeysNewton) {
  Random random(10);
  for (int n = 0; n < 100; ++n) {
    Cable c = random_cable(random);
    const double mass = 0.3, EA = 200.0, muA = 2.0;
    const Vec3 gravity(1.0, -9.81, 0.0);
    for (const CableCoordinate last : every_variant) {
      c.express(last);
      const Joint joint(Involute{c.r, last, {EA, muA, true, false}, {}});
      JointMotion m;
      JointTorque t;
      move(joint, c.q.data(), c.v.data(), m);
      internal_torque(joint, c.q.data(), c.v.data(), t);
      const Inertia body = rigid_inertia(mass, Vec3::Zero(), Mat3::Zero());
      const auto S = m.S.leftCols<2>();
      const Vec6 pull = body * spatial(Vec3::Zero(), m.X.E * gravity);
      const Vec6 bias = body * m.bias + cross_force(m.velocity, body * m.velocity);
      const Matrix2d M = S.transpose() * body.matrix() * S;
      const Vector2d v_rate = M.inverse() * (t.torque.head<2>() + S.transpose() * (pull - bias));
      const Vec6 a = S * v_rate + m.bias;
      const Vec3 w = m.velocity.head<3>(), v = m.velocity.tail<3>();
      const Vec3 acceleration = m.X.E.transpose() * (Vec3(a.tail<3>()) + w.cross(v));
      // From the mass's position and velocity alone: length, angle and their rates by the geometry of the tangent.
      const Vec3 r = m.X.r, r_rate = m.X.E.transpose() * v;
      const double l = std::sqrt(r.squaredNorm() - c.r * c.r), l_rate = r.dot(r_rate) / l;
      const double turn = (r[0] * r_rate[1] - r[1] * r_rate[0]) / r.squaredNorm();
      const double phi_rate = turn + c.r * l_rate / r.squaredNorm();
      const double l0 = c.r * c.phi, strain = (l - l0) / l0;
      const double strain_rate = (l_rate - c.r * phi_rate * (1.0 + strain)) / l0;
      const double tension = strain > 0.0 ? std::max(0.0, EA * strain + muA * strain_rate) : 0.0;
      const double angle = std::atan2(r[1], r[0]) - std::atan2(c.r, l);
      const Vec3 along(std::cos(angle), std::sin(angle), 0.0);
      EXPECT_LT((acceleration - gravity + tension / mass * along).norm(), 1e-9 * (1.0 + tension / mass));
    }
  }
}

TEST(Involute, ACableNeverPushesUnlessTheRawFormIsAsked) {
  Random random(11);
  int pushes = 0, slack = 0, damped_slack = 0;
  for (int n = 0; n < 2000; ++n) {
    Cable c = random_cable(random);
    c.express(CableCoordinate::epsilon);
    CableStatus clipped, raw;
    cable_status(Joint(Involute{c.r, CableCoordinate::epsilon, {150.0, 10.0, true, false}, {}}), c.q.data(), c.v.data(),
                 clipped);
    cable_status(Joint(Involute{c.r, CableCoordinate::epsilon, {150.0, 10.0, false, false}, {}}), c.q.data(),
                 c.v.data(), raw);
    EXPECT_GE(clipped.tension, 0.0);
    EXPECT_EQ(clipped.slack, clipped.tension == 0.0);
    EXPECT_EQ(clipped.slack, !(clipped.switch_value > 0.0));
    EXPECT_EQ(raw.slack, !(c.strain() > 0.0));
    EXPECT_TRUE(clipped.slack || clipped.tension == raw.tension);
    pushes += raw.tension < 0.0;
    slack += raw.slack;
    damped_slack += clipped.slack && !raw.slack;
  }
  EXPECT_GT(pushes, 50);
  EXPECT_GT(slack, 50);
  EXPECT_EQ(damped_slack, pushes);
}

TEST(Involute, EndsOfTheRangeAreReportedAndFinite) {
  const WindingRange range{1.0, 20.0};
  const double rest[2] = {0.0, 0.0};
  const auto status = [&](const Joint& joint, double phi, double last) {
    const double q[2] = {phi, last};
    CableStatus s;
    EXPECT_TRUE(cable_status(joint, q, rest, s));
    JointTorque t;
    internal_torque(joint, q, rest, t);
    EXPECT_TRUE(t.torque.allFinite() && std::isfinite(t.energy));
    JointTorqueSlopes slopes;
    internal_torque_slopes(joint, q, rest, slopes);
    EXPECT_TRUE(slopes.by_q.allFinite() && slopes.by_v.allFinite());
    return s;
  };
  for (const CableCoordinate last : every_variant) {
    const Joint joint(Involute{0.1, last, {100.0, 1.0, true, false}, range});
    const double taut = last == CableCoordinate::l ? 0.52 : 0.02;
    const CableStatus fine = status(joint, 5.0, taut);
    EXPECT_FALSE(fine.slack || fine.no_free_length || fine.at_pulley || fine.overlaps || fine.off_pulley);
    EXPECT_NEAR(fine.free_length, 0.5, 1e-15);
    EXPECT_NEAR(fine.strain, last == CableCoordinate::epsilon ? 0.02 : 0.04, 1e-15);
    EXPECT_NEAR(fine.tension, 100.0 * fine.strain, 1e-13);
    EXPECT_TRUE(status(joint, 0.9, taut).overlaps);
    EXPECT_TRUE(status(joint, 20.1, taut).off_pulley);
    EXPECT_TRUE(status(joint, 0.0, taut).no_free_length);
    EXPECT_TRUE(status(joint, -0.1, taut).no_free_length);
    EXPECT_TRUE(status(joint, 5.0, last == CableCoordinate::l ? 0.0 : -1.0).at_pulley);
    EXPECT_TRUE(status(joint, 5.0, last == CableCoordinate::l ? 0.4 : -0.01).slack);
  }
  const Joint rigid(InvoluteRigid{0.1, range});
  EXPECT_FALSE(status(rigid, 5.0, 0.0).no_free_length);
  EXPECT_TRUE(status(rigid, 0.0, 0.0).no_free_length);
  EXPECT_TRUE(status(rigid, 0.5, 0.0).overlaps);
  CableStatus none;
  EXPECT_FALSE(cable_status(Joint(Revolute{}), rest, rest, none));
}

}  // namespace
}  // namespace taut::testing
