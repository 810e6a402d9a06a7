// Scratch of one evaluation; one per thread, never part of a state. A copy is complete and independent.
#pragma once

#include <any>
#include <limits>
#include <vector>

#include "taut/base/aligned.h"
#include "taut/forces/cables.h"
#include "taut/forces/contact.h"

namespace taut {

struct Terms;

// Torques on joints that depend on the motion: what a controller does at every evaluation. Sets entries of
// terms.torque, with the forces on nodes already in the terms; must not allocate in the long run.
class TorqueLaw {
 public:
  virtual void apply(const double* q, const double* v, Terms& terms) = 0;

 protected:
  ~TorqueLaw() = default;
};

// Arrays per node have stride 4, arrays per velocity and per constraint stride 1.
struct Terms {
  // Set by whoever evaluates.
  double segment_end = std::numeric_limits<double>::infinity();  // s: forces at and after it are limits from the left
  int corrections = 0;       // of the configuration in a projection (Dynamics::make_terms); 0: until rounding ends them
  AlignedDoubles torque;     // τ, per velocity, N m or N, on joints; empty in formulations without them
  TorqueLaw* law = nullptr;  // sets τ at every Dynamics::rhs(), if any; must live longer

  // By Dynamics::recall(), of the state's memory.
  std::vector<double> held;     // torques held on joints, in place of what drives would do; NaN, or empty: none
  std::vector<double> control;  // of controllers; a law changes its part at every evaluation

  // By Dynamics: the time by rhs(), forces() and project(), before nodes are placed; the rest by node_forces().
  double time = 0.0;  // s
  CableTerms cables;
  ContactTerms contact;
  AlignedDoubles force;           // f, on nodes, N
  double dissipated_power = 0.0;  // W, by cables, drag, contact; accelerate() adds that of joints
  double work_power = 0.0;        // W, of actuators and loads; accelerate() adds that of joints and rigid bars

  // By the formulation.
  AlignedDoubles x, xd;     // place_nodes(): positions and velocities of nodes, m, m/s; leapfrog moves them
  AlignedDoubles lambda;    // accelerate(): λ, multipliers of the rows of G, in their order
  long chart_switches = 0;  // rechart(): of coordinates with more than one chart, so far
  std::any own;             // what nobody but the formulation that made these terms looks into

  // Compiled once, in formulation.cpp.
  Terms();
  Terms(const Terms&);
  Terms(Terms&&) noexcept;
  Terms& operator=(const Terms&);
  Terms& operator=(Terms&&) noexcept;
  ~Terms();
};

}  // namespace taut
