#include "taut/export/solids.h"

#include <array>
#include <cmath>
#include <numbers>

#include "taut/solve/dense.h"

namespace taut {
namespace {

constexpr int bar_sides = 12;    // of a cylinder of a bar or a cable
constexpr int round_sides = 32;  // of a body
constexpr double whole_turn = 2.0 * std::numbers::pi;

class MeshBuilder {
 public:
  std::uint16_t vertex(const Vec3& at, const Vec3& normal) {
    for (int i = 0; i < 3; ++i) mesh.positions.push_back(static_cast<float>(at[i]));
    for (int i = 0; i < 3; ++i) mesh.normals.push_back(static_cast<float>(normal[i]));
    return static_cast<std::uint16_t>(mesh.positions.size() / 3 - 1);
  }
  // Corners counterclockwise from outside; where two coincide it is a triangle.
  void quad(const std::array<Vec3, 4>& at, const std::array<Vec3, 4>& normals) {
    std::array<std::uint16_t, 4> v{};
    for (int i = 0; i < 4; ++i) v[i] = vertex(at[i], normals[i]);
    for (const int i : {1, 2})
      if ((at[i] - at[0]).cross(at[i + 1] - at[0]).norm() > 1e-12)
        mesh.triangles.insert(mesh.triangles.end(), {v[0], v[i], v[i + 1]});
  }
  void flat(const std::array<Vec3, 4>& at, const Vec3& normal) { quad(at, {normal, normal, normal, normal}); }

  Mesh mesh;
};

Vec3 spoke(double angle) { return {std::cos(angle), std::sin(angle), 0.0}; }

// Walls outside and, where there is a hole, inside; both ends.
Mesh round_mesh(double low, double inner, int count) {
  MeshBuilder build;
  const Vec3 up = Vec3::UnitZ(), foot = low * up, head = (low + 1.0) * up;
  for (int i = 0; i < count; ++i) {
    const Vec3 a = spoke(whole_turn * i / count), b = spoke(whole_turn * (i + 1) / count);
    build.quad({a + foot, b + foot, b + head, a + head}, {a, b, b, a});
    build.flat({inner * a + head, a + head, b + head, inner * b + head}, up);
    build.flat({inner * b + foot, b + foot, a + foot, inner * a + foot}, -up);
    if (inner > 0.0)
      build.quad({inner * b + foot, inner * a + foot, inner * a + head, inner * b + head}, {-b, -a, -a, -b});
  }
  return std::move(build.mesh);
}

Mesh box_mesh() {
  MeshBuilder build;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-0.5, 0.5}) {
      const Vec3 n = 2.0 * side * Vec3::Unit(axis), u = 0.5 * Vec3::Unit((axis + 1) % 3), v = n.cross(u), c = 0.5 * n;
      build.flat({c - u - v, c + u - v, c + u + v, c - u + v}, n);
    }
  return std::move(build.mesh);
}

Mesh ball_mesh() {
  MeshBuilder build;
  constexpr int rings = 12, count = 20;
  const auto point = [](int ring, int i) {
    const double up = std::numbers::pi * ring / rings;
    return Vec3(std::sin(up) * spoke(whole_turn * i / count) + std::cos(up) * Vec3::UnitZ());
  };
  for (int r = 0; r < rings; ++r)
    for (int i = 0; i < count; ++i) {
      const std::array<Vec3, 4> corners = {point(r + 1, i), point(r + 1, i + 1), point(r, i + 1), point(r, i)};
      build.quad(corners, corners);
    }
  return std::move(build.mesh);
}

Mesh ring_mesh(double thickness, double angle) {
  MeshBuilder build;
  const int pieces = std::max(1, static_cast<int>(std::ceil(64.0 * angle / whole_turn)));
  constexpr int count = 6;
  const auto normal = [](double along, int i) {
    const double about = whole_turn * i / count;
    return Vec3(std::cos(about) * spoke(along) + std::sin(about) * Vec3::UnitZ());
  };
  for (int s = 0; s < pieces; ++s)
    for (int i = 0; i < count; ++i) {
      const double a = angle * s / pieces, b = angle * (s + 1) / pieces;
      const std::array<Vec3, 4> n = {normal(a, i), normal(b, i), normal(b, i + 1), normal(a, i + 1)};
      build.quad({spoke(a) + thickness * n[0], spoke(b) + thickness * n[1], spoke(b) + thickness * n[2],
                  spoke(a) + thickness * n[3]},
                 n);
    }
  return std::move(build.mesh);
}

Vec3 vector_of(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

Solid solid_of(const std::string& name, Solid::Role role, int body, const ReportShape& shape) {
  Solid solid{name, role, body};
  solid.at = vector_of(shape.at);
  solid.rotation = Eigen::Quaterniond(shape.rotation[0], shape.rotation[1], shape.rotation[2], shape.rotation[3]);
  const std::vector<double>& size = shape.size;
  if (shape.kind == BodyShape::Kind::box) {
    solid.scale = Vec3(size[0], size[1], size[2]);
  } else if (shape.kind == BodyShape::Kind::sphere) {
    solid.form = Solid::Form::ball;
    solid.scale = Vec3::Constant(size[0]);
  } else {
    solid.form = Solid::Form::round;
    solid.scale = Vec3(size[0], size[0], size.back());
    if (shape.kind == BodyShape::Kind::tube) solid.inner = size[1] / size[0];
  }
  return solid;
}

// A core below the cable, and flanges that keep it there.
void add_drum(const ReportPulley& pulley, const ReportPulley::Wheel& wheel, std::vector<Solid>& solids) {
  const Vec3 axis = vector_of(pulley.axis);
  const auto disc = [&](double offset, double radius, double width) {
    Solid solid{pulley.name, Solid::Role::drum, wheel.body, Solid::Form::round};
    solid.at = vector_of(wheel.at) + offset * axis;
    solid.scale = Vec3(radius, radius, width);
    solid.rotation = turn_between(Vec3::UnitZ(), axis);
    solids.push_back(std::move(solid));
  };
  disc(0.0, 0.96 * wheel.radius, pulley.width);
  for (const double side : {-0.44, 0.44}) disc(side * pulley.width, 1.05 * wheel.radius, 0.12 * pulley.width);
}

}  // namespace

Mesh unit_cylinder() { return round_mesh(0.0, 0.0, bar_sides); }

Mesh mesh_of(const Solid& solid) {
  switch (solid.form) {
    case Solid::Form::box:
      return box_mesh();
    case Solid::Form::round:
      return round_mesh(-0.5, solid.inner, round_sides);
    case Solid::Form::ball:
      return ball_mesh();
    case Solid::Form::ring:
      return ring_mesh(solid.inner, solid.angle);
  }
  return {};
}

std::vector<Solid> solids_of(const BodyPicture& picture) {
  std::vector<Solid> solids;
  for (std::size_t i = 0; i < picture.bodies.size(); ++i) {
    const ReportBody& body = picture.bodies[i];
    if (body.shape.kind == BodyShape::Kind::none) continue;
    solids.push_back(
        solid_of(body.name, body.clear ? Solid::Role::clear : Solid::Role::body, static_cast<int>(i), body.shape));
  }
  for (const ReportSolid& solid : picture.solids)
    solids.push_back(
        solid_of(solid.name, solid.joint ? Solid::Role::joint : Solid::Role::body, solid.body, solid.shape));
  for (const ReportPulley& pulley : picture.pulleys) {
    add_drum(pulley, pulley.wheel, solids);
    if (pulley.second) add_drum(pulley, *pulley.second, solids);
  }
  return solids;
}

std::vector<CableCourse> courses_of(const BodyPicture& picture, const Model& with_cables, const Sample& drawn_row) {
  std::vector<CableCourse> courses;
  for (const ReportPulley& pulley : picture.pulleys) {
    const std::vector<int>& path = with_cables.cables[pulley.cable].path;
    const Vec3 end = path.empty() ? Vec3::Zero() : Vec3(drawn_row.nodes.data() + 3 * path[0]);
    courses.push_back(cable_course(pulley, drawn_row.bodies, end, drawn_row.rest_lengths[pulley.cable]));
  }
  return courses;
}

}  // namespace taut
