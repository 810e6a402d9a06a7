// Spoked wheel: n hinged bars as rim in the plane z = 0, an axle along z, and a spoke from every corner of the rim to
// either end of the axle. With rim radius R, axle length w, spokes of length s under the tension T:
//   rim bars -(T R/s) / sin(π/n),   axle -n T (w/2)/s
// The rim buckles out of its plane, neighbouring corners to opposite sides (n even), at
//   T = k s c² / (cot²(π/n) + c²),   c = w/(2 s)
#include <fmt/core.h>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1e5;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int n = numbers.count("sides", 3, most_parts);
  const double radius = numbers.positive("radius"), axle = numbers.positive("axle");
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass"), axle_mass = numbers.positive("axle_mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  const bool fixed = numbers.flag("fixed");
  numbers.throw_if_wrong();

  Scenario scenario = weightless(fmt::format("wheel of {} spokes", 2 * n));
  Model& model = scenario.model;
  const int rim = add_ring(model, "rim", n, radius, 0.0, 0.0);
  const int low = add_node(model, "hub1", {0.0, 0.0, -0.5 * axle});
  const int high = add_node(model, "hub2", {0.0, 0.0, 0.5 * axle});
  if (fixed) fix_nodes(model, low, 2);
  Pairs sides, spokes;
  join_ring(sides, rim, n);
  for (int hub : {low, high})
    for (int i = 0; i < n; ++i) spokes.emplace_back(rim + i, hub);
  add_bars(model, sides, mass / n);
  add_bars(model, {{low, high}}, axle_mass);
  add_cables(model, spokes, law, pretension);
  return scenario;
}

}  // namespace

Generator wheel() {
  return {"wheel", "spoked wheel: a rim of hinged bars, an axle, and spokes to both of its ends",
          together({{{"sides", 16.0, "bars of the rim, at least 3; twice as many spokes", true},
                     {"radius", 0.35, "m, of the rim"},
                     {"axle", 0.2, "m, length of the axle"},
                     {"pretension", 50.0, "N, in every spoke"},
                     {"mass", 1.0, "kg, of the rim"},
                     {"axle_mass", 0.5, "kg, of the axle"}},
                    cable_parameters(standard_stiffness),
                    {{"fixed", 0.0, "1: both ends of the axle are held; 0: free", true}}}),
          build};
}

}  // namespace taut
