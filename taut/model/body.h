// A rigid body: nodes that keep their distances, with the mass, centre and inertia of the whole. A plate, a platform, a
// bar with eyelets beside its axis.
#pragma once

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
  std::vector<int> outline;     // some of its nodes: the corners of a flat polygon, in order; for pictures

  bool operator==(const Body&) const = default;
};

}  // namespace taut
