// Prism of n bars: two rings of radius R, h apart. Bar a_i - b_i turns by π/2 + π/n about the axis, vertical cable
// a_i - b_{i+1} by π/2 - π/n. At that twist the force densities (force / length)
//   q_ring = q_v / (2 sin(π/n)),   q_bar = -q_v
// balance every node. R follows from the bar length L: L² = h² + 2 R² (1 + sin(π/n)).
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "taut/model/generators/kinds.h"
#include "taut/model/generators/numbers.h"
#include "taut/model/generators/parts.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int n = numbers.count("bars", 3, most_parts);
  const double side_angle = std::numbers::pi / n;
  const double turn = std::numbers::pi / 2 + side_angle;
  const double height = numbers.positive("height");
  const double radius = read_radius(numbers, height, turn);
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  const bool fixed = numbers.flag("fixed");
  numbers.throw_if_wrong();

  // Nodes and bars
  Scenario scenario = weightless(fmt::format("{}-bar prism", n));
  Model& model = scenario.model;
  const int a = add_ring(model, "a", n, radius, 0.0, 0.0);
  const int b = add_ring(model, "b", n, radius, -turn, height);
  if (fixed) fix_nodes(model, a, n);
  Pairs bars, rings, verticals;
  for (int i = 0; i < n; ++i) {
    bars.emplace_back(a + i, b + i);
    verticals.emplace_back(a + i, ring_node(b, n, i + 1));
  }
  join_ring(rings, a, n);
  join_ring(rings, b, n);
  add_bars(model, bars, mass);

  // Force densities from the vertical cables' tension; a ring's side is 2 R sin(π/n) long.
  const double vertical = std::hypot(height, 2.0 * radius * std::sin(0.5 * (turn - 2.0 * side_angle)));
  const double ring_tension = pretension / vertical * radius;
  add_cables(model, rings, law, ring_tension);
  add_cables(model, verticals, law, pretension);
  return scenario;
}

}  // namespace

Generator prism() {
  return {"prism", "n bars twisted between two rings of cables",
          together({{{"bars", 3.0, "number of bars, at least 3", true}, {"height", 1.0, "m, between the rings"}},
                    ring_parameters(),
                    {{"pretension", 50.0, "N, in the vertical cables"}, {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness),
                    {{"fixed", 0.0, "1: the bottom ring is held; 0: free", true}}}),
          build};
}

}  // namespace taut
