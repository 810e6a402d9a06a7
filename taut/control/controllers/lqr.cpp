#include "taut/control/controllers/lqr.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/control/controllers/lqr_design.h"
#include "taut/control/targets/targets.h"

namespace taut {

namespace {

using Eigen::VectorXd;

constexpr double out_of_balance = 1e-3;  // m/s² or rad/s²: worth a line

class Lqr final : public Controller {
 public:
  Lqr(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets, const std::string& name)
      : name_(name), steer_(spec.steer), targets_(targets), design_(design_lqr(dynamics, spec, targets, name)) {
    std::vector<bool> kept(static_cast<std::size_t>(design_.start.size()), false);
    for (const int i : design_.kept) kept[static_cast<std::size_t>(i)] = true;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!kept[i]) constant_.push_back(static_cast<int>(i));
  }

  const std::vector<ControlInput>& inputs() const override { return steer_.inputs; }
  double speed() const override { return steer_.speed; }

  int memory() const override { return 1; }  // whether it has said that nothing holds the start

  std::string update(const Observation& now, std::span<double> memory, std::span<double> commands) override {
    check_chart(*now.state);
    // Where the linear model would be on the path.
    targets_.wanted(now.t, 0, wanted_);
    targets_.wanted(now.t, 1, wanted_rate_);
    targets_.wanted(now.t, 2, wanted_second_);
    const VectorXd follow = design_.rest + design_.by_value * (wanted_ - design_.target_start) +
                            design_.by_rate * wanted_rate_ + design_.by_second * wanted_second_;
    const long n = design_.Z.cols(), m = design_.input_start.size();
    VectorXd z(n + static_cast<long>(design_.cable_inputs.size()));
    z.head(n) = design_.reduced(*now.state) - follow.head(n);
    for (std::size_t i = 0; i < design_.cable_inputs.size(); ++i) {
      const int k = design_.cable_inputs[i];
      z[n + static_cast<long>(i)] =
          now.rest[steer_.inputs[static_cast<std::size_t>(k)].cable] - design_.input_start[k] - follow[n + k];
    }
    VectorXd::Map(commands.data(), m) = design_.input_start + follow.tail(m) - design_.K * z;
    if (memory[0] != 0.0 || !(design_.imbalance > out_of_balance)) return {};
    memory[0] = 1.0;
    return fmt::format("no inputs hold the start in balance: accelerations of {:.3g} are left", design_.imbalance);
  }

 private:
  // Coordinates with other charts mean something else.
  void check_chart(const State& state) const {
    for (const int i : constant_)
      if (state.y[i] != design_.start[i])
        throw RunError(state.t,
                       fmt::format("controller {}: the coordinates have changed their chart at t = {:g} s, far "
                                   "from the start that its feedback was made for; formulation nodal or "
                                   "quaternion has none",
                                   name_, state.t));
  }

  std::string name_;
  const SteerSettings& steer_;
  Targets& targets_;
  LqrDesign design_;
  std::vector<int> constant_;  // entries of the state that never change, the numbers of charts among them
  VectorXd wanted_, wanted_rate_, wanted_second_;
};

}  // namespace

std::unique_ptr<Controller> make_lqr(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets,
                                     const std::string& name) {
  return std::make_unique<Lqr>(dynamics, spec, targets, name);
}

}  // namespace taut
