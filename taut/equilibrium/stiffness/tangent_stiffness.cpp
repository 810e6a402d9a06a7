#include "taut/equilibrium/stiffness/tangent_stiffness.h"

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

// The linear rows of G.
Followers find_followers(const StaticForces& statics) {
  std::vector<std::vector<std::pair<int, double>>> rows(statics.constraints()), linear;
  for (std::size_t k = 0; k < statics.jacobian_pattern().size(); ++k) {
    const SparseEntry& e = statics.jacobian_pattern()[k];
    if (statics.ends_of_row(e.row).first < 0) rows[e.row].emplace_back(e.column, statics.jacobian_values()[k]);
  }
  for (auto& row : rows)
    if (!row.empty()) linear.push_back(std::move(row));
  return Followers(static_cast<int>(statics.unknowns().size()), linear);
}

}  // namespace

TangentStiffness::TangentStiffness(StaticForces& statics, const NetForce& at)
    : unknowns_(static_cast<int>(statics.unknowns().size())),
      constraints_(statics.constraints()),
      pattern_(statics.jacobian_pattern()),
      jacobian_(statics.jacobian_values()),
      followers_(find_followers(statics)) {
  statics.stiffness(at, stiffness_);
  stiffness_ = followers_.carried(stiffness_);
  add_penalty(statics.stiffness_bounds(at), statics.unknowns());
  sum_repeated(penalty_);
  stiffness_.insert(stiffness_.end(), penalty_.begin(), penalty_.end());
  sum_repeated(stiffness_);
}

void TangentStiffness::add_penalty(const std::vector<double>& bounds, const std::vector<int>& coordinates) {
  const double largest = bounds.empty() ? 0.0 : *std::max_element(bounds.begin(), bounds.end());
  for (int k = 0; k < unknowns_; ++k) bound_.push_back(std::max(bounds[coordinates[k] / 3], 1e-3 * largest));
  if (!(largest > 0.0)) bound_.assign(unknowns_, 1.0);
  const std::vector<double> own = bound_;
  for (int k = 0; k < unknowns_ && !followers_.none(); ++k) {
    double sum = 0.0;
    for (const auto& [i, share] : followers_.of(k)) sum += std::abs(share);
    for (const auto& [i, share] : followers_.of(k))
      if (i != k) bound_[i] += std::abs(share) * sum * own[k];
  }
  std::vector<std::vector<std::pair<int, double>>> rows(constraints_);
  for (std::size_t k = 0; k < pattern_.size(); ++k)
    rows[pattern_[k].row].emplace_back(pattern_[k].column, jacobian_[k]);
  for (const auto& row : rows) {
    double square = 0.0, stiff = 0.0;
    for (const auto& [i, g] : row) square += g * g, stiff = std::max(stiff, bound_[i]);
    if (!(square > 0.0)) continue;
    for (const auto& [i, g] : row)
      for (const auto& [j, h] : row)
        if (i <= j) penalty_.push_back({i, j, 2.0 * stiff / square * g * h});
  }
}

std::optional<TangentStiffness::Factor> TangentStiffness::factorise(const std::vector<SparseEntry>& more) const {
  const std::vector<SparseEntry> carried = followers_.carried(more);
  // Positive pivots prove it for any ρ. Nearly dependent constraints need a larger ρ to show them.
  for (const double times : {0.0, 1e2, 1e5}) {
    std::vector<SparseEntry> matrix = stiffness_;
    matrix.insert(matrix.end(), carried.begin(), carried.end());
    for (const SparseEntry& e : penalty_)
      if (times > 0.0) matrix.push_back({e.row, e.column, times * e.value});
    Factor factor{Saddle(unknowns_, constraints_, matrix, pattern_), {}};
    factor.numbers = factor.saddle.make_factor();
    factor.saddle.factorise(jacobian_.data(), factor.numbers);
    if (factor.saddle.positive(factor.numbers)) return factor;
    if (constraints_ == 0) break;
  }
  return std::nullopt;
}

void add_between(const std::vector<int>& unknown_of, int a, int b, const Mat3& block, std::vector<SparseEntry>& upper) {
  const auto add = [&](int from, int to, double sign) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int row = unknown_of[3 * from + i], column = unknown_of[3 * to + j];
        if (row >= 0 && column >= 0 && row <= column) upper.push_back({row, column, sign * block(i, j)});
      }
  };
  add(a, a, 1.0), add(b, b, 1.0), add(a, b, -1.0), add(b, a, -1.0);
}

SparseMatrix symmetric_matrix(int size, const std::vector<SparseEntry>& upper) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(2 * upper.size());
  for (const SparseEntry& e : upper) {
    entries.emplace_back(e.row, e.column, e.value);
    if (e.row != e.column) entries.emplace_back(e.column, e.row, e.value);
  }
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void sum_repeated(std::vector<SparseEntry>& entries) {
  const auto before = [](const SparseEntry& a, const SparseEntry& b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  };
  std::sort(entries.begin(), entries.end(), before);
  std::size_t last = 0;
  for (std::size_t k = 1; k < entries.size(); ++k) {
    SparseEntry& to = entries[last];
    if (entries[k].row == to.row && entries[k].column == to.column)
      to.value += entries[k].value;
    else
      entries[++last] = entries[k];
  }
  if (!entries.empty()) entries.resize(last + 1);
}

}  // namespace taut
