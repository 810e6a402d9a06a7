// Machines with faults: each is named, with what it is about.
#include <gtest/gtest.h>

#include "tests/formulation/multibody/machines.h"
#include "tests/support/complaint.h"

namespace taut::testing {
namespace {

using namespace multibody;

// What the machine is refused with; empty: it is not.
std::string refusal(const Machine& m) {
  return complaint([&] { const System system(m); });
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(MultibodyInput, JointsMustJoinTwoBodies) {
  Machine m = FourBar{}.build(0.5);
  m.joints[3].successor = m.joints[3].predecessor;
  EXPECT_HAS(refusal(m), "joint \"C\": joins \"coupler\" with itself");
  m = FourBar{}.build(0.5);
  m.joints[3].successor = 7;
  EXPECT_HAS(refusal(m), "joint \"C\": there is no body number 7");
  m.joints[3].successor = 2;
  m.joints[0].at_predecessor.E *= 2.0;
  EXPECT_HAS(refusal(m), "joint \"A\": its frame on ground is not right-handed with unit axes");
}

TEST(MultibodyInput, NoBodyHasTwoParents) {
  Machine m = FourBar{}.build(0.5);
  for (Connection& c : m.joints) c.role = Role::tree;
  EXPECT_HAS(refusal(m), "joint \"C\": would give \"rocker\" two parents");
}

TEST(MultibodyInput, ALoopJointMustCloseALoop) {
  Machine m = FourBar{}.build(0.5);
  m.joints[1].role = Role::loop;  // besides C: nothing holds the rocker
  EXPECT_HAS(refusal(m), "joint \"D\": is to close a loop, but without it nothing connects");
}

TEST(MultibodyInput, BodiesThatNothingHoldsFloat) {
  Machine m;
  add_body(m, "free", 1.0, Vec3::Zero(), Mat3::Identity());
  const int a = add_body(m, "pair", 1.0, Vec3::Zero(), Mat3::Identity()),
            b = add_body(m, "other", 1.0, Vec3::Zero(), Mat3::Identity());
  add_joint(m, "hinge", Revolute{2}, b, {}, a);  // reached from its successor
  const System s(m);
  EXPECT_EQ(s.topology.floating, 2);
  EXPECT_EQ(s.degrees_of_freedom, 13);
  EXPECT_EQ(describe(s.machine, s.topology), R"(Spanning tree:
ground
  free, joint free.floating (floating)
  pair, joint pair.floating (floating)
    other, joint hinge (revolute, reversed)
)");
}

TEST(MultibodyInput, LoopsThatCannotCloseSayHowFarTheyAreApart) {
  // Bars that do not reach: 0.3 + 0.2 + 0.1 against 0.8.
  EXPECT_HAS(refusal(FourBar{0.3, 0.2, 0.1, 0.8}.build(0.0)),
             "joint \"C\": the loop cannot be closed at the start: its ends stay 0.2 m and 0 rad apart");
  // A crooked hinge.
  Machine m = FourBar{}.build(0.5);
  m.joints[3].at_successor.E = turn_about(0, std::sin(0.1), std::cos(0.1));
  EXPECT_HAS(refusal(m), "joint \"C\": the loop cannot be closed at the start: its ends stay 0 m and 0.1 rad apart");
  // Everything given, and off by a centimetre.
  m = FourBar{}.build(0.5);
  const System closed(m);
  for (std::size_t i = 0; i < 3; ++i) {
    const Link& link = closed.tree.links[i];
    m.joints[link.joint].start = {closed.q[link.q]};
  }
  EXPECT_EQ(refusal(m), "");
  m.joints[3].at_predecessor.r[0] += 0.01;
  EXPECT_HAS(refusal(m), "its ends stay 0.01 m and 0 rad apart");
}

// From guesses on the wrong side, far away, or none at all.
TEST(MultibodyInput, LoopsAreClosedFromPoorGuesses) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    Machine m = seed % 2 ? FourBar{}.build(random.between(-3.0, 3.0)) : CrankSlider{}.build(random.between(-3.0, 3.0));
    for (Connection& c : m.joints)
      if (c.guess) c.guess = {random.between(-3.0, 3.0)};
    if (seed % 5 == 0) m.joints[1].guess.reset();
    Moving s(m);
    s.place();
    EXPECT_LT(s.loop_values().cwiseAbs().maxCoeff(), 1e-13) << seed;
    EXPECT_EQ(s.q[0], (*m.joints[0].start)[0]) << seed;  // what was given stays
  }
}

TEST(MultibodyInput, CablesMustReachTheirEnd) {
  SingleStrut machine;
  Machine m = machine.build();
  auto& range = std::get<Involute>(m.joints[3].joint.kind).range;
  const double phi = (*m.joints[3].start)[0];
  ASSERT_EQ(m.joints[3].name, "B1-involuteJt");
  range.most = phi - 0.1;
  EXPECT_HAS(refusal(m), "joint \"B1-involuteJt\": the cable is shorter than its tangent: 1.34421 m of it");
  range.most = phi + 0.1;
  EXPECT_EQ(refusal(m), "");
  range.least = phi + 0.05;
  EXPECT_HAS(refusal(m), "wound past a full turn");
  // A loop that only a negative length closes.
  m = machine.build();
  (*m.joints[3].start)[0] = -1.0;
  EXPECT_NE(refusal(m), "");
}

TEST(MultibodyInput, WhatMovesNothingIsNamed) {
  // A body without inertia about its free axis.
  Machine m;
  const int body = add_body(m, "needle", 1.0, Vec3(0.5, 0.0, 0.0), Vec3(0.0, 0.1, 0.1).asDiagonal());
  add_joint(m, "pin", Revolute{0}, ground, {}, body);
  EXPECT_HAS(refusal(m), "joint \"pin\": its angle_rate is not determined: body \"needle\" and all that it carries");
  m.joints[0].joint = Joint(Spherical{});
  EXPECT_HAS(refusal(m), "joint \"pin\": its wx is not determined");
  m.joints[0].joint = Joint(Revolute{1});
  EXPECT_EQ(refusal(m), "");
  // A massless body at the end; in between it does no harm.
  const int dummy = add_body(m, "dummy", 0.0);
  add_joint(m, "hook", Revolute{2}, body, at(1.0, 0.0, 0.0), dummy);
  EXPECT_HAS(refusal(m), "joint \"hook\": its angle_rate is not determined: body \"dummy\"");
  const int load = add_body(m, "load", 2.0, Vec3(0.1, 0.0, 0.0));
  add_joint(m, "eye", Revolute{1}, dummy, {}, load);
  EXPECT_EQ(refusal(m), "");
  // In a loop: a cable whose end is held by nothing along its length.
  Machine strut = SingleStrut{}.build();
  std::erase_if(strut.joints, [](const Connection& c) { return c.name == "B2-loopJt"; });
  EXPECT_HAS(refusal(strut), "joint \"B2-involuteJt\"");
  // No mass at all.
  for (RigidBody& b : strut.bodies) b.mass = 0.0, b.inertia.setZero();
  EXPECT_HAS(refusal(strut), "no mass");
}

TEST(MultibodyInput, ImpossibleBodiesAndNumbersAreNamed) {
  Machine m = FourBar{}.build(0.5);
  m.bodies[0].mass = -1.0;
  m.bodies[1].inertia = Vec3(1.0, 1.0, 3.0).asDiagonal();
  m.bodies[2].centre[1] = NAN;
  const std::string text = refusal(m);
  EXPECT_HAS(text, "body \"crank\": mass -1 kg");
  EXPECT_HAS(text, "body \"coupler\": principal moments of inertia 1, 1, 3 kg m²; no body has these");
  EXPECT_HAS(text, "body \"rocker\": the centre of mass is not finite");
}

TEST(MultibodyInput, ContradictionsAreNamed) {
  // Two imposed joints in a loop that leaves one freedom.
  const auto turning = [](double start, double rate) {
    return
        [start, rate](double t, double* q, double* v, double* a) { q[0] = start + rate * t, v[0] = rate, a[0] = 0.0; };
  };
  Machine m = FourBar{}.build(0.5);
  const System closed(m);
  for (Connection& c : m.joints) c.start.reset();
  m.joints[0].motion = turning(closed.q[0], 1.0);
  m.joints[1].motion = turning(closed.q[closed.tree.links[2].q], 1.0);
  EXPECT_HAS(refusal(m), "contradicts the other loops and the imposed motions: their velocities");
  // The same velocities, but not the same accelerations.
  const Machine still = m;
  m.joints[0].motion = turning(closed.q[0], 0.0);
  m.joints[1].motion = [q0 = closed.q[closed.tree.links[2].q]](double, double* q, double* v, double* a) {
    q[0] = q0, v[0] = 0.0, a[0] = 1.0;
  };
  EXPECT_HAS(refusal(m), "their accelerations");
  // Velocities of all joints of the tree are given: nothing is left to follow.
  m = FourBar{}.build(0.5);
  for (int i = 0; i < 3; ++i) m.joints[i].velocity_given = true;
  EXPECT_EQ(refusal(m), "");
  m.joints[0].velocity = {1.0};
  EXPECT_HAS(refusal(m), "the velocities that joints are given do not fit each other");
  // A loop of imposed joints alone.
  m = FourBar{}.build(0.5);
  for (Connection& c : m.joints) {
    c.role = Role::any;
    c.start.reset();
    c.motion = turning(0.0, 1.0);
  }
  EXPECT_HAS(refusal(m), "closes a loop in which all motions are imposed");
}

}  // namespace
}  // namespace taut::testing
