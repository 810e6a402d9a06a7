// A machine as a plan for another program: bodies on the joints of the tree that taut chose, what closes the loops,
// and the start. Names none of taut's multibody headers, which are C++20: Simbody's are C++17. SI units.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "taut/base/types.h"

namespace taut {

namespace multibody {
struct Machine;
struct System;
struct SystemTerms;
}  // namespace multibody

namespace bench {

// A frame on a body: its axes as columns, and its origin.
struct Placement {
  Mat3 axes = Mat3::Identity();
  Vec3 origin = Vec3::Zero();
};

enum class PlanKind { weld, pin, slider, universal, ball, free, cable };

// From the predecessor's frame to the successor's. pin: about z; slider: along x; universal: about x, then about the
// new y; cable: the involute joint with q = (φ, l).
struct PlanJoint {
  PlanKind kind = PlanKind::weld;
  int predecessor = -1, successor = -1;  // links, -1: the ground
  Placement on_predecessor, on_successor;
};

// A cable on a pulley, l₀ = rφ, ε = l/l₀ - 1: F = EA ε + damping ε̇ while ε > 0 and, if clipped, F > 0.
struct PlanCable {
  double radius = 0.0, EA = 0.0, damping = 0.0;
  bool clip = true, conservative = false;
};

// A body and the joint that the tree reaches it by.
struct PlanLink {
  std::string name;
  double mass = 0.0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  // about the centre
  PlanJoint joint;
  int parent = -1;
  bool reversed = false;     // the parent is the joint's successor
  std::vector<double> q, u;  // at the start; quaternions (w, x, y, z), angular and linear velocities of balls and
                             // free bodies in the predecessor's axes
  std::array<double, 6> stiffness{}, rest{}, damping{};  // of springs and dampers, of plain coordinates
  PlanCable cable;
  std::function<void(double t, double* torque)> torque;  // on u; may be empty
  bool has_torque = false;                               // any of these
};

// Two points that keep their distance.
struct PlanRod {
  int a = -1, b = -1;  // links
  Vec3 at_a = Vec3::Zero(), at_b = Vec3::Zero();
  double length = 0.0;
};

struct MachinePlan {
  Vec3 gravity = Vec3::Zero();
  std::vector<PlanLink> links;  // parents first
  std::vector<PlanJoint> loops;
  std::vector<PlanRod> rods;
};

// Throws std::runtime_error for what a plan has no word for: rigid and two-pulley cables, planar joints, imposed
// motions, friction, springs and dampers of balls, cables and loop joints, weights that nodes carry, sums of points.
MachinePlan plan_of(const multibody::System& system);

// How a body's frame moves, in the world's axes.
struct BodyMotion {
  Mat3 axes;                                                   // columns
  Vec3 position, turn, velocity;                               // m, rad/s, m/s
  Vec3 turn_rate = Vec3::Zero(), acceleration = Vec3::Zero();  // rad/s², m/s²
};
// Of all links in taut at the last accelerate() of these terms.
std::vector<BodyMotion> body_motions(const multibody::System& system, multibody::SystemTerms& terms);

// Every body without mass gets 10 g as a ball of 16 mm: other programs need inertia at the tips of a tree.
multibody::Machine with_small_masses(multibody::Machine machine);

}  // namespace bench
}  // namespace taut
