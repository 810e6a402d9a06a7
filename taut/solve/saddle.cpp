#include "taut/solve/saddle.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// Minimum-degree order of the unknowns on the pattern of M + GᵀG.
std::vector<int> order_unknowns(int n, const std::vector<SparseEntry>& mass,
                                const std::vector<std::vector<std::pair<int, int>>>& constraints) {
  std::vector<Eigen::Triplet<double>> pattern;
  const auto connect = [&](int i, int j) {
    pattern.emplace_back(i, j, 1.0);
    pattern.emplace_back(j, i, 1.0);
  };
  for (const SparseEntry& e : mass) connect(e.row, e.column);
  for (const auto& row : constraints)
    for (const auto& [i, unused] : row) {
      if (row.size() > 64)
        connect(i, row.front().first);
      else
        for (const auto& [j, unused_too] : row) connect(i, j);
    }
  Eigen::SparseMatrix<double> graph(n, n);
  graph.setFromTriplets(pattern.begin(), pattern.end());
  Eigen::AMDOrdering<int> amd;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  if (n > 0) amd(graph, permutation);
  // indices()[k] is the unknown eliminated k-th.
  return {permutation.indices().data(), permutation.indices().data() + permutation.indices().size()};
}

// Per constraint the unknown that it alone determines, -1 where there is none: constant, in no other constraint, and
// not small beside the other coefficients.
std::vector<int> find_followers(int unknowns, const std::vector<std::vector<std::pair<int, int>>>& constraints,
                                const std::vector<SparseEntry>& jacobian, const std::vector<char>& constant) {
  std::vector<int> uses(unknowns, 0), follower(constraints.size(), -1);
  if (constant.empty()) return follower;
  for (const auto& row : constraints)
    for (const auto& [i, unused] : row) ++uses[i];
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    double largest = 0.0, best = 0.0;
    for (const auto& [i, index] : constraints[c]) largest = std::max(largest, std::abs(jacobian[index].value));
    for (const auto& [i, index] : constraints[c]) {
      const double size = std::abs(jacobian[index].value);
      if (constant[c] && uses[i] == 1 && size > std::max(best, 0.1 * largest)) best = size, follower[c] = i;
    }
  }
  return follower;
}

}  // namespace

Saddle::Saddle(int unknowns, int constraints, const std::vector<SparseEntry>& mass,
               const std::vector<SparseEntry>& jacobian, double rank_tolerance, const std::vector<char>& constant)
    : unknowns_(unknowns),
      constraints_(constraints),
      rank_tolerance_(rank_tolerance),
      diagonal_mass_(unknowns, 0.0),
      constraint_entries_(constraints) {
  for (const SparseEntry& e : mass)
    if (e.row == e.column) diagonal_mass_[e.row] += e.value;
  for (int k = 0; k < static_cast<int>(jacobian.size()); ++k)
    constraint_entries_[jacobian[k].row].emplace_back(jacobian[k].column, k);

  // Elimination order: unknowns by minimum degree, each constraint right after the last of its unknowns, or after the
  // one that follows by it.
  follower_ = find_followers(unknowns, constraint_entries_, jacobian, constant);
  carry_followers(jacobian);
  const std::vector<int> order = order_unknowns(unknowns, mass, constraint_entries_);
  std::vector<int> rank(unknowns);
  for (int k = 0; k < unknowns; ++k) rank[order[k]] = k;
  std::vector<std::vector<int>> after(unknowns + 1);
  for (int c = 0; c < constraints; ++c) {
    int last = unknowns;  // a constraint without unknowns goes to the end
    if (follower_[c] >= 0) {
      last = rank[follower_[c]];
    } else if (!constraint_entries_[c].empty()) {
      last = 0;
      for (const auto& [i, unused] : constraint_entries_[c]) last = std::max(last, rank[i]);
    }
    after[last].push_back(c);
  }
  const int size = unknowns + constraints;
  place_.assign(size, 0);
  constraint_of_place_.assign(size, -1);
  int next = 0;
  const auto take_constraints = [&](int k) {
    for (int c : after[k]) {
      constraint_of_place_[next] = c;
      place_[unknowns_ + c] = next++;
    }
  };
  for (int k = 0; k < unknowns; ++k) {
    place_[order[k]] = next++;
    take_constraints(k);
  }
  take_constraints(unknowns);

  // The upper triangle of the permuted matrix by columns.
  std::vector<std::vector<Source>> columns(size);
  const auto put = [&](int i, int j, int index, double value) {
    const int p = std::min(place_[i], place_[j]), q = std::max(place_[i], place_[j]);
    columns[q].push_back({p, index, value});
  };
  for (const SparseEntry& e : mass) put(e.row, e.column, -1, e.value);
  for (int c = 0; c < constraints; ++c)
    for (const auto& [i, index] : constraint_entries_[c]) put(i, unknowns + c, index, 0.0);
  source_start_.push_back(0);
  for (const auto& column : columns) {
    sources_.insert(sources_.end(), column.begin(), column.end());
    source_start_.push_back(static_cast<int>(sources_.size()));
  }

  // Symbolic elimination (Liu): row k of L touches the paths from its entries to k in the elimination tree.
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
  for (int k = 0; k < size; ++k) column_start_[k + 1] = column_start_[k] + count[k];
  row_index_.assign(column_start_[size], 0);
  std::vector<int> filled(column_start_.begin(), column_start_.end() - 1);
  for (int k = 0; k < size; ++k)
    for (int p = row_start_[k]; p < row_start_[k + 1]; ++p) row_index_[filled[row_pattern_[p]]++] = k;
}

// What follows an unknown moves with it: its mass counts there, too.
void Saddle::carry_followers(const std::vector<SparseEntry>& jacobian) {
  std::vector<double> own = diagonal_mass_;
  for (int c = 0; c < constraints_; ++c) {
    const int k = follower_[c];
    if (k < 0) continue;
    double lead = 0.0;
    for (const auto& [i, index] : constraint_entries_[c])
      if (i == k) lead = jacobian[index].value;
    for (const auto& [i, index] : constraint_entries_[c]) {
      const double share = jacobian[index].value / lead;
      if (i != k) diagonal_mass_[i] += share * share * own[k];
    }
  }
  for (double& m : diagonal_mass_) m = 1.0 / m;
}

SaddleFactor Saddle::make_factor() const {
  SaddleFactor factor;
  factor.lower.assign(row_index_.size(), 0.0);
  factor.inverse.assign(place_.size(), 0.0);
  factor.work.assign(place_.size(), 0.0);
  factor.filled.assign(place_.size(), 0);
  return factor;
}

void Saddle::factorise(const double* jacobian_values, SaddleFactor& factor) const {
  const int size = unknowns_ + constraints_;
  double* const y = factor.work.data();
  double* const lower = factor.lower.data();
  double* const inverse = factor.inverse.data();
  int* const filled = factor.filled.data();
  const int* const rows = row_index_.data();
  std::copy(column_start_.begin(), column_start_.end() - 1, filled);
  factor.left_out = 0;
  for (int k = 0; k < size; ++k) {
    // Column k of the matrix, scattered.
    double pivot = 0.0;
    for (int p = source_start_[k]; p < source_start_[k + 1]; ++p) {
      const Source& s = sources_[p];
      const double value = s.index >= 0 ? jacobian_values[s.index] : s.value;
      if (s.row == k)
        pivot += value;
      else
        y[s.row] += value;
    }
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
    // A constraint that depends on earlier ones is left out.
    const int c = constraint_of_place_[k];
    if (c >= 0 && follower_[c] < 0) {
      double scale = 0.0;
      for (const auto& [i, index] : constraint_entries_[c])
        scale += jacobian_values[index] * jacobian_values[index] * diagonal_mass_[i];
      if (!(-pivot > rank_tolerance_ * scale)) {
        inverse[k] = 0.0;
        ++factor.left_out;
        continue;
      }
    }
    inverse[k] = 1.0 / pivot;
  }
}

bool Saddle::positive(const SaddleFactor& factor) const {
  for (int i = 0; i < unknowns_; ++i)
    if (const double inverse = factor.inverse[place_[i]]; !(inverse > 0.0) || !std::isfinite(inverse)) return false;
  return true;
}

void Saddle::solve(const SaddleFactor& factor, double* rhs, double* scratch) const {
  const int size = unknowns_ + constraints_;
  for (int i = 0; i < size; ++i) scratch[place_[i]] = rhs[i];
  const double* const lower = factor.lower.data();
  const int* const rows = row_index_.data();
  for (int k = 0; k < size; ++k) {
    const double value = scratch[k];
    for (int q = column_start_[k]; q < column_start_[k + 1]; ++q) scratch[rows[q]] -= lower[q] * value;
  }
  for (int k = 0; k < size; ++k) scratch[k] *= factor.inverse[k];
  for (int k = size - 1; k >= 0; --k) {
    double value = scratch[k];
    for (int q = column_start_[k]; q < column_start_[k + 1]; ++q) value -= lower[q] * scratch[rows[q]];
    scratch[k] = value;
  }
  for (int i = 0; i < size; ++i) rhs[i] = scratch[place_[i]];
}

}  // namespace taut
