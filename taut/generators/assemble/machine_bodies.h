// Bodies, joints and winches put into a model: what the machines of Lieskovský (2022) and of Arsenault and Gosselin
// (2005) are made of.
#pragma once

#include <string>

#include "taut/generators/assemble/numbers.h"
#include "taut/model/build.h"
#include "taut/model/scenario.h"
#include "taut/model/shape/body_shapes.h"
#include "taut/model/shape/joint_frame.h"

namespace taut {

// A body of a uniform shape, or without mass; no nodes.
Carrier add_body(Model& model, const std::string& name, const Shape& shape, double density);
Carrier add_massless(Model& model, const std::string& name, const Vec3& centre);

// A cylinder or a tube between two nodes as a bar with the inertia of the whole.
Carrier add_tube(Model& model, const std::string& name, int a, int b, double density, double radius, double inner);

// A block that turns about an axis through the pulley's centre, the pulley on it, and the cable from there to a node.
// Joints NAME-blockJt and `spin`, bodies NAME-block and NAME-pulley, pulley NAME; the torque holds or winds the cable.
struct WinchBlock {
  double radius = 0.0, width = 0.0, density = 0.0;  // of the pulley: m, m, kg/m³
  Vec3 block = Vec3::Zero();                        // edges, the last along the axis of the block, m
  PulleyVariant variant = PulleyVariant::epsilon;
  double EA = 0.0, damping = 0.0, strain = 0.0;  // N, N s
  double torque = 0.0;                           // N m
  double bearing = 0.0;                          // damping of the pulley's turn, N m s
};
// The cable runs in the plane across the pulley's axis; a positive torque about the axis winds it up.
void add_winch(Model& model, const std::string& name, const std::string& spin, const WinchBlock& winch,
               const Carrier& base, const Vec3& block_axis, const Vec3& centre, const Vec3& pulley_axis, int node);

// Parameter `variant`: 0 rigid, 1 u, 2 epsilon, 3 l.
Parameter variant_parameter();
PulleyVariant read_variant(Numbers& numbers);

}  // namespace taut
