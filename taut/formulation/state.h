// An instant: a plain value. y holds the coordinates q, the velocities v and two running integrals, the energy
// dissipated and the work done by actuators and loads since t = 0, so that an integrator advances all of them alike.
// The rest of what the motion depends on is its memory: a copy of a state is all there is to go on from.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "taut/forces/cable_memory.h"

namespace taut {

// Changes after a step or at a control instant, never inside a step.
struct Memory {
  // Of members that yield; empty where nothing does.
  std::vector<double> permanent;         // m, elongation per slot of the cables
  std::vector<FirstYield> first_yields;  // in the order of events
  double yielded = 0.0;                  // J, lost in yielding since t = 0

  // Of controllers and commands.
  std::vector<Winch> winches;   // rest lengths under command
  std::vector<double> torques;  // N m or N, held on each velocity of joints; NaN: none. Empty: none anywhere
  std::vector<double> control;  // what controllers remember, slice by slice (control/control.h)

  // Of the integrator, from segment to segment.
  double next_step = 0.0;             // s, of adaptive steps; 0: to be found
  std::vector<double> taut;           // per slot of the cables, 1 or 0, as last noted; empty: not yet
  int slack = 0;                      // how many had no tension then
  std::vector<double> stretched;      // per slot, 1 or 0: what cvode holds over a step
  std::vector<double> pulley_switch;  // per pulley, its switch value when last looked at; empty: not yet
  double pulleys_seen = 0.0;          // s, when that was

  std::vector<double> pressed;  // N, 3 per node: by hard contact, in the mean over the last step; empty without it

  double crossed = 0.0;  // s: jumps of signals up to here have been taken into account
};

struct State {
  double t = 0.0;
  int nq = 0, nv = 0;
  Eigen::VectorXd y;
  Memory memory;

  State() = default;
  State(int coordinates, int velocities)
      : nq(coordinates), nv(velocities), y(Eigen::VectorXd::Zero(coordinates + velocities + 2)) {}

  double* q() { return y.data(); }
  double* v() { return y.data() + nq; }
  const double* q() const { return y.data(); }
  const double* v() const { return y.data() + nq; }
  double& dissipated() { return y[nq + nv]; }
  double& work() { return y[nq + nv + 1]; }
  double dissipated() const { return y[nq + nv]; }
  double work() const { return y[nq + nv + 1]; }
};

}  // namespace taut
