// Uniform rods that hang from a fixed node in the plane z = 0, y up, released at rest: `pendulum` (one rod) and
// `double_pendulum` (two equal rods, in line at the start). Every rod starts at the same angle from straight down,
// turned towards +x. Not in equilibrium, of course.
#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

Scenario hang(const Parameters& parameters, int rods, std::string name) {
  Numbers numbers(parameters);
  const double length = numbers.positive("length");
  const double mass = numbers.positive("mass");
  const double angle = numbers.number("angle") * std::numbers::pi / 180.0;
  const double gravity = numbers.not_negative("gravity");
  numbers.throw_if_wrong();

  Scenario scenario = weightless(std::move(name));
  Model& model = scenario.model;
  model.gravity = {0.0, -gravity, 0.0};
  Pairs bars;
  for (int i = 0; i <= rods; ++i) {
    const int node = add_node(model, {i * length * std::sin(angle), -i * length * std::cos(angle), 0.0});
    if (i > 0) bars.emplace_back(node - 1, node);
  }
  keep_planar(model);
  fix_nodes(model, 0, 1);
  add_bars(model, bars, mass);
  return scenario;
}

Scenario build_pendulum(const Parameters& parameters) {
  Scenario scenario = hang(parameters, 1, "pendulum");
  scenario.simulation.duration = 10.0;
  return scenario;
}

Scenario build_double_pendulum(const Parameters& parameters) { return hang(parameters, 2, "double pendulum"); }

std::vector<Parameter> pendulum_parameters(double length, double gravity) {
  return {{"length", length, "m, of each rod"},
          {"mass", 1.0, "kg, of each rod"},
          {"angle", 45.0, "degrees from straight down, towards +x"},
          {"gravity", gravity, "m/s², along -y"}};
}

}  // namespace

Generator pendulum() {
  return {"pendulum", "a uniform rod pinned at one end, released at rest", pendulum_parameters(5.0, 9.806),
          build_pendulum};
}

Generator double_pendulum() {
  return {"double_pendulum", "two hinged uniform rods, released in line and at rest", pendulum_parameters(1.0, 9.8),
          build_double_pendulum};
}

}  // namespace taut
