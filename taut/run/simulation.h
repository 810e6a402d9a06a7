// A scenario that is stepped from outside: commands in, the motion out.
//
//   Simulation sim(read_scenario("robot.toml"));
//   while (sim.time() < 5.0) {
//     sim.command("a1-b2", policy(sim.nodes()));
//     sim.advance(0.01);
//   }
//
// The integrator is that of the scenario, and so are its controllers, which act at their own instants. What one call of
// advance() leaves to the next is the state alone: adaptive methods go on with the step they had, cvode begins a new
// history, and a restored snapshot goes on as it did the first time, to the last bit. One call over a long time and many
// over short ones agree to the accuracy of the integrator; with fixed steps that divide them, to the last bit too
// (symplectic steps but for their restarts).
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "taut/control/commands.h"
#include "taut/formulation/state.h"
#include "taut/integrate/log.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/results/run.h"

namespace taut {

class Dynamics;

// All that a simulation is at one time.
struct Snapshot {
  State state;
  IntegratorLog integrator;
  ControlLog control;
  long chart_switches = 0;
  std::vector<Pose> frames;  // as last looked at
};

class Simulation {
 public:
  // At t = 0, settled first if the scenario asks for it. Throws InputError: a formulation, an integrator or a controller
  // that refuses the model; RunError: no equilibrium to settle in, constraints that contradict each other.
  explicit Simulation(Scenario scenario);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  const Scenario& scenario() const;

  // What can be commanded, by name: rest lengths of the cables that have actuators, torques of the joints that are
  // driven; in a model that drives nothing, every cable and every joint of the tree. Without what controllers drive.
  const std::vector<std::string>& inputs() const;
  // Its number. Throws InputError, with the nearest name.
  std::size_t input(std::string_view name) const;

  // Sets a rest length, m, or a torque, N m or N; from now on no signal of the model drives that input. A rest length
  // moves there at constant speed within `over`, s, or jumps there: that is work of its actuator. A torque is set at
  // once. Throws InputError: there is no such input, a value that cannot be.
  void command(std::size_t input, double value, double over = 0.0);
  void command(std::string_view name, double value, double over = 0.0);
  // All inputs, in their order; some of them, by number. Throws InputError, and then none is set.
  void command_all(std::span<const double> values, double over = 0.0);
  void command_some(std::span<const std::size_t> inputs, std::span<const double> values, double over = 0.0);

  // A function that is asked `rate` times per second from now on, in place of the one before. What it remembers should
  // be in Commands::memory, which snapshots keep.
  void control(double rate, ControlFunction function, const ControlOptions& options = {});

  // Goes on by dt > 0, s. A time that a jump of a signal or a control instant misses by rounding is that one. What
  // happens at the end itself is left to the next call. Ends earlier when the flag of a StopScope (base/stop.h) is set.
  // Throws RunError when the motion cannot go on; the simulation is then as before the call.
  void advance(double dt);

  double time() const;        // s
  Points nodes() const;       // m, a column each; valid until the next call that is not const
  Points velocities() const;  // m/s
  Values tensions() const;    // N, per cable
  Values lengths() const;     // m
  Values rest_lengths() const;
  Values bar_forces() const;          // N, per bar
  Values energy() const;              // J, by EnergyColumn
  const Sample& sample() const;       // all of the above and more, but for the columns of controllers
  std::vector<Event> events() const;  // so far
  Summary summary() const;            // what rows show, of those that were recorded
  // Hands the present state to a recorder as a row, with the columns of controllers.
  void record(Recorder& recorder);

  const State& state() const;
  const Dynamics& dynamics() const;
  Snapshot snapshot() const;
  // Of a simulation of the same scenario. Throws InputError where it cannot be, and changes nothing then.
  void restore(const Snapshot& snapshot);
  void reset();  // to t = 0

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace taut
