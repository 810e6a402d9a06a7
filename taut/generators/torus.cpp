// Torus: a closed ring of N prisms of n bars that share their rings of nodes, alternately left- and right-handed, N
// even. Each stage is the projective image (projective.h) of a prism whose end planes meet in the torus's axis; its
// self-stress is that of the prism with q w_a w_b, and the sum of all stages balances every node. With e = r/R the node
// at the angle θ of the prism's ring comes to
//   ρ = R (1 - e²) / (1 - e cos θ),    z = r √(1 - e²) sin θ / (1 - e cos θ),    w = 1 - e cos θ,
// on a circle of radius r about the ring of radius R. Bars turn by π/2 + π/n in θ, from -1/2 of it to +1/2.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;

struct Ring {
  int n = 3;
  double radius = 0.0, tube = 0.0, turn = 0.0;

  double weight(int node) const { return 1.0 - tube / radius * std::cos(angle(node)); }
  double angle(int node) const {
    return (node / n % 2 == 0 ? 0.5 : -0.5) * turn + 2.0 * std::numbers::pi * (node % n) / n;
  }
};

void add_nodes(Model& model, const Ring& ring, int stages) {
  const double e = ring.tube / ring.radius, squeeze = (1.0 - e) * (1.0 + e);
  for (int node = 0; node < ring.n * stages; ++node) {
    const double theta = ring.angle(node), w = ring.weight(node),
                 azimuth = 2.0 * std::numbers::pi * (node / ring.n) / stages;
    const double out = ring.radius * squeeze / w;
    add_node(model, fmt::format("r{}_{}", node / ring.n + 1, node % ring.n + 1),
             {out * std::cos(azimuth), out * std::sin(azimuth), ring.tube * std::sqrt(squeeze) * std::sin(theta) / w});
  }
}

// Members that are alike by the ring's symmetry, with their density before the projection.
struct Alike {
  Pairs pairs;
  double density = 0.0;
};

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  Ring ring;
  ring.n = numbers.count("bars", 3, most_parts);
  const int stages = numbers.count("stages", 4, std::max(4, most_parts / ring.n));
  if (stages % 2 != 0) {
    numbers.wrong("stages", fmt::format("must be even, because left- and right-handed ones alternate, got {}", stages));
  }
  const double side_angle = std::numbers::pi / ring.n;
  ring.turn = std::numbers::pi / 2 + side_angle;
  ring.radius = numbers.positive("radius");
  ring.tube = numbers.number("tube");
  if (!(ring.tube > 0.0 && ring.tube < ring.radius)) {
    numbers.wrong("tube", fmt::format("must lie between 0 and the radius {} m, got {}", ring.radius, ring.tube));
  }
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();

  Scenario scenario = weightless(fmt::format("torus of {} {}-bar prisms", stages, ring.n));
  Model& model = scenario.model;
  add_nodes(model, ring, stages);

  // Rings are shared by two stages. Stages of odd number are mirrored: their bars start where those before ended.
  Pairs bars;
  std::vector<Alike> cables(static_cast<std::size_t>(2) * ring.n);
  for (int i = 0; i < ring.n; ++i) {
    Alike &sides = cables[i], &verticals = cables[ring.n + i];
    sides.density = 1.0 / std::sin(side_angle);
    verticals.density = 1.0;
    for (int s = 0; s < stages; ++s) {
      const int here = s * ring.n, there = (s + 1) % stages * ring.n;
      const int even = s % 2 == 0 ? here : there, odd = s % 2 == 0 ? there : here;
      bars.emplace_back(even + i, odd + i);
      verticals.pairs.emplace_back(even + i, ring_node(odd, ring.n, i + 1));
      // A half turn about the line outwards takes side i of an even ring to side -1 - i of an odd one.
      const int side = s % 2 == 0 ? i : ring.n - 1 - i;
      sides.pairs.emplace_back(here + side, ring_node(here, ring.n, side + 1));
    }
  }
  add_bars(model, bars, mass);

  // Tensions, scaled to the asked mean.
  const auto tension = [&](const Alike& alike) {
    const auto& [a, b] = alike.pairs.front();
    const double length = (model.nodes[a].position - model.nodes[b].position).norm();
    return alike.density * ring.weight(a) * ring.weight(b) * length;
  };
  double mean = 0.0;
  for (const Alike& alike : cables) mean += tension(alike) / static_cast<double>(cables.size());
  for (const Alike& alike : cables) add_cables(model, alike.pairs, law, pretension / mean * tension(alike));
  return scenario;
}

}  // namespace

Generator torus() {
  return {"torus", "a closed ring of prisms that share their rings of nodes",
          together({{{"stages", 12.0, "number of prisms, even, at least 4", true},
                     {"bars", 3.0, "bars in a stage, at least 3", true},
                     {"radius", 1.0, "m, from the axis to the middle of the tube"},
                     {"tube", 0.25, "m, radius of the tube; less than radius"},
                     {"pretension", 50.0, "N, mean of all cables"},
                     {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness)}),
          build};
}

}  // namespace taut
