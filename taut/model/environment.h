// What a structure can touch: the ground (a plane or a height field) and its own bars. SI units.
// The laws themselves are in forces/contact_law.h; docs/theory/contact.md derives them.
#pragma once

#include <vector>

#include "taut/base/types.h"

namespace taut {

// How a contact presses back; the ground takes all but exponential, bars take linear and exponential. rigid: by impulses
// (forces/rigid_contact.h), of which nothing here but friction, restitution and where it is says anything.
enum class PressKind { linear, smooth, hunt_crossley, exponential, rigid };

// Heights on a regular grid: heights[row * columns + column] at (x0 + column dx, y0 + row dy).
struct HeightGrid {
  double x0 = 0.0, y0 = 0.0, dx = 1.0, dy = 1.0;
  int columns = 0, rows = 0;
  std::vector<double> heights;

  bool operator==(const HeightGrid&) const = default;
};

struct Ground {
  double height = 0.0;     // m: z of the plane at x = y = 0, or what is added to every height of the grid
  double stiffness = 1e5;  // N/m; hunt_crossley: N/m^exponent
  double damping = 3e2;    // N s/m; hunt_crossley: s/m
  double friction = 0.8;   // Coulomb's coefficient
  PressKind law = PressKind::linear;
  double beta = 1e-4;        // m: depth over which the damping sets in; smooth: how far the rounding reaches
  double exponent = 1.5;     // hunt_crossley
  double slip_speed = 1e-3;  // m/s, at which friction reaches its full size
  double viscous = 0.0;      // N s/m, along the ground
  double radius = 0.0;       // m, of every node as a ball
  double restitution = 0.0;  // rigid: share of the normal velocity with which a node bounces
  Vec3 normal = {0, 0, 1};   // of the plane, of any length, pointing up
  HeightGrid heights{};      // empty: a plane

  bool operator==(const Ground&) const = default;
};

struct Collision {
  PressKind law = PressKind::linear;
  double stiffness = 1e5;    // N/m
  double damping = 0.0;      // N s/m
  double beta = 1e-4;        // m: depth over which the damping sets in
  double length = 0.01;      // m, exponential: over which the force grows by a factor e
  double friction = 0.0;     // Coulomb's coefficient
  double slip_speed = 1e-3;  // m/s, at which friction reaches its full size

  bool operator==(const Collision&) const = default;
};

const char* name(PressKind kind);

}  // namespace taut
