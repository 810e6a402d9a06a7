// A rigid body: nodes that keep their distances, with the mass, centre and inertia of the whole. A plate, a platform, a
// bar with eyelets beside its axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/base/place.h"
#include "taut/base/types.h"

namespace taut {

// What a body looks like, and touches the ground with, about its centre at the start. Its mass is spread evenly in it
// where the file gives no inertia.
struct BodyShape {
  enum class Kind { none, box, cylinder, tube, sphere } kind = Kind::none;
  // m. Box: edges; cylinder: radius, length; tube: radius, that of the hole, length; sphere: radius.
  Vec3 size = Vec3::Zero();
  // Units. Box: along its first two edges; cylinder, tube: the first is the axis.
  Vec3 first = Vec3::UnitX(), second = Vec3::UnitY();

  bool operator==(const BodyShape&) const = default;
};

struct Body {
  std::string name;
  std::vector<int> nodes;       // node indices
  double mass = 0.0;            // kg
  Vec3 centre = Vec3::Zero();   // of mass, m, at the start
  Mat3 inertia = Mat3::Zero();  // kg m², about the centre, in world axes at the start
  // Of the centre and of the body at the start, m/s and rad/s; where they are not given, as its nodes move. Machines
  // keep them; elsewhere add_body_nodes makes them velocities of nodes, which then span the mass (body_mass.h).
  std::optional<Vec3> velocity, angular_velocity;
  std::vector<int> outline;  // some of its nodes: the corners of a flat polygon, in order; for pictures
  EntityPlace place{};
  BodyShape shape{};    // for pictures, and for the ground
  bool contact = true;  // whether the ground acts on its shape (ground_points.h); on its nodes it does anyway

  bool operator==(const Body&) const = default;
};

}  // namespace taut
