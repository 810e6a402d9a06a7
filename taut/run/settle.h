// [simulation] settle = true: the run starts from the equilibrium near the start shape.
#pragma once

#include <atomic>
#include <string>

#include "taut/model/scenario.h"

namespace taut {

struct Settled {
  Scenario scenario;         // with the nodes where they are in balance; start velocities stay
  std::string note;          // what was done, for the summary
  std::string failure;       // why there is no equilibrium; empty: there is one
  bool interrupted = false;  // then `failure` says so
};

// Throws InputError when the formulation in which the equilibrium is found, nodal or of machines multibody, refuses the
// model.
Settled settle(const Scenario& scenario, const std::atomic<bool>* stop);

}  // namespace taut
