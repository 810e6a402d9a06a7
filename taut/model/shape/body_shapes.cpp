#include "taut/model/shape/body_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "taut/model/shape/body_mass.h"
#include "taut/model/shape/joint_frame.h"

namespace taut {

namespace {

// Twice the vector area of a polygon.
Vec3 vector_area(const std::vector<Vec3>& corners) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < corners.size(); ++i)
    sum += (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]);
  return sum;
}

double size_of(const std::vector<Vec3>& points) {
  double size = 0.0;
  for (const Vec3& p : points) size = std::max(size, (p - points[0]).norm());
  return size;
}

using Flat = std::array<double, 2>;

double turn(const Flat& a, const Flat& b, const Flat& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Points in coordinates of their plane.
std::vector<Flat> flattened(const std::vector<Vec3>& points, const Vec3& normal) {
  Eigen::Index least = 0;
  normal.cwiseAbs().minCoeff(&least);
  const Vec3 x = normal.cross(Vec3::Unit(least)).normalized(), y = normal.cross(x);
  std::vector<Flat> flat;
  for (const Vec3& p : points) flat.push_back({x.dot(p - points[0]), y.dot(p - points[0])});
  return flat;
}

// Whether two sides cross or touch.
bool meet(const Flat& a, const Flat& b, const Flat& c, const Flat& d) {
  const auto side = [](double t) { return t > 0.0 ? 1 : t < 0.0 ? -1 : 0; };
  const auto within = [](const Flat& p, const Flat& q, const Flat& r) {
    return std::min(p[0], q[0]) <= r[0] && r[0] <= std::max(p[0], q[0]) && std::min(p[1], q[1]) <= r[1] &&
           r[1] <= std::max(p[1], q[1]);
  };
  const int c1 = side(turn(a, b, c)), d1 = side(turn(a, b, d)), a1 = side(turn(c, d, a)), b1 = side(turn(c, d, b));
  if (c1 != d1 && a1 != b1) return true;
  return (c1 == 0 && within(a, b, c)) || (d1 == 0 && within(a, b, d)) || (a1 == 0 && within(c, d, a)) ||
         (b1 == 0 && within(c, d, b));
}

// The normal of the plane of points: of the triangle of the three that are farthest apart.
Vec3 normal_of(const std::vector<Vec3>& points) {
  std::size_t far = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if ((points[i] - points[0]).norm() > (points[far] - points[0]).norm()) far = i;
  Vec3 best = Vec3::Zero();
  for (const Vec3& p : points)
    if (const Vec3 n = (points[far] - points[0]).cross(p - points[0]); n.norm() > best.norm()) best = n;
  return best.normalized();
}

}  // namespace

Mat3 inertia_of(const Shape& shape, double mass) {
  const Mat3 I = mass * (shape.second.trace() * Mat3::Identity() - shape.second);
  return 0.5 * (I + I.transpose());
}

Shape plate_shape(const std::vector<Vec3>& corners, double thickness) {
  const Vec3 area = vector_area(corners), normal = area.normalized();
  Shape shape;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  double total = 0.0;
  // Triangles from the first corner, those turned the other way negative:
  // ∫ r rᵀ dA = A/12 (Σ r rᵀ + Σ r Σ rᵀ) over the corners of each.
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const Vec3 a = corners[i] - corners[0], b = corners[i + 1] - corners[0], sum = a + b;
    const double A = 0.5 * normal.dot(a.cross(b));
    total += A;
    first += A / 3.0 * sum;
    second += A / 12.0 * (a * a.transpose() + b * b.transpose() + sum * sum.transpose());
  }
  const Vec3 middle = first / total;
  shape.centre = corners[0] + middle;
  shape.second =
      second / total - middle * middle.transpose() + thickness * thickness / 12.0 * normal * normal.transpose();
  shape.volume = total * thickness;
  return shape;
}

Shape box_shape(const Vec3& centre, const Vec3& size, const Mat3& axes) {
  const Mat3 second = axes * (size.cwiseAbs2() / 12.0).asDiagonal() * axes.transpose();
  const Mat3 frame = frame_of(axes.col(0), axes.col(1));
  return {centre, second, size.prod(), {BodyShape::Kind::box, size, frame.row(0), frame.row(1)}};
}

Shape tube_shape(const Vec3& centre, const Vec3& axis, double length, double radius, double inner_radius) {
  const Vec3 u = axis.normalized();
  const double across = (radius * radius + inner_radius * inner_radius) / 4.0, along = length * length / 12.0;
  const double section = M_PI * (radius * radius - inner_radius * inner_radius);
  BodyShape drawn{BodyShape::Kind::cylinder, {radius, length, 0.0}};
  if (inner_radius > 0.0) drawn = {BodyShape::Kind::tube, {radius, inner_radius, length}};
  drawn.first = unit_direction(axis);
  return {centre, across * Mat3::Identity() + (along - across) * u * u.transpose(), section * length, drawn};
}

Shape sphere_shape(const Vec3& centre, double radius) {
  return {centre,
          radius * radius / 5.0 * Mat3::Identity(),
          4.0 / 3.0 * M_PI * radius * radius * radius,
          {BodyShape::Kind::sphere, {radius, 0.0, 0.0}}};
}

std::string polygon_problem(const std::vector<Vec3>& corners, const std::vector<std::string>& names) {
  const std::size_t n = corners.size();
  if (n < 3) return fmt::format("a plate needs three corners or more, got {}", n);
  const double size = size_of(corners);
  const Vec3 normal = normal_of(corners);
  const char* no_area = "the corners of the plate enclose no area";
  if (!(normal.norm() > 0.5)) return no_area;
  for (std::size_t i = 0; i < n; ++i)
    if (const double off = std::abs(normal.dot(corners[i] - corners[0])); off > body_flatness * size)
      return fmt::format("the corners do not lie in one plane: \"{}\" is {:.3g} m off it", names[i], off);
  const std::vector<Flat> flat = flattened(corners, normal);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;
      if (meet(flat[i], flat[i + 1], flat[j], flat[(j + 1) % n]))
        return fmt::format("side \"{}\"-\"{}\" of the plate meets side \"{}\"-\"{}\": expected the corners in order",
                           names[i], names[i + 1], names[j], names[(j + 1) % n]);
    }
  if (!(vector_area(corners).norm() > 1e-9 * size * size)) return no_area;
  return {};
}

std::vector<int> hull_corners(const std::vector<Vec3>& points) {
  if (points.empty()) return {};
  const double size = size_of(points);
  const std::vector<Flat> flat = flattened(points, normal_of(points));
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return flat[i] < flat[j]; });
  // The lower side, then the upper one; corners that do not turn are left out.
  std::vector<int> hull;
  const auto go = [&](auto begin, auto end) {
    const std::size_t kept = hull.size();
    for (auto i = begin; i != end; ++i) {
      while (hull.size() >= kept + 2 &&
             turn(flat[hull[hull.size() - 2]], flat[hull.back()], flat[*i]) <= 1e-12 * size * size)
        hull.pop_back();
      hull.push_back(*i);
    }
    hull.pop_back();
  };
  go(order.begin(), order.end());
  go(order.rbegin(), order.rend());
  // From the first point of the list on.
  if (!hull.empty()) std::rotate(hull.begin(), std::min_element(hull.begin(), hull.end()), hull.end());
  return hull;
}

}  // namespace taut
