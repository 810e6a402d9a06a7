// All controllers of a model in one run: their instants, the winches that follow their commands, and the torques that
// they hold.
//
// Between two instants, Δt = 1/rate apart, a rest length moves at the constant rate (command - L0)/Δt, limited to the
// speed of the winch: continuous in time, and piecewise linear. A torque stays as it is. Commands beyond the bounds of
// their input are cut off there. Before its first instant a controller leaves rest lengths alone and torques at 0.
#pragma once

#include "taut/control/controller.h"
#include "taut/control/targets.h"

namespace taut {

struct ControlReport {
  double time = 0.0;
  int controller = 0;
  std::string what;
};

// How an input fared: how often it reached a bound or the speed of its winch, and how long it was there, s. One that
// comes back within a few instants has not left.
struct InputUse {
  long saturations = 0;
  double saturated_s = 0.0;
};

class Control {
 public:
  // The dynamics must outlive this. Throws InputError: a kind or a formulation that cannot, a joint without a torque.
  explicit Control(const Dynamics& dynamics);
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  // At t = 0: where targets without a path shall stay.
  void begin(const Observation& start);

  // The next instant of any controller, or `end` if that comes first or differs from it by rounding only.
  double next_before(double end) const;
  // Whether an instant has come, up to rounding.
  bool due(double t) const;

  // Whether a controller needs more of an observation than Controller::evaluates() says.
  bool looks() const;
  // At a time that is due: asks the controllers whose instant it is, and sets their inputs anew. Throws RunError when a
  // command is not finite.
  std::vector<ControlReport> update(const Observation& now);

  // Of every driven cable, valid until the next instant; from the start on.
  const std::vector<Winch>& winches() const { return winches_; }
  // What acts on joints, for the terms of every evaluation; null where no joint is driven.
  multibody::TorqueLaw* law() { return torques_.needed() ? &torques_ : nullptr; }

  // A row as control_columns() has it, of an observation under the present winches and law.
  std::vector<ControlReport> record(const Observation& now, std::vector<double>& row);

  // Paths and gains that are too fast for the instants: what is worth a warning.
  std::vector<std::string> warnings() const;
  const std::vector<InputUse>& inputs_of(int controller) const { return loops_[controller].use; }

 private:
  // Held torques, then those of controllers that act at every evaluation.
  class Torques final : public multibody::TorqueLaw {
   public:
    struct Held {
      int velocity = 0;
      double torque = 0.0;
    };
    struct Law {
      multibody::TorqueLaw* law;
      double start;
    };
    std::vector<Held> held;
    std::vector<Law> laws;

    bool needed() const { return !held.empty() || !laws.empty(); }
    void apply(const double* q, const double* v, multibody::SystemTerms& terms) override;
  };

  enum class Limit { none, least, most, speed };
  static Limit limit_of(double value, const Bounds& bounds, ControllerKind kind);

  // Where an input is driven: a place in winches_ or in torques_.held.
  struct Wire {
    bool winch = false;
    std::size_t place = 0;
    std::string name, unit;
    Limit limit = Limit::none;  // where it is
    int free = 0;               // instants since it was last there
    double free_since = 0.0;    // s
  };
  struct Loop {
    const ControllerSpec* spec;
    std::unique_ptr<Targets> targets;
    std::unique_ptr<Controller> controller;
    std::vector<Wire> wires;
    std::vector<double> commands;
    std::vector<InputUse> use;
    std::size_t extra = 0;  // columns of its own
    long instants = 0;      // so far
    double last_row = 0.0;  // s

    double next() const;
    double rounding() const;
  };

  void wire(const Dynamics& dynamics, Loop& loop);
  void drive(int index, double t, std::vector<ControlReport>& reports);
  void note(int index, std::size_t input, Limit reached, double t, double lasting, std::vector<ControlReport>& reports);

  const Model& model_;
  std::vector<std::string> names_;
  std::vector<Loop> loops_;
  std::vector<Winch> winches_;
  Torques torques_;
  Eigen::VectorXd value_, rate_, wanted_;
};

// Times in (0, duration) at which the accelerations jump that a controller without instants asks for.
std::vector<double> control_breakpoints(const Model& model, double duration);

}  // namespace taut
