// Inverse dynamics where the answer is known: pendulums, masses on cables, arms, a winch with a rigid rope; what the
// least inputs are, what bounds do, and how what cannot be is named.
#include <fmt/format.h>

#include "taut/solve/dense.h"
#include "tests/control/inverse_support.h"
#include "tests/support/models.h"

namespace taut::testing {
namespace {

constexpr double g = 9.81;

// A point mass on a rod without mass, turned by φ from hanging straight down; the hinge turns about -y.
Model pendulum(double m, double l, double phi) {
  Model model = test_model("hinged_rod", "", {"joints.hinge.axis=[0, -1, 0]"}).model;
  model.nodes[1].position = {l * std::sin(phi), 0.0, -l * std::cos(phi)};
  model.nodes[1].mass = m;
  model.bars[0].rest_length = l;
  model.bars[0].mass = 1e-12;
  model.bars[0].inertia = 1e-12 * l * l / 12.0;
  return model;
}

TEST(InverseDynamics, TheTorqueOfAPendulum) {
  const double m = 1.7, l = 0.8, phi = 0.6;
  Steered s(pendulum(m, l, phi), "multibody");
  const InverseTask task = {.targets = {{ControlTarget::Kind::joint, 0, 0}}, .inputs = {joint_input(0)}};
  InverseDynamics inverse(*s.dynamics, task);
  EXPECT_EQ(inverse.input_names(), std::vector<std::string>{"torque on hinge"});
  s.state.v()[0] = 2.0;  // which the torque does not depend on
  inverse.place(s.state);
  EXPECT_EQ(inverse.rate()[0], 2.0);
  for (const double wanted : {0.0, 3.0, -11.0}) {
    const VectorXd a = VectorXd::Constant(1, wanted);
    const double torque = m * g * l * std::sin(phi) + m * l * l * wanted;
    for (const InverseMethod method : all_methods) {
      const InverseCommand& command = inverse.command(a, method);
      EXPECT_NEAR(command.input[0], torque, 1e-9 * (1.0 + std::abs(torque))) << name(method);
      EXPECT_EQ(actuation(inverse, command), Actuation::proper);
      expect_put_back(s, inverse, a, command);
    }
  }
}

// A mass held by two cables in a plane, at angles α and β from the vertical.
Model two_cables(double m, double alpha, double beta) {
  Model model;
  add_node(model, Vec3::Zero(), m, {false, true, false});
  add_node(model, {-std::tan(alpha), 0.0, 1.0}, 0.0, all_fixed);
  add_node(model, {std::tan(beta), 0.0, 1.0}, 0.0, all_fixed);
  add_cable(model, {0, 1}, linear_law(500.0), 1.0);
  add_cable(model, {0, 2}, linear_law(800.0), 1.0);
  return model;
}

TEST(InverseDynamics, AMassHungOnTwoCables) {
  // The parallelogram of forces: T₁ = W sin β / sin(α + β) with W = m (g + a) upwards.
  const double m = 3.0, alpha = 0.5, beta = 0.9;
  Steered s(two_cables(m, alpha, beta), "nodal");
  const InverseTask task = {.targets = {node_target(0, 0), node_target(0, 2)}, .inputs = all_cables(s.model)};
  InverseDynamics inverse(*s.dynamics, task);
  inverse.place(s.state);
  for (const double up : {0.0, 2.0, -5.0}) {
    const VectorXd a = numbers({0.0, up});
    for (const InverseMethod method : all_methods) {
      const InverseCommand& command = inverse.command(a, method);
      const double W = m * (g + up);
      EXPECT_NEAR(command.input[0], W * std::sin(beta) / std::sin(alpha + beta), 1e-9 * W);
      EXPECT_NEAR(command.input[1], W * std::sin(alpha) / std::sin(alpha + beta), 1e-9 * W);
      EXPECT_NEAR(command.rest_length[0], 1.0 / std::cos(alpha) - command.input[0] / 500.0, 1e-11);
      expect_put_back(s, inverse, a, command);
    }
  }
  // Faster than falling: a cable would have to push.
  const InverseCommand& command = inverse.command(numbers({0.0, -15.0}));
  EXPECT_FALSE(command.possible);
  EXPECT_EQ(command.problem,
            "acceleration of n1.x = 0 m/s², acceleration of n1.z = -15 m/s², tension of cable c1 ≥ 0 N (a cable cannot "
            "push) exclude each other");
  EXPECT_EQ(command.input, VectorXd::Zero(2));  // what comes nearest is to let go
}

// A mass on n cables that spread over a half space.
Model spider(int legs, Random& random, double m = 2.0) {
  Model model;
  add_node(model, {0.1, -0.05, 0.2}, m);
  for (int i = 0; i < legs; ++i) {
    const double angle = 2.0 * M_PI * i / legs;
    add_node(model, {std::cos(angle), std::sin(angle), random.between(0.5, 1.5) * (i % 2 ? -1.0 : 1.0)}, 0.0,
             all_fixed);
    add_cable(model, {0, i + 1}, linear_law(random.between(200.0, 2000.0), random.between(0.0, 3.0)), 0.9);
  }
  return model;
}

TEST(InverseDynamics, WithoutBoundsInTheWayItIsThePseudoInverse) {
  Random random(3);
  Model model = spider(7, random);
  for (Cable& cable : model.cables) cable.law.kind = LawKind::spring;  // pulls and pushes
  Steered s(model, "nodal");
  s.shake(random, 0.5);
  std::vector<double> weights;
  for (int i = 0; i < 7; ++i) weights.push_back(random.between(0.3, 3.0));
  for (const bool weighted : {false, true}) {
    InverseTask task = {.targets = {node_target(0, 0), node_target(0, 1), node_target(0, 2)},
                        .inputs = all_cables(s.model)};
    if (weighted) task.weights = weights;
    InverseDynamics inverse(*s.dynamics, task);
    inverse.place(s.state);
    const VectorXd wanted = numbers({1.0, -2.0, 3.0});
    // From the geometry alone: m a = m g + Σ T u.
    Eigen::Matrix<double, 3, 7> U;
    for (int i = 0; i < 7; ++i)
      U.col(i) = (model.nodes[static_cast<std::size_t>(i) + 1].position - model.nodes[0].position).normalized();
    const MatrixXd root = VectorXd::Map(weights.data(), 7).cwiseSqrt().cwiseInverse().asDiagonal();
    const MatrixXd scaled = weighted ? MatrixXd(U * root) : MatrixXd(U);
    VectorXd exact = least_squares(scaled, 2.0 * (wanted - Vec3(0.0, 0.0, -g)));
    if (weighted) exact = root * exact;
    for (const InverseMethod method : all_methods) {
      const InverseCommand& command = inverse.command(wanted, method);
      EXPECT_LT((command.input - exact).norm(), 1e-8 * exact.norm()) << name(method);
      EXPECT_EQ(command.rank, 3);
      EXPECT_EQ(actuation(inverse, command), Actuation::over);
      expect_put_back(s, inverse, wanted, command);
    }
  }
}

TEST(InverseDynamics, BoundsOfTensionsHold) {
  Random random(11);
  int active = 0, inactive = 0;
  for (int round = 0; round < 40; ++round) {
    const int legs = round % 2 ? 6 : 3;  // three leave no choice
    Steered s(spider(legs, random), "nodal");
    s.shake(random, 0.3);
    InverseTask task = {.targets = {node_target(0, 0), node_target(0, 1), node_target(0, 2)},
                        .inputs = all_cables(s.model)};
    task.input_bounds.assign(task.inputs.size(), Bounds{5.0, 60.0});
    InverseDynamics inverse(*s.dynamics, task);
    inverse.place(s.state);
    VectorXd inside(legs);
    for (double& T : inside) T = random.between(6.0, 59.0);
    const VectorXd wanted = inverse.drift() + inverse.response() * inside;
    const InverseCommand command = inverse.command(wanted);
    expect_put_back(s, inverse, wanted, command);
    EXPECT_GE(command.input.minCoeff(), 5.0);
    EXPECT_LE(command.input.maxCoeff(), 60.0);
    EXPECT_LE(command.input.norm(), inside.norm() * (1.0 + 1e-12));  // no larger than what we know to do it
    (command.input.minCoeff() < 5.0 + 1e-9 ? active : inactive)++;
    expect_methods_agree(inverse, wanted);
  }
  EXPECT_GT(active, 5);
  EXPECT_GT(inactive, 5);
}

TEST(InverseDynamics, BoundsOfRestLengthsAreBoundsOfTensions) {
  Steered s(two_cables(3.0, 0.5, 0.5), "nodal");
  InverseTask task = {.targets = {node_target(0, 2)}, .inputs = all_cables(s.model)};
  const double length = 1.0 / std::cos(0.5);
  task.inputs[0].bounds.least = length - 20.0 / 500.0;  // at most 20 N
  InverseDynamics inverse(*s.dynamics, task);
  inverse.place(s.state);
  const VectorXd still = VectorXd::Zero(1);
  const InverseCommand command = inverse.command(still);
  ASSERT_TRUE(command.possible) << command.problem;
  EXPECT_NEAR(command.input[0], std::min(20.0, 3.0 * g / 2.0 / std::cos(0.5)), 1e-9);
  task.inputs[0].bounds.least = length - 10.0 / 500.0;
  InverseDynamics shorter(*s.dynamics, task);
  shorter.place(s.state);
  const InverseCommand& less = shorter.command(still);
  EXPECT_NEAR(less.input[0], 10.0, 1e-9);
  EXPECT_NEAR(less.input[1], 3.0 * g / std::cos(0.5) - 10.0, 1e-9);
  EXPECT_GE(less.rest_length[0], task.inputs[0].bounds.least - 1e-12);
  // Both together too short: the message says that it is the rest length.
  task.inputs[1].bounds.least = length - 5.0 / 800.0;
  InverseDynamics none(*s.dynamics, task);
  none.place(s.state);
  EXPECT_EQ(
      none.command(still).problem,
      fmt::format("acceleration of n1.z = 0 m/s², tension of cable c1 ≤ 10 N (its rest length ≥ {:.6g} m), tension "
                  "of cable c2 ≤ 5 N (its rest length ≥ {:.6g} m) exclude each other",
                  task.inputs[0].bounds.least, task.inputs[1].bounds.least));
}

TEST(InverseDynamics, AnArmProperlyUnderAndOverActuated) {
  Steered s(
      test_model("two_link_arm", "", {"nodes.a=[0.6, 0, 0.3]", "nodes.b=[1.1, 0, 0.1]", "bars.upper.mass=2"}).model,
      "multibody");
  s.state.v()[0] = 0.7;
  s.state.v()[1] = -1.3;
  const VectorXd wanted = numbers({0.4, -0.9});
  InverseTask task = {.targets = {node_target(2, 0), node_target(2, 2)}, .inputs = {joint_input(0), joint_input(1)}};
  InverseDynamics proper(*s.dynamics, task);
  proper.place(s.state);
  expect_methods_agree(proper, wanted);
  const InverseCommand both = proper.command(wanted);
  EXPECT_EQ(actuation(proper, both), Actuation::proper);
  expect_put_back(s, proper, wanted, both);
  // One torque cannot do both, and which two exclude each other is said.
  task.inputs.pop_back();
  InverseDynamics under(*s.dynamics, task);
  under.place(s.state);
  for (const InverseMethod method : all_methods) {
    const InverseCommand& command = under.command(wanted, method);
    EXPECT_FALSE(command.possible);
    EXPECT_EQ(actuation(under, command), Actuation::under);
    EXPECT_EQ(command.problem, "acceleration of b.x = 0.4 m/s², acceleration of b.z = -0.9 m/s² exclude each other");
    // What is nearest: the projection of what is wanted on what one torque can do.
    const VectorXd column = under.response().col(0), miss = wanted - command.acceleration;
    EXPECT_NEAR(miss.dot(column), 0.0, 1e-6 * miss.norm() * column.norm());
  }
  // ... unless the two happen to fit.
  const VectorXd fits = under.drift() + 3.0 * under.response().col(0);
  expect_methods_agree(under, fits);
  EXPECT_NEAR(under.command(fits).input[0], 3.0, 1e-9);
  // Out of the plane nothing acts.
  task.targets = {node_target(2, 1)};
  InverseDynamics across(*s.dynamics, task);
  across.place(s.state);
  EXPECT_TRUE(across.command(VectorXd::Zero(1)).possible);
  EXPECT_EQ(across.command(VectorXd::Constant(1, 2.0)).problem,
            "acceleration of b.y = 2 m/s² cannot be met: no input acts on it, and it is 0 m/s²");
  // Torques within bounds that are too small.
  task.targets = {node_target(2, 2)};
  task.inputs = {joint_input(0), joint_input(1)};
  task.input_bounds = {{-1.0, 1.0}, {-1.0, 1.0}};
  InverseDynamics weak(*s.dynamics, task);
  weak.place(s.state);
  EXPECT_EQ(weak.command(VectorXd::Constant(1, 0.0)).problem,
            "acceleration of b.z = 0 m/s², torque on shoulder ≤ 1 N m, torque on elbow ≥ -1 N m exclude each other");
}

// A weight that a guide keeps on its way, on a rope that winds on a drum.
TEST(InverseDynamics, AWeightOnARigidRope) {
  Steered s(test_model("drum_and_weight", R"(variant = "rigid"
[[joints]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "weight"]
at = [0.1, 0, -1]
axis = [0, 0, 1]
role = "loop"
)",
                       {"bodies.weight.mass=1.5"})
                .model,
            "multibody");
  InverseTask task = {.targets = {node_target(0, 2)}, .inputs = {joint_input(0)}};
  task.forces = {{ForceBound::Kind::pulley, 0, {2.0, 30.0}}};
  InverseDynamics inverse(*s.dynamics, task);
  inverse.place(s.state);
  for (const double up : {0.0, 3.0, -4.0}) {
    const VectorXd a = VectorXd::Constant(1, up);
    const InverseCommand& command = inverse.command(a);
    ASSERT_TRUE(command.possible) << command.problem;
    const double tension = 1.5 * (g + up), torque = tension * 0.1 + 0.01 * up / 0.1;
    EXPECT_NEAR(command.force[0], tension, 1e-9 * tension);
    EXPECT_NEAR(std::abs(command.input[0]), std::abs(torque), 1e-9);
    expect_put_back(s, inverse, a, command);
    expect_methods_agree(inverse, a);
  }
  // More than the rope may carry, and less than keeps it taut.
  EXPECT_EQ(inverse.command(VectorXd::Constant(1, 15.0)).problem,
            "acceleration of hook.z = 15 m/s², tension of pulley rope ≤ 30 N exclude each other");
  EXPECT_EQ(inverse.command(VectorXd::Constant(1, -9.0)).problem,
            "acceleration of hook.z = -9 m/s², tension of pulley rope ≥ 2 N exclude each other");
}

}  // namespace
}  // namespace taut::testing
