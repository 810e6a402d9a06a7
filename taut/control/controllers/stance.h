// How a robot stands on the ground: on the nodes that touch it, within whose outline its centre of mass is.
#pragma once

#include <vector>

#include "taut/base/types.h"
#include "taut/model/model.h"
#include "taut/model/shape/ground_surface.h"

namespace taut {

// An edge of the outline of the base, over which the robot may roll.
struct BaseEdge {
  int a = 0, b = 0;             // nodes; seen from above the base is on the left of a → b
  Vec3 outward = Vec3::Zero();  // horizontal unit vector across the edge, away from the base
  double inside = 0.0;  // m, from the centre of mass to the edge, along `outward`: negative once it has left the base
};

struct Stance {
  std::vector<int> base;        // nodes that touch the ground, or nearly so, ascending; the three lowest where fewer do
  bool stands = false;          // three nodes or more touch the ground, and the centre of mass is above their outline
  Vec3 centre = Vec3::Zero();   // of mass
  std::vector<BaseEdge> edges;  // of the outline (the convex hull in plan), one after the other
};

class StanceFinder {
 public:
  explicit StanceFinder(const Model& model);  // with a ground
  // x of the nodes, stride 4.
  Stance find(const double* x) const;
  // The edge from a to b where these nodes are now, whether or not it is on the outline.
  BaseEdge edge(int a, int b, const Vec3& centre, const double* x) const;
  double height(const Vec3& point) const { return -surface_.depth(point.data()); }  // m, above the ground
  const std::vector<double>& masses() const { return masses_; }
  const Vec3& up() const { return up_; }  // against gravity, or z: what is across it is horizontal
  double size() const { return size_; }   // m, the longest side of the box around the robot at the start

 private:
  GroundSurface surface_;
  std::vector<double> masses_;
  Vec3 up_;
  double total_mass_ = 0.0, size_ = 0.0;
};

}  // namespace taut
