#include "taut/formulation/nodal/nodal_tangent.h"

#include <algorithm>
#include <cmath>

namespace taut {

NodalTangent::NodalTangent(const Nodal& nodal, const Cables& cables) : nodal_(nodal), forces_(*nodal.model_, cables) {
  number_unknowns();
  collect_entries();
}

void NodalTangent::evaluate(const double* q, const double* v, const double* v_rate, const Terms& terms) {
  forces_.evaluate(terms);
  time_ = terms.time;
  const SaddleFactor& factor = Nodal::coupled(terms).factor;
  if (blocks_placed_ != forces_.blocks().size()) collect_entries();
  const auto nonzero = [](double rate) { return rate != 0.0; };
  moving_ = std::any_of(v, v + nodal_.facts_.nv, nonzero) || std::any_of(v_rate, v_rate + nodal_.facts_.nv, nonzero);
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    const BarRow& bar = bars_[k];
    lambda_[k] = terms.lambda[bar.constraint];
    for (int axis = 0; axis < 3; ++axis) {
      b_[3 * k + axis] = q[3 * bar.b + axis] - q[3 * bar.a + axis];
      b_rate_[3 * k + axis] = v[3 * bar.b + axis] - v[3 * bar.a + axis];
      b_acceleration_[3 * k + axis] = v_rate[3 * bar.b + axis] - v_rate[3 * bar.a + axis];
    }
    off_[bar.row] = bar.left_out >= 0 && nodal_.saddle_.left_out(factor, bar.left_out);
  }
  for (int k = 0; k < static_cast<int>(nodal_.group_rows_.size()); ++k)
    off_[first_linear_ + k] = nodal_.saddle_.left_out(factor, static_cast<int>(nodal_.group_bars_.size()) + k);
  off_count_ = static_cast<int>(std::count(off_.begin(), off_.end(), 1));
}

bool NodalTangent::factorise(double c) {
  c_ = c;
  symmetric_ = false;
  if (forces_.symmetric() && (error_share > 0.0 || !turns())) {
    // After a vain attempt there is none for a while.
    if (wait_ == 0) {
      symmetric_ = factorise_symmetric();
      wait_ = symmetric_ ? 0 : 10;
    } else {
      --wait_;
    }
  }
  return symmetric_ || factorise_full();
}

void NodalTangent::assemble(const std::vector<int>& place, bool full, std::vector<double>& a) const {
  const double c = c_, turning = full ? c : 0.0;
  std::fill(a.begin(), a.end(), 0.0);
  for (const Entry& e : mass_) a[place[e.place]] += e.value;
  const double *by_position = forces_.by_position().data(), *by_velocity = forces_.by_velocity().data();
  for (const auto& places : force_places_)
    for (int p : places) {
      const double value = c * *by_velocity++ + c * c * *by_position++;
      if (p >= 0) a[place[p]] -= value;
    }
  for (const Entry& e : bar_force_) a[place[e.place]] -= c * c * e.value * lambda_[e.source];
  for (std::size_t k = 0; k < bar_row_.size(); ++k) {
    const Entry& e = bar_row_[k];
    if (off_[e.row]) continue;
    a[place[e.place]] += e.value * (b_[e.source] + turning * (2.0 * b_rate_[e.source] + c * b_acceleration_[e.source]));
    a[place[bar_column_place_[k]]] -= e.value * b_[e.source];
  }
  for (std::size_t k = 0; k < linear_row_.size(); ++k) {
    const Entry& e = linear_row_[k];
    if (off_[e.row]) continue;
    a[place[e.place]] += e.value;
    a[place[linear_column_place_[k]]] -= e.value;
  }
}

// What makes up for the compression of bars, as stiff as their ends.
void NodalTangent::stiffen_bars(std::vector<double>& a) {
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    const BarRow& bar = bars_[k];
    const double* const b = b_.data() + 3 * k;
    stiffener_[k] = 0.0;
    if (off_[bar.row] || c_ == 0.0) continue;
    for (int node : {bar.a, bar.b})
      for (int axis = 0; axis < 3; ++axis)
        if (const int i = unknown_of_[3 * node + axis]; i >= 0) stiffener_[k] += std::abs(a[h_diagonal_[i]]);
    stiffener_[k] /= b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
  }
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    const double* const b = b_.data() + 3 * k;
    for (int i = 0; stiffener_[k] > 0.0 && i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        a[stiffener_place_[k][6 * i + j]] += ((i < 3) == (j < 3) ? 1.0 : -1.0) * stiffener_[k] * b[i % 3] * b[j % 3];
  }
}

bool NodalTangent::factorise_symmetric() {
  std::vector<double>& a = symmetric_values_;
  assemble(symmetric_place_, false, a);
  forces_.each_turning([&](std::size_t block, const double* pull, const double* turned) {
    for (int k = 0; k < 9; ++k)
      if (const int p = force_places_[block][k]; p >= 0)
        a[symmetric_place_[p]] -= c_ * c_ * pull[k / 3] * turned[k % 3];
  });
  stiffen_bars(a);
  // Sizes of the constraints' pivots.
  const int unknowns = static_cast<int>(coordinate_of_.size());
  std::fill(row_size_.begin(), row_size_.end(), 0.0);
  for (const auto* list : {&bar_row_, &linear_row_})
    for (const Entry& e : *list) {
      const double g = a[symmetric_place_[e.place]];
      row_size_[e.row - unknowns] += g * g / a[h_diagonal_[e.column]];
    }
  ldl_->factorise(a.data(), a.data() + first_g_, row_size_.data(), 0.0, ldl_factor_);
  return ldl_factor_.singular < 0 && ldl_factor_.left_out == off_count_ && missed_share() <= error_share;
}

// The share of an error that one iteration x += S⁻¹(r - A x) leaves: the mean of two steps of the power method on
// S⁻¹(S - A). It goes on from where it was the last time, with a little of everything added for what has begun to turn
// since.
double NodalTangent::missed_share() {
  if (!turns()) return 0.0;
  double before = 0.0, after = 0.0;
  for (std::size_t k = 0; k < probe_.size(); ++k) {
    probe_[k] += 0.1 * everything_[k];
    before += probe_[k] * probe_[k];
  }
  const auto at = [&](int coordinate) { return unknown_of_[coordinate] < 0 ? 0.0 : probe_[unknown_of_[coordinate]]; };
  for (int step = 0; step < 2; ++step) {
    std::fill(rhs_.begin(), rhs_.end(), 0.0);
    for (std::size_t k = 0; k < bars_.size(); ++k)
      for (int axis = 0; axis < 3 && !off_[bars_[k].row]; ++axis)
        rhs_[bars_[k].row] -= (2.0 * c_ * b_rate_[3 * k + axis] + c_ * c_ * b_acceleration_[3 * k + axis]) *
                              (at(3 * bars_[k].b + axis) - at(3 * bars_[k].a + axis));
    forces_.each_turning([&](std::size_t block, const double* pull, const double* turned) {
      const auto& [i, j] = forces_.blocks()[block];
      const double swing = c_ * c_ * (turned[0] * at(3 * j) + turned[1] * at(3 * j + 1) + turned[2] * at(3 * j + 2));
      for (int axis = 0; axis < 3; ++axis)
        if (const int row = unknown_of_[3 * i + axis]; row >= 0) rhs_[row] -= pull[axis] * swing;
    });
    solve_symmetric();
    std::copy_n(rhs_.begin(), probe_.size(), probe_.begin());
  }
  for (double p : probe_) after += p * p;
  const double scale = 1.0 / std::sqrt(after);
  if (std::isfinite(scale))
    for (double& p : probe_) p *= scale;
  else
    probe_ = everything_;
  return std::sqrt(std::sqrt(after / before));
}

bool NodalTangent::factorise_full() {
  if (!lu_) make_full();
  std::vector<double>& a = lu_->values();
  assemble(full_place_, true, a);
  const int first = static_cast<int>(coordinate_of_.size());
  for (int row = first; row < size_; ++row)
    if (off_[row]) a[full_place_[diagonal_place_[row - first]]] += 1.0;
  return lu_->factorise();
}

void NodalTangent::solve_symmetric() {
  for (std::size_t k = 0; k < bars_.size(); ++k) {
    if (stiffener_[k] == 0.0) continue;
    const BarRow& bar = bars_[k];
    for (int axis = 0; axis < 3; ++axis) {
      const double push = stiffener_[k] * b_[3 * k + axis] * rhs_[bar.row];
      if (const int i = unknown_of_[3 * bar.a + axis]; i >= 0) rhs_[i] -= push;
      if (const int i = unknown_of_[3 * bar.b + axis]; i >= 0) rhs_[i] += push;
    }
  }
  ldl_->solve(ldl_factor_, symmetric_values_.data() + first_g_, rhs_.data());
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
  symmetric_ ? solve_symmetric() : lu_->solve(rhs_.data());
  for (std::size_t k = 0; k < coordinate_of_.size(); ++k) {
    r_v[coordinate_of_[k]] = rhs_[k];
    r_q[coordinate_of_[k]] += c_ * rhs_[k];
  }
}

// What changes of a length, its rate and second rate add to the row of its bar, by d²/dt² ½L² + k_s ½L² + k_d d/dt ½L².
double NodalTangent::by_length(const Nodal::RigidBar& bar, const Change& change) const {
  if (bar.bar < 0 || !(change.length || change.length_rate || change.length_second)) return 0.0;
  const auto of = [&](const double* list) { return list ? list[bar.bar] : 0.0; };
  const auto [stiff, damped] = change.gains;
  const BarLength now = nodal_.length_of(bar, time_);
  return (now.second + stiff * now.length + damped * now.rate) * of(change.length) +
         (2.0 * now.rate + damped * now.length) * of(change.length_rate) + now.length * of(change.length_second);
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
    if (!off_[bar.row]) rhs_[bar.row] += by_length(nodal_.rigid_[bar.constraint], change);
  symmetric_ ? solve_symmetric() : lu_->solve(rhs_.data());
  for (int i = 0; i < nodal_.facts_.nv; ++i) d_q_rate[i] = change.v ? change.v[i] : 0.0;
  std::fill_n(d_v_rate, nodal_.facts_.nv, 0.0);
  for (std::size_t k = 0; k < coordinate_of_.size(); ++k) d_v_rate[coordinate_of_[k]] = rhs_[k];
}

std::unique_ptr<Tangent> Nodal::make_tangent(const Cables& cables) const {
  return std::make_unique<NodalTangent>(*this, cables);
}

}  // namespace taut
