// The coupled part of the nodal formulation: bars that share nodes, linear constraints, consistent masses.
#include <algorithm>
#include <cmath>

#include "taut/formulation/nodal/nodal.h"

namespace taut {

// Only driven bars change.
void Nodal::set_lengths(double t, Coupled& own) const {
  if (driven_.empty() || own.lengths_at == t) return;
  for (int k : driven_) own.lengths[k] = length_of(group_bars_[k], t);
  own.lengths_at = t;
}

// Lengths, G and factors at the placed nodes.
Nodal::Coupled& Nodal::factorise_group(Terms& terms) const {
  Coupled& own = coupled(terms);
  set_lengths(terms.time, own);
  group_jacobian(terms.x.data(), 4, own);
  saddle_.factorise(own.jacobian.data(), own.factor);
  return own;
}

// (f, γ) -> (v̇, -λ), in the scratch; λ in the terms.
void Nodal::solve_group(const DriftGains& gains, Terms& terms) const {
  const double* const x = terms.x.data();
  const double* const v = terms.xd.data();
  Coupled& own = factorise_group(terms);
  double* const rhs = own.rhs.data();
  const int n = saddle_.unknowns(), bars = static_cast<int>(group_bars_.size());
  for (int k = 0; k < n; ++k) rhs[k] = terms.force[place(unknowns_[k], 4)];
  for (int k = 0; k < bars; ++k) {
    const RigidBar& bar = group_bars_[k];
    const BarLength& wanted = own.lengths[k];
    const Vec4 b_rate = load4(v + 4 * bar.b) - load4(v + 4 * bar.a);
    rhs[n + k] = wanted.momentum_rate() - dot(b_rate, b_rate);
    if (gains.any()) {
      const Vec4 b = load4(x + 4 * bar.b) - load4(x + 4 * bar.a);
      rhs[n + k] -= gains.velocity * (dot(b, b_rate) - wanted.momentum()) +
                    gains.position * 0.5 * (dot(b, b) - wanted.length * wanted.length);
    }
  }
  for (std::size_t k = 0; k < group_rows_.size(); ++k) {
    double g = -group_rows_[k].value, rate = 0.0;
    for (const auto& [coordinate, coefficient] : group_rows_[k].terms) {
      g += coefficient * x[place(coordinate, 4)];
      rate += coefficient * v[place(coordinate, 4)];
    }
    rhs[n + bars + static_cast<int>(k)] = -(gains.velocity * rate + gains.position * g);
  }
  saddle_.solve(own.factor, rhs, own.scratch.data());
  for (int k = 0; k < bars; ++k) terms.lambda[group_bars_[k].row] = -rhs[n + k];
  for (std::size_t k = 0; k < group_rows_.size(); ++k)
    terms.lambda[group_rows_[k].row] = -rhs[n + bars + static_cast<int>(k)];
}

// λ b·ḃ of the last solve_group().
double Nodal::group_drive_power(const Terms& terms) const {
  double power = 0.0;
  for (int k : driven_) {
    const RigidBar& bar = group_bars_[k];
    const Vec4 b = load4(terms.x.data() + 4 * bar.b) - load4(terms.x.data() + 4 * bar.a);
    const Vec4 b_rate = load4(terms.xd.data() + 4 * bar.b) - load4(terms.xd.data() + 4 * bar.a);
    power += terms.lambda[bar.row] * dot(b, b_rate);
  }
  return power;
}

double Nodal::drive_power(Terms& terms) const {
  if (driven_.empty()) return 0.0;
  solve_group({}, terms);
  return group_drive_power(terms);
}

void Nodal::group_jacobian(const double* x, int stride, Coupled& own) const {
  for (std::size_t k = 0; k < group_entries_.size(); ++k) {
    const auto [bar, axis] = entry_source_[k];
    double value = group_entries_[k].value;
    if (bar >= 0) value *= x[stride * group_bars_[bar].b + axis] - x[stride * group_bars_[bar].a + axis];
    own.jacobian[k] = value;
  }
}

// Rows of g: ½(b·b - L²) for bars, Σ c x - value for linear constraints.
void Nodal::group_residual(const double* x, int stride, const Coupled& own, double* rows) const {
  for (std::size_t k = 0; k < group_bars_.size(); ++k) {
    const Vec4 b = load3(x + stride * group_bars_[k].b) - load3(x + stride * group_bars_[k].a);
    *rows++ = 0.5 * (dot(b, b) - own.lengths[k].length * own.lengths[k].length);
  }
  for (const LinearRow& row : group_rows_) {
    double g = -row.value;
    for (const auto& [coordinate, coefficient] : row.terms) g += coefficient * x[place(coordinate, stride)];
    *rows++ = g;
  }
}

// Largest violation among the constraints in use: relative for bars, in metres for linear rows.
double Nodal::group_error(const double* rows, const Coupled& own) const {
  double error = 0.0;
  for (int k = 0; k < saddle_.constraints(); ++k) {
    if (saddle_.left_out(own.factor, k)) continue;
    const double length = k < static_cast<int>(group_bars_.size()) ? own.lengths[k].length : 0.0;
    const double scaled = std::abs(rows[k]) / (length > 0.0 ? length * length : 1.0);
    if (!(scaled <= error)) error = scaled;
  }
  return error;
}

// What the rounding of the coordinates alone leaves of constraint errors: far from the origin more than near it.
double Nodal::coordinate_rounding(const double* x, int stride) const {
  double largest = 0.0, shortest = 1.0;
  for (int i : unknowns_) largest = std::max(largest, std::abs(x[place(i, stride)]));
  for (const RigidBar& bar : group_bars_) shortest = std::min(shortest, bar.length);
  return 1e-15 * largest / shortest;
}

// A number of corrections that is asked for: each with factors of its own place. Returns the error at first, -1 when
// that is not finite.
double Nodal::correct_group(double* q, int corrections, Coupled& own) const {
  double* const rhs = own.rhs.data();
  const int n = saddle_.unknowns();
  double first = -1.0;
  for (int pass = 0; pass < corrections; ++pass) {
    group_jacobian(q, 3, own);
    saddle_.factorise(own.jacobian.data(), own.factor);
    std::fill_n(rhs, n, 0.0);
    group_residual(q, 3, own, rhs + n);
    if (pass == 0) first = group_error(rhs + n, own);
    if (!std::isfinite(first)) return -1.0;
    move_group(q, own);
  }
  return first;
}

// Newton with a factorisation that is only nearly current (that of the last acceleration): linear convergence
// with a rate as small as the step. Where that stalls, a fresh factorisation is taken. Returns the error at first, -1 when
// it does not converge.
double Nodal::converge_group(double* q, Coupled& own) const {
  double* const rhs = own.rhs.data();
  const int n = saddle_.unknowns();
  constexpr double rounding = 3e-16;
  double first = -1.0, previous = 0.0;
  bool fresh = false;
  for (int pass = 0;; ++pass) {
    std::fill_n(rhs, n, 0.0);
    group_residual(q, 3, own, rhs + n);
    const double error = group_error(rhs + n, own);
    if (first < 0.0) first = error;
    if (error <= rounding) return first;
    if (pass > 0 && !(error < 0.3 * previous)) {
      if (error < std::max(1e-13, coordinate_rounding(q, 3))) return first;
      if (fresh || !std::isfinite(error)) return -1.0;
      group_jacobian(q, 3, own);
      saddle_.factorise(own.jacobian.data(), own.factor);
      fresh = true;
      pass = 0;
      continue;
    }
    previous = error;
    move_group(q, own);
  }
}

// Takes the residuals in rhs away, as far as the factors are those of this place.
void Nodal::move_group(double* q, Coupled& own) const {
  double* const rhs = own.rhs.data();
  const int n = saddle_.unknowns();
  for (int k = 0; k < saddle_.constraints(); ++k) rhs[n + k] = -rhs[n + k];
  saddle_.solve(own.factor, rhs, own.scratch.data());
  for (int k = 0; k < n; ++k) q[unknowns_[k]] += rhs[k];
}

double Nodal::project_group(double* q, double* v, Terms& terms) const {
  Coupled& own = coupled(terms);
  set_lengths(terms.time, own);
  const double first = terms.corrections > 0 ? correct_group(q, terms.corrections, own) : converge_group(q, own);
  if (first < 0.0) return -1.0;
  // Velocities: the same factorisation, unless the correction was a long way; G at the corrected place; two passes
  // reach rounding.
  double* const rhs = own.rhs.data();
  const int n = saddle_.unknowns();
  group_jacobian(q, 3, own);
  if (first > 1e-6 || terms.corrections > 0) saddle_.factorise(own.jacobian.data(), own.factor);
  for (int pass = 0; pass < 2; ++pass) {
    std::fill(own.rhs.begin(), own.rhs.end(), 0.0);
    for (int k : driven_) rhs[n + k] = own.lengths[k].momentum();
    for (std::size_t k = 0; k < group_entries_.size(); ++k)
      rhs[n + group_entries_[k].row] -= own.jacobian[k] * v[unknowns_[group_entries_[k].column]];
    saddle_.solve(own.factor, rhs, own.scratch.data());
    for (int k = 0; k < n; ++k) v[unknowns_[k]] += rhs[k];
  }
  return first;
}

// SHAKE: all corrections lie along M⁻¹G(q)ᵀ at the old place.
void Nodal::leap_group(double h, Terms& terms) const {
  double* const x = terms.x.data();
  double* const v = terms.xd.data();
  const double* const f = terms.force.data();
  Coupled& own = factorise_group(terms);
  double* const rhs = own.rhs.data();
  const int n = saddle_.unknowns(), bars = static_cast<int>(group_bars_.size());
  std::fill(own.rhs.begin() + n, own.rhs.end(), 0.0);
  for (int k = 0; k < n; ++k) rhs[k] = f[place(unknowns_[k], 4)];
  for (int k = 0; k < bars; ++k) {
    const Vec4 b_rate = load4(v + 4 * group_bars_[k].b) - load4(v + 4 * group_bars_[k].a);
    rhs[n + k] = own.lengths[k].momentum_rate() - dot(b_rate, b_rate);
  }
  saddle_.solve(own.factor, rhs, own.scratch.data());
  set_lengths(terms.time + h, own);
  for (int k = 0; k < n; ++k) {
    const int i = place(unknowns_[k], 4);
    v[i] += h * rhs[k];
    x[i] += h * v[i];
  }
  for (int k = 0; k < bars; ++k) terms.lambda[group_bars_[k].row] = -rhs[n + k];
  keep_group(h, terms);
}

// Back on the constraints at the end of a step, with the factors of its beginning.
void Nodal::keep_group(double h, Terms& terms) const {
  double* const x = terms.x.data();
  double* const v = terms.xd.data();
  Coupled& own = coupled(terms);
  double* const rhs = own.rhs.data();
  const int n = saddle_.unknowns(), bars = static_cast<int>(group_bars_.size());
  double previous = 0.0;
  for (int pass = 0; pass < 30; ++pass) {
    std::fill_n(rhs, n, 0.0);
    group_residual(x, 4, own, rhs + n);
    const double error = group_error(rhs + n, own);
    if (error <= 3e-16 || !std::isfinite(error)) break;
    if (pass > 0 && error > 0.3 * previous && error < std::max(1e-14, coordinate_rounding(x, 4))) break;
    previous = error;
    for (int k = 0; k < saddle_.constraints(); ++k) rhs[n + k] = -rhs[n + k];
    saddle_.solve(own.factor, rhs, own.scratch.data());
    for (int k = 0; k < n; ++k) {
      const int i = place(unknowns_[k], 4);
      x[i] += rhs[k];
      v[i] += rhs[k] / h;
    }
    for (int k = 0; k < bars; ++k) terms.lambda[group_bars_[k].row] -= rhs[n + k] / (h * h);
  }
}

}  // namespace taut
