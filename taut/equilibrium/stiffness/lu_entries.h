// Entries of a sparse matrix for LU, summed where they repeat: | K Gᵀ; G 0 | and what a caller adds to it.
#pragma once

#include <utility>
#include <vector>

#include "taut/solve/sparse/saddle.h"
#include "taut/solve/sparse/sparse_lu.h"

namespace taut {

struct LuEntries {
  std::vector<std::pair<int, int>> places;  // row, column
  std::vector<double> values;

  void put(int row, int column, double value) {
    places.emplace_back(row, column);
    values.push_back(value);
  }
  // K from its entries on and above the diagonal.
  void put_symmetric(const std::vector<SparseEntry>& upper) {
    for (const SparseEntry& e : upper) {
      put(e.row, e.column, e.value);
      if (e.row != e.column) put(e.column, e.row, e.value);
    }
  }
  // G and Gᵀ beside the first n rows; `value` in the order of the pattern.
  void put_constraints(int n, const std::vector<SparseEntry>& pattern, const std::vector<double>& value) {
    for (std::size_t k = 0; k < pattern.size(); ++k) {
      put(n + pattern[k].row, pattern[k].column, value[k]);
      put(pattern[k].column, n + pattern[k].row, value[k]);
    }
  }

  // With the values in place, not factorised yet.
  SparseLu matrix(int size) const {
    SparseLu lu(size, places);
    for (std::size_t k = 0; k < places.size(); ++k) lu.values()[lu.place(static_cast<int>(k))] += values[k];
    return lu;
  }
  // r - A x.
  void subtract_product(const std::vector<double>& x, std::vector<double>& r) const {
    for (std::size_t k = 0; k < places.size(); ++k) r[places[k].first] -= values[k] * x[places[k].second];
  }
};

}  // namespace taut
