#include "taut/model/shape/ground_points.h"

#include <algorithm>
#include <cmath>

#include "taut/model/shape/affine_base.h"
#include "taut/model/shape/body_mass.h"

namespace taut {

namespace {

constexpr double rounding = 0.02;  // ε of a rim
constexpr int rim_points = 16;

// Points inside a straight line, an odd number or none.
int points_along(double length, double spacing) {
  if (!(length > spacing)) return 0;
  const int points = static_cast<int>(std::ceil(length / spacing)) - 1;
  return points + (points % 2 == 0 ? 1 : 0);
}

// Collects the points of one body; positions are those of the drawn shape.
class Collector {
 public:
  Collector(const Model& model, int body, const GroundSurface& surface, std::vector<GroundPoint>& points)
      : model_(model), body_(model.bodies[body]), surface_(surface), points_(points) {
    for (const Node& node : model.nodes) at_.push_back(node.position);
    const double size = extent(at_, body_.nodes);
    base_ = spanning(at_, body_.nodes, body_flatness * size);
    near_ = 1e-9 * size;
    form_.body = body;
    if (spans()) std::copy_n(base_.begin(), 4, form_.node.begin());
  }

  bool spans() const { return base_.size() == 4; }
  void add_shape();

 private:
  void point(const Vec3& at) {
    for (const int node : body_.nodes)
      if (can_touch(model_.nodes[node]) && (at_[node] - at).norm() <= near_) return;
    GroundPoint p = placed(at);
    points_.push_back(p);
  }
  GroundPoint placed(const Vec3& at) const {
    GroundPoint p = form_;
    const std::vector<double> weight = affine_weights(at_, base_, at);
    std::copy_n(weight.begin(), 4, p.weight.begin());
    return p;
  }
  void ball(const Vec3& at, double radius) {
    GroundPoint p = placed(at);
    p.kind = GroundPoint::Kind::ball, p.radius = radius;
    points_.push_back(p);
  }
  void rim(const Vec3& at, const Vec3& axis, double radius) {
    GroundPoint p = placed(at);
    const GroundPoint tip = placed(at + axis);
    for (int k = 0; k < 4; ++k) p.axis[k] = tip.weight[k] - p.weight[k];
    p.kind = GroundPoint::Kind::rim, p.radius = radius;
    points_.push_back(p);
  }
  // Between two ends that are there already.
  void line(const Vec3& from, const Vec3& to) {
    const int count = points_along((to - from).norm(), surface_.spacing());
    for (int k = 1; k <= count; ++k) point(from + (to - from) * (static_cast<double>(k) / (count + 1)));
  }
  void box();
  void cylinder(double radius, double length);

  const Model& model_;
  const Body& body_;
  const GroundSurface& surface_;
  std::vector<GroundPoint>& points_;
  std::vector<Vec3> at_;
  std::vector<int> base_;
  double near_ = 0.0;
  GroundPoint form_;
};

void Collector::box() {
  const BodyShape& shape = body_.shape;
  Mat3 half;
  half << 0.5 * shape.size[0] * shape.first, 0.5 * shape.size[1] * shape.second,
      0.5 * shape.size[2] * shape.first.cross(shape.second);
  const auto corner = [&](int k) {
    return Vec3(body_.centre + half * Vec3(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0));
  };
  for (int k = 0; k < 8; ++k) point(corner(k));
  for (int k = 0; k < 8; ++k)
    for (const int bit : {1, 2, 4})
      if ((k & bit) == 0) line(corner(k), corner(k | bit));
}

void Collector::cylinder(double radius, double length) {
  const Vec3 axis = body_.shape.first, half = 0.5 * length * axis;
  if (surface_.plane()) {
    for (const double side : {-1.0, 1.0}) rim(body_.centre + side * half, axis, radius);
    return;
  }
  const Vec3 across = axis.unitOrthogonal(), other = axis.cross(across);
  for (const double side : {-1.0, 1.0})
    for (int k = 0; k < rim_points; ++k) {
      const double angle = 2.0 * M_PI * k / rim_points;
      point(body_.centre + side * half + radius * (std::cos(angle) * across + std::sin(angle) * other));
    }
  // Balls that stay inside its ends.
  const double reach = 0.5 * length - radius;
  if (!(reach > 0.0)) return;
  const int count = points_along(2.0 * reach, surface_.spacing()) + 2;
  for (int k = 0; k < count; ++k) ball(body_.centre + (2.0 * k / (count - 1) - 1.0) * reach * axis, radius);
}

void Collector::add_shape() {
  const BodyShape& shape = body_.shape;
  switch (shape.kind) {
    case BodyShape::Kind::none:
      return;
    case BodyShape::Kind::box:
      return box();
    case BodyShape::Kind::cylinder:
      return cylinder(shape.size[0], shape.size[1]);
    case BodyShape::Kind::tube:
      return cylinder(shape.size[0], shape.size[2]);
    case BodyShape::Kind::sphere:
      return ball(body_.centre, shape.size[0]);
  }
}

}  // namespace

std::vector<GroundBar> bars_on_ground(const Model& model, const GroundSurface& surface) {
  std::vector<GroundBar> bars;
  if (surface.plane()) return bars;
  for (std::size_t i = 0; i < model.bars.size(); ++i) {
    const Bar& bar = model.bars[i];
    if (!can_touch(model.nodes[bar.a]) && !can_touch(model.nodes[bar.b])) continue;
    const int points = points_along(start_length(model, bar), surface.spacing());
    if (points > 0) bars.push_back({static_cast<int>(i), bar.a, bar.b, points});
  }
  return bars;
}

std::vector<GroundPoint> bodies_on_ground(const Model& model, const GroundSurface& surface) {
  std::vector<GroundPoint> points;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!body.contact || body.shape.kind == BodyShape::Kind::none) continue;
    const auto held = [&](int node) { return model.nodes[node].fixed == Axes{true, true, true}; };
    if (std::all_of(body.nodes.begin(), body.nodes.end(), held)) continue;
    Collector collector(model, static_cast<int>(i), surface, points);
    if (collector.spans()) collector.add_shape();
  }
  return points;
}

Reach reach_of_rim(const Vec3& axis, double radius, const Vec3& direction) {
  const double along = axis.dot(direction), scale = radius / (std::sqrt(1.0 + rounding * rounding) - rounding);
  const double root = std::sqrt(std::max(0.0, 1.0 - along * along) + rounding * rounding);
  return {scale * (root - rounding),
          scale * ((direction - along * axis + rounding * rounding * direction) / root - rounding * direction)};
}

}  // namespace taut
