// An integrator advances a state through one segment without discontinuities in time. A new one is one file and
// one line in integrator.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/integrate/outputs.h"

namespace taut {

struct Switch {
  double time = 0.0;
  int slot = 0;       // below 0: the cable of pulley -1 - slot
  bool taut = false;  // false: went slack
};

// What became of the cable of a pulley that its joint does not describe.
struct WindingEvent {
  double time = 0.0;
  int pulley = 0;
  bool off = false;  // all of it is unwound; false: wound past a full turn
};

struct Counts {
  long steps = 0, rejected = 0, rhs = 0;
};

class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual std::string_view name() const = 0;

  // Begins at `state`: at t = 0 and again after each discontinuity.
  virtual void restart(const State& state) = 0;
  // Advances to t_end exactly and emits the rows strictly before it. Returns early, at state.t < t_end, when the
  // outputs say stop. Throws RunError when it cannot go on; `state` is then the last good one.
  virtual void advance(State& state, double t_end, Outputs& outputs) = 0;

  const Counts& counts() const { return counts_; }
  const std::vector<Switch>& switches() const { return switches_; }  // in order of steps
  long switches_dropped() const { return switches_dropped_; }
  const std::vector<WindingEvent>& winding_events() const { return winding_events_; }  // the first of each kind
  Terms& terms() { return terms_; }

 protected:
  explicit Integrator(const Dynamics& dynamics)
      : dynamics_(dynamics), terms_(dynamics.make_terms()), reach_(longest_member(dynamics.model())) {
    switches_.reserve(most_switches);
    watched_.resize(dynamics.model().pulleys.size());
    found_.resize(watched_.size());
    winding_events_.reserve(2 * watched_.size());
  }
  // What a tolerance of 1 means for entry i of the state: 1 + |y|, but for coordinates no more than a member is long,
  // so that accuracy does not depend on how far from the origin the structure is.
  double error_scale(long i, double y) const {
    return 1.0 + (i < dynamics_.formulation().coordinates() ? std::min(std::abs(y), reach_) : std::abs(y));
  }
  void rhs(double t, const double* y, double* y_rate) {
    ++counts_.rhs;
    dynamics_.rhs(t, y, y_rate, terms_);
  }
  void note_switch(double time, int slot, bool taut) {
    if (switches_.size() < most_switches)
      switches_.push_back({time, slot, taut});
    else
      ++switches_dropped_;
  }
  // For methods without event location: notes the switches that a step of length h ending at t has crossed, at the zero
  // of the line through the end of the step. Uses the cable terms at that end.
  void note_crossings(double t, double h);
  // After a step: notes which cables of pulleys have switched, at the zero of the line from the last look, and how they
  // wind. Throws RunError when one is wound up.
  void watch_pulleys(const State& state);
  // At a restart: remembers which cables are taut, and notes what a jump of a rest length has switched.
  void begin_crossings(double t);

  const Dynamics& dynamics_;
  Terms terms_;
  Counts counts_;

 private:
  static double longest_member(const Model& model);

  double reach_;                                         // m
  static constexpr std::size_t most_switches = 100'000;  // room is set aside, so that no step allocates
  std::vector<char> taut_;                               // per slot, at the last look
  int last_slack_ = 0;
  std::vector<Switch> switches_;
  long switches_dropped_ = 0;
  struct Watched {
    Formulation::JointCable last;
    bool overlapped = false, came_off = false;
  };
  std::vector<Watched> watched_;  // per pulley
  std::vector<Formulation::JointCable> found_;
  double last_watch_ = NAN;  // s
  std::vector<WindingEvent> winding_events_;
};

struct IntegratorOptions {
  double step = 1e-3;       // fixed-step methods
  double tolerance = 1e-8;  // adaptive methods
};

struct IntegratorKind {
  std::string_view name, help;
  std::unique_ptr<Integrator> (*make)(const Dynamics&, const IntegratorOptions&);
};

const std::vector<IntegratorKind>& integrator_kinds();

// By name; throws InputError for an unknown one ("auto" is resolved by choose_integrator first).
std::unique_ptr<Integrator> make_integrator(std::string_view name, const Dynamics& dynamics,
                                            const IntegratorOptions& options);

// Throws RunError naming the node that is worst when the state is not finite.
void require_finite(const Dynamics& dynamics, const State& state);

}  // namespace taut
