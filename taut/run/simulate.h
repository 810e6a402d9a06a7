// Runs a scenario from t = 0 to its duration and hands every output row to the recorders.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <vector>

#include "taut/model/scenario.h"
#include "taut/run/recorder.h"
#include "taut/run/summary.h"

namespace taut {

struct RunHooks {
  std::function<void(double t)> progress;   // called at output rows; may be empty
  const std::atomic<bool>* stop = nullptr;  // set from outside: the run ends with status "interrupted"
  // False: no row is looked at. Recorders get none, and what the summary takes from rows (energy_drift,
  // max_bar_length_error, warnings) is not there; the motion is the same to the last bit.
  bool rows = true;
};

// Never throws for what happens during the run: the summary says "failed" and why, and the recorders keep the
// rows up to then. Throws InputError when the scenario cannot be run at all (unknown integrator, a formulation
// that refuses the model).
// Formulation "all" stands for every one that can represent the model (compare.h).
Summary simulate(const Scenario& scenario, const std::vector<Recorder*>& recorders, const RunHooks& hooks = {});

// The same in the named formulation, without finishing the recorders.
Summary run_motion(const Scenario& scenario, std::string_view formulation, const std::vector<Recorder*>& recorders,
                   const RunHooks& hooks);

}  // namespace taut
