// The coupled part of the nodal formulation: bars that share nodes, linear constraints, consistent masses.
#include <algorithm>
#include <cmath>

#include "taut/formulation/nodal.h"

namespace taut {

void Nodal::group_jacobian(const double* x, int stride, Terms& terms) const {
  for (std::size_t k = 0; k < group_entries_.size(); ++k) {
    const auto [bar, axis] = entry_source_[k];
    double value = group_entries_[k].value;
    if (bar >= 0) value *= x[stride * group_bars_[bar].b + axis] - x[stride * group_bars_[bar].a + axis];
    terms.group_jacobian[k] = value;
  }
}

// Rows of g: ½(b·b - L²) for bars, Σ c x - value for linear constraints.
void Nodal::group_residual(const double* x, int stride, double* rows) const {
  for (const RigidBar& bar : group_bars_) {
    const Vec4 b = load3(x + stride * bar.b) - load3(x + stride * bar.a);
    *rows++ = 0.5 * (dot(b, b) - bar.length * bar.length);
  }
  for (const LinearRow& row : group_rows_) {
    double g = -row.value;
    for (const auto& [coordinate, coefficient] : row.terms) g += coefficient * x[place(coordinate, stride)];
    *rows++ = g;
  }
}

// Largest violation among the constraints in use: relative for bars, in metres for linear rows.
double Nodal::group_error(const double* rows, const Terms& terms) const {
  double error = 0.0;
  for (int k = 0; k < saddle_.constraints(); ++k) {
    if (saddle_.left_out(terms.group_factor, k)) continue;
    const double length = k < static_cast<int>(group_bars_.size()) ? group_bars_[k].length : 0.0;
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

// Newton with a factorisation that is only nearly current (that of the last acceleration): linear convergence
// with a rate as small as the step. Where that stalls, a fresh factorisation is taken.
double Nodal::project_group(double* q, double* v, Terms& terms) const {
  double* const rhs = terms.group_rhs.data();
  const int n = saddle_.unknowns();
  constexpr double rounding = 3e-16;
  double first = -1.0, previous = 0.0;
  bool fresh = false;
  // A number of corrections that is asked for: each with factors of its own place.
  for (int pass = 0; pass < terms.corrections; ++pass) {
    group_jacobian(q, 3, terms);
    saddle_.factorise(terms.group_jacobian.data(), terms.group_factor);
    std::fill_n(rhs, n, 0.0);
    group_residual(q, 3, rhs + n);
    if (pass == 0) first = group_error(rhs + n, terms);
    if (!std::isfinite(first)) return -1.0;
    for (int k = 0; k < saddle_.constraints(); ++k) rhs[n + k] = -rhs[n + k];
    saddle_.solve(terms.group_factor, rhs, terms.group_scratch.data());
    for (int k = 0; k < n; ++k) q[unknowns_[k]] += rhs[k];
  }
  for (int pass = 0; terms.corrections == 0; ++pass) {
    std::fill_n(rhs, n, 0.0);
    group_residual(q, 3, rhs + n);
    const double error = group_error(rhs + n, terms);
    if (first < 0.0) first = error;
    if (error <= rounding) break;
    if (pass > 0 && !(error < 0.3 * previous)) {
      if (error < std::max(1e-13, coordinate_rounding(q, 3))) break;
      if (fresh || !std::isfinite(error)) return -1.0;
      group_jacobian(q, 3, terms);
      saddle_.factorise(terms.group_jacobian.data(), terms.group_factor);
      fresh = true;
      pass = 0;
      continue;
    }
    previous = error;
    for (int k = 0; k < saddle_.constraints(); ++k) rhs[n + k] = -rhs[n + k];
    saddle_.solve(terms.group_factor, rhs, terms.group_scratch.data());
    for (int k = 0; k < n; ++k) q[unknowns_[k]] += rhs[k];
  }
  // Velocities: the same factorisation, unless the correction was a long way; G at the corrected place; two passes
  // reach rounding.
  group_jacobian(q, 3, terms);
  if (first > 1e-6 || terms.corrections > 0) saddle_.factorise(terms.group_jacobian.data(), terms.group_factor);
  for (int pass = 0; pass < 2; ++pass) {
    std::fill(terms.group_rhs.begin(), terms.group_rhs.end(), 0.0);
    for (std::size_t k = 0; k < group_entries_.size(); ++k)
      rhs[n + group_entries_[k].row] -= terms.group_jacobian[k] * v[unknowns_[group_entries_[k].column]];
    saddle_.solve(terms.group_factor, rhs, terms.group_scratch.data());
    for (int k = 0; k < n; ++k) v[unknowns_[k]] += rhs[k];
  }
  return first;
}

// SHAKE: all corrections lie along M⁻¹G(q)ᵀ at the old place.
void Nodal::leap_group(double h, Terms& terms) const {
  double* const x = terms.x.data();
  double* const v = terms.xd.data();
  const double* const f = terms.force.data();
  group_jacobian(x, 4, terms);
  saddle_.factorise(terms.group_jacobian.data(), terms.group_factor);
  double* const rhs = terms.group_rhs.data();
  const int n = saddle_.unknowns(), bars = static_cast<int>(group_bars_.size());
  std::fill(terms.group_rhs.begin() + n, terms.group_rhs.end(), 0.0);
  for (int k = 0; k < n; ++k) rhs[k] = f[place(unknowns_[k], 4)];
  for (int k = 0; k < bars; ++k) {
    const Vec4 b_rate = load4(v + 4 * group_bars_[k].b) - load4(v + 4 * group_bars_[k].a);
    rhs[n + k] = -dot(b_rate, b_rate);
  }
  saddle_.solve(terms.group_factor, rhs, terms.group_scratch.data());
  for (int k = 0; k < n; ++k) {
    const int i = place(unknowns_[k], 4);
    v[i] += h * rhs[k];
    x[i] += h * v[i];
  }
  for (int k = 0; k < bars; ++k) terms.multiplier[group_bars_[k].bar] = -rhs[n + k];
  double previous = 0.0;
  for (int pass = 0; pass < 30; ++pass) {
    std::fill_n(rhs, n, 0.0);
    group_residual(x, 4, rhs + n);
    const double error = group_error(rhs + n, terms);
    if (error <= 3e-16 || !std::isfinite(error)) break;
    if (pass > 0 && error > 0.3 * previous && error < std::max(1e-14, coordinate_rounding(x, 4))) break;
    previous = error;
    for (int k = 0; k < saddle_.constraints(); ++k) rhs[n + k] = -rhs[n + k];
    saddle_.solve(terms.group_factor, rhs, terms.group_scratch.data());
    for (int k = 0; k < n; ++k) {
      const int i = place(unknowns_[k], 4);
      x[i] += rhs[k];
      v[i] += rhs[k] / h;
    }
    for (int k = 0; k < bars; ++k) terms.multiplier[group_bars_[k].bar] -= rhs[n + k] / (h * h);
  }
}

SparseMatrix Nodal::mass_matrix(const double*) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < nv_; ++i) entries.emplace_back(i, i, node_mass_[i / 3]);
  for (const MassPair& pair : mass_pairs_)
    for (int axis = 0; axis < 3; ++axis) {
      entries.emplace_back(3 * pair.a + axis, 3 * pair.b + axis, pair.mass);
      entries.emplace_back(3 * pair.b + axis, 3 * pair.a + axis, pair.mass);
    }
  SparseMatrix mass(nv_, nv_);
  mass.setFromTriplets(entries.begin(), entries.end());
  return mass;
}

SparseMatrix Nodal::constraint_jacobian(const double* q) const {
  std::vector<Eigen::Triplet<double>> entries;
  int row = 0;
  for (const RigidBar& bar : rigid_) {
    for (int axis = 0; axis < 3; ++axis) {
      const double b = q[3 * bar.b + axis] - q[3 * bar.a + axis];
      entries.emplace_back(row, 3 * bar.a + axis, -b);
      entries.emplace_back(row, 3 * bar.b + axis, b);
    }
    ++row;
  }
  for (const LinearRow& linear : linear_) {
    for (const auto& [coordinate, coefficient] : linear.terms) entries.emplace_back(row, coordinate, coefficient);
    ++row;
  }
  SparseMatrix jacobian(row, nv_);
  jacobian.setFromTriplets(entries.begin(), entries.end());
  return jacobian;
}

Eigen::VectorXd Nodal::constraint_values(const double* q) const {
  Eigen::VectorXd values(constraints());
  int row = 0;
  for (const RigidBar& bar : rigid_) {
    const Vec4 b = load3(q + 3 * bar.b) - load3(q + 3 * bar.a);
    values[row++] = 0.5 * (dot(b, b) - bar.length * bar.length);
  }
  for (const LinearRow& linear : linear_) {
    double g = -linear.value;
    for (const auto& [coordinate, coefficient] : linear.terms) g += coefficient * q[coordinate];
    values[row++] = g;
  }
  return values;
}

Eigen::VectorXd Nodal::constraint_bias(const double*, const double* v) const {
  Eigen::VectorXd bias = Eigen::VectorXd::Zero(constraints());
  for (std::size_t k = 0; k < rigid_.size(); ++k) {
    const Vec4 b_rate = load3(v + 3 * rigid_[k].b) - load3(v + 3 * rigid_[k].a);
    bias[static_cast<long>(k)] = -dot(b_rate, b_rate);
  }
  return bias;
}

SparseMatrix Nodal::node_map(const double*) const {
  SparseMatrix map(nv_, nv_);
  map.setIdentity();
  return map;
}

}  // namespace taut
