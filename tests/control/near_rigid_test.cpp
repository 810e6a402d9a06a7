// Near-rigid control (Lieskovský 2022, 3.2 and 5.4): the command, put into the full equations of motion together with
// the torques of the expected strains, makes the accelerations that were asked for; bounds hold; what cannot be is
// named.
#include "taut/control/controllers/near_rigid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taut/formulation/formulation.h"
#include "taut/formulation/matrices.h"
#include "taut/formulation/multibody/system/stabilise.h"
#include "taut/solve/dense.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::VectorXd;

struct Machine {
  Scenario scenario;
  std::unique_ptr<Formulation> formulation;
  const multibody::System* system;
  multibody::SystemTerms terms;
  VectorXd q, v;

  Machine(const std::string& kind, const Parameters& parameters)
      : scenario(generated(kind, parameters)),
        formulation(make_formulation("multibody", scenario.model)),
        system(&formulation->joints()->system()),
        terms(multibody::make_terms(*system)),
        q(VectorXd::Map(system->q.data(), static_cast<long>(system->q.size()))),
        v(VectorXd::Map(system->v.data(), static_cast<long>(system->v.size()))) {}

  int velocity(const std::string& joint) const {
    for (const multibody::Link& link : system->tree.links)
      if (system->machine.joints[link.joint].name == joint) return link.v;
    ADD_FAILURE() << joint;
    return 0;
  }
  void place() {
    std::fill(terms.applied.begin(), terms.applied.end(), 0.0);
    multibody::drive(*system, 0.0, terms);
    multibody::place(*system, q.data(), v.data(), terms);
    multibody::set_weight(system->tree, terms.tree);
  }
  // Pulleys and cables of the model as inputs and strains.
  NearRigidTask task(const std::vector<std::string>& pulleys, const std::string& spin, double least) const {
    NearRigidTask t;
    for (const std::string& name : pulleys) {
      t.inputs.push_back(velocity(name + spin));
      t.strains.push_back(velocity(name + "-involuteJt") + 1);
      t.input_names.push_back("torque of " + name);
      t.cable_names.push_back("strain of " + name);
    }
    const long n = static_cast<long>(pulleys.size());
    t.least_strain = VectorXd::Constant(n, least);
    t.most_strain = VectorXd::Constant(n, INFINITY);
    t.least_input = VectorXd::Constant(n, -INFINITY);
    t.most_input = VectorXd::Constant(n, INFINITY);
    return t;
  }
};

// v̇ of the whole system under the command, with the torques that the changes of strain would make.
VectorXd accelerations(Machine& m, const NearRigidTask& task, const NearRigidCommand& command) {
  m.place();
  std::fill(m.terms.applied.begin(), m.terms.applied.end(), 0.0);  // the model's own torques
  for (std::size_t i = 0; i < task.inputs.size(); ++i)
    m.terms.applied[task.inputs[i]] += command.input[static_cast<long>(i)];
  for (std::size_t i = 0; i < task.strains.size(); ++i) {
    const int at = m.system->tree.link_of_velocity[task.strains[i]];
    const multibody::Link& link = m.system->tree.links[at];
    const auto& cable = std::get<multibody::Involute>(m.system->tree.joints[at].kind);
    // (3.2.2), with the sign of a torque: more tension at the strain that there is.
    const double phi = m.q[link.q], strain = m.q[link.q + 1];
    const double tension = cable.material.EA * (command.commanded[static_cast<long>(i)] - strain);
    m.terms.applied[link.v] -= tension * cable.radius * strain;
    m.terms.applied[link.v + 1] -= tension * cable.radius * phi;
  }
  VectorXd v_rate(m.v.size());
  multibody::accelerate(*m.system, m.q.data(), m.v.data(), {}, m.terms, v_rate.data());
  return v_rate;
}

TEST(NearRigid, TheStrutAcceleratesAsAsked) {
  Machine m("single_strut", {{"modulus", 2e9}, {"viscosity", 1e6}, {"strain", 0.012}});
  NearRigidTask task = m.task({"B1", "B2", "B3"}, "-pulleyJt", 0.01);
  const int angles = m.velocity("universalJt");
  task.targets = {{angles}, {angles + 1}};
  // In motion: the strut's velocity, and what fits it.
  m.v[angles] = 0.3, m.v[angles + 1] = -0.2;
  multibody::filter_velocities(*m.system, m.q.data(), m.v.data(), m.terms);
  NearRigid control(*m.system, task);
  for (const VectorXd& wanted : {VectorXd(Eigen::Vector2d(0.0, 0.0)), VectorXd(Eigen::Vector2d(1.5, -0.7))}) {
    m.place();
    const NearRigidCommand command = control.command(m.q.data(), m.v.data(), m.terms, wanted);
    ASSERT_EQ(command.problem, "");
    const VectorXd a = accelerations(m, task, command);
    EXPECT_NEAR(a[angles], wanted[0], 1e-8);
    EXPECT_NEAR(a[angles + 1], wanted[1], 1e-8);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(a[task.strains[i]], 0.0, 1e-7);
      EXPECT_GE(command.commanded[static_cast<long>(i)], 0.01 - 1e-12);
    }
    // The least torques: some cable is at its bound.
    EXPECT_NEAR(command.commanded.minCoeff(), 0.01, 1e-10);
  }
}

TEST(NearRigid, TheManipulatorsHandAcceleratesAsAsked) {
  Machine m("tensegrity_manipulator", {{"bearing_damping", 0.0}});
  NearRigidTask task = m.task({"B1-top", "B1-bot", "B2-top", "B2-bot", "B3-top", "B3-bot"}, "-revoluteJt", 0.005);
  const int hand = 6;  // the last node
  ASSERT_EQ(m.scenario.model.nodes[hand].name, "end-effector");
  for (int axis = 0; axis < 3; ++axis) task.targets.push_back({-1, hand, axis});
  NearRigid control(*m.system, task);
  m.place();
  const VectorXd wanted = Eigen::Vector3d(0.2, -0.1, 0.5);
  const NearRigidCommand command = control.command(m.q.data(), m.v.data(), m.terms, wanted);
  ASSERT_EQ(command.problem, "");
  const VectorXd a = accelerations(m, task, command);
  multibody::accelerations(m.system->tree, a.data(), m.terms.tree);
  EXPECT_LT((acceleration(m.system->tree, hand, m.terms.tree) - Vec3(wanted)).norm(), 1e-6);
  for (int strain : task.strains) EXPECT_NEAR(a[strain], 0.0, 1e-5);
}

// The manipulator turned and in motion, as a task with the hand's accelerations as targets.
struct Moving {
  Machine m{"tensegrity_manipulator", {{"bearing_damping", 0.0}}};
  NearRigidTask task = m.task({"B1-top", "B1-bot", "B2-top", "B2-bot", "B3-top", "B3-bot"}, "-revoluteJt", 0.005);

  Moving() {
    for (int axis = 0; axis < 3; ++axis) task.targets.push_back({-1, 6, axis});
    for (int c = 0; c < m.system->tree.nv; ++c) m.v[c] = 0.3 * std::sin(1.0 + 7.0 * c);
    multibody::filter_velocities(*m.system, m.q.data(), m.v.data(), m.terms);
    // A little further on.
    VectorXd rate(m.q.size());
    m.formulation->coordinate_rates(m.q.data(), m.v.data(), rate.data());
    m.q += 0.01 * rate;  // cables stay taut
    EXPECT_GT(multibody::project(*m.system, m.q.data(), m.v.data(), m.terms), 0.0);
  }
};

// The command is where ½ Σ ρ u² + ½ |v̇ + d v|²_H is least, by the conditions of an optimum with everything from the
// full equations of motion and differences.
void expect_optimum(double least) {
  SCOPED_TRACE(least);
  Moving moving;
  Machine& m = moving.m;
  NearRigidTask& task = moving.task;
  task.free_velocity_gain = 8.0;
  task.free_position_gain = 30.0;
  task.input_weight = VectorXd::LinSpaced(6, 0.01, 0.03);
  task.least_strain.setConstant(least);
  NearRigid control(*m.system, task);
  const VectorXd wanted = Eigen::Vector3d(0.4, 0.3, -0.6);
  m.place();
  const NearRigidCommand command = control.command(m.q.data(), m.v.data(), m.terms, wanted);
  ASSERT_EQ(command.problem, "");

  m.place();
  multibody::factorise(*m.system, m.terms);
  const Eigen::MatrixXd H = m.formulation->matrices(m.q.data(), m.v.data(), {.M = true}).M;
  VectorXd way = VectorXd::Zero(m.v.size());
  for (const multibody::Link& link : m.system->tree.links)
    for (int c = 0; link.nq == link.nv && c < link.nv; ++c)
      way[link.v + c] = m.q[link.q + c] - m.system->q[static_cast<std::size_t>(link.q + c)];
  EXPECT_GT(way.norm(), 0.01);
  // The objective by the full equations and the dense H, and how it changes while targets and strains stay.
  const long n = static_cast<long>(task.inputs.size());
  const auto objective = [&](const VectorXd& u, const VectorXd& strain) {
    NearRigidCommand other = command;
    other.input = u;
    other.commanded = strain;
    const VectorXd rate = accelerations(m, task, other) + task.free_velocity_gain * m.v + task.free_position_gain * way;
    return 0.5 * u.dot(task.input_weight.cwiseProduct(u)) + 0.5 * rate.dot(H * rate);
  };
  const auto rows = [&](const VectorXd& u, const VectorXd& strain) {
    NearRigidCommand other = command;
    other.input = u;
    other.commanded = strain;
    const VectorXd rate = accelerations(m, task, other);
    multibody::accelerations(m.system->tree, rate.data(), m.terms.tree);
    VectorXd r(3 + n);
    for (int k = 0; k < 3; ++k) r[k] = acceleration(m.system->tree, 6, m.terms.tree)[k];
    for (long i = 0; i < n; ++i) r[3 + i] = rate[task.strains[static_cast<std::size_t>(i)]];
    return r;
  };
  const VectorXd u = command.input, strain = command.commanded;
  const VectorXd at = rows(u, strain);
  Eigen::MatrixXd slopes(3 + n, 2 * n);
  VectorXd gradient(2 * n);
  for (long i = 0; i < 2 * n; ++i) {
    VectorXd du = VectorXd::Zero(n), de = VectorXd::Zero(n);
    (i < n ? du[i] : de[i - n]) = i < n ? 1.0 : 1e-3;
    slopes.col(i) = rows(u + du, strain + de) - at;
    gradient[i] = 0.5 * (objective(u + du, strain + de) - objective(u - du, strain - de));
  }
  const Eigen::MatrixXd free = kernel(slopes, 1e-14);
  ASSERT_EQ(free.cols(), 3);
  // At the optimum the gradient along the kernel is a combination of the bounds that hold, which push upwards only.
  Eigen::MatrixXd bounds(3, 0);
  for (long i = 0; i < n; ++i)
    if (strain[i] < least + 1e-9) {
      bounds.conservativeResize(3, bounds.cols() + 1);
      bounds.col(bounds.cols() - 1) = free.row(n + i).transpose();
    }
  const VectorXd along = free.transpose() * gradient;
  const VectorXd push = bounds.cols() > 0 ? VectorXd(PivotedQr(bounds).solve(along)) : VectorXd(0);
  const VectorXd left = bounds.cols() > 0 ? VectorXd(along - bounds * push) : along;
  EXPECT_LT(left.norm(), 1e-6 * (1.0 + gradient.norm()));
  for (long i = 0; i < push.size(); ++i) EXPECT_GT(push[i], -1e-9);
}

// With bounds that hold, and where none does.
TEST(NearRigid, LeadsFreeAccelerationsInTheMassMetric) {
  expect_optimum(0.005);
  expect_optimum(-1.0);
}

TEST(NearRigid, StrainsStayBelowTheirMost) {
  Moving moving;
  Machine& m = moving.m;
  moving.task.free_velocity_gain = 8.0;
  moving.task.least_strain.setConstant(-1.0);
  const auto commanded = [&](double most) {
    moving.task.most_strain.setConstant(most);
    NearRigid control(*m.system, moving.task);
    m.place();
    const NearRigidCommand command = control.command(m.q.data(), m.v.data(), m.terms, Eigen::Vector3d(0.4, 0.3, -0.6));
    EXPECT_EQ(command.problem, "");
    return VectorXd(command.commanded);
  };
  const VectorXd any = commanded(INFINITY);
  const double most = any.maxCoeff() - 0.1 * (any.maxCoeff() - any.minCoeff());
  EXPECT_NEAR(commanded(most).maxCoeff(), most, 1e-10);
}

// With a strain gain the true cables, not the expected ones, accelerate towards their commands.
TEST(NearRigid, StrainsFollowTheirCommands) {
  Moving moving;
  Machine& m = moving.m;
  NearRigidTask& task = moving.task;
  task.free_velocity_gain = 8.0;
  task.strain_gain = 200.0;
  NearRigid control(*m.system, task);
  m.place();
  const NearRigidCommand command = control.command(m.q.data(), m.v.data(), m.terms, Eigen::Vector3d(0.4, 0.3, -0.6));
  ASSERT_EQ(command.problem, "");
  m.place();
  std::fill(m.terms.applied.begin(), m.terms.applied.end(), 0.0);
  for (std::size_t i = 0; i < task.inputs.size(); ++i)
    m.terms.applied[task.inputs[i]] = command.input[static_cast<long>(i)];
  VectorXd rate(m.v.size());
  multibody::accelerate(*m.system, m.q.data(), m.v.data(), {}, m.terms, rate.data());
  for (std::size_t i = 0; i < task.strains.size(); ++i) {
    const multibody::Link& link = m.system->tree.links[m.system->tree.link_of_velocity[task.strains[i]]];
    const double wanted =
        200.0 * 200.0 * (command.commanded[static_cast<long>(i)] - m.q[link.q + 1]) - 400.0 * m.v[task.strains[i]];
    EXPECT_NEAR(rate[task.strains[i]], wanted, 1e-9 * (1.0 + rate.cwiseAbs().maxCoeff()));
  }
}

// Without compensation the torques are those for the same machine with cables that nothing damps; with it they differ
// by what undoes the damping. Bearings that are damped are compensated in both.
TEST(NearRigid, LeavesTheCablesDampingOut) {
  const auto torques = [](double viscosity, bool compensate, double strain_gain) {
    Machine m("tensegrity_manipulator", {{"viscosity", viscosity}, {"bearing_damping", 0.1}});
    NearRigidTask task = m.task({"B1-top", "B1-bot", "B2-top", "B2-bot", "B3-top", "B3-bot"}, "-revoluteJt", 0.005);
    for (int axis = 0; axis < 3; ++axis) task.targets.push_back({-1, 6, axis});
    task.compensate_damping = compensate;
    task.strain_gain = strain_gain;
    for (int c = 0; c < m.system->tree.nv; ++c) m.v[c] = 0.03 * std::sin(1.0 + 7.0 * c);
    multibody::filter_velocities(*m.system, m.q.data(), m.v.data(), m.terms);
    NearRigid control(*m.system, task);
    m.place();
    const NearRigidCommand command = control.command(m.q.data(), m.v.data(), m.terms, Eigen::Vector3d(0.2, 0.1, -0.3));
    EXPECT_EQ(command.problem, "");
    return VectorXd(command.input);
  };
  for (const double strain_gain : {0.0, 200.0}) {
    SCOPED_TRACE(strain_gain);
    const VectorXd bare = torques(0.0, true, strain_gain), left_out = torques(1e6, false, strain_gain),
                   compensated = torques(1e6, true, strain_gain);
    EXPECT_LT((left_out - bare).norm(), 1e-9 * bare.norm());
    EXPECT_GT((compensated - bare).norm(), 1e-3 * bare.norm());
  }
}

TEST(NearRigid, SaysWhatIsInTheWay) {
  Machine m("single_strut", {{"strain", 0.01}});
  NearRigidTask task = m.task({"B1", "B2", "B3"}, "-pulleyJt", 0.01);
  const int angles = m.velocity("universalJt");
  task.targets = {{angles}, {angles + 1}};
  task.most_input.setConstant(1e-3);  // too little to hold the cables
  NearRigid control(*m.system, task);
  m.place();
  const NearRigidCommand& command = control.command(m.q.data(), m.v.data(), m.terms, Eigen::Vector2d(0.0, 0.0));
  EXPECT_NE(command.problem.find("torque of B"), std::string::npos) << command.problem;
  // Cables of another variant have no strain among their coordinates.
  Machine other("single_strut", {{"variant", 3}});
  EXPECT_THROW(NearRigid(*other.system, other.task({"B1"}, "-pulleyJt", 0.0)), InputError);
}

}  // namespace
}  // namespace taut::testing
