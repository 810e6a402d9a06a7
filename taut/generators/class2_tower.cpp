// Class-2 tower: prisms of n bars that share their rings of nodes, so that two bars meet in every node of an inner
// ring. Each stage carries the self-stress of a prism, q_ring = q_v / (2 sin(π/n)), q_bar = -q_v; the sum balances
// every node exactly, with twice the tension in the inner rings. Stages are alternately left- and right-handed. A
// tapered tower is the projective image of the straight one (projective.h).
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/assemble/projective.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;
constexpr double least_taper = 1e-3;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int n = numbers.count("bars", 3, most_parts);
  const int stages = numbers.count("stages", 1, most_parts / n);
  const double side_angle = std::numbers::pi / n;
  const double turn = std::numbers::pi / 2 + side_angle;
  const double height = numbers.positive("height");
  const double radius = read_radius(numbers, height, turn);
  const double taper = numbers.between("taper", least_taper, 1.0 / least_taper);
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  const bool fixed = numbers.flag("fixed");
  numbers.throw_if_wrong();

  // Rings of nodes: r0 at the bottom; every other one is turned.
  Scenario scenario = weightless(fmt::format("class-2 tower of {} {}-bar prisms", stages, n));
  Model& model = scenario.model;
  for (int s = 0; s <= stages; ++s) {
    add_ring(model, fmt::format("r{}_", s), n, radius, s % 2 == 0 ? 0.0 : -turn, s * height);
  }
  std::vector<double> weight;
  if (taper != 1.0) weight = taper_nodes(model, taper);
  if (fixed) fix_nodes(model, 0, n);

  Pairs bars, end_rings, inner_rings, verticals;
  for (int s = 0; s <= stages; ++s) {
    const int low = s * n, high = low + n, hand = s % 2 == 0 ? 1 : -1;
    join_ring(s == 0 || s == stages ? end_rings : inner_rings, low, n);
    if (s == stages) break;
    for (int i = 0; i < n; ++i) {
      bars.emplace_back(low + i, high + i);
      verticals.emplace_back(low + i, ring_node(high, n, i + hand));
    }
  }
  add_bars(model, bars, mass);

  if (taper != 1.0) {
    const auto [low, high] = verticals.front();
    const double length = (model.nodes[low].position - model.nodes[high].position).norm();
    const double density = pretension / (weight[low] * weight[high] * length);
    const double ring_density = density / (2.0 * std::sin(side_angle));
    add_weighted_cables(model, end_rings, law, ring_density, weight, n);
    add_weighted_cables(model, inner_rings, law, 2.0 * ring_density, weight, n);
    add_weighted_cables(model, verticals, law, density, weight, n);
    return scenario;
  }

  // A ring's side is 2 R sin(π/n) long.
  const double vertical = std::hypot(height, 2.0 * radius * std::sin(0.5 * (turn - 2.0 * side_angle)));
  const double ring_tension = pretension / vertical * radius;
  add_cables(model, end_rings, law, ring_tension);
  add_cables(model, inner_rings, law, 2.0 * ring_tension);
  add_cables(model, verticals, law, pretension);
  return scenario;
}

}  // namespace

Generator class2_tower() {
  return {"class2_tower", "prisms that share their rings of nodes: two bars meet in every inner node",
          together({{{"stages", 3.0, "number of prisms, at least 1", true},
                     {"bars", 3.0, "bars in a stage, at least 3", true},
                     {"height", 1.0, "m, of one stage"}},
                    ring_parameters(),
                    {{"taper", 1.0, "radius of the top ring over that of the bottom ring"},
                     {"pretension", 50.0, "N, in the vertical cables"},
                     {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness),
                    {{"fixed", 0.0, "1: the bottom ring is held; 0: free", true}}}),
          build};
}

}  // namespace taut
