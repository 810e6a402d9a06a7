// Joints: what a formulation offers whose coordinates are those of joints and of the cables on pulleys. Joints and
// pulleys are numbered as in the model. SI units.
#pragma once

#include <array>
#include <string>

#include "taut/formulation/terms.h"

namespace taut {

namespace multibody {
struct System;
struct SystemTerms;
}  // namespace multibody

// Where the coordinates of a joint begin in q and v.
struct JointIndices {
  int q = -1, v = -1;    // the first in q and in v; -1: the joint closes a loop and has none
  int velocities = 0;    // as many
  bool imposed = false;  // the model moves the joint by itself
};

// How the cable of a pulley is.
struct JointCable {
  double switch_value = 1.0;  // positive while taut
  bool wound_up = false;      // there is no free length: the joint has ended
  bool overlaps = false;      // it is wound past a full turn, upon itself
  bool off_pulley = false;    // all of it is unwound
};

// Its length l along with l̇ = Σ by v and l̈ = Σ by v̇ + drift, over the velocities of its joint.
struct JointCableLength {
  double value = 0.0, drift = 0.0;
  std::array<double, 3> by{};
};

// Potential energy that neither nodes nor cables between nodes have: of springs and cables of joints, and of the weight
// of bodies, J.
struct JointEnergy {
  double elastic = 0.0, gravity = 0.0;
};

class JointSide {
 public:
  virtual JointIndices joint_indices(int joint) const = 0;
  virtual JointIndices pulley_indices(int pulley) const = 0;

  // What joints and pulleys did at the last accelerate(), in the order of joint_columns().
  virtual void joint_values(const double* q, const double* v, const Terms& terms, double* values) const = 0;
  virtual JointEnergy joint_energy(const Terms& terms) const = 0;  // from the last accelerate()
  virtual void joint_cables(const double* q, const double* v, JointCable* cables) const = 0;  // of all pulleys
  virtual JointCableLength cable_length(int pulley, const double* q, const double* v) const = 0;

  // The loop that is furthest open at t, as: joint "knee" is open by 0.2 m; empty where all are closed.
  virtual std::string open_loop(const double* q, double t) const = 0;

  // The machine itself, for control and analyses of machines; and its scratch in these terms, with the drives at
  // terms.time, terms.torque, the weight and terms.force on the placed links: all that acts before accelerate().
  virtual const multibody::System& system() const = 0;
  virtual multibody::SystemTerms& load(Terms& terms) const = 0;

  // Of posed_carriers() (body_pose.h), where the last place_nodes() put them.
  virtual void body_poses(const Terms& terms, double* poses) const = 0;

 protected:
  ~JointSide() = default;
};

}  // namespace taut
