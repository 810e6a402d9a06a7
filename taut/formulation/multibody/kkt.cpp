#include "taut/formulation/multibody/kkt.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

namespace taut::multibody {

namespace {

// K's entries of each row: unknown, index of the value.
using Rows = std::vector<std::vector<std::pair<int, int>>>;

// Minimum-degree order of the unknowns on the pattern of H + KᵀK.
std::vector<int> order_unknowns(int n, const Kkt::Pattern& mass, const Rows& rows) {
  std::vector<Eigen::Triplet<double>> pattern;
  const auto connect = [&](int i, int j) {
    pattern.emplace_back(i, j, 1.0);
    pattern.emplace_back(j, i, 1.0);
  };
  for (const auto& [i, j] : mass)
    if (i >= 0 && j >= 0) connect(i, j);
  for (const auto& row : rows)
    for (const auto& [i, unused] : row)
      for (const auto& [j, unused_too] : row) connect(i, j);
  Eigen::SparseMatrix<double> graph(n, n);
  graph.setFromTriplets(pattern.begin(), pattern.end());
  Eigen::AMDOrdering<int> amd;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  if (n > 0) amd(graph, permutation);
  return {permutation.indices().data(), permutation.indices().data() + permutation.indices().size()};
}

}  // namespace

Kkt::Kkt(int unknowns, int rows, const Pattern& mass, const Pattern& jacobian, const std::vector<double>& weight)
    : unknowns_(unknowns), rows_(rows), weight_(weight) {
  Rows entries(rows);
  for (int k = 0; k < static_cast<int>(jacobian.size()); ++k)
    if (jacobian[k].second >= 0) {
      entries[jacobian[k].first].emplace_back(jacobian[k].second, k);
      jacobian_.push_back(jacobian[k]);
      jacobian_index_.push_back(k);
    }

  // Unknowns by minimum degree, each row of K right after the last of its unknowns.
  const std::vector<int> order = order_unknowns(unknowns, mass, entries);
  std::vector<int> rank(unknowns);
  for (int k = 0; k < unknowns; ++k) rank[order[k]] = k;
  std::vector<std::vector<int>> after(unknowns + 1);
  for (int r = 0; r < rows; ++r) {
    int last = entries[r].empty() ? unknowns : 0;
    for (const auto& [i, unused] : entries[r]) last = std::max(last, rank[i]);
    after[last].push_back(r);
  }
  const int size = unknowns + rows;
  place_.assign(size, 0);
  row_of_place_.assign(size, -1);
  int next = 0;
  const auto take_rows = [&](int k) {
    for (const int r : after[k]) {
      row_of_place_[next] = r;
      place_[unknowns_ + r] = next++;
    }
  };
  for (int k = 0; k < unknowns; ++k) {
    place_[order[k]] = next++;
    take_rows(k);
  }
  take_rows(unknowns);

  // The upper triangle of the permuted matrix by columns.
  std::vector<std::vector<Source>> columns(size);
  const auto put = [&](int i, int j, int first, int second, double w) {
    const int p = std::min(place_[i], place_[j]), q = std::max(place_[i], place_[j]);
    columns[q].push_back({p, first, second, w});
  };
  for (int k = 0; k < static_cast<int>(mass.size()); ++k)
    if (mass[k].first >= 0 && mass[k].second >= 0) put(mass[k].first, mass[k].second, k, mass_value, 1.0);
  for (int r = 0; r < rows; ++r)
    for (std::size_t a = 0; a < entries[r].size(); ++a) {
      put(entries[r][a].first, unknowns + r, entries[r][a].second, jacobian_value, 1.0);
      for (std::size_t b = 0; weight[r] > 0.0 && b <= a; ++b)
        put(entries[r][a].first, entries[r][b].first, entries[r][a].second, entries[r][b].second, weight[r]);
    }
  source_start_.push_back(0);
  for (const auto& column : columns) {
    sources_.insert(sources_.end(), column.begin(), column.end());
    source_start_.push_back(static_cast<int>(sources_.size()));
  }
  eliminate_symbolically(columns);
}

// Liu: row k of L touches the paths from its entries to k in the elimination tree.
void Kkt::eliminate_symbolically(const std::vector<std::vector<Source>>& columns) {
  const int size = unknowns_ + rows_;
  std::vector<int> parent(size, -1), mark(size, -1), count(size, 0);
  row_start_.push_back(0);
  for (int k = 0; k < size; ++k) {
    mark[k] = k;
    const std::size_t begin = row_pattern_.size();
    for (const Source& s : columns[k])
      for (int i = s.row; mark[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        row_pattern_.push_back(i);
        ++count[i];
        mark[i] = k;
      }
    std::sort(row_pattern_.begin() + static_cast<long>(begin), row_pattern_.end());
    row_start_.push_back(static_cast<int>(row_pattern_.size()));
  }
  column_start_.assign(size + 1, 0);
  for (int k = 0; k < size; ++k) {
    column_start_[k + 1] = column_start_[k] + count[k];
    operations_ += 0.5 * count[k] * (count[k] + 1.0);
  }
  row_index_.assign(column_start_[size], 0);
  std::vector<int> filled(column_start_.begin(), column_start_.end() - 1);
  for (int k = 0; k < size; ++k)
    for (int p = row_start_[k]; p < row_start_[k + 1]; ++p) row_index_[filled[row_pattern_[p]]++] = k;
}

KktFactor Kkt::make_factor() const {
  KktFactor factor;
  factor.lower.assign(row_index_.size(), 0.0);
  factor.inverse.assign(place_.size(), 0.0);
  factor.work = factor.scratch = factor.inverse;
  factor.filled.assign(place_.size(), 0);
  return factor;
}

void Kkt::factorise(const double* mass, const double* jacobian, const double* row_size, double mu,
                    KktFactor& factor) const {
  constexpr double row_tolerance = 1e-12, unknown_tolerance = 1e-13;
  const int size = unknowns_ + rows_;
  double* const y = factor.work.data();
  double* const lower = factor.lower.data();
  double* const inverse = factor.inverse.data();
  int* const filled = factor.filled.data();
  const int* const rows = row_index_.data();
  std::copy(column_start_.begin(), column_start_.end() - 1, filled);
  factor.left_out = 0;
  factor.singular = -1;
  for (int k = 0; k < size; ++k) {
    // Column k of the matrix, scattered.
    const int row = row_of_place_[k];
    double pivot = row >= 0 ? -mu : 0.0;
    for (int p = source_start_[k]; p < source_start_[k + 1]; ++p) {
      const Source& s = sources_[p];
      const double value = s.second == mass_value       ? mass[s.first]
                           : s.second == jacobian_value ? jacobian[s.first]
                                                        : s.weight * jacobian[s.first] * jacobian[s.second];
      if (s.row == k)
        pivot += value;
      else
        y[s.row] += value;
    }
    const double before = pivot;
    // Sparse triangular solve gives row k of L.
    for (int p = row_start_[k]; p < row_start_[k + 1]; ++p) {
      const int j = row_pattern_[p];
      const double value = y[j];
      y[j] = 0.0;
      const int end = filled[j];
      for (int q = column_start_[j]; q < end; ++q) y[rows[q]] -= lower[q] * value;
      const double l = value * inverse[j];
      pivot -= l * value;
      lower[filled[j]++] = l;
    }
    // A dependent row is left out; an unknown without inertia must not be.
    if (row >= 0 ? !(-pivot > row_tolerance * row_size[row]) : !(pivot > unknown_tolerance * before)) {
      inverse[k] = 0.0;
      if (row >= 0)
        ++factor.left_out;
      else if (factor.singular < 0)
        factor.singular = static_cast<int>(std::find(place_.begin(), place_.end(), k) - place_.begin());
    } else {
      inverse[k] = 1.0 / pivot;
    }
  }
}

void Kkt::solve(KktFactor& factor, const double* jacobian, double* x) const {
  const int size = unknowns_ + rows_;
  for (std::size_t i = 0; i < jacobian_.size(); ++i) {
    const auto& [row, unknown] = jacobian_[i];
    if (weight_[row] > 0.0) x[unknown] += weight_[row] * jacobian[jacobian_index_[i]] * x[unknowns_ + row];
  }
  double* const y = factor.scratch.data();
  for (int i = 0; i < size; ++i) y[place_[i]] = x[i];
  const double* const lower = factor.lower.data();
  const int* const rows = row_index_.data();
  for (int k = 0; k < size; ++k) {
    const double value = y[k];
    for (int q = column_start_[k]; q < column_start_[k + 1]; ++q) y[rows[q]] -= lower[q] * value;
  }
  for (int k = 0; k < size; ++k) y[k] *= factor.inverse[k];
  for (int k = size - 1; k >= 0; --k) {
    double value = y[k];
    for (int q = column_start_[k]; q < column_start_[k + 1]; ++q) value -= lower[q] * y[rows[q]];
    y[k] = value;
  }
  for (int i = 0; i < size; ++i) x[i] = y[place_[i]];
}

}  // namespace taut::multibody
