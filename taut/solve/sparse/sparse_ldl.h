// Elimination of a sparse symmetric matrix whose pattern stays while its values change: A = L D Lᵀ without pivoting, in
// the order in which the rows come. One row of L after the other, so that every pivot can be judged before it is used:
// whoever factorises gives 1/d, and 0 leaves a row out (its column of L vanishes and its unknown becomes 0). Pattern
// and order are found once; factorise and solve allocate nothing.
//
// Neighbouring columns of L with the same rows below them form a panel of up to four, kept row by row: one index serves
// four numbers, and a solve, whose time goes into reading L, reads a third less.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "taut/base/aligned.h"
#include "taut/base/stop.h"

namespace taut {

// The numbers of one factorisation; one per thread.
struct LdlFactor {
  AlignedDoubles lower;     // L, panel by panel: the rows below it, then the triangle between its own columns
  AlignedDoubles inverse;   // 1/D, 0 for what is left out
  AlignedDoubles work;      // a dense row
  std::vector<int> filled;  // rows of each panel so far
};

class SparseLdl {
 public:
  SparseLdl() = default;
  // Per column the rows of its entries on or above the diagonal, in any order; repeats do no harm.
  explicit SparseLdl(const std::vector<std::vector<int>>& columns);

  long fill() const { return fill_; }                // entries of L below the diagonal
  double operations() const { return operations_; }  // multiplications of a factorisation, about

  void make_factor(LdlFactor& factor) const;
  // scatter(k, y) adds the entries above the diagonal of column k to y and returns the one on it; invert(k, diagonal,
  // pivot) returns 1/pivot, or 0 to leave k out. Throws Stopped (base/stop.h): a large one takes minutes.
  template <class Scatter, class Invert>
  void factorise(const Scatter& scatter, const Invert& invert, LdlFactor& factor) const;
  void solve(const LdlFactor& factor, double* x) const;  // in place

 private:
  static constexpr int widest = 4;
  struct Panel {
    int first, width;  // columns
    int row, rows;     // in row_: the rows below
    int value;         // in LdlFactor::lower
  };

  void collect_panels(const std::vector<int>& parent, const std::vector<std::vector<int>>& rows_of);

  // Calls f with the width as a constant.
  template <class F>
  static void by_width(int width, const F& f) {
    switch (width) {
      case 1:
        return f(std::integral_constant<int, 1>());
      case 2:
        return f(std::integral_constant<int, 2>());
      case 3:
        return f(std::integral_constant<int, 3>());
      default:
        return f(std::integral_constant<int, widest>());
    }
  }
  // v = (what is at the panel's columns), solved with its triangle.
  template <int W>
  static void solve_triangle(const double* triangle, double* v) {
#pragma GCC unroll 4
    for (int i = 1; i < W; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < i; ++j) v[i] -= triangle[i * (i - 1) / 2 + j] * v[j];
  }
  // y -= (first `count` rows of a panel) v.
  template <int W>
  static void subtract(const int* rows, const double* values, int count, const double* v, double* y) {
    for (int q = 0; q < count; ++q, values += W) {
      double sum = y[rows[q]];
#pragma GCC unroll 4
      for (int j = 0; j < W; ++j) sum -= values[j] * v[j];
      y[rows[q]] = sum;
    }
  }

  int size_ = 0, values_ = 0;
  long fill_ = 0;
  double operations_ = 0.0;
  std::vector<Panel> panels_;
  std::vector<int> row_;                      // rows below the panels
  std::vector<int> panel_of_;                 // every column
  std::vector<int> touched_start_, touched_;  // per row of L: panels before its own, in the order of elimination
};

// Places in the order of elimination, first of `unknowns`, then of constraints that bind some of them each. Unknowns
// come by approximate minimum degree of the matrix (pairs of unknowns) and of what the constraints connect; every
// constraint right after the last of its unknowns, so that it meets a negative pivot where the unknowns have positive
// ones, or after its `follower`, an unknown that it alone determines (-1: none; empty: none at all).
std::vector<int> elimination_places(int unknowns, const std::vector<std::pair<int, int>>& matrix,
                                    const std::vector<std::vector<int>>& constraints,
                                    const std::vector<int>& follower = {});

template <class Scatter, class Invert>
void SparseLdl::factorise(const Scatter& scatter, const Invert& invert, LdlFactor& factor) const {
  double* const y = factor.work.data();
  double* const inverse = factor.inverse.data();
  int* const filled = factor.filled.data();
  std::fill(factor.filled.begin(), factor.filled.end(), 0);
  const std::atomic<bool>* const stop = stop_flag();
  for (int k = 0; k < size_; ++k) {
    if (is_set(stop)) {
      std::fill(factor.work.begin(), factor.work.end(), 0.0);
      throw Stopped();
    }
    const double diagonal = scatter(k, y);
    double pivot = diagonal;
    // Sparse triangular solve gives row k of L.
    for (int t = touched_start_[k]; t < touched_start_[k + 1]; ++t) {
      const Panel& panel = panels_[touched_[t]];
      by_width(panel.width, [&](auto width) {
        constexpr int W = width;
        double* const values = factor.lower.data() + panel.value;
        double v[W];
        for (int j = 0; j < W; ++j) v[j] = std::exchange(y[panel.first + j], 0.0);
        solve_triangle<W>(values + W * panel.rows, v);
        const int count = filled[touched_[t]]++;
        subtract<W>(row_.data() + panel.row, values, count, v, y);
        for (int j = 0; j < W; ++j) {
          const double l = v[j] * inverse[panel.first + j];
          pivot -= l * v[j];
          values[W * count + j] = l;
        }
      });
    }
    // And within its own panel.
    const Panel& own = panels_[panel_of_[k]];
    double* const triangle = factor.lower.data() + own.value + own.width * own.rows;
    const int before = k - own.first;
    double v[widest];
    for (int i = 0; i < before; ++i) {
      v[i] = std::exchange(y[own.first + i], 0.0);
      for (int j = 0; j < i; ++j) v[i] -= triangle[i * (i - 1) / 2 + j] * v[j];
      const double l = v[i] * inverse[own.first + i];
      pivot -= l * v[i];
      triangle[before * (before - 1) / 2 + i] = l;
    }
    inverse[k] = invert(k, diagonal, pivot);
  }
}

// Lays columns one after another: column k begins at start[k]. Returns the pattern, the rows of every column.
template <class Entry>
std::vector<std::vector<int>> lay_columns(const std::vector<std::vector<Entry>>& columns, std::vector<Entry>& entries,
                                          std::vector<int>& start) {
  std::vector<std::vector<int>> pattern(columns.size());
  start.push_back(0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (const Entry& entry : columns[k]) pattern[k].push_back(entry.row);
    entries.insert(entries.end(), columns[k].begin(), columns[k].end());
    start.push_back(static_cast<int>(entries.size()));
  }
  return pattern;
}

}  // namespace taut
