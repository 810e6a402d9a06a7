// Runs a scenario from t = 0, or from a recorded state, to its duration: in memory, or row by row to recorders.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <vector>

#include "taut/control/commands.h"
#include "taut/results/recorder.h"
#include "taut/results/run.h"

namespace taut {

struct RecordedState;  // recorded_state.h

struct RunHooks {
  std::function<void(double t)> progress;   // called at output rows; may be empty
  const std::atomic<bool>* stop = nullptr;  // set from outside: the run ends as interrupted, also within a long step
  // False: no row is looked at. Recorders get none, and what the summary takes from rows (energy_drift,
  // max_bar_length_error, warnings) is not there; the motion is the same to the last bit.
  bool rows = true;
  // Goes on from here instead of starting at t = 0; its model, in its formulation. Nothing is settled then.
  const RecordedState* from = nullptr;
  // A function that commands what Simulation::inputs() lists, `rate` times per second; empty: none.
  ControlFunction control{};
  double rate = 0.0;  // 1/s
  ControlOptions control_options{};
};

// Never throws for what happens during the run: the summary says that it failed and why, and the rows up to then are
// kept. Throws InputError when the scenario cannot be run at all (unknown integrator, a formulation that refuses the
// model). Formulation "all" stands for every one that can represent the model (compare.h).
Run simulate(const Scenario& scenario, const RunHooks& hooks = {});
Summary simulate(const Scenario& scenario, const std::vector<Recorder*>& recorders, const RunHooks& hooks = {});

// The same in the named formulation, without finishing the recorders.
Summary run_motion(const Scenario& scenario, std::string_view formulation, const std::vector<Recorder*>& recorders,
                   const RunHooks& hooks);
// What is left of a run that was stopped while it was prepared.
Summary without_rows(const Scenario& scenario, std::string_view formulation, const std::vector<Recorder*>& recorders);

}  // namespace taut
