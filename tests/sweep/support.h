// The tables of sweeps read back.
#pragma once

#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace taut::testing {

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
