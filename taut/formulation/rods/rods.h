// Rods that share no node: what `minimal` and `quaternion` have in common. A rod is rigid, has its centre of mass c on
// its axis u, mass m and transverse inertia J about c. With the forces f_a, f_b on its ends,
//
//   x_a = c - l_a u,  x_b = c + l_b u,      m c̈ = f_a + f_b,      turning force g = l_b f_b - l_a f_a.
//
// Masses at its nodes belong to the rod. Ends held along axes are constraints of that rod alone: x(end, axis) = value.
// Where a length is driven (driven_length.h), l_a and l_b go with L and J with L², so that with r = L̇/L, k = L̈/L
//
//   ẋ_b = ċ + l_b (u̇ + r u),   ẍ_b = c̈ + l_b (ü + 2r u̇ + k u),   d/dt (J u̇) adds -2r u̇ to ü,   T adds ½ J r².
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "taut/model/model.h"

namespace taut {

struct Rod {
  int a = 0, b = 0;  // nodes
  int bar = 0;       // index in the model
  double length = 0.0, mass = 0.0;
  double inertia = 0.0;           // J
  double axial_inertia = 0.0;     // about the axis; J for a thin rod, whose spin does not exist
  double spin = 0.0;              // about the axis at the start, rad/s
  double to_a = 0.0, to_b = 0.0;  // l_a, l_b
  double aa = 0.0, ab = 0.0;      // mass matrix of the two ends, first row
  int first_support = 0, supports = 0;
  bool thin = true;
  bool driven = false;
  double growth = 0.0, growth_rate = 0.0;  // r, k; 0 unless it is driven
};

struct Support {
  int node = 0, axis = 0;
  double side = 0.0;   // -l_a or l_b: position along u
  double value = 0.0;  // m
};

struct Rods {
  std::vector<Rod> rods;
  std::vector<Support> supports;            // in the order of rods
  std::vector<int> anchors;                 // nodes that are fixed and belong to no rod
  std::vector<int> supported;               // nodes with a fixed axis
  std::vector<std::pair<int, int>> driven;  // rods whose length is driven, and their drives
};

// Throws InputError, naming the member and why the formulation `name` cannot represent it.
Rods collect_rods(const Model& model, std::string_view name);

// Those that are driven as they are at t, in `now`, which is a copy of `start`. Throws RunError as driven_length().
void set_lengths(const Model& model, const Rods& start, double t, Rods& now);

}  // namespace taut
