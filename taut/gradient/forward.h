// Sensitivities S = ∂(q, v)/∂p along a motion, through what switches in it. With ẏ = f(t, y, p),
//
//   Ṡ = J S + ∂f/∂p,   J = ∂f/∂y (Tangent),   S(0) = dy₀/dp                                            (1)
//
// At a switch of g(t, y, p) = 0, from f⁻ to f⁺ (docs/theory/sensitivities.md):
//
//   dt/dp = -(∂g/∂y S + ∂g/∂p)/(∂g/∂t + ∂g/∂y f⁻),     S⁺ = S⁻ + (f⁻ - f⁺) dt/dp                        (2)
//
// Cables that switch together add their parts of f⁻ - f⁺. Where forces do not jump, S does not either.
//
// Over each step of the run (1) is integrated along the step's own polynomial by the implicit midpoint rule with 1, 2
// and 3 parts, extrapolated to order 6 (Hairer, Nørsett & Wanner I, II.9):
//
//   (1 - ½h J) W = S + ½h ∂f/∂p,   S ← 2W - S                                                           (3)
//
// with all of J and ∂f/∂p at the middle of a part: never at a switch, where they jump. A step whose parts do not agree,
// as one in which a force has a kink that nobody has located, is halved. One factorisation serves all parameters.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "taut/gradient/parameter.h"
#include "taut/integrate/log.h"
#include "taut/integrate/step_watch.h"

namespace taut {

// A switch, and how its time moves with each parameter.
struct SwitchTime {
  enum class Kind { slack, taut, touch, lift } kind = Kind::slack;
  double time = 0.0;   // s
  std::string name;    // of the cable, or the node that touches the ground or leaves it
  Eigen::VectorXd by;  // dt/dp
  int cable = -1;      // -1: a node
};

// Where there is no derivative by a parameter: a cable or a node that only just switches, or only just does not.
struct Graze {
  double time = 0.0;
  std::string name, key, reason;
};

class ForwardSensitivity final : public StepWatch {
 public:
  // All must outlive this. `powers`: the energies dissipated and put in have sensitivities as well.
  ForwardSensitivity(NearbyModel& base, const std::vector<GradientParameter>& parameters, const IntegratorLog& log,
                     bool powers);

  // Throws RunError where there is no derivative through what happens, as an imposed speed that jumps.
  void step(const StepPath& path, const CableTerms& cables) override;
  // Depths of the nodes under the ground, and what it presses with.
  int functions() const override;
  void values(const Terms& terms, double* g) const override;
  // To t in the last step.
  void advance_to(double t);
  // To the end of the last step, with what switched there.
  void finish();

  // Rows q, v, then dissipated and work; a column for each parameter.
  const Eigen::MatrixXd& now() const { return S_; }
  std::vector<SwitchTime> switches;
  std::vector<Graze> grazes;

 private:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  struct Flags {
    SlackMode mode = SlackMode::by_sign;
    AlignedDoubles taut;
  };
  // A node that touches or leaves the ground inside a step, or something that nearly switches there.
  struct Mark {
    enum class Kind { touch, extreme } kind;
    double time;
    int probe;
  };
  // Derivatives of all probes at an instant: by each parameter along the motion, and by time.
  struct Slopes {
    Matrix by;
    Vector by_time;
  };

  void cross(const StepPath& next, const Flags& after);
  void take_chart(const Vector& before, const Vector& after);
  void note_switches(double t, const Slopes& slopes);
  void pass_switches(double t, const Vector& y, const Flags& after);
  void pass_jump(double t, const Vector& y, const Flags& after, std::size_t jump);
  void check_group(double t, const std::vector<int>& group, const Slopes& before, const Slopes& after);
  Slopes slopes_at(double t, const Vector& y, const Vector& rate);
  void add_graze(double t, int probe, std::size_t parameter, const std::string& reason);

  void find_marks();
  void mark_touch(int probe, double at_from, double at_to);
  void mark_extreme(int probe, double v0, double v1, double v2);
  void pass_mark(const Mark& mark);
  double probe_on_path(double t, int probe);

  void integrate(double a, double b, int depth);
  bool agree(const Matrix& more, const Matrix& less, double h) const;
  void middles(double a, double b, int parts, Matrix& result);
  void evaluate(double t);
  int side_of_ground(const GradientParameter& parameter) const;
  void add_powers(double t, double h, Matrix& result);

  void hold(const Flags& flags);
  void hold(const Flags& flags, NearbyModel& model) const;
  void find_noise();
  void rate_of(NearbyModel& model, double t, const Vector& y, Vector& rate) const;
  // Switch values of all slots of the base's cables, then depths of all nodes under the ground.
  void probes(NearbyModel& model, double t, const Vector& y, Vector& values) const;
  bool looked_at(int probe) const;
  std::string probe_name(int probe) const;

  NearbyModel& base_;
  const std::vector<GradientParameter>& parameters_;
  const IntegratorLog& log_;
  const int nq_, nv_, size_, slots_;
  const bool powers_, touches_;
  std::unique_ptr<Tangent> tangent_;
  std::vector<int> still_;          // coordinates that the tangent holds, as of fixed nodes
  std::vector<char> moves_ground_;  // per parameter

  bool began_ = false;
  StepPath path_;
  Flags flags_;
  double at_ = 0.0;          // s: S_ is there
  double usual_step_ = 0.0;  // s
  Matrix S_;
  std::size_t logged_ = 0, segment_ = 0;
  std::vector<Mark> marks_;
  std::vector<char> pressed_;  // per node
  Vector largest_;             // of the probes so far
  std::vector<char> grazed_;

  double noise_q_ = 0.0, noise_v_ = 0.0;  // of q̇ and v̇ by rounding
  double middle_time_ = NAN;              // of middle_
  Matrix middle_;                         // ∂f/∂p there
  Vector y_, rate_, shifted_;
  Matrix forcing_, W_, T1_, T2_, T3_;
};

}  // namespace taut
