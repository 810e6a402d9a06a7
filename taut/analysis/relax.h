// From a shape out of balance to the equilibrium that it falls into: kinetic damping (kinetic_damping.h) while the rest
// lengths go from the present lengths to those of the model and weight and loads grow along with them, then Newton
// steps to rounding (find_equilibrium.h). Bars keep their lengths, supports and linear constraints hold; loads and
// actuated rest lengths are those of t = 0; friction and damping, which need motion, do not act. A start that is nearly
// in balance is only polished.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct RelaxOptions {
  double tolerance =
      1e-9;              // largest net node force over mean member force; rounding of positions allows what it allows
  long steps = 100'000;  // of kinetic damping, at most
  long ramp = 200;       // of them, while rest lengths and loads move in
  std::function<void(long steps, double residual)> progress;  // at peaks; may be empty
  const std::atomic<bool>* stop = nullptr;                    // set from outside: ends early
};

struct RelaxResult {
  bool converged = false;
  std::string reason;   // why not, in a sentence
  Model model;          // the start with the positions of the equilibrium, or of the best shape met
  bool stable = false;  // the energy falls in no direction, and rises in all but those of rigid motions
  std::string free;     // what moves at the end without anything that resists, "node d along (1, 0, 0)"; empty: nothing
  double residual = 0.0;  // largest net node force over mean member force
  double start_residual = 0.0;
  double mean_force = 0.0;    // N, mean absolute member force
  int worst_node = -1;        // where the net force is largest
  double net_force = 0.0;     // N, there
  long steps = 0, peaks = 0;  // of kinetic damping
  int newton_steps = 0;
  double largest_move = 0.0;  // m
  int moved_node = -1;        // which moved that far
  std::vector<int> slack;     // cables without tension at the end
};

// Throws InputError when the nodal formulation refuses the model.
RelaxResult relax(const Model& model, const RelaxOptions& options = {});

}  // namespace taut
