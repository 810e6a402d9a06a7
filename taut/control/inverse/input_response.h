// What the inputs of a controller do to a model at an instant, in any formulation. At fixed (t, q, v) the
// accelerations, and the forces that constraints carry, are affine in tensions and torques u:
//
//   v̇ = v̇₀ + Σ u_j w_j,      ÿ = a₀ + A u  (targets),      c = c₀ + C u  (bars and rigid cables)
//
// v̇₀ is the formulation's own accelerate() with all inputs at zero, and every w_j a difference of two of its results:
// exact but for rounding, since nothing is neglected, and for that the change is made large beside v̇₀. So an evaluation
// costs as much as inputs + 1 accelerations.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "taut/control/targets/target_motion.h"

namespace taut {

// A force that follows from the inputs: of a rigid bar (tension positive), or the tension of a pulley's rigid cable, N.
struct ForceBound {
  enum class Kind { bar, pulley } kind = Kind::bar;
  int index = 0;  // in the model's list
  Bounds bounds;

  bool operator==(const ForceBound&) const = default;
};

class InputResponse {
 public:
  // Throws InputError: inputs that are not there, twice there or of no effect by what they are; forces that do not
  // follow from inputs. The dynamics must outlive this.
  InputResponse(const Dynamics& dynamics, const std::vector<ControlInput>& inputs, std::vector<ForceBound> forces);

  const std::vector<std::string>& input_names() const { return input_names_; }  // "tension of cable a1-b2"
  const std::vector<const char*>& input_units() const { return input_units_; }
  const std::vector<std::string>& force_names() const { return force_names_; }  // "force of bar a1-b1"

  // Rest lengths that controllers hold, of cables that are no inputs.
  void set_winches(const std::vector<Winch>& winches) { dynamics_->cables().set_winches(winches, terms_.cables); }

  // Nodes, cables and forces at (t, q, v). Throws RunError for a rest length that is not positive.
  void place(double t, const double* q, const double* v);
  const Terms& terms() const { return terms_; }
  const double* q() const { return q_.data(); }
  const double* v() const { return v_.data(); }

  // At the placed state; NaN where the equations of motion have no solution. `size`: per target, what rounding is
  // relative to.
  void evaluate(const TargetMotion& targets, Eigen::VectorXd& a0, Eigen::MatrixXd& A, Eigen::VectorXd& c0,
                Eigen::MatrixXd& C, Eigen::VectorXd& size);

 private:
  struct Input {
    int slot = -1;                    // of the cable
    int velocity = -1;                // of the joint
    double change = 1.0;              // N or N m, large beside what acts without it
    double node = 0.0, v = 0.0;       // the largest accelerations that a unit of it makes
    std::vector<double> share, slip;  // per piece
  };

  void add_input(const ControlInput& input);
  void add_force(const ForceBound& force);
  void pull(const Input& input, double tension);
  // With this much of one input, or with none of any.
  void accelerate(Input* input, double amount);
  void read_forces(Eigen::VectorXd& out);
  void remove_noise(const TargetMotion& targets, Eigen::MatrixXd& A) const;

  const Dynamics* dynamics_;
  std::vector<Input> inputs_;
  std::vector<ForceBound> forces_;
  std::vector<std::string> input_names_, force_names_;
  std::vector<const char*> input_units_;
  std::vector<int> pulley_column_;  // per force, in joint_values()
  bool of_bars_ = false, of_pulleys_ = false;
  double size_ = 1.0;  // m, of the model
  Terms terms_;
  std::vector<double> q_, v_;
  AlignedDoubles base_, nodes_, nodes0_;  // stride 4: forces without inputs, accelerations, those without inputs
  Eigen::VectorXd v_rate_, v_rate0_, a_, c_;
  std::vector<double> bar_forces_, joint_values_;
};

}  // namespace taut
