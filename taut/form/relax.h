// From a shape out of balance to the equilibrium that it falls into: kinetic damping (kinetic_damping.h) while the rest
// lengths go from the present lengths to those of the model and weight and loads grow along with them, then Newton
// steps to rounding (find_equilibrium.h). Bars keep their lengths, supports and linear constraints hold; loads and
// actuated rest lengths are those of t = 0; friction and damping, which need motion, do not act. A start that is nearly
// in balance is only polished.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "taut/equilibrium/tolerances.h"
#include "taut/form/form_result.h"

namespace taut {

struct RelaxOptions {
  double tolerance =
      equilibrium_found;  // largest net node force over mean member force, or what rounded positions allow
  long steps = 100'000;   // of kinetic damping, at most
  long ramp = 200;        // of them, while rest lengths and loads move in
  std::function<void(long steps, double residual)> progress;  // at peaks; may be empty
  const std::atomic<bool>* stop = nullptr;                    // set from outside: ends early
};

struct RelaxResult : FormResult {  // the model where it did not converge: the best shape met
  double start_residual = 0.0;
  int worst_node = -1;        // where the net force is largest
  std::string worst_joint;    // the same in a machine, as in `joint "knee"`
  long steps = 0, peaks = 0;  // of kinetic damping
  int newton_steps = 0;
  std::vector<int> slack;  // cables without tension at the end
};

// A machine falls in joint coordinates (relax_machine.h). Throws InputError when the formulation refuses the model.
RelaxResult relax(const Model& model, const RelaxOptions& options = {});

}  // namespace taut
