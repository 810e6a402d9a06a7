// Random structures for the tests of batches: every kind of member and law that the kernel takes.
#pragma once

#include <random>
#include <string>

#include "taut/model/build.h"
#include "taut/model/scenario.h"

namespace taut::testing {

struct RobotTraits {
  int bars = 4;
  bool coupled = false;  // bars share nodes, a body and linear constraints are there
  bool laws = false;     // all laws of cables, paths over several nodes, elastic bars
  bool signals = false;  // actuators and loads over time, with jumps
  bool drag = false;
  bool ground = false, slope = false, heights = false;
  PressKind press = PressKind::linear;
  double restitution = 0.0;
  bool guided = false;  // nodes fixed along some axes
};

Scenario random_robot(unsigned seed, const RobotTraits& traits);

// How far the nodes of some robots of a batch are from those of a Simulation of the same scenario, m, and what the
// motion was, m: over `calls` calls of `steps` steps, with random stiffness, masses, gravity and velocities.
struct Comparison {
  double difference = 0.0, tension_difference = 0.0, motion = 0.0;
};
Comparison compare_with_simulation(const Scenario& scenario, unsigned seed, double step, int calls, int steps,
                                   const std::string& unit);

}  // namespace taut::testing
