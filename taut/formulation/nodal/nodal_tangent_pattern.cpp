// The unknowns and the pattern of the nodal formulation's implicit steps, and the factorisations made for it.
#include <algorithm>
#include <cmath>

#include "taut/formulation/nodal/nodal_tangent.h"

namespace taut {

void NodalTangent::number_unknowns() {
  const int n = nodal_.facts_.nq;
  unknown_of_.assign(n, -1);
  for (int i = 0; i < n; ++i)
    if (!nodal_.model_->nodes[i / 3].fixed[i % 3]) {
      unknown_of_[i] = static_cast<int>(coordinate_of_.size());
      coordinate_of_.push_back(i);
    }
  int row = static_cast<int>(coordinate_of_.size());
  const auto add = [&](int a, int b, int of, int left_out) { bars_.push_back({a, b, of, row++, left_out}); };
  for (const auto& bar : nodal_.free_bars_) add(bar.a, bar.b, bar.row, -1);
  for (const auto& bar : nodal_.guided_bars_) add(bar.a, bar.b, bar.row, -1);
  for (std::size_t k = 0; k < nodal_.group_bars_.size(); ++k)
    add(nodal_.group_bars_[k].a, nodal_.group_bars_[k].b, nodal_.group_bars_[k].row, static_cast<int>(k));
  first_linear_ = row;
  size_ = row + static_cast<int>(nodal_.group_rows_.size());
}

void NodalTangent::collect_entries() {
  pattern_.clear();
  for (auto* list : {&mass_, &bar_force_, &bar_row_, &linear_row_}) list->clear();
  force_places_.clear();
  for (auto* list : {&bar_column_place_, &linear_column_place_, &diagonal_place_}) list->clear();
  blocks_placed_ = forces_.blocks().size();
  const auto add = [&](std::vector<Entry>& list, int i, int j, double value, int source) {
    const int row = unknown_of_[i], column = unknown_of_[j];
    if (row < 0 || column < 0) return;
    list.push_back({row, column, value, source, static_cast<int>(pattern_.size())});
    pattern_.emplace_back(row, column);
  };
  for (int i = 0; i < nodal_.facts_.nq; ++i) add(mass_, i, i, nodal_.node_mass_[i / 3], -1);
  for (const auto& pair : nodal_.mass_pairs_)
    for (int axis = 0; axis < 3; ++axis) {
      add(mass_, 3 * pair.a + axis, 3 * pair.b + axis, pair.mass, -1);
      add(mass_, 3 * pair.b + axis, 3 * pair.a + axis, pair.mass, -1);
    }
  for (const auto& [i, j] : forces_.blocks()) {
    std::array<int, 9>& places = force_places_.emplace_back();
    for (int k = 0; k < 9; ++k) {
      const int row = unknown_of_[3 * i + k / 3], column = unknown_of_[3 * j + k % 3];
      places[k] = row < 0 || column < 0 ? -1 : static_cast<int>(pattern_.size());
      if (places[k] >= 0) pattern_.emplace_back(row, column);
    }
  }
  // Multiplier forces ±λ b, and the constraint rows with their columns.
  const auto add_row = [&](std::vector<Entry>& list, std::vector<int>& columns, int row, int coordinate, double value,
                           int k) {
    const int column = unknown_of_[coordinate];
    if (column < 0) return;
    list.push_back({row, column, value, k, static_cast<int>(pattern_.size())});
    pattern_.emplace_back(row, column);
    columns.push_back(static_cast<int>(pattern_.size()));
    pattern_.emplace_back(column, row);
  };
  for (int k = 0; k < static_cast<int>(bars_.size()); ++k)
    for (int axis = 0; axis < 3; ++axis) {
      const int i = 3 * bars_[k].a + axis, j = 3 * bars_[k].b + axis;
      add(bar_force_, i, i, 1.0, k);
      add(bar_force_, j, j, 1.0, k);
      add(bar_force_, i, j, -1.0, k);
      add(bar_force_, j, i, -1.0, k);
      add_row(bar_row_, bar_column_place_, bars_[k].row, i, -1.0, 3 * k + axis);
      add_row(bar_row_, bar_column_place_, bars_[k].row, j, 1.0, 3 * k + axis);
    }
  for (int k = 0; k < static_cast<int>(nodal_.group_rows_.size()); ++k)
    for (const auto& [coordinate, coefficient] : nodal_.group_rows_[k].terms)
      add_row(linear_row_, linear_column_place_, first_linear_ + k, coordinate, coefficient, -1);
  for (int row = static_cast<int>(coordinate_of_.size()); row < size_; ++row) {
    diagonal_place_.push_back(static_cast<int>(pattern_.size()));
    pattern_.emplace_back(row, row);
  }
  lambda_.assign(bars_.size(), 0.0);
  b_.assign(3 * bars_.size(), 0.0);
  b_rate_ = b_acceleration_ = b_;
  off_.assign(size_, 0);
  rhs_.assign(size_, 0.0);
  lu_.reset();
  if (forces_.symmetric()) make_symmetric();
}

// Calls f(row, column, k) for the 6 × 6 entries of each bar's stiffener; -1 for coordinates that are no unknowns.
template <class F>
void NodalTangent::each_stiffener(const F& f) const {
  for (const BarRow& bar : bars_)
    for (int k = 0; k < 36; ++k) {
      const auto unknown = [&](int i) { return unknown_of_[3 * (i < 3 ? bar.a : bar.b) + i % 3]; };
      f(unknown(k / 6), unknown(k % 6), k);
    }
}

// Every entry of H on or below the diagonal, once.
std::vector<std::pair<int, int>> NodalTangent::lower_entries() const {
  const int unknowns = static_cast<int>(coordinate_of_.size());
  std::vector<std::pair<int, int>> h;
  for (const auto& [row, column] : pattern_)
    if (row < unknowns && column <= row) h.emplace_back(row, column);
  each_stiffener([&](int row, int column, int) {
    if (column >= 0 && row >= column) h.emplace_back(row, column);
  });
  std::sort(h.begin(), h.end());
  h.erase(std::unique(h.begin(), h.end()), h.end());
  return h;
}

// Of each constraint, the unknown that follows others by it; -1 for none.
std::vector<int> NodalTangent::followers(int rows) const {
  std::vector<int> follower(rows, -1);
  const int grouped = static_cast<int>(nodal_.group_bars_.size() + nodal_.group_rows_.size());
  for (int k = 0; k < grouped; ++k)
    if (const int i = nodal_.saddle_.follower(k); i >= 0)
      follower[rows - grouped + k] = unknown_of_[nodal_.unknowns_[i]];
  return follower;
}

void NodalTangent::make_symmetric() {
  const int unknowns = static_cast<int>(coordinate_of_.size());
  const std::vector<std::pair<int, int>> h = lower_entries();
  std::vector<std::pair<int, int>> g;
  const auto place_in_h = [&](int row, int column) {
    return static_cast<int>(std::lower_bound(h.begin(), h.end(), std::pair(row, column)) - h.begin());
  };
  // Entries of G, and the places of all.
  first_g_ = static_cast<int>(h.size());
  symmetric_place_.clear();
  for (const auto& [row, column] : pattern_)
    if (row >= unknowns && column < unknowns) g.emplace_back(row - unknowns, column);
  const int elsewhere = first_g_ + static_cast<int>(g.size());
  int next_g = first_g_;
  for (const auto& [row, column] : pattern_) {
    const bool in_h = row < unknowns && column <= row, in_g = row >= unknowns && column < unknowns;
    symmetric_place_.push_back(in_h ? place_in_h(row, column) : in_g ? next_g++ : elsewhere);
  }
  stiffener_place_.assign(bars_.size(), {});
  int at = 0;
  each_stiffener([&](int row, int column, int k) {
    stiffener_place_[at++ / 36][k] = column >= 0 && row >= column ? place_in_h(row, column) : elsewhere;
  });
  h_diagonal_.clear();
  for (int i = 0; i < unknowns; ++i) h_diagonal_.push_back(place_in_h(i, i));
  // What follows others is eliminated with its constraint.
  const int rows = size_ - unknowns;
  ldl_ = std::make_unique<Kkt>(unknowns, rows, h, g, std::vector<double>(rows, 0.0), followers(rows));
  ldl_factor_ = ldl_->make_factor();
  symmetric_values_.assign(elsewhere + 1, 0.0);
  row_size_.assign(rows, 0.0);
  stiffener_.assign(bars_.size(), 0.0);
  everything_.resize(unknowns);
  for (int i = 0; i < unknowns; ++i) everything_[i] = std::cos(1.0 + i) / std::sqrt(0.5 * unknowns);
  probe_ = everything_;
}

void NodalTangent::make_full() {
  lu_ = std::make_unique<SparseLu>(size_, pattern_);
  full_place_.clear();
  for (int k = 0; k < static_cast<int>(pattern_.size()); ++k) full_place_.push_back(lu_->place(k));
}

}  // namespace taut
