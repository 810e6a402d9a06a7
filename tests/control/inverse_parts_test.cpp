// The parts of inverse dynamics: targets and how they accelerate, against differences of the motion and the results'
// own columns; rest lengths that make a tension, against the law; what is refused.
#include "taut/control/cable_command.h"
#include "taut/model/shape/frame_pose.h"
#include "tests/control/inverse_support.h"
#include "tests/support/complaint.h"

namespace taut::testing {
namespace {

// Where all targets are and how fast, at (q, v).
std::pair<VectorXd, VectorXd> placed(const Steered& s, TargetMotion& targets, const VectorXd& y) {
  Terms terms = s.dynamics->make_terms();
  s.dynamics->formulation().place_nodes(y.data(), y.data() + s.state.nq, terms);
  EXPECT_EQ(targets.place(y.data(), y.data() + s.state.nq, terms), "");
  return {targets.value(), targets.rate()};
}

// Rates and accelerations along the motion: 8th-order differences of positions and of rates.
void expect_derivatives(const Steered& s, const std::vector<ControlTarget>& list, double h, double tolerance) {
  TargetMotion targets(*s.dynamics, list);
  Terms terms = s.dynamics->make_terms();
  VectorXd y_rate = VectorXd::Zero(s.dynamics->size());
  s.dynamics->rhs(s.state.t, s.state.y.data(), y_rate.data(), terms);
  const double weights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  VectorXd rate = VectorXd::Zero(targets.size()), second = rate;
  for (int k = 1; k <= 4; ++k) {
    const auto [ahead, ahead_rate] = placed(s, targets, s.state.y + k * h * y_rate);
    const auto [behind, behind_rate] = placed(s, targets, s.state.y - k * h * y_rate);
    rate += weights[k - 1] / h * (ahead - behind);
    second += weights[k - 1] / h * (ahead_rate - behind_rate);
  }
  placed(s, targets, s.state.y);
  s.dynamics->formulation().place_nodes(s.state.q(), s.state.v(), terms);
  AlignedDoubles nodes(4 * s.model.nodes.size(), 0.0);
  const double* const v_rate = y_rate.data() + s.state.nq;
  s.dynamics->formulation().node_accelerations(s.state.q(), s.state.v(), v_rate, terms, nodes.data());
  VectorXd accelerations;
  targets.accelerations(nodes.data(), v_rate, accelerations);
  for (int i = 0; i < targets.size(); ++i) {
    EXPECT_NEAR(targets.rate()[i], rate[i], tolerance * (1.0 + std::abs(rate[i])))
        << targets.names()[static_cast<std::size_t>(i)];
    EXPECT_NEAR(accelerations[i], second[i], tolerance * (1.0 + std::abs(second[i])))
        << targets.names()[static_cast<std::size_t>(i)];
  }
}

TEST(InverseParts, TargetsMoveAsTheySay) {
  Random random(6);
  Model model = generated("prism", {{"bars", 3}}).model;
  model.frames = {{"top", {3, 4, 5}, -1}, {"bottom", {0, 2, 1}, -1}, {"twist", {5, 3, 4}, 1}};
  for (std::size_t i = 0; i < 3; ++i) model.cables[i].path.push_back(static_cast<int>(3 + i));  // composite
  Steered nodal(model, "nodal");
  nodal.shake(random, 0.5, 0.05);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    model.nodes[i].position = Vec3(nodal.state.q() + 3 * i);
    model.nodes[i].velocity = Vec3(nodal.state.v() + 3 * i);
  }
  std::vector<ControlTarget> targets;
  for (int frame = 0; frame < 3; ++frame)
    for (int column = 0; column < frame_columns; ++column)
      targets.push_back({ControlTarget::Kind::frame, frame, column});
  for (int i = 0; i < 4; ++i) targets.push_back({ControlTarget::Kind::cable, i, 1});
  for (int axis = 0; axis < 3; ++axis) targets.push_back(node_target(4, axis));
  VectorXd value;
  for (const std::string_view formulation : {"nodal", "minimal", "quaternion", "multibody"}) {
    SCOPED_TRACE(formulation);
    const Steered s(model, formulation);
    expect_derivatives(s, targets, 1e-2, 1e-9);
    TargetMotion motion(*s.dynamics, targets);
    placed(s, motion, s.state.y);
    if (value.size() == 0) value = motion.value();
    EXPECT_LT((motion.value() - value).cwiseAbs().maxCoeff(), 1e-12);
  }
  // Frames are where the results say.
  FramePoses poses(model);
  std::vector<double> nodes, columns;
  for (const Node& node : model.nodes) nodes.insert(nodes.end(), node.position.data(), node.position.data() + 3);
  poses.place(nodes, columns);
  for (std::size_t i = 0; i < columns.size(); ++i) EXPECT_NEAR(value[static_cast<long>(i)], columns[i], 1e-12) << i;
}

TEST(InverseParts, JointsAndPulleysMoveAsTheySay) {
  for (const int variant : {0, 1, 2, 3}) {
    SCOPED_TRACE(variant);
    const Model model = generated("single_strut", {{"variant", variant}, {"strain", variant == 0 ? 0.0 : 0.012}}).model;
    Random random(4);
    Steered s(model, "multibody");
    s.shake(random, 0.2);
    std::vector<ControlTarget> targets = {node_target(1, 0), node_target(1, 1), node_target(1, 2)};
    const int strut = index_of(model.joints, "universalJt");
    for (int i = 0; i < 2; ++i) targets.push_back({ControlTarget::Kind::joint, strut, i});
    for (int pulley = 0; pulley < 3; ++pulley)
      for (int column = 0; column < (variant == 0 ? 2 : 3); ++column)
        targets.push_back({ControlTarget::Kind::pulley, pulley, column});
    expect_derivatives(s, targets, 3e-3, 1e-7);
    // Values are the results' columns.
    TargetMotion motion(*s.dynamics, targets);
    placed(s, motion, s.state.y);
    const std::vector<std::string> names = joint_columns(model);
    std::vector<double> values(names.size());
    Terms terms = s.dynamics->make_terms();
    VectorXd y_rate = VectorXd::Zero(s.dynamics->size());
    s.dynamics->rhs(0.0, s.state.y.data(), y_rate.data(), terms);
    s.dynamics->formulation().joints()->joint_values(s.state.q(), s.state.v(), terms, values.data());
    for (std::size_t i = 3; i < targets.size(); ++i) {
      const auto at = std::find(names.begin(), names.end(), motion.names()[i]) - names.begin();
      ASSERT_LT(at, std::ssize(names)) << motion.names()[i];
      EXPECT_NEAR(motion.value()[static_cast<long>(i)], values[static_cast<std::size_t>(at)], 1e-13) << names[at];
    }
  }
}

std::vector<CableLaw> laws() {
  std::vector<CableLaw> list;
  for (const bool by_EA : {false, true})
    for (const LawKind kind : {LawKind::linear, LawKind::softplus, LawKind::spring}) {
      CableLaw law = linear_law(by_EA ? 300.0 : 400.0);
      law.kind = kind;
      law.by_EA = by_EA;
      law.beta = 0.02;
      list.push_back(law);
    }
  CableLaw table;
  table.kind = LawKind::table;
  table.strain = {-0.1, 0.05, 0.2, 0.5};
  table.force = {0.0, 0.0, 40.0, 200.0};
  list.push_back(table);
  for (std::size_t i = 0, n = list.size(); i < n; ++i) {
    list.push_back(list[i]);
    list.back().damping = 5.0;
  }
  return list;
}

TEST(InverseParts, TheRestLengthMakesTheTension) {
  Random random(1);
  for (const CableLaw& law : laws())
    for (int round = 0; round < 200; ++round) {
      const double length = random.between(0.5, 2.0), rate = random.between(-2.0, 2.0);
      const Bounds range = tension_range(law, length, rate);
      ASSERT_LE(range.least, range.most);
      const double high = std::min(range.most, range.least + 300.0),
                   wanted = round == 0 ? range.least : random.between(range.least, high);
      const double rest = rest_length_for_tension(law, length, rate, wanted);
      ASSERT_TRUE(std::isfinite(rest)) << name(law.kind) << " " << wanted << " at " << rate << ": "
                                       << why_no_rest_length(law, length, rate, wanted);
      EXPECT_EQ(why_no_rest_length(law, length, rate, wanted), "");
      EXPECT_NEAR(tension(law, length - rest, rate, rest), wanted, 1e-9 * (1.0 + std::abs(wanted))) << name(law.kind);
    }
}

TEST(InverseParts, WhereNoRestLengthDoesItIsSaid) {
  const CableLaw damped = linear_law(100.0, 5.0);
  EXPECT_TRUE(std::isnan(rest_length_for_tension(damped, 1.0, 2.0, 8.0)));
  EXPECT_EQ(why_no_rest_length(damped, 1.0, 2.0, 8.0), "damping alone makes 10 N while it lengthens at 2 m/s");
  EXPECT_EQ(why_no_rest_length(damped, 1.0, 0.0, -1.0), "a cable cannot push");
  EXPECT_EQ(why_no_rest_length(damped, 1.0, 0.0, 101.0),
            "at a length of 1 m it cannot carry 101 N, however short its rest length");
  EXPECT_EQ(why_no_rest_length(damped, NAN, 0.0, 1.0), "its length or tension is not finite");
  EXPECT_NEAR(tension_range(damped, 1.0, 2.0).least, 10.0, 1e-9);
  EXPECT_NEAR(tension_range(damped, 1.0, -2.0).least, 0.0, 1e-9);
  EXPECT_EQ(rest_length_for_tension(damped, 1.0, -2.0, 0.0), 1.0);
}

TEST(InverseParts, DampingIsBound) {
  // A mass that flies away from its cable: at least the damping's pull, and no more than what is given.
  Model model;
  model.gravity.setZero();
  add_node(model, Vec3::Zero(), 1.0);
  add_node(model, {1.0, 0.0, 0.0}, 0.0, all_fixed);
  add_cable(model, {0, 1}, linear_law(100.0, 5.0), 0.9);
  Steered s(model, "nodal");
  s.state.v()[0] = -2.0;
  InverseTask task = {.targets = {node_target(0, 0)}, .inputs = {cable_input(0)}};
  InverseDynamics inverse(*s.dynamics, task);
  inverse.place(s.state);
  const VectorXd little = VectorXd::Constant(1, 8.0), more = VectorXd::Constant(1, 12.0);
  expect_put_back(s, inverse, more, inverse.command(more));
  EXPECT_EQ(
      inverse.command(little).problem,
      "acceleration of n1.x = 8 m/s², tension of cable c1 ≥ 10 N (what its damping alone makes) exclude each other");
  // Wound off as fast as it lengthens, there is no damping.
  inverse.set_winding(VectorXd::Constant(1, 2.0));
  inverse.place(s.state);
  const InverseCommand& wound = inverse.command(little);
  ASSERT_TRUE(wound.possible) << wound.problem;
  EXPECT_NEAR(wound.rest_length[0], 1.0 - 8.0 / 100.0, 1e-12);
}

TEST(InverseParts, FrictionAlongThePathCounts) {
  Model model;
  add_node(model, {0.0, 0.0, 0.0}, 1.0);
  add_node(model, {0.0, 0.0, 1.0}, 0.0, all_fixed);
  add_node(model, {0.7, 0.0, 0.6}, 0.5);
  add_node(model, {1.0, 0.4, 1.2}, 0.0, all_fixed);
  add_cable(model, {0, 1, 2, 3}, linear_law(300.0, 1.0), 2.0);
  model.cables[0].friction = {SlidingKind::capstan, 0.3, 1e-2};
  Steered s(model, "nodal");
  for (int i = 0; i < 3; ++i) s.state.v()[i] = 0.1 * (i + 1), s.state.v()[6 + i] = -0.2 + 0.15 * i;
  InverseTask task = {.targets = {node_target(0, 2)}, .inputs = {cable_input(0)}};
  InverseDynamics inverse(*s.dynamics, task);
  inverse.place(s.state);
  const VectorXd wanted = VectorXd::Constant(1, 3.0);
  expect_put_back(s, inverse, wanted, inverse.command(wanted));
}

TEST(InverseParts, WhatCanNeverBeIsRefused) {
  Model strut = generated("single_strut").model;
  const Dynamics dynamics(strut, "multibody", ConstraintMethod::projection);
  const ControlTarget tip = node_target(1, 0);
  const int pulley = index_of(strut.joints, "B1-pulleyJt");
  const auto refused = [&](const InverseTask& task) { return complaint([&] { InverseDynamics(dynamics, task); }); };
  EXPECT_EQ(refused({.targets = {tip}, .inputs = {joint_input(pulley)}}), "");
  expect_says(refused({.targets = {}, .inputs = {joint_input(pulley)}}), "there is no target");
  expect_says(refused({.targets = {tip}, .inputs = {}}), "there is no input");
  expect_says(refused({.targets = {node_target(99, 0)}, .inputs = {joint_input(pulley)}}),
              "target node 100: the model has");
  expect_says(refused({.targets = {node_target(1, 3)}, .inputs = {joint_input(pulley)}}), "tip, number 4: it has 3");
  expect_says(refused({.targets = {{ControlTarget::Kind::pulley, 0, 3}}, .inputs = {joint_input(pulley)}}),
              "B1.tension: a tension has no acceleration");
  expect_says(refused({.targets = {tip}, .inputs = {joint_input(99)}}), "input joint 100: the model has");
  expect_says(refused({.targets = {tip}, .inputs = {joint_input(pulley, 1)}}), "coordinate 2 of 1");
  expect_says(refused({.targets = {tip}, .inputs = {cable_input(0)}}), "the model has 0 cables");
  expect_says(refused({.targets = {tip}, .inputs = {joint_input(pulley), joint_input(pulley)}}), "twice");
  InverseTask task = {.targets = {tip}, .inputs = {joint_input(pulley)}};
  task.forces = {{ForceBound::Kind::pulley, 0, {}}};
  expect_says(refused(task), "its cable is elastic");
  task.forces.clear();
  task.input_bounds = {{2.0, 1.0}};
  expect_says(refused(task), "torque on B1-pulleyJt: the bounds 2 and 1 cross");
  task.input_bounds = {{}, {}};
  expect_says(refused(task), "2 bounds for 1 inputs");
  task.input_bounds.clear();
  task.weights = {0.0};
  expect_says(refused(task), "weight 0; expected a positive number");
  // Joints that close a loop, move by themselves, or have quaternions.
  const Model model = read_scenario_text(R"(bars = [
  { name = "rod", nodes = ["o", "a"], mass = 1 },
  { name = "next", nodes = ["a", "b"], mass = 1 },
]
joints = [
  { name = "ball", kind = "spherical", bodies = ["ground", "rod"], at = "o" },
  { name = "knee", kind = "revolute", bodies = ["rod", "next"], at = "a", axis = [0, 1, 0] },
  { name = "hold", kind = "spherical", bodies = ["ground", "next"], at = "b", role = "loop" },
]
actuators = [{ joint = "knee", position = { kind = "constant", value = 0.0 } }]
[nodes]
o = { at = [0, 0, 0], fixed = true }
a = [1, 0, 0]
b = [1, 0, 1]
)",
                                         "m.toml")
                          .model;
  const Dynamics linkage(model, "multibody", ConstraintMethod::projection);
  const auto of_linkage = [&](const InverseTask& t) { return complaint([&] { InverseDynamics(linkage, t); }); };
  const ControlTarget a = node_target(1, 1);
  expect_says(of_linkage({.targets = {{ControlTarget::Kind::joint, 0, 0}}, .inputs = {joint_input(0)}}),
              "spherical joint");
  expect_says(of_linkage({.targets = {a}, .inputs = {joint_input(1)}}), "the model imposes the motion of this joint");
  expect_says(of_linkage({.targets = {{ControlTarget::Kind::joint, 1, 0}}, .inputs = {joint_input(0)}}),
              "the model imposes the motion of this joint");
  expect_says(of_linkage({.targets = {a}, .inputs = {joint_input(2)}}), "it closes a loop");
  EXPECT_EQ(of_linkage({.targets = {a}, .inputs = {joint_input(0, 0), joint_input(0, 2)}}), "");
}

TEST(InverseParts, StatesWithoutSenseAreNamed) {
  Random random(6);
  Model model = generated("prism", {{"bars", 3}}).model;
  model.frames = {{"top", {3, 4, 5}, -1}};
  Steered s(model, "nodal");
  const InverseTask task = {.targets = {{ControlTarget::Kind::frame, 0, 3}}, .inputs = all_cables(model)};
  InverseDynamics inverse(*s.dynamics, task);
  State broken = s.state;
  for (int axis = 0; axis < 3; ++axis) broken.q()[15 + axis] = 0.5 * (broken.q()[9 + axis] + broken.q()[12 + axis]);
  inverse.place(broken);
  expect_says(inverse.command(VectorXd::Zero(1)).problem, "top.yaw is not defined here");
  EXPECT_TRUE(inverse.command(VectorXd::Zero(1)).input.allFinite());
  inverse.place(s.state);
  EXPECT_EQ(inverse.command(VectorXd::Zero(1)).problem, "");
  expect_says(inverse.command(VectorXd::Constant(1, NAN)).problem, "not finite");
  broken = s.state;
  broken.v()[0] = NAN;
  inverse.place(broken);
  EXPECT_FALSE(inverse.command(VectorXd::Zero(1)).possible);
  EXPECT_THROW(inverse.command(VectorXd::Zero(2)), InputError);
}

}  // namespace
}  // namespace taut::testing
