// Inverse dynamics of structures and machines in every formulation: the command, put back into the full forward
// dynamics, makes the accelerations asked for; formulations and methods agree; bars and rigid cables keep their bounds.
#include "tests/control/inverse_support.h"
#include "tests/formulation/random_structure.h"

namespace taut::testing {
namespace {

// Some coordinates of nodes that can move.
std::vector<ControlTarget> some_nodes(const Model& model, int count, Random& random) {
  std::vector<ControlTarget> targets;
  for (int tries = 0; tries < 200 && std::ssize(targets) < count; ++tries) {
    const ControlTarget target = node_target(random.below(static_cast<int>(model.nodes.size())), random.below(3));
    const bool fixed =
        model.nodes[static_cast<std::size_t>(target.index)].fixed[static_cast<std::size_t>(target.column)];
    if (!fixed && std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
  }
  return targets;
}

// The model as it is at another state: the same instant in every formulation.
Model moved(const Model& model, Random& random, double speed, double move) {
  Steered nodal(model, "nodal");
  nodal.shake(random, speed, move);
  Model result = model;
  for (std::size_t i = 0; i < result.nodes.size(); ++i) {
    result.nodes[i].position = Vec3(nodal.state.q() + 3 * i);
    result.nodes[i].velocity = Vec3(nodal.state.v() + 3 * i);
  }
  return result;
}

// Those that can represent the model.
std::vector<std::string_view> formulations_of(const Model& model) {
  std::vector<std::string_view> names;
  for (const std::string_view formulation : equivalent_formulations(model)) try {
      make_formulation(formulation, model);
      names.push_back(formulation);
    } catch (const InputError&) {
    }
  return names;
}

// Tensions within bounds, and the accelerations that they make: so that there is an answer.
VectorXd reachable(InverseDynamics& inverse, const Bounds& bounds, Random& random) {
  VectorXd u(static_cast<long>(inverse.task().inputs.size()));
  for (double& x : u) x = random.between(bounds.least, bounds.most);
  return inverse.drift() + inverse.response() * u;
}

struct Kind {
  const char* name;
  Parameters parameters;
  int targets;
};

class InverseOfStructures : public ::testing::TestWithParam<Kind> {};

TEST_P(InverseOfStructures, EveryFormulationPutsItBackAndTheyAgree) {
  Random random(5);
  Model model = moved(generated(GetParam().name, GetParam().parameters).model, random, 0.3, 1e-3);
  for (Cable& cable : model.cables) cable.law.damping = 0.5;
  const double typical = 10.0;  // N
  InverseTask task = {.targets = some_nodes(model, GetParam().targets, random), .inputs = all_cables(model)};
  task.input_bounds.assign(task.inputs.size(), {0.2 * typical, 3.0 * typical});
  VectorXd wanted, input;
  for (const std::string_view formulation : formulations_of(model)) {
    SCOPED_TRACE(formulation);
    const Steered s(model, formulation);
    InverseDynamics inverse(*s.dynamics, task);
    inverse.place(s.state);
    if (wanted.size() == 0) wanted = reachable(inverse, {0.3 * typical, 2.9 * typical}, random);
    const InverseCommand command = inverse.command(wanted);
    expect_put_back(s, inverse, wanted, command);
    if (input.size() == 0) {
      input = command.input;
      expect_methods_agree(inverse, wanted);
    }
    EXPECT_EQ(actuation(inverse, command), command.rank == GetParam().targets ? Actuation::over : Actuation::under);
    EXPECT_LT((command.input - input).cwiseAbs().maxCoeff(), 1e-8 * input.cwiseAbs().maxCoeff());
  }
}

INSTANTIATE_TEST_SUITE_P(Inverse, InverseOfStructures,
                         ::testing::Values(Kind{"prism", {{"bars", 3}}, 5}, Kind{"prism", {{"bars", 4}}, 8},
                                           Kind{"six_bar", {}, 9}, Kind{"class2_tower", {}, 6}, Kind{"stacked", {}, 6},
                                           Kind{"x_module", {}, 2}, Kind{"d_bar", {}, 2}),
                         [](const auto& one) { return one.param.name + std::to_string(one.index); });

TEST(InverseModels, RandomStructures) {
  int solved = 0;
  for (unsigned seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Model model = seed % 2 ? random_rods(seed) : random_structure(seed);
    // Some cables of other laws.
    for (Cable& cable : model.cables) {
      if (random.chance(0.2)) cable.law.kind = LawKind::softplus;
      if (random.chance(0.2)) cable.law.kind = LawKind::spring;
    }
    if (model.cables.size() < 2) continue;
    const VectorXd rates = fitting_velocities(model, positions_of(model), random);
    for (std::size_t i = 0; i < model.nodes.size(); ++i)
      model.nodes[i].velocity = 0.1 * rates.segment<3>(3 * static_cast<long>(i));
    const std::vector<std::string_view> names = seed % 2
                                                    ? std::vector<std::string_view>{"nodal", "minimal", "quaternion"}
                                                    : std::vector<std::string_view>{"nodal"};
    InverseTask task = {.targets = some_nodes(model, 1 + random.below(3), random), .inputs = all_cables(model)};
    if (task.targets.empty()) continue;
    VectorXd wanted, input;
    for (const std::string_view name : names) {
      SCOPED_TRACE(name);
      const Steered s(model, name);
      InverseDynamics inverse(*s.dynamics, task);
      inverse.place(s.state);
      if (wanted.size() == 0) {
        // Tensions that the cables can make here, as their rest lengths are a little shorter than they are long.
        InverseCommand any;
        any.rest_length.resize(static_cast<long>(task.inputs.size()));
        const Terms& terms = [&]() -> const Terms& {
          static Terms kept;
          kept = s.dynamics->make_terms();
          s.dynamics->forces(0.0, s.state.q(), s.state.v(), kept);
          return kept;
        }();
        for (int j = 0; j < std::ssize(task.inputs); ++j)
          any.rest_length[j] = random.between(0.7, 0.95) *
                               terms.cables.length[static_cast<std::size_t>(s.dynamics->cables().slot_of_cable(j))];
        wanted = put_back(s, task, any).accelerations;
      }
      const InverseCommand command = inverse.command(wanted);
      expect_put_back(s, inverse, wanted, command);
      if (input.size() == 0) {
        input = command.input;
        expect_methods_agree(inverse, wanted);
      }
      EXPECT_LT((command.input - input).cwiseAbs().maxCoeff(), 1e-7 * (1.0 + input.cwiseAbs().maxCoeff()));
      ++solved;
    }
  }
  EXPECT_GT(solved, 100);
}

TEST(InverseModels, BarsCarryWhatTheyShall) {
  Random random(2);
  const Model model = moved(generated("prism", {{"bars", 3}}).model, random, 0.2, 0.0);
  InverseTask task = {.targets = some_nodes(model, 3, random), .inputs = all_cables(model)};
  task.input_bounds.assign(task.inputs.size(), {1.0, 100.0});
  for (const std::string_view name : formulations_of(model)) {
    SCOPED_TRACE(name);
    const Steered s(model, name);
    InverseTask bounded = task;
    InverseDynamics free(*s.dynamics, task);
    free.place(s.state);
    Random same(9);
    const VectorXd wanted = reachable(free, {5.0, 40.0}, same);
    const InverseCommand without = free.command(wanted);
    const Forward before = put_back(s, task, without);
    std::vector<double> forces(model.bars.size());
    s.dynamics->formulation().bar_forces(before.terms, forces.data());
    // The bar that is pressed most shall be pressed half as much again: pre-stress.
    const auto most = static_cast<std::size_t>(std::min_element(forces.begin(), forces.end()) - forces.begin());
    ASSERT_LT(forces[most], 0.0);
    bounded.forces = {{ForceBound::Kind::bar, static_cast<int>(most), {-INFINITY, 1.5 * forces[most]}}};
    InverseDynamics inverse(*s.dynamics, bounded);
    inverse.place(s.state);
    const InverseCommand command = inverse.command(wanted);
    expect_put_back(s, inverse, wanted, command);
    EXPECT_NEAR(command.force[0], 1.5 * forces[most], 1e-9 * std::abs(forces[most]));  // and no more than that
    EXPECT_GE(command.input.norm(), without.input.norm());
    const Forward after = put_back(s, bounded, command);
    s.dynamics->formulation().bar_forces(after.terms, forces.data());
    EXPECT_NEAR(forces[most], command.force[0], 1e-8 * std::abs(command.force[0]));
    expect_methods_agree(inverse, wanted);
    // All of them in tension: not with cables that pull.
    for (int i = 0; i < std::ssize(model.bars); ++i)
      bounded.forces.push_back({ForceBound::Kind::bar, i, {50.0, INFINITY}});
    InverseDynamics pulled(*s.dynamics, bounded);
    pulled.place(s.state);
    EXPECT_NE(pulled.command(wanted).problem.find("force of bar"), std::string::npos) << pulled.command(wanted).problem;
  }
}

TEST(InverseModels, TheSingleStrutWithEveryKindOfCable) {
  for (const int variant : {0, 1, 2, 3}) {
    SCOPED_TRACE(variant);
    Model model = generated("single_strut", {{"variant", variant}, {"strain", variant == 0 ? 0.0 : 0.012}}).model;
    model.drives.clear();
    Random random(4);
    Steered s(model, "multibody");
    s.shake(random, 0.2);
    const int strut = index_of(model.joints, "universalJt");
    InverseTask task;
    for (const char* pulley : {"B1-pulleyJt", "B2-pulleyJt", "B3-pulleyJt"})
      task.inputs.push_back(joint_input(index_of(model.joints, pulley)));
    if (variant == 0) {
      // Rigid cables: torques act on the strut at once, and every cable must stay taut.
      task.targets = {{ControlTarget::Kind::joint, strut, 0}, {ControlTarget::Kind::joint, strut, 1}};
      for (int i = 0; i < 3; ++i) task.forces.push_back({ForceBound::Kind::pulley, i, {5.0, INFINITY}});
    } else {
      // Elastic ones: torques act on the pulleys alone.
      for (int i = 0; i < 3; ++i) task.targets.push_back({ControlTarget::Kind::pulley, i, 0});
    }
    InverseDynamics inverse(*s.dynamics, task);
    inverse.place(s.state);
    VectorXd wanted(static_cast<long>(task.targets.size()));
    for (double& a : wanted) a = random.between(-2.0, 2.0);
    const InverseCommand command = inverse.command(wanted);
    expect_put_back(s, inverse, wanted, command);
    expect_methods_agree(inverse, wanted);
    EXPECT_EQ(actuation(inverse, command), variant == 0 ? Actuation::over : Actuation::proper);
    if (variant == 0) {
      EXPECT_NEAR(command.force.minCoeff(), 5.0, 1e-9);  // the least torques leave a cable at its bound
    } else {
      InverseTask other = task;
      other.targets = {{ControlTarget::Kind::joint, strut, 0}};
      InverseDynamics turned(*s.dynamics, other);
      turned.place(s.state);
      EXPECT_NE(turned.command(VectorXd::Constant(1, 1.0)).problem.find("no input acts on it"), std::string::npos);
      other.targets = {{ControlTarget::Kind::pulley, 0, 2}};  // the length of the first cable
      InverseDynamics length(*s.dynamics, other);
      length.place(s.state);
      EXPECT_NE(length.command(VectorXd::Constant(1, 1.0)).problem, "");
    }
  }
}

TEST(InverseModels, TheThreeDegreeMachine) {
  Model model = generated("three_dof_mechanism").model;
  model.drives.clear();
  Random random(8);
  Steered s(model, "multibody");
  s.shake(random, 0.1);
  InverseTask task;
  for (const char* knee : {"knee1", "knee2", "knee3"}) {
    task.inputs.push_back(joint_input(index_of(model.joints, knee)));
    task.targets.push_back({ControlTarget::Kind::joint, index_of(model.joints, knee), 0});
  }
  const VectorXd wanted = numbers({0.3, -1.0, 0.7});
  InverseDynamics proper(*s.dynamics, task);
  proper.place(s.state);
  expect_put_back(s, proper, wanted, proper.command(wanted));
  expect_methods_agree(proper, wanted);
  EXPECT_EQ(actuation(proper, proper.command(wanted)), Actuation::proper);
  // Cables as well: more inputs than needed, and bounds on the rigid bars between the tips.
  for (const ControlInput& cable : all_cables(model)) task.inputs.push_back(cable);
  task.targets = {node_target(index_of(model.nodes, "c1"), 0),
                  node_target(index_of(model.nodes, "c1"), 2),
                  {ControlTarget::Kind::joint, index_of(model.joints, "knee2"), 0}};
  const int bar = index_of(model.bars, "cable1");
  for (const bool bounded : {false, true}) {
    if (bounded) task.forces = {{ForceBound::Kind::bar, bar, {10.0, 20.0}}};
    InverseDynamics over(*s.dynamics, task);
    over.place(s.state);
    const InverseCommand command = over.command(wanted);
    expect_put_back(s, over, wanted, command);
    expect_methods_agree(over, wanted);
    EXPECT_EQ(actuation(over, command), Actuation::over);
    if (!bounded) continue;
    std::vector<double> forces(model.bars.size());
    const Forward forward = put_back(s, task, command);
    s.dynamics->formulation().bar_forces(forward.terms, forces.data());
    EXPECT_NEAR(forces[static_cast<std::size_t>(bar)], command.force[0], 1e-8 * (1.0 + command.force.norm()));
    EXPECT_TRUE(command.force[0] >= 10.0 - 1e-9 && command.force[0] <= 20.0 + 1e-9) << command.force[0];
  }
}

}  // namespace
}  // namespace taut::testing
