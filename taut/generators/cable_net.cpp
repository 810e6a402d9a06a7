// Cable net between four corners: nx × ny nodes, cables between neighbours, the edge cables stiffer in force density,
// and only the corners fixed, two opposite ones higher by `rise`. The shape follows from the densities (force density
// method): with D = Σ q (e_a - e_b)(e_a - e_b)ᵀ over all cables, the free nodes are where
//
//   D_ff X_f = -D_fc X_c        one sparse positive definite system, three right-hand sides
#include <fmt/core.h>

#include "taut/generators/assemble/density_cables.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"
#include "taut/solve/sparse/saddle.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1e4;
constexpr int most_nodes = 100'000;

struct Link {
  int a, b;
  double q;
};

// What the cables pull on each unknown along an axis, N.
void add_up(const Model& model, const std::vector<Link>& links, const std::vector<int>& unknown, int axis,
            std::vector<double>& net) {
  std::fill(net.begin(), net.end(), 0.0);
  for (const auto& [a, b, q] : links) {
    const double pull = q * (model.nodes[b].position[axis] - model.nodes[a].position[axis]);
    if (unknown[a] >= 0) net[unknown[a]] += pull;
    if (unknown[b] >= 0) net[unknown[b]] -= pull;
  }
}

// Moves the free nodes to where the densities balance; the second pass removes what rounding left of the first.
void balance(Model& model, const std::vector<Link>& links) {
  std::vector<int> unknown(model.nodes.size(), -1);
  int count = 0;
  for (size_t i = 0; i < model.nodes.size(); ++i)
    if (!model.nodes[i].fixed[0]) unknown[i] = count++;
  std::vector<SparseEntry> matrix;
  for (const auto& [a, b, q] : links) {
    const int row = unknown[a], column = unknown[b];
    if (row >= 0) matrix.push_back({row, row, q});
    if (column >= 0) matrix.push_back({column, column, q});
    if (row >= 0 && column >= 0) matrix.push_back({std::min(row, column), std::max(row, column), -q});
  }
  const Saddle solver(count, 0, matrix, {});
  SaddleFactor factor = solver.make_factor();
  solver.factorise(nullptr, factor);
  std::vector<double> net(count), scratch(count);
  for (int pass = 0; pass < 2; ++pass)
    for (int axis = 0; axis < 3; ++axis) {
      add_up(model, links, unknown, axis, net);
      solver.solve(factor, net.data(), scratch.data());
      for (size_t i = 0; i < model.nodes.size(); ++i)
        if (unknown[i] >= 0) model.nodes[i].position[axis] += net[unknown[i]];
    }
}

struct Grid {
  int nx, ny;
  double length, width, rise;  // m
  double mass;                 // kg, of each free node
};

// The flat grid; corners where they belong.
void add_grid(Model& model, const Grid& grid) {
  for (int j = 0; j < grid.ny; ++j)
    for (int i = 0; i < grid.nx; ++i) {
      const int node = add_node(model, fmt::format("n{}_{}", i + 1, j + 1),
                                {grid.length * i / (grid.nx - 1), grid.width * j / (grid.ny - 1), 0.0});
      const bool corner = (i == 0 || i == grid.nx - 1) && (j == 0 || j == grid.ny - 1);
      if (!corner) model.nodes[node].mass = grid.mass;
      if (corner) fix_nodes(model, node, 1);
      if (corner && (i == 0) != (j == 0)) model.nodes[node].position.z() = grid.rise;
    }
}

// Cables between neighbours, of density q, those along the edges of another.
std::vector<Link> neighbours(int nx, int ny, double q, double q_edge) {
  std::vector<Link> links;
  const auto at = [nx](int i, int j) { return j * nx + i; };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      if (i + 1 < nx) links.push_back({at(i, j), at(i + 1, j), j == 0 || j == ny - 1 ? q_edge : q});
      if (j + 1 < ny) links.push_back({at(i, j), at(i, j + 1), i == 0 || i == nx - 1 ? q_edge : q});
    }
  return links;
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int nx = numbers.count("nx", 2, most_nodes / 2), ny = numbers.count("ny", 2, most_nodes / nx);
  const double length = numbers.positive("length"), width = numbers.positive("width");
  const double rise = numbers.not_negative("rise"), edge = numbers.positive("edge");
  const double pretension = numbers.positive("pretension"), mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  if (nx == 2 && ny == 2)
    numbers.wrong("nx", "a net of four corners has nothing to hang: expected 3 or more, or ny = 3");
  numbers.throw_if_wrong();

  Scenario scenario = weightless(fmt::format("cable net of {} x {} nodes", nx, ny));
  Model& model = scenario.model;
  add_grid(model, {nx, ny, length, width, rise, mass});
  // Density per inner cable such that its tension is about the pretension in the flat grid, along x.
  const double q = pretension * (nx - 1) / length;
  const std::vector<Link> links = neighbours(nx, ny, q, edge * q);
  balance(model, links);
  for (const auto& [a, b, density] : links) add_cables_by_density(model, {{a, b}}, law, density);
  return scenario;
}

}  // namespace

Generator cable_net() {
  return {"cable_net", "a cable net with edge cables, hung between four corners of unequal height",
          together({{{"nx", 9.0, "nodes along x, corners counted, at least 2", true},
                     {"ny", 9.0, "nodes along y, corners counted, at least 2", true},
                     {"length", 8.0, "m, between the corners along x"},
                     {"width", 8.0, "m, between the corners along y"},
                     {"rise", 2.0, "m, of two opposite corners above the other two"},
                     {"edge", 8.0, "force density of the edge cables over that of the inner ones"},
                     {"pretension", 100.0, "N: force density of the inner cables × length / (nx - 1)"},
                     {"mass", 0.5, "kg, of each free node"}},
                    cable_parameters(standard_stiffness)}),
          build};
}

}  // namespace taut
