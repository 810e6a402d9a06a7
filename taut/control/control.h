// All controllers of a model: their instants, the winches that follow their commands, and the torques that they hold.
//
// Between two instants, Δt = 1/rate apart, a rest length moves at the constant rate (command - L0)/Δt, limited to the
// speed of the winch: continuous in time, and piecewise linear. A torque stays as it is. Commands beyond the bounds of
// their input are cut off there. Before its first instant a controller leaves rest lengths alone and torques at 0.
//
// What changes in the course of a run is in the state: winches, torques, and in Memory::control of each controller the
// number of its instants so far, its last commands, and what it remembers by itself.
#pragma once

#include "taut/control/control_log.h"
#include "taut/control/controller.h"
#include "taut/control/targets/targets.h"

namespace taut {

class Control {
 public:
  // The dynamics must outlive this. Throws InputError: a kind or a formulation that cannot, a joint without a torque.
  explicit Control(const Dynamics& dynamics);
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  // At t = 0: where targets without a path shall stay, and the memory of the state.
  void begin(const Observation& start, State& state);
  const ControlLog& start_log() const { return start_log_; }
  std::size_t numbers() const { return start_.control.size(); }  // of Memory::control

  // The next instant of any controller, or `end` if that comes first or differs from it by rounding only.
  double next_before(double end, const State& state) const;
  // Whether an instant has come, up to rounding.
  bool due(const State& state) const;

  // Whether a controller needs more of an observation than Controller::evaluates() says.
  bool looks() const;
  // At a time that is due: asks the controllers whose instant it is, and sets their inputs anew. Throws RunError when a
  // command is not finite.
  void update(const Observation& now, State& state, ControlLog& log);

  // What acts on joints at every evaluation, for the terms; null where nothing does.
  TorqueLaw* law() { return laws_.list.empty() ? nullptr : &laws_; }
  // After steps: the state remembers what the laws have.
  void remember(const Terms& terms, State& state) const;

  // A row as control_columns() has it, of an observation of a state.
  void record(const Observation& now, ControlLog& log, std::vector<double>& row);

  // Paths and gains that are too fast for the instants: what is worth a warning.
  std::vector<std::string> warnings() const;
  // What controllers did not reach by themselves, at the end of a run (Controller::shortfall).
  std::vector<std::string> shortfalls(const Observation& end, State& state) const;
  // Of the k-th input of a controller.
  const InputUse& use(const ControlLog& log, std::size_t controller, std::size_t k) const {
    return log.uses[loops_[controller].first_use + k];
  }

 private:
  // Of controllers that act at every evaluation.
  class Laws final : public TorqueLaw {
   public:
    struct Law {
      TorqueLaw* law;
      double start;
      std::size_t first, count;  // in Memory::control
    };
    std::vector<Law> list;

    void apply(const double* q, const double* v, Terms& terms) override;
  };

  using Limit = InputUse::Limit;
  static Limit limit_of(double value, const Bounds& bounds, ControllerKind kind);

  // Where an input is driven: a place among the winches, or a velocity.
  struct Wire {
    bool winch = false;
    std::size_t place = 0;
    std::string name, unit;
  };
  struct Loop {
    const ControllerSpec* spec;
    std::unique_ptr<Targets> targets;
    std::unique_ptr<Controller> controller;
    std::vector<Wire> wires;
    std::size_t extra = 0;                      // columns of its own
    std::size_t first = 0;                      // in Memory::control: instants, a command per wire, its own
    std::size_t first_use = 0, first_axis = 0;  // in the log

    double next(const Memory& memory) const;
    double rounding() const;
    std::span<double> commands(Memory& memory) const { return {memory.control.data() + first + 1, wires.size()}; }
    std::span<double> own(std::vector<double>& control) const {
      return {control.data() + first + 1 + wires.size(), static_cast<std::size_t>(controller->memory())};
    }
  };

  void wire(const Dynamics& dynamics, Loop& loop);
  void drive(int index, double t, State& state, ControlLog& log);
  void note(int index, std::size_t input, Limit reached, double t, double lasting, ControlLog& log);

  const Model& model_;
  std::vector<std::string> names_;
  std::vector<Loop> loops_;
  Memory start_;          // winches, torques and numbers before the first instant
  ControlLog start_log_;  // with room for all inputs and frames
  Laws laws_;
  Eigen::VectorXd value_, rate_, wanted_;
};

// The velocity that a torque on a joint acts on; -1: the formulation has no such joint, or it closes a loop.
int driven_velocity(const Dynamics& dynamics, const ControlInput& input);

// Times in (0, duration) at which the accelerations jump that a controller without instants asks for.
std::vector<double> control_breakpoints(const Model& model, double duration);

}  // namespace taut
