#include "taut/control/controllers/near_rigid_controller.h"

#include <fmt/format.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/control/controllers/near_rigid.h"
#include "taut/control/targets/targets.h"
#include "taut/model/control_names.h"

namespace taut {

namespace {

using Eigen::VectorXd;

const JointSide& joints_of(const Dynamics& dynamics) {
  const JointSide* joints = dynamics.formulation().joints();
  if (!joints)
    throw InputError(fmt::format("controllers of kind near_rigid need formulation multibody, not {}",
                                 dynamics.formulation().facts().name));
  return *joints;
}

NearRigidTask::Target target_of(const JointSide& joints, const Model& model, const ControlTarget& target) {
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
      return coordinate(joints.joint_indices(target.index).v);
    case ControlTarget::Kind::pulley:
      return coordinate(joints.pulley_indices(target.index).v);
    case ControlTarget::Kind::frame:
    case ControlTarget::Kind::cable:
      break;
  }
  throw InputError(fmt::format("near_rigid: \"{}\" cannot be steered: expected nodes, joints and pulleys",
                               target_name(model, target)));
}

NearRigidTask task_of(const Dynamics& dynamics, const ControllerSpec& spec) {
  const JointSide& joints = joints_of(dynamics);
  const Model& model = dynamics.model();
  const SteerSettings& s = spec.steer;
  NearRigidTask task;
  for (const ControlTarget& target : s.targets) {
    task.targets.push_back(target_of(joints, model, target));
    task.target_names.push_back(target_name(model, target));
  }
  const long inputs = static_cast<long>(s.inputs.size()), cables = static_cast<long>(model.pulleys.size());
  task.least_input.resize(inputs);
  task.most_input.resize(inputs);
  for (long i = 0; i < inputs; ++i) {
    const ControlInput& input = s.inputs[static_cast<std::size_t>(i)];
    const int first = joints.joint_indices(input.joint).v;
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
    task.strains.push_back(joints.pulley_indices(static_cast<int>(i)).v + 1);
    task.cable_names.push_back("strain of " + model.pulleys[at].name);
    if (s.strain.empty()) continue;
    task.least_strain[i] = s.strain[at].least;
    task.most_strain[i] = s.strain[at].most;
  }
  task.strain_gain = s.strain_gain;
  task.compensate_damping = s.compensate_damping;
  task.free_velocity_gain = s.free_velocity_gain;
  task.free_position_gain = s.free_position_gain;
  if (!s.input_weight.empty()) task.input_weight = VectorXd::Map(s.input_weight.data(), inputs);
  return task;
}

class NearRigidController final : public Controller, public TorqueLaw {
 public:
  NearRigidController(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets)
      : spec_(spec),
        targets_(targets),
        joints_(joints_of(dynamics)),
        control_(joints_.system(), task_of(dynamics, spec)),
        kp_(target_gains(spec.steer.position_gain, targets.size())),
        kd_(target_gains(spec.steer.velocity_gain, targets.size())),
        inputs_(spec.steer.inputs.size()),
        pulleys_(dynamics.model().pulleys.size()) {
    for (const PulleySpec& pulley : dynamics.model().pulleys) start_strain_.push_back(pulley.strain);
  }

  // The last torques and commanded strains that could be, then where the search for the next ones begins.
  int memory() const override { return static_cast<int>(2 * (inputs_ + pulleys_)); }
  void begin(std::span<double> memory) const override {
    std::copy(start_strain_.begin(), start_strain_.end(), memory.begin() + static_cast<long>(inputs_));
  }

  const std::vector<ControlInput>& inputs() const override { return spec_.steer.inputs; }
  double speed() const override { return INFINITY; }
  bool evaluates() const override { return true; }

  TorqueLaw* law(std::size_t first) override {
    first_ = first;
    return spec_.rate == 0.0 ? this : nullptr;
  }

  void apply(const double* q, const double* v, Terms& terms) override {
    double* const memory = terms.control.data() + first_;
    find_input(q, v, memory, terms);
    for (std::size_t i = 0; i < inputs_; ++i) terms.torque[control_.task().inputs[i]] = memory[i];
  }

  std::string update(const Observation& now, std::span<double> memory, std::span<double> commands) override {
    now.dynamics->forces(now.t, now.state->q(), now.state->v(), *now.terms);
    std::fill(now.terms->torque.begin(), now.terms->torque.end(), 0.0);  // those of other controllers are not known
    now.terms->held.clear();
    find_input(now.state->q(), now.state->v(), memory.data(), *now.terms);
    require_command(now.t);
    std::copy_n(memory.begin(), inputs_, commands.begin());
    return {};
  }

  void record(const Observation& now, std::span<const double> memory, double* columns) override {
    if (spec_.rate == 0.0) require_command(now.t);
    std::copy_n(memory.begin() + static_cast<long>(inputs_), pulleys_, columns);
  }

 private:
  // With the forces on nodes, and what torques others apply, in the terms.
  void find_input(const double* q, const double* v, double* memory, Terms& terms) {
    multibody::SystemTerms& loaded = joints_.load(terms);
    // At the end of a segment the path of that segment counts, whose acceleration may jump there.
    const double t = terms.time < terms.segment_end ? terms.time : std::nextafter(terms.segment_end, -INFINITY);
    for (int order = 0; order < 3; ++order) targets_.wanted(t, order, wanted_[order]);
    control_.position(q, loaded, x_);
    control_.velocity(v, loaded, x_rate_);
    acceleration_ = wanted_[2] + kd_.cwiseProduct(wanted_[1] - x_rate_) + kp_.cwiseProduct(wanted_[0] - x_);
    const std::span<double> active(memory + inputs_ + pulleys_, inputs_ + pulleys_);
    recall(active, control_.active());
    const NearRigidCommand& command = control_.command(q, v, loaded, acceleration_);
    remember(control_.active(), active);
    problem_ = command.problem;
    if (!problem_.empty()) return;
    std::copy(command.input.begin(), command.input.end(), memory);
    std::copy(command.commanded.begin(), command.commanded.end(), memory + inputs_);
  }

  void require_command(double t) const {
    if (!problem_.empty()) throw RunError(t, fmt::format("near-rigid control at t = {:.6g} s: {}", t, problem_));
  }

  const ControllerSpec& spec_;
  Targets& targets_;
  const JointSide& joints_;
  NearRigid control_;
  VectorXd kp_, kd_;
  std::size_t inputs_, pulleys_, first_ = 0;
  std::vector<double> start_strain_;
  std::string problem_;  // of the last evaluation
  VectorXd wanted_[3], x_, x_rate_, acceleration_;
};

}  // namespace

std::unique_ptr<Controller> make_near_rigid(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets) {
  return std::make_unique<NearRigidController>(dynamics, spec, targets);
}

}  // namespace taut
