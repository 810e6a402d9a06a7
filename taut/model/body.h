// A rigid body: nodes that keep their distances, with the mass, centre and inertia of the whole. A plate, a platform, a
// bar with eyelets beside its axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taut/base/types.h"

namespace taut {

struct Body {
  std::string name;
  std::vector<int> nodes;       // node indices
  double mass = 0.0;            // kg
  Vec3 centre = Vec3::Zero();   // of mass, m, at the start
  Mat3 inertia = Mat3::Zero();  // kg m², about the centre, in world axes at the start
  // Of the centre and of the body at the start, m/s and rad/s; where they are not given, as its nodes move. Mechanisms
  // only: elsewhere nodes have the velocities.
  std::optional<Vec3> velocity, angular_velocity;
  std::vector<int> outline;  // some of its nodes: the corners of a flat polygon, in order; for pictures

  bool operator==(const Body&) const = default;
};

}  // namespace taut
