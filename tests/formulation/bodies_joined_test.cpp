// Bodies that share nodes, stand on supports, carry bars and cables, lie on the ground: constraints, statics, contact.
#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/dynamics/dynamics.h"
#include "taut/equilibrium/balance.h"
#include "taut/equilibrium/parts.h"
#include "taut/file/write/write_toml.h"
#include "taut/form/relax.h"
#include "taut/model/check/check.h"
#include "taut/report/report.h"
#include "tests/formulation/bodies_support.h"

namespace taut::testing {
namespace {

const Mat3 ball = 0.1 * Mat3::Identity();

struct Count {
  int freedom, redundant;
  bool operator==(const Count&) const = default;
};
void PrintTo(const Count& count, std::ostream* out) {
  *out << count.freedom << ", " << count.redundant << " redundant";
}

Count count(const Model& model) {
  const auto nodal = make_formulation("nodal", model);
  return {nodal->facts().degrees_of_freedom, nodal->facts().redundant_constraints};
}

// Two tetrahedra that share their first `shared` nodes.
Model two_bodies(int shared) {
  Model model;
  const std::vector<Vec3> at = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vec3& x : at) add_node(model, x);
  std::vector<int> second;
  for (int i = 0; i < 4; ++i) second.push_back(i < shared ? i : add_node(model, Vec3(-0.5, -0.4, -0.3) - 0.8 * at[i]));
  add_body(model, "first", {0, 1, 2, 3}, 1.0, {0.2, 0.2, 0.2}, ball);
  add_body(model, "second", second, 2.0, {-0.3, -0.3, -0.2}, ball);
  return model;
}

TEST(BodiesJoined, SharedNodesAreJoints) {
  EXPECT_EQ(count(two_bodies(0)), (Count{12, 0}));
  EXPECT_EQ(count(two_bodies(1)), (Count{9, 0}));  // a ball
  EXPECT_EQ(count(two_bodies(2)), (Count{7, 1}));  // a hinge: both keep the distance of its nodes
  EXPECT_EQ(count(two_bodies(3)), (Count{6, 3}));  // one body
  EXPECT_EQ(count(two_bodies(4)), (Count{6, 6}));
  EXPECT_EQ(find_parts(two_bodies(0)).count, 2);
  EXPECT_EQ(find_parts(two_bodies(1)).count, 1);
}

TEST(BodiesJoined, Supports) {
  Model model = two_bodies(0);
  model.nodes[0].fixed = all_fixed;
  EXPECT_EQ(count(model), (Count{9, 0}));
  model.nodes[1].fixed = all_fixed;
  EXPECT_EQ(count(model), (Count{7, 0}));
  model.nodes[2].fixed = all_fixed;
  EXPECT_EQ(count(model), (Count{6, 0}));  // clamped
  model.nodes[3].fixed = all_fixed;
  EXPECT_EQ(count(model), (Count{6, 0}));
  for (int i = 4; i < 8; ++i) model.nodes[i].fixed = {false, false, true};
  EXPECT_EQ(count(model), (Count{3, 0}));  // slides and turns on a table
}

// Bars inside a body, a truss on it, constraints that it keeps anyway: redundant, counted, and without effect.
TEST(BodiesJoined, RedundantBarsAndConstraints) {
  Scenario s = empty_scenario(1.0, 0.25);
  s.model = two_bodies(1);
  s.model.gravity = {0, 0, -9.81};
  const int middle = add_node(s.model, {0.5, 0.5, 0.0});
  s.model.bodies[0].nodes.push_back(middle);
  move_all(s.model, Vec3::Zero(), {0.1, 0.2, 0.3}, {1, -2, 1});
  EXPECT_EQ(count(s.model), (Count{9, 0}));
  const Motion lean = run(s, "dopri5", 1e-11);
  Scenario full = s;
  add_bar(full.model, 1, 2, 0.0);
  add_bar(full.model, 0, 3, 0.0);
  for (int copy = 0; copy < 2; ++copy)
    full.model.constraints.push_back(
        {"middle" + std::to_string(copy), {{1, 1.0}, {2, 1.0}, {middle, -2.0}}, Vec3::Zero(), {true, true, true}});
  EXPECT_EQ(count(full.model), (Count{9, 2 + 2 * 3}));
  EXPECT_NO_THROW(validate(full.model));
  const Motion motion = run(full, "dopri5", 1e-11);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(motion.summary.max_bar_length_error, 1e-12);
  for (std::size_t i = 0; i < lean.rows.size(); ++i) EXPECT_LT(distance(lean.rows[i], motion.rows[i]), 1e-9);
}

// A mast of three bars on a plate is rigid with it: one more bar is one too many.
TEST(BodiesJoined, BarsThatStiffenABodyJoinIt) {
  Model model;
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}) add_node(model, x);
  const int tip = add_node(model, {0.4, 0.5, 1.0});
  add_body(model, "plate", {0, 1, 2, 3}, 3.0, {0.5, 0.5, 0}, Vec3(0.25, 0.25, 0.5).asDiagonal());
  ASSERT_EQ(model.nodes.size(), 5u);  // flat: three nodes would do
  add_bar(model, 0, tip, 0.2);
  add_bar(model, 1, tip, 0.2);
  EXPECT_EQ(count(model), (Count{7, 0}));
  add_bar(model, 2, tip, 0.2);
  EXPECT_EQ(count(model), (Count{6, 0}));
  add_bar(model, 3, tip, 0.2);
  EXPECT_EQ(count(model), (Count{6, 1}));
}

// A plate hung by three upright cables: each carries a third, supports carry the weight, the plate keeps still.
Model hung_plate() {
  const Scenario s = read_text(R"([environment]
gravity = [0, 0, -10]
[nodes]
a = [0.3, 0, 1]
b = [-0.15, 0.2598076211353316, 1]
c = [-0.15, -0.2598076211353316, 1]
A = { at = [0.3, 0, 2], fixed = true }
B = { at = [-0.15, 0.2598076211353316, 2], fixed = true }
C = { at = [-0.15, -0.2598076211353316, 2], fixed = true }
[[bodies]]
name = "plate"
nodes = ["a", "b", "c"]
shape = "plate"
thickness = 0.003
mass = 3
[[cables]]
paths = [["a", "A"], ["b", "B"], ["c", "C"]]
stiffness = 1000
pretension = 10
)");
  return s.model;
}

TEST(BodiesJoined, HungPlateIsInBalance) {
  const Model model = hung_plate();
  EXPECT_EQ(model.nodes.back().name, "plate.1");
  EXPECT_EQ(find_parts(model).count, 1);
  const Balance balance = start_balance(model);
  EXPECT_LT(balance.imbalance, 1e-12);
  for (double tension : balance.cable_tension) EXPECT_NEAR(tension, 10.0, 1e-12);
  Scenario s;
  s.model = model;
  s.simulation.duration = 0.1;
  const Motion motion = run(s, "cvode", 1e-9);
  EXPECT_LT(distance(motion.rows.front(), motion.last()), 1e-12);
  double held = 0.0;
  for (std::size_t i = 2; i < motion.last().support_forces.size(); i += 3) held += motion.last().support_forces[i];
  EXPECT_NEAR(held, 30.0, 1e-9);
}

// The report draws it as the polygon that it is.
TEST(BodiesJoined, ReportShowsPlates) {
  const ReportStructure structure = describe(hung_plate());
  ASSERT_EQ(structure.plates.size(), 1u);
  EXPECT_EQ(structure.plates[0].name, "plate");
  EXPECT_EQ(structure.plates[0].nodes.size(), 3u);
}

// A group with bars to spare beside a bar that hangs by itself: each bar has its own force.
TEST(BodiesJoined, BalanceGivesEveryBarItsForce) {
  Model model;
  model.gravity = {0, 0, -10};
  add_node(model, {5, 0, 1}, 0.0, all_fixed);
  add_node(model, {5, 0, 0});
  add_bar(model, 0, 1, 2.0);
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}) add_node(model, x, 1.0, all_fixed);
  model.nodes[4].fixed = model.nodes[5].fixed = {true, false, true};
  for (int i = 2; i < 6; ++i)
    for (int j = i + 1; j < 6; ++j) add_bar(model, i, j, 0.0);
  const Balance balance = start_balance(model);
  EXPECT_NEAR(balance.bar_force[0], 10.0, 1e-12);
  for (std::size_t i = 1; i < model.bars.size(); ++i) EXPECT_NEAR(balance.bar_force[i], 0.0, 1e-12);
}

// Out of balance it relaxes to an equilibrium, its body along with it, in which it then rests.
TEST(BodiesJoined, RelaxesWithItsBody) {
  Model model = hung_plate();
  model.cables[0].rest_length *= 0.8;
  model.cables[1].rest_length *= 1.1;
  const RelaxResult result = relax(model);
  ASSERT_TRUE(result.converged) << result.reason;
  EXPECT_TRUE(result.stable);
  EXPECT_GT(result.largest_move, 0.05);
  EXPECT_NO_THROW(validate(result.model));
  // The centre is where the nodes take it: the middle of the corners.
  Vec3 middle = Vec3::Zero();
  for (int i = 0; i < 3; ++i) middle += result.model.nodes[i].position / 3.0;
  EXPECT_LT((result.model.bodies[0].centre - middle).norm(), 1e-12);
  const Vec3 normal = (result.model.nodes[1].position - result.model.nodes[0].position)
                          .cross(result.model.nodes[2].position - result.model.nodes[0].position)
                          .normalized();
  const Mat3 &before = model.bodies[0].inertia, &after = result.model.bodies[0].inertia;
  EXPECT_NEAR(normal.dot(after * normal), before(2, 2), 1e-12);
  EXPECT_NEAR(after.trace(), before.trace(), 1e-12);
  EXPECT_LT(start_balance(result.model).imbalance, 1e-8);
}

// Pulling hard, with damping that is stiff: implicit steps against explicit ones.
TEST(BodiesJoined, ImplicitStepsAgreeWithExplicitOnes) {
  Scenario s;
  s.model = hung_plate();
  for (Cable& cable : s.model.cables) cable.law.stiffness = 4e4, cable.law.damping = 40.0;
  s.model.cables[0].rest_length -= 0.02;
  s.simulation.duration = 0.2;
  s.simulation.output_step = 0.05;
  const Motion one = run(s, "cvode", 1e-10), other = run(s, "dopri5", 1e-11);
  for (std::size_t i = 0; i < one.rows.size(); ++i) EXPECT_LT(distance(one.rows[i], other.rows[i]), 1e-7);
  // Leapfrog, to its second order where nothing is damped or slack: half the step, a quarter of the error.
  for (Cable& cable : s.model.cables) cable.law = spring_law(4e4);
  const Motion exact = run(s, "dopri5", 1e-12);
  const double coarse = distance(run(s, "symplectic", 2e-5).last(), exact.last()),
               fine = distance(run(s, "symplectic", 1e-5).last(), exact.last());
  EXPECT_LT(coarse, 1e-5);
  EXPECT_NEAR(coarse / fine, 4.0, 0.4);
}

// The tangent against differences of the accelerations, off the constraints too.
TEST(BodiesJoined, TangentIsTheDerivative) {
  Scenario s;
  s.model = hung_plate();
  s.model.cables[1].rest_length -= 0.05;
  move_all(s.model, {0, 0, 1}, {0.1, 0, 0.2}, {0.5, -0.4, 0.8});
  const Dynamics dynamics(s.model, "nodal", ConstraintMethod::projection);
  const State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size()), up = rate, down = rate;
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  const auto tangent = dynamics.formulation().make_tangent(dynamics.cables());
  tangent->evaluate(state.q(), state.v(), rate.data() + state.nq, terms);
  for (int i = 0; i < state.nq + state.nv; ++i) {
    const int coordinate = i % state.nq;
    if (s.model.nodes[coordinate / 3].fixed[coordinate % 3]) continue;
    Eigen::VectorXd change = Eigen::VectorXd::Zero(state.nq + state.nv), found = change;
    change[i] = 1.0;
    tangent->multiply({.q = change.data(), .v = change.data() + state.nq}, found.data(), found.data() + state.nq);
    const double h = 1e-6;
    Eigen::VectorXd y = state.y;
    y[i] += h;
    dynamics.rhs(0.0, y.data(), up.data(), terms);
    y[i] -= 2.0 * h;
    dynamics.rhs(0.0, y.data(), down.data(), terms);
    const Eigen::VectorXd difference = (up - down).head(state.nq + state.nv) / (2.0 * h);
    EXPECT_LT((difference - found).norm(), 1e-6 * (1.0 + found.norm())) << i;
  }
}

// A body whose shape touches nothing comes to rest on its nodes; the nodes that were appended touch nothing, even below it.
TEST(BodiesJoined, RestsOnTheGround) {
  Scenario s = read_text(R"([environment]
ground = { stiffness = 1e5, damping = 300 }
[nodes]
a = [0.2, 0.2, 0.05]
b = [-0.2, 0.2, 0.05]
c = [-0.2, -0.2, 0.05]
d = [0.2, -0.2, 0.05]
[[bodies]]
name = "box"
nodes = ["a", "b", "c", "d"]
shape = "box"
size = [0.4, 0.4, 1.0]
centre = [0, 0, 0.01]
mass = 8
contact = false
[simulation]
duration = 1.5
)");
  ASSERT_EQ(s.model.nodes.size(), 5u);
  s.model.nodes[4].position.z() = -0.5;  // anywhere will do
  EXPECT_NO_THROW(validate(s.model));
  const Motion motion = run(s, "auto", 1e-8);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  double carried = 0.0;
  for (int i = 0; i < 4; ++i) carried += motion.last().contact_forces[3 * i + 2];
  EXPECT_NEAR(carried, 8.0 * 9.81, 1e-3);
  EXPECT_EQ(motion.last().contact_forces[3 * 4 + 2], 0.0);
}

TEST(BodiesJoined, RodsTakeNoBodies) {
  const Model model = hung_plate();
  for (const char* name : {"minimal", "quaternion", "point_mass"}) {
    try {
      make_formulation(name, model);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("body \"plate\""), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(equivalent_formulations(model), (std::vector<std::string_view>{"nodal", "multibody"}));
  EXPECT_NEAR(total_mass(model), 3.0, 0.0);
  double sum = 0.0;
  for (double mass : node_masses(model)) sum += mass;
  EXPECT_NEAR(sum, 3.0, 1e-14);
}

// Velocities that no rigid motion has are changed to the nearest one, and it is said.
TEST(BodiesJoined, StartVelocitiesAreMadeToFit) {
  Scenario s = empty_scenario(0.1, 0.1);
  s.model = hung_plate();
  s.model.nodes[0].velocity = {1.0, 0.0, 0.0};
  const Motion motion = run(s, "dopri5", 1e-10);
  ASSERT_EQ(motion.summary.warnings.size(), 1u);
  EXPECT_NE(motion.summary.warnings[0].find("velocities"), std::string::npos);
  const Sample& first = motion.rows.front();
  const Vec3 w = angular_velocity(first, {0, 1, 2, 6});
  for (int i : {1, 2, 6})
    EXPECT_LT((velocity(first, i) - velocity(first, 0) - w.cross(position(first, i) - position(first, 0))).norm(),
              1e-12);
}

// A body that is given no motion is carried along by the node that it shares with one that turns: the ball goes with the
// plate's corner, ω × r = (1/3, -1/3, 0) m/s, without turning. Plate: ½ I ω² = 1/36 J, ball: ½ m v² = 1/3 J.
TEST(BodiesJoined, BodyWithoutMotionIsCarriedAlong) {
  const std::string text = R"([environment]
gravity = [0, 0, 0]
[nodes]
p = [2, 0, 1]
q = [3, 0, 1]
r = [2, 1, 1]
[[bodies]]
name = "plate"
nodes = ["p", "q", "r"]
shape = "plate"
mass = 0.5
angular_velocity = [0, 0, 1]
[[bodies]]
name = "ball"
nodes = ["p"]
mass = 3
centre = [2, 0.5, 1]
inertia = [1, 2, 2.5, 0.1, 0, 0]
[simulation]
duration = 0.1
)";
  for (Scenario s : {read_text(text), read_text(to_toml(read_text(text)))})
    for (const char* name : {"nodal", "multibody"}) {
      s.simulation.formulation = name;
      const Motion motion = run(s, "dopri5", 1e-11);
      EXPECT_TRUE(motion.summary.warnings.empty()) << motion.summary.warnings.front();
      EXPECT_LT((velocity(motion.rows.front(), 0) - Vec3(1.0, -1.0, 0.0) / 3.0).norm(), 1e-12) << name;
      for (const Sample& row : motion.rows) EXPECT_NEAR(row.energy[kinetic], 1.0 / 36.0 + 1.0 / 3.0, 1e-9) << name;
    }
}

}  // namespace
}  // namespace taut::testing
