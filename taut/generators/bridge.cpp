// Bridge: a girder of triangular section, two chords under the deck and a keel below, each of its three long faces a
// row of planar X: crossing bars in rectangles of cables. Every X carries the self-stress of x_module (+q in its four
// cables, -q in its two bars); a cable that belongs to several X carries what all of them ask for.
#include <fmt/core.h>

#include "taut/generators/assemble/density_cables.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1e5;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int panels = numbers.count("panels", 1, most_parts);
  const double span = numbers.positive("span"), width = numbers.positive("width"), depth = numbers.positive("depth");
  const double pretension = numbers.positive("pretension"), mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();

  // Chords a and b, keel c.
  Scenario scenario = weightless(fmt::format("bridge of {} panels", panels));
  Model& model = scenario.model;
  const double panel = span / panels;
  for (int i = 0; i <= panels; ++i) {
    add_node(model, fmt::format("a{}", i), {i * panel, -0.5 * width, 0.0});
    add_node(model, fmt::format("b{}", i), {i * panel, 0.5 * width, 0.0});
    add_node(model, fmt::format("c{}", i), {i * panel, 0.0, -depth});
  }
  // Four bearings: one end is held along the span, the side of the a chord across it.
  const int last = 3 * panels;
  model.nodes[0].fixed = {true, true, true};
  model.nodes[1].fixed = {true, false, true};
  model.nodes[last].fixed = {false, true, true};
  model.nodes[last + 1].fixed = {false, false, true};

  Pairs bars, chords, across[2];
  for (int i = 0; i <= panels; ++i)
    for (int corner = 0; corner < 3; ++corner) {
      const int here = 3 * i + corner, next = 3 * i + (corner + 1) % 3;
      across[i > 0 && i < panels].emplace_back(here, next);
      if (i == panels) continue;
      chords.emplace_back(here, here + 3);
      bars.insert(bars.end(), {{here, next + 3}, {next, here + 3}});
    }
  add_bars(model, bars, mass);
  // Two faces meet along each chord; two panels at each frame but the first and the last.
  const double q = pretension / panel / 2.0;
  add_cables_by_density(model, chords, law, 2.0 * q);
  for (int inner : {0, 1}) add_cables_by_density(model, across[inner], law, (1 + inner) * q);
  return scenario;
}

}  // namespace

Generator bridge() {
  return {"bridge", "a girder of triangular section on supports: crossing bars in nets of cables",
          together({{{"panels", 6.0, "X along the span, at least 1", true},
                     {"span", 12.0, "m, between the supports"},
                     {"width", 2.0, "m, of the deck"},
                     {"depth", 1.5, "m, of the keel below the deck"},
                     {"pretension", 1000.0, "N, in the chords and the keel"},
                     {"mass", 5.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness)}),
          build};
}

}  // namespace taut
