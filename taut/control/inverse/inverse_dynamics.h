// Inverse dynamics of over-, properly and under-actuated systems (Lieskovský 2022, chapter 2), for any model in any
// formulation: given accelerations of targets, the smallest inputs that make them, within bounds.
//
//   targets  y: coordinates of nodes, frames and joints, lengths of cables                       target_motion.h
//   inputs   u: tensions of cables, torques on joints                                            input_response.h
//   minimise ½ Σ w_j u_j²   subject to   a₀ + A u = ÿ wanted,   least ≤ c₀ + C u ≤ most,   lower ≤ u ≤ upper
//
// by a quadratic programme, one in the null space of A, or an interior point                     least_inputs.h
//
// A tension is then turned into the rest length that makes it at the present length and rate     cable_command.h.
// Bounds on a tension are those given, those that bounds on the rest length amount to, and what the cable's law can do.
// When the accelerations cannot be had, the message names the targets, cables and actuators in the way.
#pragma once

#include "taut/control/inverse/input_response.h"
#include "taut/control/inverse/least_inputs.h"

namespace taut {

struct InverseTask {
  std::vector<ControlTarget> targets;
  std::vector<ControlInput> inputs;    // their own bounds: of the rest length, m, or of the torque, N m
  std::vector<Bounds> input_bounds{};  // of the tension, N, or of the torque; per input, or empty
  std::vector<double> weights{};       // w, per input, or empty: 1
  std::vector<ForceBound> forces{};    // bounds of what follows from the inputs
};

struct InverseCommand {
  bool possible = false;
  std::string problem;           // empty where possible
  Eigen::VectorXd input;         // u: N, N m; not possible: what comes nearest within the bounds (least squares)
  Eigen::VectorXd rest_length;   // m, per input; of joints NaN; where none makes the tension, as it is
  Eigen::VectorXd acceleration;  // that u makes, per target
  Eigen::VectorXd force;         // that u makes, per force of the task, N
  int rank = 0;                  // of A: below the number of targets, not every acceleration can be had
};

class InverseDynamics {
 public:
  // The dynamics must outlive this. Throws InputError for whatever can never be: targets, inputs or forces that are not
  // there or cannot be one, bounds that cross, weights that are not positive, nothing to steer or to steer with.
  InverseDynamics(const Dynamics& dynamics, InverseTask task);

  const InverseTask& task() const { return task_; }
  const std::vector<std::string>& input_names() const { return response_.input_names(); }

  // Rest lengths that controllers hold, of cables that are no inputs; from the next place() on.
  void set_winches(const std::vector<Winch>& winches) { response_.set_winches(winches); }
  // L̇0 with which each input's cable will be wound, m/s, for its damping: 0 unless this is called. Any for joints.
  void set_winding(const Eigen::VectorXd& rates) { winding_ = rates; }

  // At (t, q, v): then value(), rate() and command() hold for it. Throws RunError for a rest length that is not
  // positive.
  void place(double t, const double* q, const double* v);
  void place(const State& state) { place(state.t, state.q(), state.v()); }
  const Eigen::VectorXd& value() const { return targets_.value(); }  // of the targets, m or rad
  const Eigen::VectorXd& rate() const { return targets_.rate(); }

  // Of an input that is a cable, at the place: l, l̇ and L0.
  struct CableMotion {
    double length = 0.0, rate = 0.0, rest = 0.0;  // m, m/s, m
  };
  CableMotion cable_motion(std::size_t input) const;

  // The inputs for these accelerations of the targets. Again at the same place with others, or by another method, it
  // costs no more evaluations.
  const InverseCommand& command(const Eigen::VectorXd& accelerations, InverseMethod method = InverseMethod::qp);

  // The inputs at their bounds in the last command: where the search for the next one begins.
  QpActiveSet& active() { return solver_.active(); }

  // a₀ and A of the place.
  const Eigen::VectorXd& drift();
  const Eigen::MatrixXd& response();

 private:
  enum class Source : char { given, rest_length, law };  // of a bound on an input
  struct Sides {
    Source least = Source::given, most = Source::given;
  };

  void check_task() const;
  void evaluate();
  void set_bounds();
  void bound_tension(std::size_t input, double& least, double& most, Sides& sides);
  void set_rest_lengths();
  std::string conflict_in_words(const Eigen::VectorXd& accelerations) const;
  std::string side_in_words(int input, bool lower) const;

  const Dynamics* dynamics_;
  InverseTask task_;
  TargetMotion targets_;
  InputResponse response_;
  Eigen::VectorXd winding_;
  Eigen::VectorXd a0_, c0_, size_;
  LeastInputProblem problem_;
  LeastInputs solver_;
  std::vector<Sides> sides_;
  std::string misplaced_;  // why the targets have no value here
  bool evaluated_ = false;
  InverseCommand command_;
};

}  // namespace taut
