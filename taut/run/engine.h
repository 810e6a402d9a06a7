// A scenario in motion: the loop that every run goes through, over jumps of signals, control instants and rows.
//
// Everything that the motion depends on is in the state; the logs hold what there is to report.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "taut/control/commands.h"
#include "taut/integrate/choose.h"
#include "taut/integrate/integrator.h"
#include "taut/run/control_loop.h"

namespace taut {

// What a command sets: the rest length of a cable, m, or the torque on a velocity, N m or N.
struct EngineInput {
  std::string name;
  int cable = -1, velocity = -1;  // one of them
};

class Engine {
 public:
  // In the named formulation; the scenario must outlive this. Throws InputError: an unknown integrator, a formulation or
  // a controller that refuses the model.
  Engine(const Scenario& scenario, std::string_view formulation);

  // The state at t = 0, put on the constraints. Throws RunError when these contradict each other.
  void start();
  // To t_end. What happens there, a jump or a control instant, is left to the next call; its row is not. Returns early
  // when the outputs say stop. Throws RunError when it cannot go on.
  void advance(double t_end, Outputs& outputs);
  // By dt without rows, or to a jump or instant that differs from that by rounding only; without regard to what the
  // integrator has done before. Ends earlier when the flag of a StopScope is set. Throws RunError or Stopped; the state is
  // then as it was, but where the function threw Stopped: there it stands at that instant, at which the function is asked
  // again.
  void advance_by(double dt);

  // Sets inputs now, or moves rest lengths there within `over`, s. A jump of a rest length is work of its actuator.
  void command(std::span<const EngineInput> inputs, std::span<const double> values, double over);
  // A function that commands these inputs, `rate` times per second from now on. Throws InputError: a rate that is not
  // above 0 or is beyond 1e9 1/s, a speed that is not above 0.
  void control(double rate, ControlFunction function, const ControlOptions& options, std::vector<EngineInput> inputs);

  // Throws InputError, "command: ...": a value that the input cannot have.
  void require_possible(const EngineInput& input, double value) const;
  // Whether a state holds what controllers need: numbers of the model's alone or of the function too, and instants that
  // are not long past.
  bool takes(const State& s) const;

  // Times at which signals, loads or their rates jump, ascending; whether one is here that has not been crossed yet.
  const std::vector<double>& jumps() const { return jumps_; }
  bool before_jump() const;

  // All but what rows and controllers say.
  void report(Summary& summary) const;

  const Dynamics& dynamics() const { return dynamics_; }
  Integrator& integrator() { return *integrator_; }
  const Integrator& integrator() const { return *integrator_; }
  ControlLoop& controllers() { return controllers_; }

  State state;

 private:
  // The function, and in Memory::control behind the model's controllers: its start, instants so far, a command per
  // input, numbers of its own.
  struct Function {
    double rate;
    ControlFunction call;
    ControlOptions options;
    std::vector<EngineInput> inputs;
    std::size_t first;
    std::vector<double> before;  // its numbers, as they were before it was asked

    std::size_t numbers() const { return 2 + inputs.size() + options.memory; }
    double next(const State& s) const { return s.memory.control[first] + s.memory.control[first + 1] / rate; }
  };

  void take_back();
  void cross();
  void act(Outputs& outputs);
  void call_function();
  void make_room();
  double next_jump() const;
  double landmark_near(double t) const;
  double stored_energy(double segment_end);
  Winch& winch_of(int cable, double rest_length);
  void hold(int velocity, double torque);

  const RunSettings& asked_;
  Dynamics dynamics_;
  Choice choice_;
  std::unique_ptr<Integrator> integrator_;
  ControlLoop controllers_;
  std::vector<double> jumps_;
  std::vector<std::string> warnings_;  // from before the motion
  std::optional<Function> function_;
  Terms probe_;
  State kept_;
  bool stopped_at_instant_ = false;  // the function was, and the state is whole
};

}  // namespace taut
