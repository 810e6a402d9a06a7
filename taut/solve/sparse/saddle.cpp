#include "taut/solve/sparse/saddle.h"

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

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
  std::vector<std::pair<int, int>> mass_pairs;
  for (const SparseEntry& e : mass) mass_pairs.emplace_back(e.row, e.column);
  std::vector<std::vector<int>> bound(constraints);
  for (int c = 0; c < constraints; ++c)
    for (const auto& [i, unused] : constraint_entries_[c]) bound[c].push_back(i);
  place_ = elimination_places(unknowns, mass_pairs, bound, follower_);
  const int size = unknowns + constraints;
  constraint_of_place_.assign(size, -1);
  for (int c = 0; c < constraints; ++c) constraint_of_place_[place_[unknowns + c]] = c;

  // The upper triangle of the permuted matrix by columns.
  std::vector<std::vector<Source>> columns(size);
  const auto put = [&](int i, int j, int index, double value) {
    const int p = std::min(place_[i], place_[j]), q = std::max(place_[i], place_[j]);
    columns[q].push_back({p, index, value});
  };
  for (const SparseEntry& e : mass) put(e.row, e.column, -1, e.value);
  for (int c = 0; c < constraints; ++c)
    for (const auto& [i, index] : constraint_entries_[c]) put(i, unknowns + c, index, 0.0);
  ldl_ = SparseLdl(lay_columns(columns, sources_, source_start_));
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
  ldl_.make_factor(factor);
  return factor;
}

void Saddle::factorise(const double* jacobian_values, SaddleFactor& factor) const {
  factor.left_out = 0;
  // Column k of the matrix.
  const auto scatter = [&](int k, double* y) {
    double diagonal = 0.0;
    for (int p = source_start_[k]; p < source_start_[k + 1]; ++p) {
      const Source& s = sources_[p];
      const double value = s.index >= 0 ? jacobian_values[s.index] : s.value;
      if (s.row == k)
        diagonal += value;
      else
        y[s.row] += value;
    }
    return diagonal;
  };
  // A constraint that depends on earlier ones is left out.
  const auto invert = [&](int k, double, double pivot) {
    const int c = constraint_of_place_[k];
    if (c >= 0 && follower_[c] < 0) {
      double scale = 0.0;
      for (const auto& [i, index] : constraint_entries_[c])
        scale += jacobian_values[index] * jacobian_values[index] * diagonal_mass_[i];
      if (!(-pivot > rank_tolerance_ * scale)) {
        ++factor.left_out;
        return 0.0;
      }
    }
    return 1.0 / pivot;
  };
  ldl_.factorise(scatter, invert, factor);
}

bool Saddle::positive(const SaddleFactor& factor) const {
  for (int i = 0; i < unknowns_; ++i)
    if (const double inverse = factor.inverse[place_[i]]; !(inverse > 0.0) || !std::isfinite(inverse)) return false;
  return true;
}

void Saddle::solve(const SaddleFactor& factor, double* rhs, double* scratch) const {
  const int size = unknowns_ + constraints_;
  for (int i = 0; i < size; ++i) scratch[place_[i]] = rhs[i];
  ldl_.solve(factor, scratch);
  for (int i = 0; i < size; ++i) rhs[i] = scratch[place_[i]];
}

}  // namespace taut
