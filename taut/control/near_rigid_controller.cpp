#include "taut/control/near_rigid_controller.h"

#include <fmt/format.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/control/near_rigid.h"
#include "taut/control/targets.h"
#include "taut/formulation/multibody/multibody.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

using Eigen::VectorXd;

const Multibody& mechanism_of(const Dynamics& dynamics) {
  const auto* mechanism = dynamic_cast<const Multibody*>(&dynamics.formulation());
  if (!mechanism)
    throw InputError(fmt::format("controllers of kind near_rigid need formulation multibody, not {}",
                                 dynamics.formulation().name()));
  return *mechanism;
}

NearRigidTask::Target target_of(const Multibody& mechanism, const Model& model, const ControlTarget& target) {
  const auto coordinate = [&](int first) -> NearRigidTask::Target {
    if (first < 0)
      throw InputError(fmt::format("near_rigid: \"{}\" is of a joint that closes a loop: give it role = \"tree\"",
                                   target_name(model, target)));
    return {first + target.column, -1, 0};
  };
  switch (target.kind) {
    case ControlTarget::Kind::node:
      return {-1, target.index, target.column};
    case ControlTarget::Kind::joint:
      return coordinate(mechanism.velocity_of_joint(target.index));
    case ControlTarget::Kind::pulley:
      return coordinate(mechanism.velocity_of_pulley(target.index));
    case ControlTarget::Kind::frame:
    case ControlTarget::Kind::cable:
      break;
  }
  throw InputError(fmt::format("near_rigid: \"{}\" cannot be steered: expected nodes, joints and pulleys",
                               target_name(model, target)));
}

NearRigidTask task_of(const Dynamics& dynamics, const ControllerSpec& spec) {
  const Multibody& mechanism = mechanism_of(dynamics);
  const Model& model = dynamics.model();
  const SteerSettings& s = spec.steer;
  NearRigidTask task;
  for (const ControlTarget& target : s.targets) {
    task.targets.push_back(target_of(mechanism, model, target));
    task.target_names.push_back(target_name(model, target));
  }
  const long inputs = static_cast<long>(s.inputs.size()), cables = static_cast<long>(model.pulleys.size());
  task.least_input.resize(inputs);
  task.most_input.resize(inputs);
  for (long i = 0; i < inputs; ++i) {
    const ControlInput& input = s.inputs[static_cast<std::size_t>(i)];
    const int first = mechanism.velocity_of_joint(input.joint);
    if (first < 0)
      throw InputError(fmt::format("near_rigid: joint \"{}\" closes a loop: give it role = \"tree\"",
                                   model.joints[input.joint].name));
    task.inputs.push_back(first + input.coordinate);
    task.input_names.push_back("torque of " + input_name(model, input));
    task.least_input[i] = input.bounds.least;
    task.most_input[i] = input.bounds.most;
  }
  task.least_strain = VectorXd::Zero(cables);
  task.most_strain = VectorXd::Constant(cables, INFINITY);
  for (long i = 0; i < cables; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    task.strains.push_back(mechanism.velocity_of_pulley(static_cast<int>(i)) + 1);
    task.cable_names.push_back("strain of " + model.pulleys[at].name);
    if (s.strain.empty()) continue;
    task.least_strain[i] = s.strain[at].least;
    task.most_strain[i] = s.strain[at].most;
  }
  task.strain_gain = s.strain_gain;
  task.free_velocity_gain = s.free_velocity_gain;
  task.free_position_gain = s.free_position_gain;
  if (!s.input_weight.empty()) task.input_weight = VectorXd::Map(s.input_weight.data(), inputs);
  return task;
}

class NearRigidController final : public Controller, public multibody::TorqueLaw {
 public:
  NearRigidController(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets)
      : spec_(spec),
        targets_(targets),
        mechanism_(mechanism_of(dynamics)),
        control_(mechanism_.system(), task_of(dynamics, spec)),
        kp_(target_gains(spec.steer.position_gain, targets.size())),
        kd_(target_gains(spec.steer.velocity_gain, targets.size())),
        input_(VectorXd::Zero(static_cast<long>(spec.steer.inputs.size()))),
        commanded_(VectorXd::Zero(static_cast<long>(dynamics.model().pulleys.size()))) {
    // Before the first command: as at the start.
    for (long i = 0; i < commanded_.size(); ++i)
      commanded_[i] = dynamics.model().pulleys[static_cast<std::size_t>(i)].strain;
  }

  const std::vector<ControlInput>& inputs() const override { return spec_.steer.inputs; }
  double speed() const override { return INFINITY; }
  bool evaluates() const override { return true; }

  multibody::TorqueLaw* law() override { return spec_.rate == 0.0 ? this : nullptr; }

  void apply(const double* q, const double* v, multibody::SystemTerms& terms) override {
    // At the end of a segment the path of that segment counts, whose acceleration may jump there.
    const double t = terms.time < terms.segment_end ? terms.time : std::nextafter(terms.segment_end, -INFINITY);
    for (int order = 0; order < 3; ++order) targets_.wanted(t, order, wanted_[order]);
    control_.position(q, terms, x_);
    control_.velocity(v, terms, x_rate_);
    acceleration_ = wanted_[2] + kd_.cwiseProduct(wanted_[1] - x_rate_) + kp_.cwiseProduct(wanted_[0] - x_);
    const NearRigidCommand& command = control_.command(q, v, terms, acceleration_);
    problem_ = command.problem;
    if (problem_.empty()) {
      input_ = command.input;
      commanded_ = command.commanded;
    }
    const std::vector<int>& inputs = control_.task().inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) terms.applied[inputs[i]] = input_[static_cast<long>(i)];
  }

  std::string update(const Observation& now, std::vector<double>& commands) override {
    now.dynamics->forces(now.t, now.state->q(), now.state->v(), *now.terms);
    mechanism_.load(*now.terms);
    apply(now.state->q(), now.state->v(), *now.terms->multibody);
    require_command(now.t);
    VectorXd::Map(commands.data(), input_.size()) = input_;
    return {};
  }

  void record(const Observation& now, double* columns) override {
    if (spec_.rate == 0.0) require_command(now.t);
    VectorXd::Map(columns, commanded_.size()) = commanded_;
  }

 private:
  void require_command(double t) const {
    if (!problem_.empty()) throw RunError(t, fmt::format("near-rigid control at t = {:.6g} s: {}", t, problem_));
  }

  const ControllerSpec& spec_;
  Targets& targets_;
  const Multibody& mechanism_;
  NearRigid control_;
  VectorXd kp_, kd_;
  VectorXd input_, commanded_;  // the last that could be
  std::string problem_;         // of the last evaluation
  VectorXd wanted_[3], x_, x_rate_, acceleration_;
};

}  // namespace

std::unique_ptr<Controller> make_near_rigid(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets) {
  return std::make_unique<NearRigidController>(dynamics, spec, targets);
}

}  // namespace taut
