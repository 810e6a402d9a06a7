// Lander: a ball of six or twelve rods (six_bar, twelve_bar) with a payload in its middle, a rigid body with six
// corners at the distance r along ±x, ±y, ±z. A cable joins each rod's end with the nearest corner. All ends are alike
// under the rotations of the tetrahedron or the cube; with densities 1 in the hull, κ in the suspension, -μ in the rods
// and u the direction of the corner, the place v of one end is (A and B as in symmetric_form.h)
//   (A - μ B + κ) v = κ r u,
// and μ is such that the rods are as long as asked: their length grows with μ, without limit where the matrix stops
// being positive definite. The payload is in balance by symmetry.
#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "taut/generators/assemble/numbers.h"
#include "taut/generators/assemble/start_motion.h"
#include "taut/generators/assemble/symmetric_form.h"
#include "taut/generators/kinds.h"
#include "taut/solve/positive_definite.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 500.0;
constexpr double least_payload = 1e-3;  // of the rods' length
constexpr double least_suspension = 0.01;

// Which of +x, -x, +y, ... is nearest: 0 to 5.
int nearest_axis(const Vec3& at) {
  int axis = 0;
  at.cwiseAbs().maxCoeff(&axis);
  return 2 * axis + (at[axis] < 0.0 ? 1 : 0);
}

Vec3 axis_direction(int axis) { return (axis % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(axis / 2); }

// The place of one end, and μ.
struct Hull {
  Vec3 v = Vec3::Zero();
  double mu = 0.0;
};

Mat3 hull_matrix(const Polyhedron& solid, const Rotations& rotations) {
  return length_matrix(rotations, {solid.next, 1.0}) + length_matrix(rotations, {around_faces(solid), 1.0});
}

// v for a given μ; nothing where the matrix is not positive definite.
std::optional<Vec3> place_at(const Mat3& A, const Mat3& B, double mu, double suspension, const Vec3& corner) {
  Mat3 matrix = A - mu * B + suspension * Mat3::Identity();
  if (!factorise_positive(3, matrix.data())) return {};
  Vec3 place = suspension * corner;
  solve_positive(3, matrix.data(), place.data());
  return place;
}

// Nothing when rods without force are longer than asked; `longest_corner` is then the length of u r that would do.
std::optional<Hull> find_hull(const Mat3& A, const Mat3& B, double suspension, const Vec3& corner, double length,
                              double& longest_corner) {
  // vᵀB v is half the square of a rod's length: a rod belongs to two of the ends.
  const auto rod = [&](const Vec3& v) { return std::sqrt(2.0 * v.dot(B * v)); };
  Hull hull;
  hull.v = *place_at(A, B, 0.0, suspension, corner);
  longest_corner = corner.norm() * length / rod(hull.v);
  if (rod(hull.v) >= length) return {};
  double low = 0.0, high = 1.0;
  const auto too_long = [&](double mu) {
    const std::optional<Vec3> v = place_at(A, B, mu, suspension, corner);
    return !v || rod(*v) > length;
  };
  while (!too_long(high)) high *= 2.0;
  for (double middle = 0.5 * high; low < middle && middle < high; middle = 0.5 * (low + high))
    (too_long(middle) ? high : low) = middle;
  hull.mu = low;
  hull.v = *place_at(A, B, low, suspension, corner);
  return hull;
}

// Nodes p1 ... p6 and the body that they belong to, with the inertia of a uniform ball.
int add_payload(Model& model, double radius, double mass) {
  Body body;
  body.name = "payload";
  const int first = static_cast<int>(model.nodes.size());
  for (int k = 0; k < 6; ++k)
    body.nodes.push_back(add_node(model, fmt::format("p{}", k + 1), radius * axis_direction(k)));
  body.mass = mass;
  body.inertia = 0.4 * mass * radius * radius * Mat3::Identity();
  model.bodies.push_back(body);
  return first;
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double rods = numbers.number("bars");
  if (rods != 6.0 && rods != 12.0) numbers.wrong("bars", fmt::format("must be 6 or 12, got {}", rods));
  const double length = numbers.positive("length");
  const double radius = numbers.positive("payload_radius");
  if (radius < least_payload * length) {
    numbers.wrong("payload_radius",
                  fmt::format("must be at least {} of the rods' length, got {} m", least_payload, radius));
  }
  const double suspension = numbers.between("suspension", least_suspension, 1.0 / least_suspension);
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass"), payload_mass = numbers.positive("payload_mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();

  // The empty ball says which corner is nearest; then the shape with the payload.
  const Polyhedron solid = regular_solid(rods == 6.0 ? Solid::tetrahedron : Solid::cube);
  const Rotations rotations = rotations_of(solid);
  const std::vector<int> faces = around_faces(solid);
  const Eigen::VectorXd empty = balanced_form(solid, rotations, {{solid.next, 1.0}, {faces, 1.0}}, solid.opposite);
  const Vec3 corner = radius * axis_direction(nearest_axis(empty));
  double largest = 0.0;
  const std::optional<Hull> hull =
      find_hull(hull_matrix(solid, rotations), length_matrix(rotations, {solid.opposite, 1.0}), suspension, corner,
                length, largest);
  if (!hull) {
    numbers.wrong("payload_radius", fmt::format("must be below {:.6g} m with this length and suspension, got {} m: the "
                                                "rods would have to pull",
                                                largest, radius));
    numbers.throw_if_wrong();
  }

  Scenario scenario = weightless(fmt::format("lander of {} rods", static_cast<int>(rods)));
  Model& model = scenario.model;
  add_nodes(model, rotations, hull->v);
  Pairs hangers;
  const int ends = solid.darts(), payload = add_payload(model, radius, payload_mass);
  for (int node = 0; node < ends; ++node)
    hangers.emplace_back(node, payload + nearest_axis(position_of(rotations, empty, node)));
  start_motion(model, numbers);
  add_bars(model, rotations, solid.opposite, mass);
  const auto distance = [&](int a, int b) { return (model.nodes[a].position - model.nodes[b].position).norm(); };
  const double density = pretension / distance(0, solid.next[0]);
  add_cables(model, rotations, {solid.next, density}, law);
  add_cables(model, rotations, {faces, density}, law);
  add_cables(model, hangers, law, suspension * density * distance(hangers[0].first, hangers[0].second));
  return scenario;
}

}  // namespace

Generator lander() {
  return {"lander", "a ball of six or twelve rods with a payload hung in its middle",
          together({{{"bars", 6.0, "6 or 12 rods", true},
                     {"length", 1.0, "m, of each rod (or rod_length)", false, "rod_length"},
                     {"payload_radius", 0.1, "m, of the payload's six corners"},
                     {"payload_mass", 5.0, "kg; its inertia is that of a uniform ball"},
                     {"suspension", 0.5,
                      "force density of the payload's cables over that of the hull, above 0.01, below 100"},
                     {"pretension", 20.0, "N, in the cables of the hull's corner triangles"},
                     {"mass", 1.0, "kg, of each rod"}},
                    cable_parameters(standard_stiffness),
                    motion_parameters()}),
          build};
}

}  // namespace taut
