// A controller looks at the structure at its control instants and says what its inputs should be: rest lengths of
// cables, which winches then move to, and torques on joints, which are held.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/formulation/multibody/system.h"

namespace taut {

// What is seen at one time.
struct Observation {
  double t = 0.0;
  const double* x = nullptr;  // per node in stride 4, m
  const double* v = nullptr;  // m/s
  // Per cable: rest length, length and its rate, m and m/s, tension, N.
  const double *rest = nullptr, *length = nullptr, *length_rate = nullptr, *tension = nullptr;
  const double* joints = nullptr;  // as joint_columns()
  // For those that need the model. The terms are of an evaluation of this state, and free to be used as scratch.
  const Dynamics* dynamics = nullptr;
  const State* state = nullptr;
  Terms* terms = nullptr;
};

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

  // Sets the inputs to aim for, in the order of inputs(); what is beyond their bounds is cut off afterwards. Returns
  // what is worth a line in the summary, or nothing.
  virtual std::string update(const Observation& now, std::vector<double>& commands) = 0;

  // One that evaluates the dynamics by itself: of an observation it needs time, state, dynamics and terms only.
  virtual bool evaluates() const { return false; }

  // One that sets its torques at every evaluation instead (rate = 0); from `start` on.
  virtual multibody::TorqueLaw* law() { return nullptr; }

  // Its own columns of control_columns(), behind inputs and targets.
  virtual void record(const Observation& /*now*/, double* /*columns*/) {}
};

class Targets;

// The spec is one of the model's; `targets` are its own. All three must outlive the controller. Throws InputError.
std::unique_ptr<Controller> make_controller(const Dynamics& dynamics, const ControllerSpec& spec, Targets& targets);

}  // namespace taut
