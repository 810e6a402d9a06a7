// Rectangular net: nx × ny inner nodes with mass, one spacing apart, and fixed nodes around them. Flat, every cable
// carries the same tension, so that each inner node is pulled equally from four sides. With `rise` it is a saddle,
//
//   z = rise (ξ² - η²),  ξ, η = -1 ... 1 across the net,      q_y / q_x = ((ny + 1)/(nx + 1))²
//
// whose second differences along x and y, times these force densities, cancel at every node.
#include <fmt/core.h>

#include "taut/generators/assemble/density_cables.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int nx = numbers.count("nx", 1, most_parts);
  const int ny = numbers.count("ny", 1, most_parts / nx);
  const double spacing = numbers.positive("spacing"), rise = numbers.not_negative("rise");
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  numbers.throw_if_wrong();

  // Nodes row by row; a row j = 0 or ny + 1 has no corners, so its first node is i = 1.
  Scenario scenario = weightless(fmt::format("{} of {} x {} nodes", rise > 0.0 ? "saddle net" : "net", nx, ny));
  Model& model = scenario.model;
  const auto edge_row = [ny](int j) { return j == 0 || j == ny + 1; };
  std::vector<int> first_of_row;  // index that a node i = 0 has, or would have
  for (int j = 0; j <= ny + 1; ++j) {
    const int low = edge_row(j) ? 1 : 0, high = edge_row(j) ? nx : nx + 1;
    first_of_row.push_back(static_cast<int>(model.nodes.size()) - low);
    for (int i = low; i <= high; ++i) {
      const double xi = 2.0 * i / (nx + 1) - 1.0, eta = 2.0 * j / (ny + 1) - 1.0, z = rise * (xi * xi - eta * eta);
      const int node = add_node(model, fmt::format("n{}_{}", i, j), {i * spacing, j * spacing, z});
      const bool edge = edge_row(j) || i == 0 || i == nx + 1;
      if (edge) fix_nodes(model, node, 1);
      if (!edge) model.nodes[node].mass = mass;
    }
  }

  Pairs along_x, along_y;
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) {
      if (j > 0) along_x.emplace_back(first_of_row[j] + i, first_of_row[j] + i + 1);
      if (i > 0) along_y.emplace_back(first_of_row[j] + i, first_of_row[j + 1] + i);
    }
  }
  if (rise > 0.0) {
    const double ratio = (ny + 1.0) / (nx + 1.0);
    add_cables_by_density(model, along_x, law, pretension / spacing);
    add_cables_by_density(model, along_y, law, pretension / spacing * ratio * ratio);
    return scenario;
  }
  add_cables(model, along_x, law, pretension);
  add_cables(model, along_y, law, pretension);
  return scenario;
}

}  // namespace

Generator net() {
  return {
      "net", "rectangular cable net with masses at its nodes and a fixed edge, flat or a saddle",
      together({{{"nx", 5.0, "inner nodes along x, at least 1", true},
                 {"ny", 5.0, "inner nodes along y, at least 1", true},
                 {"spacing", 0.5, "m, between neighbours"},
                 {"rise", 0.0, "m: edges across x are that much higher in the middle, edges across y lower; 0: flat"},
                 {"pretension", 20.0, "N, in every cable; of a saddle: the component along x of the cables along x"},
                 {"mass", 0.1, "kg, of each inner node"}},
                cable_parameters(standard_stiffness)}),
      build};
}

}  // namespace taut
