#include "taut/control/controllers/table.h"

#include "taut/control/targets/targets.h"

namespace taut {

namespace {

class Table final : public Controller {
 public:
  explicit Table(const ControllerSpec& spec)
      : steer_(spec.steer), period_(1.0 / spec.rate), path_(steer_.path, static_cast<int>(steer_.inputs.size())) {}

  const std::vector<ControlInput>& inputs() const override { return steer_.inputs; }
  double speed() const override { return steer_.speed; }

  std::string update(const Observation& now, std::span<double>, std::span<double> commands) override {
    path_.evaluate(now.t, 0, here_);
    path_.evaluate(now.t + period_, 0, next_);
    for (std::size_t i = 0; i < commands.size(); ++i)
      commands[i] = (steer_.inputs[i].cable >= 0 ? next_ : here_)[static_cast<long>(i)];
    return {};
  }

 private:
  const SteerSettings& steer_;
  double period_;
  TimedPath path_;
  Eigen::VectorXd here_, next_;
};

}  // namespace

std::unique_ptr<Controller> make_table(const ControllerSpec& spec) { return std::make_unique<Table>(spec); }

}  // namespace taut
