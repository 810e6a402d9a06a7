// T-bar: two bars in line along the span and two cross bars, all hinged at the centre, and four cables around, at the
// angle α to the span, in the plane z = 0. Under a pushing load F on its ends and with tension T in the cables:
//   bars along the span -(F + 2 T cos α),   cross bars -2 T sin α
// Order p > 1 replaces both bars along the span by T-bars of order p - 1 with the same angle, whose load is the bar's
// force. The bars in line grow slender against that force: from order 5 or so on they buckle unless the cables are
// stiff.
#include <cmath>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/self_similar_bar.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 10000.0;
constexpr int most_orders = 12;  // 3·2¹² - 2 = 12286 bars

Scenario build(const Parameters& parameters) {
  const auto [span, angle, order, pretension, mass, end_load, law] =
      read_self_similar_bar(parameters, most_orders, standard_stiffness);
  Scenario scenario = weightless(name_of_order("T-bar", order));
  Model& model = scenario.model;
  const auto add = [&model](double x, double y) { return add_node(model, {x, y, 0.0}); };
  const int left_end = add(0.0, 0.0), right_end = add(span, 0.0);
  Pairs spans = {{left_end, right_end}}, cross_bars;
  for (int level = 0; level < order; ++level) {
    // Replace every bar along the span of the level before.
    Pairs halves, cables;
    for (const auto& [left, right] : spans) {
      const double from = model.nodes[left].position.x(), to = model.nodes[right].position.x();
      const double middle = 0.5 * (from + to), reach = 0.5 * (to - from) * std::tan(angle);
      const int top = add(middle, reach), bottom = add(middle, -reach), centre = add(middle, 0.0);
      halves.insert(halves.end(), {{left, centre}, {centre, right}});
      cross_bars.insert(cross_bars.end(), {{bottom, centre}, {centre, top}});
      cables.insert(cables.end(), {{left, top}, {top, right}, {left, bottom}, {bottom, right}});
    }
    spans = std::move(halves);
    add_cables(model, cables, law, pretension, end_load);
  }
  add_bars(model, spans, mass);
  add_bars(model, cross_bars, mass);
  keep_planar(model);
  hold_as_column(model, left_end, right_end, end_load);
  return scenario;
}

}  // namespace

Generator t_bar() {
  return {"t_bar", "planar T-bar: bars along the span and across it, hinged at the centre, four cables around",
          together({{{"span", 1.0, "m, between the ends"},
                     {"angle", 30.0, "degrees, of the cables to the span, above 0, below 90"},
                     {"order", 1.0, "1 to 12: how often bars along the span are replaced by T-bars", true},
                     {"pretension", 10.0, "N, in every cable"},
                     {"load", 0.0, "N, along -x on n2; then n1 is held, and n2 but for x"},
                     {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness)}),
          build};
}

}  // namespace taut
