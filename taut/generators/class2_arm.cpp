// Class-2 arm: prisms that share their rings of nodes and grow thinner towards the tip, fixed at the base, along any
// direction between level and upright. A prism with radii R below and R' above has the twist of the prism with equal
// ones (bars turn by π/2 + π/n, cables by π/2 - π/n) and the force densities
//
//   q_bar = -q_v,   q_ring = q_v (R'/R) / (2 sin(π/n)) below,   q_v (R/R') / (2 sin(π/n)) above
//
// Inner rings carry the sum of both stages. Stages are alternately left- and right-handed.
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "taut/generators/assemble/density_cables.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1e4;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int n = numbers.count("bars", 3, most_parts), stages = numbers.count("stages", 1, most_parts / n);
  const double length = numbers.positive("length"), radius = numbers.positive("radius");
  const double taper = numbers.positive("taper"), elevation = numbers.number("elevation");
  const double pretension = numbers.positive("pretension"), mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  if (!(taper <= 1.0)) numbers.wrong("taper", fmt::format("must be at most 1, got {}", taper));
  if (!(elevation >= 0.0 && elevation <= 90.0))
    numbers.wrong("elevation", fmt::format("must be between 0 and 90 degrees, got {}", elevation));
  numbers.throw_if_wrong();

  // Rings about the z axis, then everything tilted about y.
  Scenario scenario = weightless(fmt::format("class-2 arm of {} {}-bar stages", stages, n));
  Model& model = scenario.model;
  const double side_angle = std::numbers::pi / n, turn = std::numbers::pi / 2 + side_angle;
  std::vector<double> radii;
  for (int s = 0; s <= stages; ++s) {
    radii.push_back(radius * std::pow(taper, s));
    add_ring(model, fmt::format("r{}_", s), n, radii[s], s % 2 == 0 ? 0.0 : -turn, s * length);
  }
  const double tilt = elevation * std::numbers::pi / 180.0, along = std::cos(tilt), up = std::sin(tilt);
  for (Node& node : model.nodes) {
    const Vec3 p = node.position;
    if (elevation < 90.0) node.position = {along * p.z() - up * p.x(), p.y(), up * p.z() + along * p.x()};
  }
  fix_nodes(model, 0, n);

  // Each stage with the same tension in its long cables.
  Pairs bars;
  std::vector<Pairs> verticals(stages);
  std::vector<double> rings(stages + 1, 0.0);
  for (int s = 0; s < stages; ++s) {
    const int low = s * n, high = low + n, hand = s % 2 == 0 ? 1 : -1;
    for (int i = 0; i < n; ++i) {
      bars.emplace_back(low + i, high + i);
      verticals[s].emplace_back(low + i, ring_node(high, n, i + hand));
    }
    const double q = pretension / distance(model, verticals[s][0].first, verticals[s][0].second);
    rings[s] += q * radii[s + 1] / radii[s] / (2.0 * std::sin(side_angle));
    rings[s + 1] += q * radii[s] / radii[s + 1] / (2.0 * std::sin(side_angle));
  }
  add_bars(model, bars, mass);
  for (int s = 0; s <= stages; ++s) {
    Pairs sides;
    join_ring(sides, s * n, n);
    add_cables(model, sides, law, rings[s] * 2.0 * radii[s] * std::sin(side_angle));
  }
  for (const Pairs& pairs : verticals) add_cables(model, pairs, law, pretension);
  return scenario;
}

}  // namespace

Generator class2_arm() {
  return {"class2_arm", "an arm of prisms that share their rings and grow thinner, fixed at its base",
          together({{{"stages", 4.0, "number of prisms, at least 1", true},
                     {"bars", 3.0, "bars in a stage, at least 3", true},
                     {"length", 0.5, "m, of one stage along the arm"},
                     {"radius", 0.3, "m, of the ring at the base"},
                     {"taper", 0.9, "radius of a ring over that of the ring before, up to 1"},
                     {"elevation", 0.0, "degrees, of the arm above the x axis: 0 level, 90 upright"},
                     {"pretension", 50.0, "N, in the long cables"},
                     {"mass", 0.5, "kg, of each bar"}},
                    cable_parameters(standard_stiffness)}),
          build};
}

}  // namespace taut
