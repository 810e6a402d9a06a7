// Prism of n bars: two rings of radii R_a and R_b, h apart. Bar a_i - b_i turns by β about the axis, vertical cable
// a_i - b_{i+1} by β - 2φ, diagonal cable a_i - b_{i+2} by β - 4φ, φ = π/n. With d = q_d/q_v, the force densities
// (force / length) balance every node when
//   axial        q_bar = -(1 + d) q_v
//   tangential   tan β = -(sin 2φ + d sin 4φ) / (1 - cos 2φ + d (1 - cos 4φ)),   β = π/2 + φ without diagonals
//   radial       q_ring,a = (R_b/R_a) q_v Q / (4 sin² φ),   q_ring,b = (R_a/R_b) q_v Q / (4 sin² φ)
// with Q = -(1 + d) cos β + cos(β - 2φ) + d cos(β - 4φ), which is 2 sin φ without diagonals. The radii have no part in
// the twist. R follows from the bar length L: L² = h² + R_a² + R_b² - 2 R_a R_b cos β.
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;

// β for the ratio d of the densities of diagonal and vertical cables.
double bar_turn(double side_angle, double diagonal) {
  if (diagonal == 0.0) return std::numbers::pi / 2 + side_angle;
  const double vertical = 2.0 * side_angle, next = 4.0 * side_angle;
  return std::atan2(std::sin(vertical) + diagonal * std::sin(next),
                    std::cos(vertical) - 1.0 + diagonal * (std::cos(next) - 1.0));
}

// Q / (2 sin φ).
double ring_pull(double side_angle, double turn, double diagonal) {
  if (diagonal == 0.0) return 1.0;
  const double inward = -(1.0 + diagonal) * std::cos(turn) + std::cos(turn - 2.0 * side_angle) +
                        diagonal * std::cos(turn - 4.0 * side_angle);
  return inward / (2.0 * std::sin(side_angle));
}

// Distance between nodes of the two rings, one turned by the angle against the other.
double span(double height, double low, double high, double angle) {
  const double across = 2.0 * std::sqrt(low * high) * std::sin(0.5 * angle);
  return std::hypot(height, std::hypot(low - high, across));
}

struct Radii {
  double low = 0.0, high = 0.0;
};

Radii read_radii(Numbers& numbers, double height, double turn) {
  if (!numbers.given("top_radius")) {
    const double radius = read_radius(numbers, height, turn);
    return {radius, radius};
  }
  const double high = numbers.positive("top_radius");
  if (!numbers.given("bar_length")) return {read_radius(numbers, height, turn), high};
  // The lower radius follows from the other one.
  if (numbers.given("radius")) numbers.wrong("bar_length", "give radius or bar_length, not both");
  const double length = numbers.number("bar_length"), least = std::hypot(height, high);
  if (!(length > least)) {
    numbers.wrong("bar_length",
                  fmt::format("must be longer than {:.6g} m with this height and top_radius, got {} m", least, length));
    return {high, high};
  }
  // Of the quadratic equation's roots the positive one, without cancellation.
  const double half = -high * std::cos(turn), product = (length - least) * (length + least);
  return {product / (half + std::sqrt(half * half + product)), high};
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int n = numbers.count("bars", 3, most_parts);
  const double side_angle = std::numbers::pi / n;
  double diagonal = numbers.not_negative("diagonal");
  if (n == 3 && diagonal >= 1.0) {
    numbers.wrong("diagonal",
                  fmt::format("must be below 1 with three bars, which meet in the axis there, got {}", diagonal));
    diagonal = 0.0;
  }
  const double turn = bar_turn(side_angle, diagonal);
  const double height = numbers.positive("height");
  const auto [low, high] = read_radii(numbers, height, turn);
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  const bool fixed = numbers.flag("fixed");
  numbers.throw_if_wrong();

  // Nodes and bars
  Scenario scenario = weightless(fmt::format("{}-bar prism", n));
  Model& model = scenario.model;
  const int a = add_ring(model, "a", n, low, 0.0, 0.0);
  const int b = add_ring(model, "b", n, high, -turn, height);
  if (fixed) fix_nodes(model, a, n);
  Pairs bars, low_ring, high_ring, verticals, diagonals;
  for (int i = 0; i < n; ++i) {
    bars.emplace_back(a + i, b + i);
    verticals.emplace_back(a + i, ring_node(b, n, i + 1));
    if (diagonal > 0.0) diagonals.emplace_back(a + i, ring_node(b, n, i + 2));
  }
  join_ring(low_ring, a, n);
  join_ring(low == high ? low_ring : high_ring, b, n);  // equal rings are one class
  add_bars(model, bars, mass);

  // Force densities from the vertical cables' tension; a ring's side is 2 R sin(π/n) long.
  const double density = pretension / span(height, low, high, turn - 2.0 * side_angle);
  const double pull = ring_pull(side_angle, turn, diagonal);
  add_cables(model, low_ring, law, density * high * pull);
  add_cables(model, high_ring, law, density * low * pull);
  add_cables(model, verticals, law, pretension);
  add_cables(model, diagonals, law, diagonal * density * span(height, low, high, turn - 4.0 * side_angle));
  return scenario;
}

}  // namespace

Generator prism() {
  return {"prism", "n bars twisted between two rings of cables",
          together({{{"bars", 3.0, "number of bars, at least 3", true}, {"height", 1.0, "m, between the rings"}},
                    ring_parameters(),
                    {{"top_radius", {}, "m, of the upper ring; as the lower one unless given"},
                     {"diagonal", 0.0, "force density of diagonal cables over that of the vertical ones; 0: none"},
                     {"pretension", 50.0, "N, in the vertical cables"},
                     {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness),
                    {{"fixed", 0.0, "1: the bottom ring is held; 0: free", true}}}),
          build};
}

}  // namespace taut
