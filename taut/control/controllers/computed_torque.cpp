#include "taut/control/controllers/computed_torque.h"

#include <algorithm>

#include "taut/control/inverse/inverse_dynamics.h"
#include "taut/control/targets/targets.h"

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

// L0' of the header, by bisection: the tension falls as it grows.
double rest_at_end(const CableLaw& law, const InverseDynamics::CableMotion& cable, double period, double wanted) {
  const double end = cable.length + cable.rate * period;
  const auto excess = [&](double rest) {
    return tension(law, end - rest, cable.rate - (rest - cable.rest) / period, rest) - wanted;
  };
  double low = 1e-6 * cable.length, high = std::max(end, low);
  for (int pass = 0; pass < 20 && excess(high) > 0.0; ++pass) high += 0.1 * cable.length;
  for (int pass = 0; pass < 100 && high - low > 1e-15 * cable.length; ++pass) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0.0 ? low : high) = middle;
  }
  return high;
}

class ComputedTorque final : public Controller {
 public:
  ComputedTorque(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets)
      : steer_(spec.steer),
        targets_(targets),
        period_(1.0 / spec.rate),
        inverse_(dynamics, task_of(spec)),
        kp_(target_gains(steer_.position_gain, targets.size())),
        kd_(target_gains(steer_.velocity_gain, targets.size())),
        winding_(VectorXd::Zero(static_cast<long>(steer_.inputs.size()))) {}

  const std::vector<ControlInput>& inputs() const override { return steer_.inputs; }
  double speed() const override { return steer_.speed; }
  bool evaluates() const override { return true; }

  // Whether it cannot follow, then where the search for inputs begins.
  int memory() const override { return 1 + static_cast<int>(steer_.inputs.size()); }

  std::string update(const Observation& now, std::span<double> memory, std::span<double> commands) override {
    for (int order = 0; order < 3; ++order) targets_.wanted(now.t, order, wanted_[order]);
    inverse_.set_winches(now.state->memory.winches);
    inverse_.place(*now.state);
    // What its law can do, with a winch that keeps up.
    for (std::size_t i = 0; i < commands.size(); ++i)
      winding_[static_cast<long>(i)] = steer_.inputs[i].cable >= 0 ? inverse_.cable_motion(i).rate : 0.0;
    inverse_.set_winding(winding_);
    acceleration_ =
        wanted_[2] + kd_.cwiseProduct(wanted_[1] - inverse_.rate()) + kp_.cwiseProduct(wanted_[0] - inverse_.value());
    recall(memory.subspan(1), inverse_.active());
    const InverseCommand& command = inverse_.command(acceleration_, steer_.method);
    remember(inverse_.active(), memory.subspan(1));
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const double input = command.input[static_cast<long>(i)];
      const int cable = steer_.inputs[i].cable;
      commands[i] =
          cable < 0 ? input
                    : rest_at_end(now.dynamics->model().cables[cable].law, inverse_.cable_motion(i), period_, input);
    }
    // One line when it begins, one when it ends.
    const bool was_possible = memory[0] == 0.0;
    memory[0] = command.possible ? 0.0 : 1.0;
    if (command.possible == was_possible) return {};
    return command.possible ? "follows its targets again" : "cannot follow its targets: " + command.problem;
  }

 private:
  const SteerSettings& steer_;
  Targets& targets_;
  double period_;
  InverseDynamics inverse_;
  VectorXd kp_, kd_;
  VectorXd wanted_[3], acceleration_, winding_;
};

}  // namespace

std::unique_ptr<Controller> make_computed_torque(const Dynamics& dynamics, const ControllerSpec& spec,
                                                 Targets& targets) {
  return std::make_unique<ComputedTorque>(dynamics, spec, targets);
}

}  // namespace taut
