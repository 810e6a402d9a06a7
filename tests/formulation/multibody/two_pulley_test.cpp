// A cable between two pulleys: tangents of two circles in closed form, the same joint composed of others, seen from its
// other end, as a belt between fixed centres; and energy over motions of pulleys and cables that go slack and come
// back.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/formulation/multibody/specimens.h"

namespace taut::testing {
namespace {

using namespace multibody;
using Eigen::VectorXd;

constexpr double rounding = 1e-14;

PulleyPair random_pair(Random& random) {
  PulleyPair pair;
  pair.first = random.between(0.1, 0.5);
  pair.second = random.between(0.1, 0.5);
  pair.crossed = random.chance(0.5);
  return pair;
}

TEST(TwoPulley, LengthIsThatOfTheTangentOfTwoCircles) {
  Random random(1);
  for (int n = 0; n < 100; ++n) {
    const PulleyPair pair = random_pair(random);
    const double q[3] = {random.between(1.0, 9.0), random.between(1.0, 9.0), random.between(0.2, 2.0)};
    const Joint joint(TwoPulley{pair, CableCoordinate::l, {}});
    const double distance = transform(joint, q).r.norm();
    const double offset = pair.crossed ? pair.first + pair.second : pair.first - pair.second;
    EXPECT_NEAR(std::sqrt(distance * distance - offset * offset), q[2], 1e-13);
    // The cable touches both circles: its line has the distances r₁ and r₂ from the centres, on the sides that it
    // should.
    const Vec3 along(std::cos(q[0]), std::sin(q[0]), 0.0), across(-along[1], along[0], 0.0);
    const Vec3 first = pair.first * across, second = first + q[2] * along;
    const Vec3 arm = second - transform(joint, q).r;
    EXPECT_LT((arm - (pair.crossed ? -pair.second : pair.second) * across).norm(), rounding);
  }
}

// An involute joint, the way to the second centre, and a revolute joint that turns by σ φ₂.
TEST(TwoPulley, IsAnInvoluteAndARevoluteJoint) {
  Random random(2);
  for (int n = 0; n < 100; ++n) {
    const PulleyPair pair = random_pair(random);
    for (const CableCoordinate last : {CableCoordinate::u, CableCoordinate::epsilon, CableCoordinate::l}) {
      const Joint joint(TwoPulley{pair, last, {}});
      const JointState s = random_state(joint, random);
      const Eigen::Vector3d a = random.vector(2.0);
      JointMotion whole, end, turn;
      move(joint, s.q.data(), s.v.data(), whole);
      // The involute joint in (φ₁, l): the length and its rates.
      const CableLength length = cable_length(joint, s.q.data(), s.v.data());
      const Eigen::Vector3d l_q = Eigen::Vector3d::Map(length.by.data()), v = Eigen::Vector3d::Map(s.v.data());
      const double q_end[2] = {s.q[0], length.value}, v_end[2] = {v[0], l_q.dot(v)};
      const Eigen::Vector2d a_end(a[0], l_q.dot(a) + length.drift);
      move(Joint(Involute{pair.first, CableCoordinate::l, {}, {}}), q_end, v_end, end);
      const double sigma = pair.crossed ? -1.0 : 1.0, angle = sigma * s.q[1], rate = sigma * v[1];
      move(Joint(Revolute{2}), &angle, &rate, turn);
      const Transform on = turn.X * Transform{Mat3::Identity(), Vec3(0.0, -sigma * pair.second, 0.0)};
      const Vec6 velocity = on.motion(end.velocity) + turn.velocity;
      const Vec6 acceleration = on.motion(end.S.leftCols<2>() * a_end + end.bias) + sigma * a[1] * turn.S.col(0) +
                                cross_motion(velocity, turn.velocity);
      EXPECT_LT(((on * end.X).matrix() - whole.X.matrix()).norm(), rounding);
      EXPECT_LT((velocity - whole.velocity).norm(), rounding);
      EXPECT_LT((acceleration - whole.S.leftCols<3>() * a - whole.bias).norm(), 10.0 * rounding);
    }
  }
}

// Seen from the second pulley it is the same joint with the pulleys exchanged: turned half about z if crossed, about y
// if open (the cable then runs the other way).
TEST(TwoPulley, HasNoFirstAndSecond) {
  Random random(3);
  for (int n = 0; n < 100; ++n) {
    const PulleyPair pair = random_pair(random);
    PulleyPair swapped = pair;
    std::swap(swapped.first, swapped.second);
    const double q[3] = {random.between(1.0, 9.0), random.between(1.0, 9.0), 0.03}, back[3] = {q[1], q[0], q[2]};
    const Vec3 signs = pair.crossed ? Vec3(-1.0, -1.0, 1.0) : Vec3(-1.0, 1.0, -1.0);
    const Transform half{signs.asDiagonal(), Vec3::Zero()};
    for (const CableCoordinate last : {CableCoordinate::u, CableCoordinate::epsilon}) {
      const Transform there = transform(Joint(TwoPulley{pair, last, {}}), q);
      const Transform here = half * transform(Joint(TwoPulley{swapped, last, {}}), back) * half;
      EXPECT_LT((there.inverse().matrix() - here.matrix()).norm(), 10.0 * rounding);
    }
  }
}

// Two pulleys on fixed centres, a rigid cable between them: r₁ ω₁ = ±r₂ ω₂, same sense if open, opposite if crossed.
TEST(TwoPulley, BeltBetweenFixedCentres) {
  Random random(4);
  for (int n = 0; n < 50; ++n) {
    const PulleyPair pair = random_pair(random);
    const Joint joint(TwoPulleyRigid{pair});
    const double q[2] = {random.between(1.0, 9.0), random.between(1.0, 9.0)};
    const double first_speed = random.between(-2.0, 2.0);
    const double second_speed = (pair.crossed ? -1.0 : 1.0) * first_speed * pair.first / pair.second;
    // In the frame of the first pulley the second centre circles at -ω₁ and its pulley turns at ω₂ - ω₁.
    const Transform X = transform(joint, q);
    const Vec3 turn(0.0, 0.0, second_speed - first_speed), circle(0.0, 0.0, -first_speed);
    const Vec6 expected = spatial(X.E * turn, X.E * circle.cross(X.r));
    // The joint can do this, and it does it by T_aᵀ v_J.
    Mat6 T;
    constraint_forces(joint, q, T);
    EXPECT_LT((T.leftCols<4>().transpose() * expected).norm(), 1e-13);  // 10 rad/s times 9 m, rounded
    active_forces(joint, q, T);
    const Eigen::Vector2d v = T.leftCols<2>().transpose() * expected;
    EXPECT_NEAR(v[0], -first_speed, 1e-13);
    EXPECT_NEAR(pair.first * v[0] + pair.second * v[1], 0.0, 1e-13);
    JointMotion m;
    move(joint, q, v.data(), m);
    EXPECT_LT((m.velocity - expected).norm(), 1e-13);
  }
}

TEST(TwoPulley, EndsOfTheRangeAreReportedAndFinite) {
  const PulleyPair pair{0.1, 0.2, false, 0.05, {1.0, 9.0}, {2.0, 8.0}};
  const double rest[3] = {};
  for (const bool rigid : {false, true}) {
    const Joint joint(rigid ? JointKind(TwoPulleyRigid{pair})
                            : JointKind(TwoPulley{pair, CableCoordinate::u, {100.0, 1.0, true, false}}));
    const auto status = [&](double phi1, double phi2) {
      const double q[3] = {phi1, phi2, 0.01};
      CableStatus s;
      EXPECT_TRUE(cable_status(joint, q, rest, s));
      JointTorque t;
      internal_torque(joint, q, rest, t);
      EXPECT_TRUE(t.torque.allFinite());
      return s;
    };
    const CableStatus fine = status(3.0, 4.0);
    EXPECT_NEAR(fine.free_length, 0.05 + 0.3 + 0.8, 1e-15);
    EXPECT_FALSE(fine.slack || fine.no_free_length || fine.at_pulley || fine.overlaps || fine.off_pulley);
    EXPECT_TRUE(status(0.9, 4.0).overlaps && status(3.0, 1.9).overlaps);
    EXPECT_TRUE(status(9.1, 4.0).off_pulley && status(3.0, 8.1).off_pulley);
    EXPECT_TRUE(status(-8.6, 4.0).no_free_length);
    EXPECT_FALSE(status(-8.4, 4.0).no_free_length);
  }
}

TEST(TwoPulley, FitFailsWithoutACommonTangent) {
  const Joint joint(TwoPulley{{0.3, 0.2, true, 0.0, {}, {}}, CableCoordinate::u, {}});
  double q[3] = {3.0, 3.0, 0.0};
  EXPECT_TRUE(fit(joint, {Mat3::Identity(), Vec3(0.6, 0.0, 0.0)}, q));
  EXPECT_FALSE(fit(joint, {Mat3::Identity(), Vec3(0.4, 0.0, 0.0)}, q));
}

}  // namespace
}  // namespace taut::testing
