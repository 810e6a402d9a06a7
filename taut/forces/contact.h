// Everything that presses on nodes from outside the cables: the ground on nodes, bars on each other. Written once for
// every formulation; costs one branch where a model has neither.
#pragma once

#include "taut/forces/collision.h"
#include "taut/forces/ground.h"
#include "taut/forces/rigid_ground.h"

namespace taut {

// Scratch of one evaluation.
struct ContactTerms {
  AlignedDoubles force;  // stride 4, N, of contact on each node; filled only where keep_forces is set
  bool keep_forces = false;
  double dissipated_power = 0.0;
  CollisionTerms collision;
  RigidTerms rigid;
};

class Contact {
 public:
  explicit Contact(const Model& model);

  // Whether it is forces that depend on where nodes are; hard ground gives impulses.
  bool any() const { return ground_.any() || collision_.any(); }
  bool presses() const { return any() || rigid_.any(); }
  const RigidGround& rigid() const { return rigid_; }
  // Whether forces depend on velocities.
  bool damped() const { return ground_.damped() || collision_.damped(); }
  const GroundContact& ground() const { return ground_; }
  const RodContact& collision() const { return collision_; }

  ContactTerms make_terms() const;

  // Adds the forces at positions x and velocities v to f (all of stride 4).
  void apply(const double* x, const double* v, double* f, ContactTerms& terms) const;

  // The longest step that cannot jump over a contact, at velocities v; infinity where there is none. Methods that
  // choose their steps would fly through a thin rod otherwise: nothing happens before and nothing after.
  double longest_step(const double* v) const;

  // Stored in the contacts, J, at the positions of the last apply().
  double energy(const double* x, const ContactTerms& terms) const;

 private:
  std::size_t nodes_;
  GroundContact ground_;
  RodContact collision_;
  RigidGround rigid_;
};

}  // namespace taut
