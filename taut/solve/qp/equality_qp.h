// Sparse quadratic programs with equality constraints,
//
//   min ½ Σ w_i z_i² - p·z   subject to   J z = b,        w_i > 0,
//
// by the factors of | W  Jᵀ; J  -δ |, which is never singular: symmetric ones where they are accurate enough, else LU.
// Repeated solutions with the residual as the right side take δ away again (the proximal method of multipliers); rows
// that depend on others are then harmless, and rows that contradict each other end as near to fulfilled as can be.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "taut/solve/sparse/saddle.h"

namespace taut {

struct EqualityQp {
  Eigen::VectorXd weight, linear;  // w, p
  std::vector<SparseEntry> jacobian;
  Eigen::VectorXd right;  // b
};

struct EqualityQpSolution {
  bool solved = false;
  Eigen::VectorXd z;
  Eigen::VectorXd multiplier;  // ν with W z - p + Jᵀν = 0
  double violation = 0.0;      // largest |J z - b|
};

EqualityQpSolution solve_equality_qp(const EqualityQp& qp, double delta = 1e-10);

}  // namespace taut
