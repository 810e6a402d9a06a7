#include "taut/solve/sparse/sparse_ldl.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <tuple>

#include "taut/solve/sparse/pattern_memory.h"

namespace taut {

SparseLdl::SparseLdl(const std::vector<std::vector<int>>& columns) : size_(static_cast<int>(columns.size())) {
  // Liu: row k of L touches the paths from its entries to k in the elimination tree.
  std::vector<int> parent(size_, -1), mark(size_, -1);
  std::vector<std::vector<int>> rows_of(size_);  // per column of L
  for (int k = 0; k < size_; ++k) {
    mark[k] = k;
    for (int row : columns[k])
      for (int i = row; mark[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        rows_of[i].push_back(k);
        mark[i] = k;
      }
  }
  collect_panels(parent, rows_of);
  for (const auto& rows : rows_of) {
    const double count = static_cast<double>(rows.size());
    fill_ += static_cast<long>(rows.size());
    operations_ += 0.5 * count * (count + 1.0);
  }
}

void SparseLdl::collect_panels(const std::vector<int>& parent, const std::vector<std::vector<int>>& rows_of) {
  // A column joins the panel before it when it has the same rows below.
  panel_of_.assign(size_, 0);
  for (int k = 0; k < size_; ++k) {
    const bool joins =
        k > 0 && panels_.back().width < widest && parent[k - 1] == k && rows_of[k - 1].size() == rows_of[k].size() + 1;
    if (joins)
      ++panels_.back().width;
    else
      panels_.push_back({k, 1, 0, 0, 0});
    panel_of_[k] = static_cast<int>(panels_.size()) - 1;
  }
  std::vector<std::vector<int>> touched(size_);
  for (int p = 0; p < static_cast<int>(panels_.size()); ++p) {
    Panel& panel = panels_[p];
    const std::vector<int>& rows = rows_of[panel.first + panel.width - 1];
    panel.row = static_cast<int>(row_.size());
    panel.rows = static_cast<int>(rows.size());
    panel.value = values_;
    values_ += panel.width * panel.rows + panel.width * (panel.width - 1) / 2;
    row_.insert(row_.end(), rows.begin(), rows.end());
    for (int k : rows) touched[k].push_back(p);
  }
  touched_start_.push_back(0);
  for (const auto& list : touched) {
    touched_.insert(touched_.end(), list.begin(), list.end());
    touched_start_.push_back(static_cast<int>(touched_.size()));
  }
}

void SparseLdl::make_factor(LdlFactor& factor) const {
  factor.lower.assign(values_, 0.0);
  factor.inverse.assign(size_, 0.0);
  factor.work.assign(size_, 0.0);
  factor.filled.assign(panels_.size(), 0);
}

void SparseLdl::solve(const LdlFactor& factor, double* x) const {
  for (const Panel& panel : panels_)
    by_width(panel.width, [&](auto width) {
      constexpr int W = width;
      const double* const values = factor.lower.data() + panel.value;
      double v[W];
      std::copy_n(x + panel.first, W, v);
      solve_triangle<W>(values + W * panel.rows, v);
      std::copy_n(v, W, x + panel.first);
      subtract<W>(row_.data() + panel.row, values, panel.rows, v, x);
    });
  for (int k = 0; k < size_; ++k) x[k] *= factor.inverse[k];
  for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel)
    by_width(panel->width, [&](auto width) {
      constexpr int W = width;
      const double* values = factor.lower.data() + panel->value;
      const double* const triangle = values + W * panel->rows;
      const int* const rows = row_.data() + panel->row;
      double v[W];
      std::copy_n(x + panel->first, W, v);
      for (int q = 0; q < panel->rows; ++q, values += W)
#pragma GCC unroll 4
        for (int j = 0; j < W; ++j) v[j] -= values[j] * x[rows[q]];
#pragma GCC unroll 4
      for (int j = W - 1; j >= 0; --j) {
#pragma GCC unroll 4
        for (int i = j + 1; i < W; ++i) v[j] -= triangle[i * (i - 1) / 2 + j] * v[i];
        x[panel->first + j] = v[j];
      }
    });
}

namespace {

std::vector<int> find_places(int unknowns, const std::vector<std::pair<int, int>>& matrix,
                             const std::vector<std::vector<int>>& constraints, const std::vector<int>& follower) {
  // The graph of M + GᵀG; a constraint of very many unknowns is thinned out to a star.
  std::vector<Eigen::Triplet<double>> pattern;
  const auto connect = [&](int i, int j) {
    pattern.emplace_back(i, j, 1.0);
    pattern.emplace_back(j, i, 1.0);
  };
  for (const auto& [i, j] : matrix) connect(i, j);
  for (const auto& row : constraints)
    for (int i : row) {
      if (row.size() > 64)
        connect(i, row.front());
      else
        for (int j : row) connect(i, j);
    }
  Eigen::SparseMatrix<double> graph(unknowns, unknowns);
  graph.setFromTriplets(pattern.begin(), pattern.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  if (unknowns > 0) Eigen::AMDOrdering<int>()(graph, order);
  // order.indices()[k] is the unknown eliminated k-th.
  std::vector<int> rank(unknowns);
  for (int k = 0; k < unknowns; ++k) rank[order.indices()[k]] = k;
  std::vector<std::vector<int>> after(unknowns + 1);
  for (int c = 0; c < static_cast<int>(constraints.size()); ++c) {
    int last = constraints[c].empty() ? unknowns : 0;  // a constraint without unknowns goes to the end
    if (!follower.empty() && follower[c] >= 0)
      last = rank[follower[c]];
    else
      for (int i : constraints[c]) last = std::max(last, rank[i]);
    after[last].push_back(c);
  }
  std::vector<int> place(unknowns + constraints.size());
  int next = 0;
  for (int k = 0; k <= unknowns; ++k) {
    if (k < unknowns) place[order.indices()[k]] = next++;
    for (int c : after[k]) place[unknowns + c] = next++;
  }
  return place;
}

}  // namespace

std::vector<int> elimination_places(int unknowns, const std::vector<std::pair<int, int>>& matrix,
                                    const std::vector<std::vector<int>>& constraints,
                                    const std::vector<int>& follower) {
  struct Places {};
  return *remembered<Places>(std::tuple(unknowns, matrix, constraints, follower),
                             [&] { return find_places(unknowns, matrix, constraints, follower); });
}

}  // namespace taut
