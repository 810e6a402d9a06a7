#include "taut/control/computed_torque.h"

#include "taut/control/inverse_dynamics.h"
#include "taut/control/targets.h"

namespace taut {

namespace {

using Eigen::VectorXd;

InverseTask task_of(const ControllerSpec& spec) {
  InverseTask task;
  task.targets = spec.steer.targets;
  task.inputs = spec.steer.inputs;
  task.weights = spec.steer.input_weight;
  for (const ControlInput& input : task.inputs)
    task.input_bounds.push_back(input.cable >= 0 ? spec.steer.tension : Bounds{});
  return task;
}

class ComputedTorque final : public Controller {
 public:
  ComputedTorque(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets)
      : steer_(spec.steer),
        targets_(targets),
        period_(1.0 / spec.rate),
        inverse_(dynamics, task_of(spec)),
        kp_(target_gains(steer_.position_gain, targets.size())),
        kd_(target_gains(steer_.velocity_gain, targets.size())) {}

  const std::vector<ControlInput>& inputs() const override { return steer_.inputs; }
  double speed() const override { return steer_.speed; }
  bool evaluates() const override { return true; }

  std::string update(const Observation& now, std::vector<double>& commands) override {
    for (int order = 0; order < 3; ++order) targets_.wanted(now.t, order, wanted_[order]);
    inverse_.set_winches(now.terms->cables.winches);
    inverse_.place(*now.state);
    const VectorXd& lengthening = inverse_.length_rates();
    inverse_.set_winding(lengthening);
    acceleration_ =
        wanted_[2] + kd_.cwiseProduct(wanted_[1] - inverse_.rate()) + kp_.cwiseProduct(wanted_[0] - inverse_.value());
    const InverseCommand& command = inverse_.command(acceleration_, steer_.method);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const long k = static_cast<long>(i);
      commands[i] = steer_.inputs[i].cable >= 0 ? command.rest_length[k] + period_ * lengthening[k] : command.input[k];
    }
    // One line when it begins, one when it ends.
    const bool was_possible = possible_;
    possible_ = command.possible;
    if (possible_ == was_possible) return {};
    return possible_ ? "follows its targets again" : "cannot follow its targets: " + command.problem;
  }

 private:
  const SteerSettings& steer_;
  Targets& targets_;
  double period_;
  InverseDynamics inverse_;
  VectorXd kp_, kd_;
  VectorXd wanted_[3], acceleration_;
  bool possible_ = true;
};

}  // namespace

std::unique_ptr<Controller> make_computed_torque(const Dynamics& dynamics, const ControllerSpec& spec,
                                                 Targets& targets) {
  return std::make_unique<ComputedTorque>(dynamics, spec, targets);
}

}  // namespace taut
