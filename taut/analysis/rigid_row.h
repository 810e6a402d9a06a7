// Rigid motions as rows: what a coordinate, or a linear constraint, feels of them.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "taut/base/types.h"

namespace taut {

// Velocity of coordinate `axis` of a point at r under three translations and three rotations: v + ω × r.
inline Eigen::Matrix<double, 6, 1> rigid_row(const Vec3& r, int axis) {
  Eigen::Matrix<double, 6, 1> row = Eigen::Matrix<double, 6, 1>::Zero();
  row[axis] = 1.0;
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  row[3 + j] = r[k];  // (ω × r)_axis = ω_j r_k - ω_k r_j
  row[3 + k] = -r[j];
  return row;
}

// Adds c cᵀ to a Gram matrix, c = Σ coefficient × row over Σ |coefficient| |row|: of unit size, and left out where the
// terms cancel. A constraint that every such motion keeps, b - b₂ = 0, would otherwise count by its rounding.
template <typename Terms, typename RowOf, typename Gram>
void add_constraint_row(const Terms& terms, const RowOf& row_of, Gram& gram) {
  constexpr double rounding = 1e-12;
  auto sum = row_of(terms.front().first).eval();
  sum.setZero();
  double size = 0.0;
  for (const auto& [where, coefficient] : terms) {
    const auto row = row_of(where).eval();
    sum += coefficient * row;
    size += std::abs(coefficient) * row.norm();
  }
  if (sum.norm() > rounding * size) gram += sum * sum.transpose() / (size * size);
}

}  // namespace taut
