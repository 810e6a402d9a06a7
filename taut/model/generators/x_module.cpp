// Planar X: a rectangle of four cables with two crossing bars as diagonals, in the plane z = 0. The force densities
// are +q in every cable and -q in both bars, for any width and height.
#include "taut/model/generators/kinds.h"
#include "taut/model/generators/numbers.h"
#include "taut/model/generators/parts.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double width = numbers.positive("width"), height = numbers.positive("height");
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  const bool supported = numbers.flag("supported");
  numbers.throw_if_wrong();

  Scenario scenario = weightless("planar X");
  Model& model = scenario.model;
  const int a1 = add_node(model, "a1", {0.0, 0.0, 0.0}), a2 = add_node(model, "a2", {width, 0.0, 0.0});
  const int b1 = add_node(model, "b1", {0.0, height, 0.0}), b2 = add_node(model, "b2", {width, height, 0.0});
  keep_planar(model);
  if (supported) {
    model.nodes[a1].fixed = {true, true, true};
    model.nodes[a2].fixed = {false, true, true};
  }
  add_bars(model, {{a1, b2}, {a2, b1}}, mass);
  add_cables(model, {{a1, a2}, {b1, b2}}, law, pretension / height * width);
  add_cables(model, {{a1, b1}, {a2, b2}}, law, pretension);
  return scenario;
}

}  // namespace

Generator x_module() {
  return {"x_module", "planar X: two crossing bars in a rectangle of cables",
          together({{{"width", 1.0, "m, along x"},
                     {"height", 1.0, "m, along y"},
                     {"pretension", 10.0, "N, in the vertical cables"},
                     {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness),
                    {{"supported", 0.0, "1: pin at a1, roller along x at a2; 0: free in its plane", true}}}),
          build};
}

}  // namespace taut
