// Implicit steps of the nodal formulation. With δq = r_q + c δv the system (I - cJ) δ = r becomes, per free coordinate
// and constraint,
//
//   | M - cD - c²K'   -Gᵀ | | δv  |   | M r_v + c K' r_q          |
//   | G + 2cĠ + c²Ä    0  | | cδλ | = | G r_v - c Ä r_q           |
//
// K' = ∂f/∂x + ∂(Gᵀλ)/∂x, D = ∂f/∂ẋ; rows of Ġ and Ä hold ḃ and the relative acceleration of a bar's ends where G holds
// b.
#include <array>

#include "taut/formulation/force_tangent.h"
#include "taut/formulation/nodal.h"
#include "taut/formulation/tangent.h"
#include "taut/solve/sparse_lu.h"

namespace taut {

class NodalTangent final : public Tangent {
 public:
  NodalTangent(const Nodal& nodal, const Cables& cables) : nodal_(nodal), forces_(*nodal.model_, cables) {
    number_unknowns();
    collect_entries();
  }

  void evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) override;
  bool factorise(double c) override;
  void solve(double* r_q, double* r_v) override;
  void multiply(const Change& change, double* d_q_rate, double* d_v_rate) override;

 private:
  struct Entry {
    int row, column;  // unknowns
    double value;     // constant, or coefficient
    int source;       // index of the value, -1: constant
    int place;
  };
  struct BarRow {
    int a, b, bar, row;
    int left_out;  // constraint number in the coupled group, -1 for a lone bar
  };

  void number_unknowns();
  void collect_entries();
  void add_product(const std::vector<double>& blocks, double factor, const double* r, double* out) const;
  // A change with nothing along fixed axes.
  const double* free_part(const double* change) {
    free_.assign(change, change + nodal_.nv_);
    for (int i : nodal_.still_) free_[i] = 0.0;
    return free_.data();
  }

  const Nodal& nodal_;
  ForceTangent forces_;
  std::vector<int> unknown_of_, coordinate_of_;
  std::vector<BarRow> bars_;
  int first_linear_ = 0, size_ = 0;
  std::vector<Entry> mass_, bar_force_;           // upper left block
  std::vector<std::array<int, 9>> force_places_;  // of every block of forces; -1: fixed
  std::vector<Entry> bar_row_, linear_row_;       // constraint rows
  std::vector<int> bar_column_place_, linear_column_place_, diagonal_place_;
  std::vector<double> lambda_;
  std::vector<double> b_, b_rate_, b_acceleration_;  // 3 per bar row
  std::vector<char> off_;                            // constraint rows that are left out
  std::size_t blocks_placed_ = 0;                    // of the forces, in the matrix
  std::unique_ptr<SparseLu> lu_;
  std::vector<double> rhs_, free_;
  double c_ = 0.0;
};

void NodalTangent::number_unknowns() {
  const int n = nodal_.nq_;
  unknown_of_.assign(n, -1);
  for (int i = 0; i < n; ++i)
    if (!nodal_.model_->nodes[i / 3].fixed[i % 3]) {
      unknown_of_[i] = static_cast<int>(coordinate_of_.size());
      coordinate_of_.push_back(i);
    }
  int row = static_cast<int>(coordinate_of_.size());
  const auto add = [&](int a, int b, int bar, int left_out) { bars_.push_back({a, b, bar, row++, left_out}); };
  for (const auto& bar : nodal_.free_bars_) add(bar.a, bar.b, bar.bar, -1);
  for (const auto& bar : nodal_.guided_bars_) add(bar.a, bar.b, bar.bar, -1);
  for (std::size_t k = 0; k < nodal_.group_bars_.size(); ++k)
    add(nodal_.group_bars_[k].a, nodal_.group_bars_[k].b, nodal_.group_bars_[k].bar, static_cast<int>(k));
  first_linear_ = row;
  size_ = row + static_cast<int>(nodal_.group_rows_.size());
}

void NodalTangent::collect_entries() {
  std::vector<std::pair<int, int>> pattern;
  for (auto* list : {&mass_, &bar_force_, &bar_row_, &linear_row_}) list->clear();
  force_places_.clear();
  for (auto* list : {&bar_column_place_, &linear_column_place_, &diagonal_place_}) list->clear();
  blocks_placed_ = forces_.blocks().size();
  const auto add = [&](std::vector<Entry>& list, int i, int j, double value, int source) {
    const int row = unknown_of_[i], column = unknown_of_[j];
    if (row < 0 || column < 0) return;
    list.push_back({row, column, value, source, static_cast<int>(pattern.size())});
    pattern.emplace_back(row, column);
  };
  for (int i = 0; i < nodal_.nq_; ++i) add(mass_, i, i, nodal_.node_mass_[i / 3], -1);
  for (const auto& pair : nodal_.mass_pairs_)
    for (int axis = 0; axis < 3; ++axis) {
      add(mass_, 3 * pair.a + axis, 3 * pair.b + axis, pair.mass, -1);
      add(mass_, 3 * pair.b + axis, 3 * pair.a + axis, pair.mass, -1);
    }
  for (const auto& [i, j] : forces_.blocks()) {
    std::array<int, 9>& places = force_places_.emplace_back();
    for (int k = 0; k < 9; ++k) {
      const int row = unknown_of_[3 * i + k / 3], column = unknown_of_[3 * j + k % 3];
      places[k] = row < 0 || column < 0 ? -1 : static_cast<int>(pattern.size());
      if (places[k] >= 0) pattern.emplace_back(row, column);
    }
  }
  // Multiplier forces ±λ b, and the constraint rows with their columns.
  const auto add_row = [&](std::vector<Entry>& list, std::vector<int>& columns, int row, int coordinate, double value,
                           int k) {
    const int column = unknown_of_[coordinate];
    if (column < 0) return;
    list.push_back({row, column, value, k, static_cast<int>(pattern.size())});
    pattern.emplace_back(row, column);
    columns.push_back(static_cast<int>(pattern.size()));
    pattern.emplace_back(column, row);
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
    diagonal_place_.push_back(static_cast<int>(pattern.size()));
    pattern.emplace_back(row, row);
  }
  lu_ = std::make_unique<SparseLu>(size_, pattern);
  // From the order of the pattern to places in the matrix.
  for (auto* list : {&mass_, &bar_force_, &bar_row_, &linear_row_})
    for (Entry& e : *list) e.place = lu_->place(e.place);
  for (auto& places : force_places_)
    for (int& p : places)
      if (p >= 0) p = lu_->place(p);
  for (auto* list : {&bar_column_place_, &linear_column_place_, &diagonal_place_})
    for (int& p : *list) p = lu_->place(p);
  lambda_.assign(bars_.size(), 0.0);
  b_.assign(3 * bars_.size(), 0.0);
  b_rate_ = b_acceleration_ = b_;
  off_.assign(size_, 0);
  rhs_.assign(size_, 0.0);
}

void NodalTangent::evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) {
  forces_.evaluate(terms);
  if (blocks_placed_ != forces_.blocks().size()) collect_entries();
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    const BarRow& bar = bars_[k];
    lambda_[k] = terms.multiplier[bar.bar];
    for (int axis = 0; axis < 3; ++axis) {
      b_[3 * k + axis] = q[3 * bar.b + axis] - q[3 * bar.a + axis];
      b_rate_[3 * k + axis] = v[3 * bar.b + axis] - v[3 * bar.a + axis];
      b_acceleration_[3 * k + axis] = v_rate[3 * bar.b + axis] - v_rate[3 * bar.a + axis];
    }
    off_[bar.row] = bar.left_out >= 0 && nodal_.saddle_.left_out(terms.group_factor, bar.left_out);
  }
  for (int k = 0; k < static_cast<int>(nodal_.group_rows_.size()); ++k)
    off_[first_linear_ + k] =
        nodal_.saddle_.left_out(terms.group_factor, static_cast<int>(nodal_.group_bars_.size()) + k);
}

bool NodalTangent::factorise(double c) {
  c_ = c;
  std::vector<double>& a = lu_->values();
  std::fill(a.begin(), a.end(), 0.0);
  for (const Entry& e : mass_) a[e.place] += e.value;
  const double *by_position = forces_.by_position().data(), *by_velocity = forces_.by_velocity().data();
  for (const auto& places : force_places_)
    for (int p : places) {
      const double value = c * *by_velocity++ + c * c * *by_position++;
      if (p >= 0) a[p] -= value;
    }
  for (const Entry& e : bar_force_) a[e.place] -= c * c * e.value * lambda_[e.source];
  for (std::size_t k = 0; k < bar_row_.size(); ++k) {
    const Entry& e = bar_row_[k];
    if (off_[e.row]) continue;
    a[e.place] += e.value * (b_[e.source] + 2.0 * c * b_rate_[e.source] + c * c * b_acceleration_[e.source]);
    a[bar_column_place_[k]] -= e.value * b_[e.source];
  }
  for (std::size_t k = 0; k < linear_row_.size(); ++k) {
    const Entry& e = linear_row_[k];
    if (off_[e.row]) continue;
    a[e.place] += e.value;
    a[linear_column_place_[k]] -= e.value;
  }
  const int first = static_cast<int>(coordinate_of_.size());
  for (int row = first; row < size_; ++row)
    if (off_[row]) a[diagonal_place_[row - first]] += 1.0;
  return lu_->factorise();
}

// out += factor K r, block by block: the entries one by one would be four times as much to read.
void NodalTangent::add_product(const std::vector<double>& blocks, double factor, const double* r, double* out) const {
  const double* block = blocks.data();
  for (const auto& [i, j] : forces_.blocks()) {
    for (int axis = 0; axis < 3; ++axis, block += 3) {
      const double sum = block[0] * r[3 * j] + block[1] * r[3 * j + 1] + block[2] * r[3 * j + 2];
      if (const int row = unknown_of_[3 * i + axis]; row >= 0) out[row] += factor * sum;
    }
  }
}

void NodalTangent::solve(double* r_q, double* r_v) {
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  // Fixed coordinates do not move.
  for (int i : nodal_.still_) r_q[i] = r_v[i] = 0.0;
  const auto rv = [&](int unknown) { return r_v[coordinate_of_[unknown]]; };
  for (const Entry& e : mass_) rhs_[e.row] += e.value * rv(e.column);
  add_product(forces_.by_position(), c_, r_q, rhs_.data());
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    const BarRow& bar = bars_[k];
    double row = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      const int i = 3 * bar.a + axis, j = 3 * bar.b + axis;
      const double push = c_ * lambda_[k] * (r_q[j] - r_q[i]);
      if (unknown_of_[i] >= 0) rhs_[unknown_of_[i]] -= push;
      if (unknown_of_[j] >= 0) rhs_[unknown_of_[j]] += push;
      row += b_[3 * k + axis] * (r_v[j] - r_v[i]) - c_ * b_acceleration_[3 * k + axis] * (r_q[j] - r_q[i]);
    }
    if (!off_[bar.row]) rhs_[bar.row] += row;
  }
  for (const Entry& e : linear_row_)
    if (!off_[e.row]) rhs_[e.row] += e.value * rv(e.column);
  lu_->solve(rhs_.data());
  for (std::size_t k = 0; k < coordinate_of_.size(); ++k) {
    r_v[coordinate_of_[k]] = rhs_[k];
    r_q[coordinate_of_[k]] += c_ * rhs_[k];
  }
}

void NodalTangent::multiply(const Change& change, double* d_q_rate, double* d_v_rate) {
  factorise(0.0);  // (M, -Gᵀ; G, 0)
  std::fill(rhs_.begin(), rhs_.end(), 0.0);
  const auto dq = [&](int unknown) { return change.q ? change.q[coordinate_of_[unknown]] : 0.0; };
  const auto dv = [&](int unknown) { return change.v ? change.v[coordinate_of_[unknown]] : 0.0; };
  for (std::size_t k = 0; change.force && k < coordinate_of_.size(); ++k) rhs_[k] = change.force[coordinate_of_[k]];
  if (change.q) add_product(forces_.by_position(), 1.0, free_part(change.q), rhs_.data());
  if (change.v) add_product(forces_.by_velocity(), 1.0, free_part(change.v), rhs_.data());
  for (const Entry& e : bar_force_) rhs_[e.row] += e.value * lambda_[e.source] * dq(e.column);
  for (const Entry& e : bar_row_)
    if (!off_[e.row])
      rhs_[e.row] -= e.value * (b_acceleration_[e.source] * dq(e.column) + 2.0 * b_rate_[e.source] * dv(e.column));
  // -k_s δg - k_d δġ, with g = ½(b·b - L²).
  const auto [stiff, damped] = change.gains;
  for (const Entry& e : bar_row_)
    if (!off_[e.row] && change.gains.any())
      rhs_[e.row] -= e.value * (stiff * b_[e.source] * dq(e.column) +
                                damped * (b_[e.source] * dv(e.column) + b_rate_[e.source] * dq(e.column)));
  for (const Entry& e : linear_row_)
    if (!off_[e.row]) rhs_[e.row] -= e.value * (stiff * dq(e.column) + damped * dv(e.column));
  for (const BarRow& bar : bars_)
    if (change.length && !off_[bar.row] && bar.bar < static_cast<int>(nodal_.model_->bars.size()))
      rhs_[bar.row] += stiff * nodal_.model_->bars[bar.bar].rest_length * change.length[bar.bar];
  lu_->solve(rhs_.data());
  for (int i = 0; i < nodal_.nv_; ++i) d_q_rate[i] = change.v ? change.v[i] : 0.0;
  std::fill_n(d_v_rate, nodal_.nv_, 0.0);
  for (std::size_t k = 0; k < coordinate_of_.size(); ++k) d_v_rate[coordinate_of_[k]] = rhs_[k];
}

std::unique_ptr<Tangent> Nodal::make_tangent(const Cables& cables) const {
  return std::make_unique<NodalTangent>(*this, cables);
}

}  // namespace taut
