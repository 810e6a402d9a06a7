// A model as rigid-body engines want it: free rods with a centre, an orientation and an angular velocity, and
// straight cables between points of their axes.
//
// The rod's z axis points from its first node to its second: a = r − γ L z, b = r + (1 − γ) L z, γ the fraction
// of the centre of mass. All forces act on the axis, so nothing turns a rod about it; started without spin about
// z it never gains any, and its moment of inertia about z has no influence. Each engine may choose it freely.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "taut/base/types.h"

namespace taut {

struct Model;

namespace bench {

struct Rod {
  int a = 0, b = 0;  // nodes
  double mass = 0.0, inertia = 0.0, length = 0.0;
  double below = 0.0, above = 0.0;  // m from the centre of mass to a (along −z) and to b (along z)
  Vec3 centre, velocity, omega;     // at the start, in the world frame
  Eigen::Quaterniond orientation;   // turns the z axis to the rod's direction
};

// T = max(0, k (l − L0) + c l̇) while l > L0.
struct Line {
  int a = 0, b = 0;
  double stiffness = 0.0, damping = 0.0, rest_length = 0.0;
};

struct RodModel {
  int node_count = 0;
  Vec3 gravity;
  bool damped = false;
  std::vector<Rod> rods;
  std::vector<Line> lines;
};

// Throws std::runtime_error for anything but free rigid rods that share no node and two-node linear cables.
RodModel rods_of(const Model& model);

// Adds every cable's pull to `force`, which it first clears; three numbers per node.
void pull(const RodModel& model, const double* position, const double* velocity, double* force);

}  // namespace bench
}  // namespace taut
