// A controller as a function object: it sees an observation and sets commands at instants 1/rate apart.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>

#include "taut/control/observation.h"

namespace taut {

// What a function may set, in the order of Simulation::inputs(): rest lengths, m, to be reached at the next instant, and
// torques, N m or N, held until then. At first those of the last instant; NaN: not touched yet, and left alone.
struct Commands {
  std::span<double> inputs;
  std::span<double> memory;  // numbers of its own, part of the state: zeros at first

  double& operator[](std::size_t input) const { return inputs[input]; }
};

// What it throws ends the motion; Stopped (base/stop.h) so that it can go on from there.
using ControlFunction = std::function<void(const Observation& now, Commands& commands)>;

struct ControlOptions {
  double speed = std::numeric_limits<double>::infinity();  // m/s, the most by which a rest length changes
  std::size_t memory = 0;                                  // numbers to remember
};

}  // namespace taut
