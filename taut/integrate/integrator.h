// An integrator advances a state through one segment without discontinuities in time. A new one is one file and
// one line in integrator.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "taut/dynamics/dynamics.h"
#include "taut/forces/bar_watch.h"
#include "taut/integrate/log.h"
#include "taut/integrate/outputs.h"
#include "taut/integrate/step_watch.h"

namespace taut {

// What a method remembers from one segment to the next (the next step, which cables are taut) is in the state's memory;
// what it remembers within a segment (the history of cvode) begins anew at each restart. The memory of a state that is
// handed out as a row is complete: a run that begins there goes on as this one does, with fixed steps to the last bit.
class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual std::string_view name() const = 0;

  // Begins at `state`: at t = 0 and again after each discontinuity.
  virtual void restart(const State& state) = 0;
  // Advances to t_end exactly and emits the rows strictly before it. Returns early, at state.t < t_end, when the
  // outputs say stop. Throws RunError when it cannot go on; `state` is then the last good one.
  virtual void advance(State& state, double t_end, Outputs& outputs) = 0;
  // Forgets, at time t, what is none of a state's: pivots of earlier Jacobians, how long it has made no progress.
  virtual void forget(double /*t*/) {}

  IntegratorLog log;
  Terms& terms() { return terms_; }

  // Is told of every step by dopri5 and cvode; the others have no continuous output. Null: nobody is.
  StepWatch* watch = nullptr;

 protected:
  explicit Integrator(const Dynamics& dynamics)
      : dynamics_(dynamics),
        terms_(dynamics.make_terms()),
        reach_(longest_member(dynamics.model())),
        bars_(dynamics.contact().collision()) {
    if (bars_.any()) {
      bar_terms_ = dynamics.make_terms();
      log.passes.reserve(BarWatch::most_passes);
    }
    log.switches.reserve(most_switches);
    found_.resize(dynamics.model().pulleys.size());
    log.windings.reserve(2 * found_.size());
  }
  // What a tolerance of 1 means for entry i of the state: 1 + |y|, but for coordinates no more than a member is long,
  // so that accuracy does not depend on how far from the origin the structure is.
  double error_scale(long i, double y) const {
    return 1.0 + (i < dynamics_.formulation().facts().nq ? std::min(std::abs(y), reach_) : std::abs(y));
  }
  void rhs(double t, const double* y, double* y_rate) {
    ++log.counts.rhs;
    dynamics_.rhs(t, y, y_rate, terms_);
  }
  void note_switch(double time, int slot, bool taut) {
    if (log.switches.size() < most_switches)
      log.switches.push_back({time, slot, taut});
    else
      ++log.switches_dropped;
  }
  // For methods without event location: notes the switches that a step of length h ending at t has crossed, at the zero
  // of the line through the end of the step. Uses the cable terms at that end.
  void note_crossings(double t, double h);
  // At a restart: the first look. After a step: notes which cables of pulleys have switched, at the zero of the line
  // from the last look, and how they wind. Throws RunError when one is wound up.
  void begin_pulleys(const State& state);
  void watch_pulleys(State& state);
  // At a restart, and after a step: notes bars that went through each other. By the positions of the nodes, or by a state
  // whose nodes are not placed.
  void begin_bars(double t, const double* x) {
    if (bars_.any()) bars_.begin(t, x);
  }
  void watch_bars(double t, const double* x) {
    if (bars_.any()) bars_.look(t, x, log.passes);
  }
  void begin_bars(const State& state) {
    if (bars_.any()) bars_.begin(state.t, placed(state));
  }
  void watch_bars(const State& state) {
    if (bars_.any()) bars_.look(state.t, placed(state), log.passes);
  }
  // JointCable::switch_value of every pulley.
  void pulley_values(const double* q, const double* v, double* values);
  // What its strain is rounded by makes of it, N.
  double pulley_noise(int pulley) const { return 1e-13 * dynamics_.model().pulleys[pulley].EA; }
  // At a restart, with the cable terms there: notes what a jump of a rest length has switched. At the end of a segment:
  // the state remembers which cables are taut.
  void begin_crossings(const State& state);
  void end_crossings(State& state) const;
  // Before a row inside a segment: the state remembers what controllers that act at every evaluation have.
  void remember_control(State& state) const {
    state.memory.control.assign(terms_.control.begin(), terms_.control.end());
  }

  const Dynamics& dynamics_;
  Terms terms_;
  StepPath path_;  // what the watch is told

 private:
  static double longest_member(const Model& model);

  const double* placed(const State& state) {
    dynamics_.formulation().place_nodes(state.q(), state.v(), bar_terms_);
    return bar_terms_.x.data();
  }

  double reach_;  // m
  BarWatch bars_;
  Terms bar_terms_;                                      // of bars_ alone
  static constexpr std::size_t most_switches = 100'000;  // room is set aside, so that no step allocates
  std::vector<double> taut_;                             // per slot, at the last look
  int last_slack_ = 0;
  std::vector<JointCable> found_;      // per pulley
  std::vector<double> first_pulleys_;  // switch values at the first look of all
  double first_look_ = 0.0;            // s
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

// Throws RunError naming the node that is worst when the state is not finite, and what to do, of a method with that
// step.
void require_finite(const Dynamics& dynamics, const State& state, std::string_view integrator = "", double step = 0.0);

}  // namespace taut
