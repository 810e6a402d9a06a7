#include "taut/control/controllers/pid.h"

#include <algorithm>

#include "taut/control/targets/targets.h"

namespace taut {

namespace {

class Pid final : public Controller {
 public:
  Pid(const Model& model, const ControllerSpec& spec, Targets& targets)
      : steer_(spec.steer), targets_(targets), period_(1.0 / spec.rate), bias_(input_bias(model, spec)) {
    kp_ = target_gains(steer_.position_gain, targets.size());
    kd_ = target_gains(steer_.velocity_gain, targets.size());
    ki_ = target_gains(steer_.integral_gain, targets.size());
  }

  const std::vector<ControlInput>& inputs() const override { return steer_.inputs; }
  double speed() const override { return steer_.speed; }

  // The integrals I, then what the targets remember.
  int memory() const override { return static_cast<int>(steer_.inputs.size()) + targets_.memory(); }
  void begin(std::span<double> memory) const override { targets_.begin_memory(memory.data() + steer_.inputs.size()); }

  std::string update(const Observation& now, std::span<double> memory, std::span<double> commands) override {
    targets_.measure(now, memory.data() + commands.size(), value_, rate_);
    targets_.wanted(now.t, 0, wanted_);
    targets_.wanted(now.t, 1, wanted_rate_);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const long k = static_cast<long>(i);
      const double error = wanted_[k] - value_[k];
      commands[i] = bias_[i] + kp_[k] * error + ki_[k] * memory[i] + kd_[k] * (wanted_rate_[k] - rate_[k]);
      // What the input can do in this period.
      double least = steer_.inputs[i].bounds.least, most = steer_.inputs[i].bounds.most;
      if (const int cable = steer_.inputs[i].cable; cable >= 0) {
        least = std::max(least, now.rest[cable] - steer_.speed * period_);
        most = std::min(most, now.rest[cable] + steer_.speed * period_);
      }
      const double push = ki_[k] * error;
      if ((commands[i] > most && push > 0.0) || (commands[i] < least && push < 0.0)) continue;
      memory[i] += period_ * error;
    }
    return {};
  }

 private:
  const SteerSettings& steer_;
  Targets& targets_;
  double period_;
  std::vector<double> bias_;
  Eigen::VectorXd kp_, kd_, ki_;
  Eigen::VectorXd value_, rate_, wanted_, wanted_rate_;
};

}  // namespace

std::vector<double> input_bias(const Model& model, const ControllerSpec& spec) {
  if (!spec.steer.bias.empty()) return spec.steer.bias;
  std::vector<double> bias;
  for (const ControlInput& input : spec.steer.inputs)
    bias.push_back(input.cable >= 0 ? model.cables[input.cable].rest_length : 0.0);
  return bias;
}

std::unique_ptr<Controller> make_pid(const Model& model, const ControllerSpec& spec, Targets& targets) {
  return std::make_unique<Pid>(model, spec, targets);
}

}  // namespace taut
