// D-bar: a rhombus of four bars, each at the angle α to the span, with a cable along either diagonal, in the plane
// z = 0. Under a pushing load F on its ends and with tension T in the long cable:
//   bars -(T + F)/(2 cos α),   short cable (T + F) tan α
// Order p > 1 replaces every bar by a D-bar of order p - 1 with half the angle, whose load is the bar's force.
#include <cmath>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/self_similar_bar.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 10000.0;
constexpr int most_orders = 8;  // 4⁸ = 65536 bars

// Puts the rhombus between two nodes: returns the four sides and adds both diagonals.
Pairs add_rhombus(Model& model, std::pair<int, int> ends, double angle, Pairs& long_cables, Pairs& short_cables) {
  const auto [left, right] = ends;
  const Vec3 from = model.nodes[left].position, to = model.nodes[right].position;
  const Vec3 along = 0.5 * (to - from), across(-along.y() * std::tan(angle), along.x() * std::tan(angle), 0.0);
  const int top = add_node(model, from + along + across);
  const int bottom = add_node(model, from + along - across);
  long_cables.emplace_back(left, right);
  short_cables.emplace_back(bottom, top);
  return {{left, top}, {top, right}, {left, bottom}, {bottom, right}};
}

Scenario build(const Parameters& parameters) {
  const auto [span, first_angle, order, pretension, mass, end_load, law] =
      read_self_similar_bar(parameters, most_orders, standard_stiffness);
  Scenario scenario = weightless(name_of_order("D-bar", order));
  Model& model = scenario.model;
  const int left_end = add_node(model, {0.0, 0.0, 0.0}), right_end = add_node(model, {span, 0.0, 0.0});
  Pairs bars = {{left_end, right_end}};
  double angle = first_angle, load = end_load;
  for (int level = 0; level < order; ++level) {
    // Replace every bar of the level before.
    Pairs sides, long_cables, short_cables;
    for (const auto& bar : bars) {
      const Pairs four = add_rhombus(model, bar, angle, long_cables, short_cables);
      sides.insert(sides.end(), four.begin(), four.end());
    }
    bars = std::move(sides);
    add_cables(model, long_cables, law, pretension, end_load);
    add_cables(model, short_cables, law, (pretension + load) * std::tan(angle), end_load);
    load = (pretension + load) / (2.0 * std::cos(angle));
    angle *= 0.5;
  }
  add_bars(model, bars, mass);
  keep_planar(model);
  hold_as_column(model, left_end, right_end, end_load);
  return scenario;
}

}  // namespace

Generator d_bar() {
  return {
      "d_bar", "planar D-bar: a rhombus of four hinged bars with a cable along either diagonal",
      together({{{"span", 1.0, "m, length of the long cable"},
                 {"angle", 30.0, "degrees, of the bars to the span, above 0, below 90; halved at each further order"},
                 {"order", 1.0, "1 to 8: how often bars are replaced by D-bars; 4^order bars", true},
                 {"pretension", 10.0, "N, in the long cable of every D-bar"},
                 {"load", 0.0, "N, along -x on n2; then n1 is held, and n2 but for x"},
                 {"mass", 1.0, "kg, of each bar"}},
                cable_parameters(standard_stiffness)}),
      build};
}

}  // namespace taut
