// An outside check of machines with loops: accelerations and motions in Simbody, whose joints, recursion, constraints
// and integrator are its own. Compiled where Simbody is present (peers.cmake).
//
// Simbody needs inertia at the tips of its tree, so the bodies without mass get a little, in both programs.
#ifdef TAUT_HAVE_SIMBODY

#include "tests/formulation/multibody/machines.h"

#include <gtest/gtest.h>

#include "bench/peers/simbody_machine.h"
#include "taut/formulation/multibody/from_model.h"
#include "taut/generators/generators.h"

namespace taut::testing {
namespace {

using namespace multibody;

// A frame in which nothing is along an axis of the world.
Transform askew() {
  Random random(7);
  return {random_turn(random), Vec3(0.3, -0.2, 0.5)};
}

// Four bars in a plane that stands askew; the closing pin makes three of its five rows redundant.
Machine four_bar() {
  Machine m = FourBar{}.build(0.8, Revolute{2}, askew());
  m.joints[0].velocity = {3.0};
  m.joints[0].velocity_given = true;
  m.joints[1].joint.passive.damping[0] = 0.4;
  m.joints[2].joint.passive.stiffness[0] = 5.0;
  return m;
}

// A slider-crank in space: the crank's axis and the slider's way are askew, the rod hangs on a universal joint and ends
// in a ball. The first body of the rod's joint is the rod, so that the tree passes it backwards.
Machine spatial_slider_crank() {
  Machine m;
  m.gravity = Vec3(1.0, -2.0, -9.0);
  const int crank = add_rod(m, "crank", 1.0, 0.3), slider = add_body(m, "slider", 0.8, Vec3(0.02, 0.0, 0.01)),
            rod = add_body(m, "rod", 2.0, Vec3(0.5, 0.02, -0.03), Vec3(0.02, 0.2, 0.19).asDiagonal());
  m.bodies[slider].inertia = Vec3(0.01, 0.02, 0.015).asDiagonal();
  Random random(11);
  add_joint(m, "axle", Revolute{2}, ground, {random_turn(random), Vec3(0.1, 0.2, -0.1)}, crank).start = {0.4};
  m.joints.back().velocity = {4.0};
  m.joints.back().velocity_given = true;
  add_joint(m, "way", Prismatic{1}, slider, {}, ground, {random_turn(random), Vec3(0.9, 0.3, 0.2)}).guess = {0.0};
  m.joints.back().joint.passive.stiffness[0] = 50.0;
  add_joint(m, "cardan", Universal{}, rod, {random_turn(random), Vec3(1.0, 0.0, 0.0)}, crank, at(0.3, 0.0, 0.0));
  m.joints.back().guess = {0.3, -0.4};
  add_joint(m, "ball", Spherical{}, slider, at(0.0, 0.01, 0.0), rod).role = Role::loop;
  return m;
}

// Every other joint of the tree and of loops: four bodies and a welded one that fly, tumble and hinge, tied to the
// ground by a universal joint, a slide and a rod without mass.
Machine tied_swarm() {
  Random random(5);
  WorldBuilder b;
  b.m.gravity = Vec3(3.0, -2.0, -9.0);
  const auto frame = [&] {
    return at(Vec3(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)),
              random_turn(random));
  };
  const auto body = [&](const char* name) { return b.body(name, frame(), 1.5, Vec3(0.2, 0.3, 0.25)); };
  const int flying = body("flying"), tumbling = body("tumbling"), hinged = body("hinged"), sliding = body("sliding"),
            welded = body("welded");
  const Eigen::Quaterniond turn(random_turn(random)), other(random_turn(random));
  b.join("free", Floating{}, ground, flying, frame(), {turn.w(), turn.x(), turn.y(), turn.z(), 0.3, 0.2, -0.4})
      .velocity = {1.0, -2.0, 0.5, 0.3, 0.7, -0.6};
  b.join("ball", Spherical{}, flying, tumbling, frame(), {other.w(), other.x(), other.y(), other.z()}).velocity = {
      0.4, 1.2, -0.8};
  b.join("hinge", Revolute{0}, hinged, tumbling, frame(), {0.7}).velocity = {1.5};
  b.join("ball2", Spherical{}, sliding, hinged, frame(), {turn.w(), turn.x(), turn.y(), turn.z()});
  b.join("weld", Fixed{}, sliding, welded, frame());
  b.join("cardan", Universal{}, ground, hinged, frame(), {0.6, -0.5}).role = Role::loop;
  b.join("slide", Prismatic{2}, ground, welded, frame(), {0.2}).role = Role::loop;
  const Vec3 on_flying(0.1, 0.2, 0.3), on_ground(0.5, 0.0, 1.0);
  const int a = add_point(b.m, flying, on_flying), g = add_point(b.m, ground, on_ground);
  b.m.distances.push_back({"rod", a, g, (b.poses[flying].point_back(on_flying) - on_ground).norm()});
  return b.m;
}

Machine machine(const char* kind, const Parameters& parameters) {
  return bench::with_small_masses(machine_of(generate(*find_generator(kind), parameters).model).machine);
}

// A strut that leans over, its first cable wound up harder than the others.
Machine single_strut() {
  Machine m = machine("single_strut", {{"torque_1", 0.6}, {"torque_2", 0.55}, {"torque_3", 0.55}, {"viscosity", 1e6}});
  for (Connection& c : m.joints)
    if (c.name == "universalJt") c.velocity = {0.16, -0.12}, c.velocity_given = true;
  return m;
}

// Struts that turn; everything else follows as the loops let it.
Machine manipulator() {
  Machine m = machine("tensegrity_manipulator", {});
  for (Connection& c : m.joints)
    if (c.name.ends_with("strutJt")) c.velocity = {0.1}, c.velocity_given = true;
  return m;
}

// A cable that goes slack would cost a fixed step its order.
bool all_taut(const Moving& moving) {
  CableStatus status;
  for (std::size_t i = 0; i < moving.system.tree.links.size(); ++i) {
    const Link& link = moving.system.tree.links[i];
    if (cable_status(moving.system.tree.joints[i], moving.q.data() + link.q, moving.v.data() + link.v, status) &&
        status.slack)
      return false;
  }
  return true;
}

// The largest of each over the bodies.
struct Largest {
  double place = 0.0, axes = 0.0, velocity = 0.0, acceleration = 0.0;
};
Largest largest(const std::vector<bench::BodyMotion>& a, const std::vector<bench::BodyMotion>& b) {
  Largest most;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most.place = std::max(most.place, (a[i].position - b[i].position).norm());
    most.axes = std::max(most.axes, (a[i].axes - b[i].axes).norm());
    for (const Vec3& v : {Vec3(a[i].velocity - b[i].velocity), Vec3(a[i].turn - b[i].turn)})
      most.velocity = std::max(most.velocity, v.norm());
    for (const Vec3& v : {Vec3(a[i].acceleration - b[i].acceleration), Vec3(a[i].turn_rate - b[i].turn_rate)})
      most.acceleration = std::max(most.acceleration, v.norm());
  }
  return most;
}
Largest largest(const std::vector<bench::BodyMotion>& a) {
  std::vector<bench::BodyMotion> none(a.size());
  for (bench::BodyMotion& m : none) m.axes.setZero(), m.position = m.turn = m.velocity = Vec3::Zero();
  return largest(a, none);
}

struct Case {
  std::string name;
  Machine (*build)();
  int degrees_of_freedom, redundant;
  double duration;  // s
  int steps;        // of taut's
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

class PeersMachines : public ::testing::TestWithParam<Case> {};

// Every body's linear and angular acceleration at the start, at speed.
TEST_P(PeersMachines, SimbodyHasTheSameAccelerations) {
  Moving ours(GetParam().build());
  const bench::SimbodyMachine theirs(bench::plan_of(ours.system));
  EXPECT_EQ(ours.system.degrees_of_freedom, GetParam().degrees_of_freedom);
  EXPECT_EQ(ours.system.redundant, GetParam().redundant);
  EXPECT_EQ(theirs.constraints(), ours.system.loops.rows);
  EXPECT_LT(theirs.loop_error(), 1e-13);
  ours.accelerate();
  const std::vector<bench::BodyMotion> a = bench::body_motions(ours.system, ours.terms), b = theirs.start();
  const Largest apart = largest(a, b), size = largest(a);
  EXPECT_LT(apart.place, 1e-14);
  EXPECT_LT(apart.axes, 1e-14);
  EXPECT_GT(size.velocity, 0.1);
  EXPECT_LT(apart.velocity, 1e-13 * size.velocity);
  EXPECT_GT(size.acceleration, 1.0);
  EXPECT_LT(apart.acceleration, 1e-11 * size.acceleration);
}

// The whole motion, by integrators and stabilisations of their own; and the bodies move by far more.
TEST_P(PeersMachines, SimbodyMovesAlike) {
  Moving ours(GetParam().build());
  const bench::SimbodyMachine theirs(bench::plan_of(ours.system));
  const auto now = [&] {
    ours.accelerate();
    return bench::body_motions(ours.system, ours.terms);
  };
  const std::vector<bench::BodyMotion> start = now();
  for (int i = 0; i < 10; ++i) {
    ours.advance(GetParam().duration / GetParam().steps, GetParam().steps / 10);
    EXPECT_TRUE(all_taut(ours));
  }
  const std::vector<bench::BodyMotion> end = now();
  const Largest apart = largest(end, theirs.run(GetParam().duration, 1e-10)), moved = largest(end, start);
  EXPECT_GT(moved.place, 0.02);
  EXPECT_GT(moved.axes, 0.2);
  EXPECT_LT(apart.place, 1e-9);
  EXPECT_LT(apart.axes, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Loops, PeersMachines,
                         ::testing::Values(Case{"FourBar", four_bar, 1, 3, 0.5, 2500},
                                           Case{"SpatialSliderCrank", spatial_slider_crank, 1, 0, 0.5, 2500},
                                           Case{"TiedSwarm", tied_swarm, 3, 0, 0.5, 2500},
                                           Case{"SingleStrut", single_strut, 5, 0, 0.5, 2500},
                                           Case{"Manipulator", manipulator, 12, 0, 0.05, 1000}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace taut::testing

#endif
