// A robot of a batch against the ordinary engine: a Simulation of the same parameters, stepped by integrator "symplectic" in
// formulation nodal through the same calls.
#pragma once

#include <span>

#include "taut/batch/batch.h"

namespace taut::batch {

// The scenario that a run of this robot takes: with the step, the integrator and the formulation of the batch.
Scenario run_of(const Batch& batch, long robot);

// The largest distance, m, between a node of the robot now and in a simulation that starts at t = 0 and goes on by these
// numbers of steps, one call for each. For robots that nothing has commanded, placed or reset in between. Throws RunError
// where the simulation cannot go on, Stopped when the flag of a StopScope is set.
double distance_to_run(const Batch& batch, long robot, std::span<const int> calls);

}  // namespace taut::batch
