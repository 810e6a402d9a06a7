// For the tests of inverse dynamics: a model in a formulation at some state, and what a command does when it is put
// back into the full forward dynamics, rest lengths through the cables' laws and torques through the joints.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "taut/base/error.h"
#include "taut/control/inverse/inverse_dynamics.h"
#include "taut/file/read/read_toml.h"
#include "tests/support/support.h"

namespace taut::testing {

using Eigen::MatrixXd;
using Eigen::VectorXd;

inline VectorXd numbers(const std::vector<double>& list) {
  VectorXd v(static_cast<long>(list.size()));
  std::copy(list.begin(), list.end(), v.data());
  return v;
}

// With n inputs on m targets: over: rank A = m < n, many inputs do; proper: rank A = m = n, one does; under: rank A <
// m, not every acceleration can be had.
enum class Actuation { over, proper, under };

inline Actuation actuation(const InverseDynamics& inverse, const InverseCommand& command) {
  if (command.rank < inverse.value().size()) return Actuation::under;
  return command.rank < static_cast<int>(inverse.task().inputs.size()) ? Actuation::over : Actuation::proper;
}

struct Steered {
  Model model;
  std::unique_ptr<Dynamics> dynamics;
  State state;

  Steered(Model made, std::string_view formulation)
      : model(std::move(made)),
        dynamics(std::make_unique<Dynamics>(model, formulation, ConstraintMethod::projection)),
        state(dynamics->start()) {}

  // Velocities (and small moves) at random that fit the constraints.
  void shake(Random& random, double speed, double move = 0.0) {
    const std::vector<std::string> names = dynamics->formulation().facts().state_names;  // empty: never changes
    for (int i = 0; i < state.nq + state.nv; ++i) {
      const double size = i < state.nq ? move : speed;
      if (!names[static_cast<std::size_t>(i)].empty()) state.y[i] += random.between(-size, size);
    }
    Terms terms = dynamics->make_terms();
    dynamics->project(state, terms);
  }
};

inline ControlInput cable_input(int cable) {
  ControlInput input;
  input.cable = cable;
  return input;
}
inline ControlInput joint_input(int joint, int coordinate = 0) {
  ControlInput input;
  input.joint = joint;
  input.coordinate = coordinate;
  return input;
}
inline std::vector<ControlInput> all_cables(const Model& model) {
  std::vector<ControlInput> inputs;
  for (int i = 0; i < std::ssize(model.cables); ++i) inputs.push_back(cable_input(i));
  return inputs;
}
inline ControlTarget node_target(int node, int axis) { return {ControlTarget::Kind::node, node, axis}; }

template <class List>
int index_of(const List& list, const std::string& name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << name;
  return 0;
}

// What the motion does under a command.
struct Forward {
  VectorXd y_rate;               // ẏ of the dynamics
  VectorXd accelerations;        // of the targets
  std::vector<double> tensions;  // of the cables, N
  Terms terms;
};

inline Forward put_back(const Steered& s, const InverseTask& task, const InverseCommand& command) {
  Forward out;
  out.terms = s.dynamics->make_terms();
  std::vector<Winch> winches;
  for (std::size_t j = 0; j < task.inputs.size(); ++j) {
    const long k = static_cast<long>(j);
    if (task.inputs[j].cable >= 0) {
      winches.push_back({task.inputs[j].cable, command.rest_length[k]});
    } else {
      const int first = s.dynamics->formulation().joints()->joint_indices(task.inputs[j].joint).v;
      out.terms.torque[static_cast<std::size_t>(first + task.inputs[j].coordinate)] = command.input[k];
    }
  }
  s.dynamics->cables().set_winches(winches, out.terms.cables);
  out.y_rate.setZero(s.dynamics->size());
  s.dynamics->rhs(s.state.t, s.state.y.data(), out.y_rate.data(), out.terms);
  for (int i = 0; i < std::ssize(s.model.cables); ++i)
    out.tensions.push_back(out.terms.cables.tension[static_cast<std::size_t>(s.dynamics->cables().slot_of_cable(i))]);
  TargetMotion targets(*s.dynamics, task.targets);
  EXPECT_EQ(targets.place(s.state.q(), s.state.v(), out.terms), "");
  AlignedDoubles nodes(4 * s.model.nodes.size(), 0.0);
  const double* const v_rate = out.y_rate.data() + s.state.nq;
  s.dynamics->formulation().node_accelerations(s.state.q(), s.state.v(), v_rate, out.terms, nodes.data());
  targets.accelerations(nodes.data(), v_rate, out.accelerations);
  return out;
}

// The largest acceleration that nodes have without inputs or with them: what differences are relative to.
inline double scale_of(InverseDynamics& inverse, const InverseCommand& command) {
  return 1.0 + inverse.drift().cwiseAbs().maxCoeff() +
         (inverse.response().cwiseAbs() * command.input.cwiseAbs()).maxCoeff();
}

// The command makes what was asked for, in the full dynamics, and the tensions that it says.
inline void expect_put_back(const Steered& s, InverseDynamics& inverse, const VectorXd& wanted,
                            const InverseCommand& command, double tolerance = 1e-9) {
  ASSERT_TRUE(command.possible) << command.problem;
  const Forward forward = put_back(s, inverse.task(), command);
  const double scale = scale_of(inverse, command);
  EXPECT_LT((forward.accelerations - wanted).cwiseAbs().maxCoeff(), tolerance * scale);
  EXPECT_LT((command.acceleration - wanted).cwiseAbs().maxCoeff(), tolerance * scale);
  for (std::size_t j = 0; j < inverse.task().inputs.size(); ++j) {
    const int cable = inverse.task().inputs[j].cable;
    if (cable < 0) continue;
    EXPECT_NEAR(forward.tensions[static_cast<std::size_t>(cable)], command.input[static_cast<long>(j)],
                1e-9 * (1.0 + command.input.cwiseAbs().maxCoeff()))
        << s.model.cables[static_cast<std::size_t>(cable)].name;
  }
}

inline constexpr InverseMethod all_methods[] = {InverseMethod::qp, InverseMethod::null_space, InverseMethod::nlp};

// The three methods find the same inputs.
inline void expect_methods_agree(InverseDynamics& inverse, const VectorXd& wanted, double tolerance = 1e-8) {
  const InverseCommand reference = inverse.command(wanted, InverseMethod::qp);
  for (const InverseMethod method : all_methods) {
    const InverseCommand& other = inverse.command(wanted, method);
    ASSERT_EQ(other.possible, reference.possible) << name(method) << ": " << other.problem << reference.problem;
    EXPECT_LT((other.input - reference.input).cwiseAbs().maxCoeff(),
              tolerance * (1.0 + reference.input.cwiseAbs().maxCoeff()))
        << name(method);
    EXPECT_EQ(other.problem, reference.problem);
  }
}

}  // namespace taut::testing
