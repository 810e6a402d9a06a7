// A machine in Simbody: the tree of the plan as mobilisers, loops as constraints, cables, springs, dampers and given
// torques in one force element. Defined only where Simbody is present.
#pragma once

#include <memory>

#include "bench/peers/machine_plan.h"

namespace taut::bench {

class SimbodyMachine {
 public:
  // Throws std::runtime_error for what is not possible in Simbody. The plan is copied.
  explicit SimbodyMachine(const MachinePlan& plan);
  ~SimbodyMachine();

  static bool asserts();    // whether the library checks itself as it runs: Debian's does, and is slower for it
  int constraints() const;  // rows
  // Largest error of the constraints at the start, m or of cosines of angles.
  double loop_error() const;
  // Of the plan's links at the start, with accelerations.
  std::vector<BodyMotion> start() const;
  // Of the plan's links after a time (s), without accelerations; by Runge-Kutta-Merson at Simbody's accuracy.
  std::vector<BodyMotion> run(double duration, double accuracy) const;
  // Core seconds of so many evaluations at the start: time, positions and velocities are new each time, as in the
  // stages of an integrator.
  double evaluate(int times) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace taut::bench
