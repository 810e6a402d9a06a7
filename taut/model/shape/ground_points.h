// What of a structure touches the ground beside its nodes: points along bars, where the ground is a height field, and
// the shapes of bodies.
//
// Bars: points at equal parts, as close as GroundSurface::spacing() says, an odd number, so that one is in the middle.
// A plane needs none: its ends are the deepest points. A bar takes part where the ground acts on one of its nodes.
//
// Bodies, by shape (`contact` of the body), each point as weights over four nodes of the body that span it:
//
//   box               its corners; on a height field also points along its edges
//   sphere            its centre, as a ball
//   cylinder, tube    plane: for each end its rim, the deepest point of which moves around (support_depth);
//                     height field: 16 points on each rim, and balls along the axis between the ends
//
// A plate touches by its nodes. Points where the body has a node that touches are left out. A body without four nodes
// that span space has no shape for the ground: of a machine, or flat; outside machines add_body_nodes gives it some.
// Nor has one whose nodes are all fixed.
#pragma once

#include <array>
#include <vector>

#include "taut/model/model.h"
#include "taut/model/shape/ground_surface.h"

namespace taut {

// Points at k/(points + 1) of the way from node a to node b, k = 1 ... points.
struct GroundBar {
  int bar = 0, a = 0, b = 0, points = 0;
};

struct GroundPoint {
  enum class Kind { point, ball, rim } kind = Kind::point;
  int body = 0;
  std::array<int, 4> node{};       // of the body
  std::array<double, 4> weight{};  // of the point: of the centre of a ball or rim
  std::array<double, 4> axis{};    // rim: of its unit normal; their sum is 0
  double radius = 0.0;             // m, of the ball or rim
};

std::vector<GroundBar> bars_on_ground(const Model& model, const GroundSurface& surface);
std::vector<GroundPoint> bodies_on_ground(const Model& model, const GroundSurface& surface);

// How far a rim with normal a and radius r reaches in the direction m (units), and the point that does, from its centre:
//
//   H = r (√(1 - (a·m)² + ε²) - ε)/(√(1 + ε²) - ε),   ∂H/∂m,   ε = 1/50
//
// H is r where the rim stands and 0 where it lies flat, and the point goes smoothly from one side to the other. It is the
// support function of a convex disc, so that a force at the point is the slope of the depth.
struct Reach {
  double depth;  // m
  Vec3 point;    // m
};
Reach reach_of_rim(const Vec3& axis, double radius, const Vec3& direction);

// What starts deepest of each bar and body: f(kind, index, position, what it reaches below that, m), for all points.
template <class F>
void each_ground_point(const Model& model, const GroundSurface& surface, const F& f) {
  for (const GroundBar& bar : bars_on_ground(model, surface))
    for (int k = 1; k <= bar.points; ++k) {
      const double part = static_cast<double>(k) / (bar.points + 1);
      f(EntityKind::bar, bar.bar, Vec3((1.0 - part) * model.nodes[bar.a].position + part * model.nodes[bar.b].position),
        0.0);
    }
  for (const GroundPoint& point : bodies_on_ground(model, surface)) {
    Vec3 at = Vec3::Zero(), axis = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
      at += point.weight[k] * model.nodes[point.node[k]].position;
      axis += point.axis[k] * model.nodes[point.node[k]].position;
    }
    const Vec3 down = surface.depth_and_gradient(at.data()).gradient.normalized();
    const double reach = point.kind == GroundPoint::Kind::point  ? 0.0
                         : point.kind == GroundPoint::Kind::ball ? point.radius
                                                                 : reach_of_rim(axis, point.radius, down).depth;
    f(EntityKind::body, point.body, at, reach);
  }
}

}  // namespace taut
