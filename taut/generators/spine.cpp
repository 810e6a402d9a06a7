// Spine: vertebrae that touch only through cables. Each is a tetrahedron of six bars: two lower corners along x, two
// upper ones along y, w apart and h higher. Vertebra v + 1 hovers s above v, s < h, so that its lower corners hang
// below the upper corners of v. Four vertical cables join equal corners, four saddle cables the upper corners of v with
// the lower corners of v + 1. What one vertebra exerts on the next is zero in sum when
//   q_vertical s = q_saddle (h - s)
#include <fmt/core.h>

#include <cmath>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int count = numbers.count("vertebrae", 2, most_parts / 6);
  const double w = numbers.positive("width"), h = numbers.positive("height"), s = numbers.positive("spacing");
  const double pretension = numbers.positive("pretension"), mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  const bool fixed = numbers.flag("fixed");
  numbers.throw_if_wrong();
  if (!(s < h)) numbers.wrong("spacing", fmt::format("must be below the height {} m, got {} m", h, s));
  numbers.throw_if_wrong();

  Scenario scenario = weightless(fmt::format("spine of {} vertebrae", count));
  Model& model = scenario.model;
  Pairs bars, verticals, saddles;
  for (int v = 0; v < count; ++v) {
    const int first = 4 * v, next = first + 4;
    const std::string name = fmt::format("v{}_", v + 1);
    add_node(model, name + "1", {0.5 * w, 0.0, v * s});
    add_node(model, name + "2", {-0.5 * w, 0.0, v * s});
    add_node(model, name + "3", {0.0, 0.5 * w, v * s + h});
    add_node(model, name + "4", {0.0, -0.5 * w, v * s + h});
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j) bars.emplace_back(first + i, first + j);
    if (v + 1 == count) continue;
    for (int i = 0; i < 4; ++i) verticals.emplace_back(first + i, next + i);
    for (int upper : {2, 3})
      for (int lower : {0, 1}) saddles.emplace_back(first + upper, next + lower);
  }
  if (fixed) fix_nodes(model, 0, 4);
  add_bars(model, bars, mass / 6.0);
  add_cables(model, verticals, law, pretension);
  add_cables(model, saddles, law, pretension / (h - s) * std::sqrt(0.5 * w * w + (h - s) * (h - s)));
  return scenario;
}

}  // namespace

Generator spine() {
  return {"spine", "tetrahedral vertebrae one above another, joined by vertical and saddle cables only",
          together({{{"vertebrae", 5.0, "how many, at least 2", true},
                     {"width", 0.3, "m, between the two lower corners, and between the two upper ones"},
                     {"height", 0.2, "m, of the upper corners above the lower ones"},
                     {"spacing", 0.1, "m, from vertebra to vertebra, less than height"},
                     {"pretension", 20.0, "N, in the vertical cables"},
                     {"mass", 0.5, "kg, of each vertebra"}},
                    cable_parameters(standard_stiffness),
                    {{"fixed", 1.0, "1: the lowest vertebra is held; 0: free", true}}}),
          build};
}

}  // namespace taut
