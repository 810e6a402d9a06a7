// A controller looks at the structure at its control instants and says what its inputs should be: rest lengths of
// cables, which winches then move to, and torques on joints, which are held. It keeps nothing from one instant to the
// next but numbers that live in the state (Memory::control).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taut/control/observation.h"
#include "taut/dynamics/dynamics.h"

namespace taut {

// Makes an observation of a state that has just been evaluated (Dynamics::rhs), and holds what it points to.
class Sight {
 public:
  explicit Sight(const Dynamics& dynamics);
  Observation look(const State& state, Terms& terms);

 private:
  const Dynamics& dynamics_;
  std::vector<double> rest_, length_, length_rate_, tension_, joints_;
};

class Controller {
 public:
  virtual ~Controller() = default;

  // What it drives, and the most by which a winch changes a rest length, m/s.
  virtual const std::vector<ControlInput>& inputs() const = 0;
  virtual double speed() const = 0;

  // How many numbers it remembers, and what they are before the first instant; they come as zeros.
  virtual int memory() const { return 0; }
  virtual void begin(std::span<double> /*memory*/) const {}

  // Sets the inputs to aim for, in the order of inputs(); at first those of the last instant. What is beyond their
  // bounds is cut off afterwards. Returns what is worth a line in the summary, or nothing.
  virtual std::string update(const Observation& now, std::span<double> memory, std::span<double> commands) = 0;

  // One that evaluates the dynamics by itself: of an observation it needs time, state, dynamics and terms only.
  virtual bool evaluates() const { return false; }

  // One that sets its torques at every evaluation instead (rate = 0); from `start` on. Its numbers are then in
  // Terms::control from `first` on.
  virtual TorqueLaw* law(std::size_t /*first*/) { return nullptr; }

  // At the end of a run: what it did not reach of what it was asked for ("is stuck: ..."), or nothing. Targets and paths
  // are looked at for all controllers (ControlLoop).
  virtual std::string shortfall(const Observation& /*end*/, std::span<const double> /*memory*/) { return {}; }

  // Its own columns of control_columns(), behind inputs and targets.
  virtual void record(const Observation& /*now*/, std::span<const double> /*memory*/, double* /*columns*/) {}
};

class Targets;

// The spec is one of the model's; `targets` are its own. All three must outlive the controller. Throws InputError.
std::unique_ptr<Controller> make_controller(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets);

}  // namespace taut
