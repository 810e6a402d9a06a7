// What an integrator has to report. The motion does not depend on it.
#pragma once

#include <vector>

#include "taut/forces/bar_pass.h"

namespace taut {

struct Switch {
  double time = 0.0;
  int slot = 0;       // of the cables; below 0: the cable of pulley -1 - slot
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

struct IntegratorLog {
  Counts counts;
  std::vector<Switch> switches;        // in order of steps
  long switches_dropped = 0;           // beyond the number kept
  std::vector<WindingEvent> windings;  // the first of each kind
  std::vector<BarPass> passes;         // the first of each pair
  double contact_residual = 0.0;       // m/s, of hard contact: the largest that a solution left
  int contact_sweeps = 0;              // the most that one took
};

}  // namespace taut
