// Leapfrog: what a formulation offers that can move the nodes themselves, with a constant mass matrix. All of it
// works on terms.x, terms.xd and terms.force.
#pragma once

#include "taut/formulation/terms.h"

namespace taut {

class Leapfrog {
 public:
  // v += h M⁻¹(f + Gᵀλ), x += h v, with the λ that end on g = 0 at terms.time + h.
  virtual void leap(double h, Terms& terms) const = 0;
  // v += h M⁻¹(f + Gᵀλ) with λ such that G v = 0, or what driven lengths ask for at terms.time.
  virtual void kick(double h, Terms& terms) const = 0;
  // What hard contact makes of the leap (moves) or kick over h that has just been: nodes and velocities before it are in
  // terms.contact.rigid, which also takes what it did.
  virtual void press(const RigidGround& ground, double h, bool moves, Terms& terms) const = 0;
  // The inverse of place_nodes().
  virtual void take_nodes(const Terms& terms, double* q, double* v) const = 0;
  // W, of what drives the lengths of bars.
  virtual double drive_power(Terms& terms) const = 0;

 protected:
  ~Leapfrog() = default;
};

}  // namespace taut
