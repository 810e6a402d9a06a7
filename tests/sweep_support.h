// Models and studies for the tests of sweeps, and their tables read back.
#pragma once

#include <string>
#include <vector>

#include "tests/scratch_folder.h"

namespace taut::testing {

// A weight that hangs at rest on a cable, but for its velocity: it swings about with ω = √(k/m), and the cable goes
// slack if it is thrown up faster than g √(m/k).
inline const char* const weight_model = R"(name = "weight"
[nodes]
top = { at = [0, 0, 0], fixed = true }
m = { at = [0, 0, -1], mass = 1.0, velocity = [0, 0, 0.5] }
[[cables]]
nodes = ["top", "m"]
name = "rope"
stiffness = 100.0
pretension = 9.81
[simulation]
duration = 1.0
output_step = 0.001
integrator = "dopri5"
tolerance = 1e-11
)";

// A prism out of balance, every number of its cables given.
inline const char* const prism_model = R"(name = "prism"
[environment]
gravity = [0, 0, 0]
[nodes]
a1 = [0.55, 0, 0]
a2 = [-0.25, 0.433, 0]
a3 = [-0.25, -0.433, 0]
b1 = [-0.433, -0.25, 1]
b2 = [0.433, -0.25, 1]
b3 = [0, 0.5, 1]
[[bars]]
pairs = [["a1", "b1"], ["a2", "b2"], ["a3", "b3"]]
mass = 1.0
[[cables]]
paths = [["a1", "a2"], ["a2", "a3"], ["a3", "a1"], ["b1", "b2"], ["b2", "b3"], ["b3", "b1"]]
stiffness = 1000.0
rest_length = 0.83
damping = 1.0
[[cables]]
paths = [["a1", "b2"], ["a2", "b3"], ["a3", "b1"]]
stiffness = 1000.0
rest_length = 0.95
damping = 1.0
[simulation]
duration = 0.2
)";

// The cells of a CSV table without quoted commas, header included.
inline std::vector<std::vector<std::string>> cells(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1);
  std::string cell;
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      rows.back().push_back(cell);
      cell.clear();
      if (c == '\n') rows.emplace_back();
    } else {
      cell += c;
    }
  }
  rows.pop_back();
  return rows;
}

// One column of a table as numbers.
inline std::vector<double> column(const std::string& csv, const std::string& name) {
  const auto rows = cells(csv);
  std::vector<double> values;
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    if (rows.front()[c] != name) continue;
    for (std::size_t r = 1; r < rows.size(); ++r) values.push_back(std::stod(rows[r][c]));
  }
  return values;
}

}  // namespace taut::testing
