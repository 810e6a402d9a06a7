// Planar X: a rectangle of four cables with two crossing bars as diagonals, in the plane z = 0. The force densities
// are +q in every cable and -q in both bars, for any width and height. Side by side, X share the cables between them,
// which carry what both ask for: every node is the sum of balanced ones. Order p > 1 replaces every X by four of half
// its width and height, p - 1 times.
#include <fmt/core.h>

#include "taut/generators/assemble/assemble.h"
#include "taut/generators/assemble/numbers.h"
#include "taut/generators/kinds.h"

namespace taut {

namespace {

constexpr double standard_stiffness = 1000.0;
constexpr int most_orders = 9;  // 4⁸ = 65536 X instead of one

// Rows are lettered from below: a1 a2 ..., b1 b2 ...; after z they are numbered.
std::string node_name(int row, int column) {
  if (row < 26) return fmt::format("{}{}", static_cast<char>('a' + row), column + 1);
  return fmt::format("r{}_{}", row + 1, column + 1);
}

Scenario build(const Parameters& parameters) {
  Numbers numbers(parameters);
  const int order = numbers.count("order", 1, most_orders), parts = 1 << (order - 1);
  const int columns = parts * numbers.count("columns", 1, most_parts / (parts * parts));
  const int rows = parts * numbers.count("rows", 1, most_parts / (columns * parts));
  const double width = numbers.positive("width") / parts, height = numbers.positive("height") / parts;
  const double pretension = numbers.positive("pretension");
  const double mass = numbers.positive("mass");
  const CableLaw law = read_cable_law(numbers, standard_stiffness);
  const bool supported = numbers.flag("supported");
  numbers.throw_if_wrong();

  Scenario scenario = weightless(columns * rows == 1 ? "planar X" : fmt::format("planar X, {} x {}", columns, rows));
  Model& model = scenario.model;
  for (int j = 0; j <= rows; ++j)
    for (int i = 0; i <= columns; ++i) add_node(model, node_name(j, i), {i * width, j * height, 0.0});
  keep_planar(model);
  if (supported) {
    model.nodes[0].fixed = {true, true, true};
    model.nodes[columns].fixed = {false, true, true};
  }

  // Cables between two X carry twice as much.
  Pairs bars, along_x[2], along_y[2];
  const auto at = [columns](int i, int j) { return j * (columns + 1) + i; };
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i <= columns; ++i) {
      const bool inner_row = j > 0 && j<rows, inner_column = i> 0 && i < columns;
      if (i < columns) along_x[inner_row].emplace_back(at(i, j), at(i + 1, j));
      if (j < rows) along_y[inner_column].emplace_back(at(i, j), at(i, j + 1));
      if (i < columns && j < rows)
        bars.insert(bars.end(), {{at(i, j), at(i + 1, j + 1)}, {at(i + 1, j), at(i, j + 1)}});
    }
  }
  add_bars(model, bars, mass);
  for (int inner : {0, 1}) add_cables(model, along_x[inner], law, (1 + inner) * pretension / height * width);
  for (int inner : {0, 1}) add_cables(model, along_y[inner], law, (1 + inner) * pretension);
  return scenario;
}

}  // namespace

Generator x_module() {
  return {"x_module", "planar X: two crossing bars in a rectangle of cables, alone, side by side or self-similar",
          together({{{"width", 1.0, "m, along x"},
                     {"height", 1.0, "m, along y"},
                     {"columns", 1.0, "X side by side along x, at least 1", true},
                     {"rows", 1.0, "X one above another along y, at least 1", true},
                     {"order", 1.0, "1 to 9; each order above 1 makes four X of half the size out of every X", true},
                     {"pretension", 10.0, "N, in the vertical cables at the edge"},
                     {"mass", 1.0, "kg, of each bar"}},
                    cable_parameters(standard_stiffness),
                    {{"supported", 0.0, "1: pin at a1, roller along x at the other lower corner; 0: free in its plane",
                      true}}}),
          build};
}

}  // namespace taut
