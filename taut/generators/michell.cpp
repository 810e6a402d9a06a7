// Michell's cantilever: two families of spirals about the origin, cables one way, bars the other, from the loaded tip
// to a fixed circle, in the plane z = 0. With the angle φ between neighbouring rays and β between a member and the ray
// at its outer end, node n<i>_<k>, i + k = 0 ... q, is at the polar coordinates
//
//   radius r₀ aⁱ⁺ᵏ,  angle (i - k) φ,      a = sin β / sin(β + φ) < 1
//
// Cables run from n<i>_<k> to n<i+1>_<k>, bars to n<i>_<k+1>; nodes with i + k = q are fixed. The load F pulls the tip
// n0_0 along -y. It is statically determinate: at every node the two members that leave it inwards balance what comes
// from outside, from the tip on, beginning with ±F / (2 sin β).
#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 10000.0;
constexpr int most_orders = 100;

// Index of n<i>_<k>: circle after circle.
int node_at(int i, int k) { return (i + k) * (i + k + 1) / 2 + k; }

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const double span = numbers.positive("span"), load = numbers.positive("load"), mass = numbers.positive("mass");
  const int order = numbers.count("order", 1, most_orders);
  const double phi_degrees = numbers.between("angle", 0.0, 180.0), beta_degrees = numbers.between("beta", 0.0, 90.0);
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();
  if (!(2.0 * beta_degrees + phi_degrees < 180.0))
    numbers.wrong("beta", "the spirals do not go inwards: expected 2 beta + angle below 180 degrees");
  if (!(order * phi_degrees < 180.0))
    numbers.wrong("angle", "the two families overlap: expected order × angle below 180 degrees");
  numbers.throw_if_wrong();

  Scenario scenario = weightless(fmt::format("Michell truss of order {}", order));
  Model& model = scenario.model;
  const double phi = phi_degrees * std::numbers::pi / 180.0, beta = beta_degrees * std::numbers::pi / 180.0;
  const double shrink = std::sin(beta) / std::sin(beta + phi);
  for (int circle = 0; circle <= order; ++circle)
    for (int k = 0; k <= circle; ++k) {
      const double radius = span * std::pow(shrink, circle), turn = (circle - 2 * k) * phi;
      add_node(model, fmt::format("n{}_{}", circle - k, k), {radius * std::cos(turn), radius * std::sin(turn), 0.0});
    }
  keep_planar(model);
  fix_nodes(model, node_at(order, 0), order + 1);
  model.loads.push_back({0, {0.0, -load, 0.0}});

  // What members from outside, and the load, pull at each node; tensions node by node from the tip on.
  std::vector<Vec3> pull(model.nodes.size(), Vec3::Zero());
  pull[0] = model.loads[0].force;
  Pairs bars;
  std::vector<std::pair<std::pair<int, int>, double>> cables;
  for (int circle = 0; circle < order; ++circle)
    for (int k = 0; k <= circle; ++k) {
      const int here = node_at(circle - k, k), left = node_at(circle - k + 1, k), right = node_at(circle - k, k + 1);
      const Vec3 to_left = (model.nodes[left].position - model.nodes[here].position).normalized();
      const Vec3 to_right = (model.nodes[right].position - model.nodes[here].position).normalized();
      Eigen::Matrix2d directions;
      directions << to_left.head<2>(), to_right.head<2>();
      const Eigen::Vector2d forces = directions.inverse() * -pull[here].head<2>();
      if (!(forces[0] > 0.0)) {
        numbers.wrong("angle", fmt::format("cable {}-{} would have to push: expected a smaller angle or order",
                                           model.nodes[here].name, model.nodes[left].name));
        numbers.throw_if_wrong();
      }
      pull[left] -= forces[0] * to_left;
      pull[right] -= forces[1] * to_right;
      cables.push_back({{here, left}, forces[0]});
      bars.emplace_back(here, right);
    }
  add_bars(model, bars, mass);
  try {
    for (const auto& [pair, force] : cables) add_cables(model, {pair}, law, force);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) numbers.wrong("load", problem.message);
    numbers.throw_if_wrong();
  }
  return scenario;
}

}  // namespace

Generator michell() {
  return {"michell", "planar Michell truss: spirals of cables and bars from a loaded tip to a fixed circle",
          together({{{"span", 1.0, "m, from the origin to the tip"},
                     {"order", 4.0, "1 to 100: circles between the tip and the support, the support counted", true},
                     {"angle", 15.0, "degrees, between neighbouring rays; order × angle below 180"},
                     {"beta", 45.0, "degrees, of a member to the ray at its outer end; 2 beta + angle below 180"},
                     {"load", 10.0, "N, on the tip, along -y; carries no prestress beside it"},
                     {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness)}),
          build};
}

}  // namespace taut
