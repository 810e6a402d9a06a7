// How a robot stands on the ground: on the triangle of its three lowest nodes.
#pragma once

#include <array>
#include <vector>

#include "taut/base/types.h"
#include "taut/model/ground_surface.h"
#include "taut/model/model.h"

namespace taut {

// An edge of the base triangle, over which the robot may roll.
struct BaseEdge {
  int a = 0, b = 0;     // nodes
  Vec3 outward;         // horizontal unit vector across the edge, away from the third node
  double inside = 0.0;  // m, from the centre of mass to the edge, along `outward`: negative once it has left the base
};

struct Stance {
  std::array<int, 3> base{};   // the lowest nodes, ascending
  bool stands = false;         // all three touch the ground, or nearly so, and the centre of mass is above them
  Vec3 centre = Vec3::Zero();  // of mass
  std::array<BaseEdge, 3> edges;
};

class StanceFinder {
 public:
  explicit StanceFinder(const Model& model);  // with a ground
  // x of the nodes, stride 4.
  Stance find(const double* x) const;
  const std::vector<double>& masses() const { return masses_; }
  double size() const { return size_; }  // m, the longest side of the box around the robot at the start

 private:
  GroundSurface surface_;
  std::vector<double> masses_;
  double total_mass_ = 0.0, size_ = 0.0;
};

}  // namespace taut
