// Rank and null spaces of a sparse matrix: A E = Q R by Householder reflections (SuiteSparse SPQR), E an order that
// keeps R sparse. A column whose part outside the span of those before it is at most `tolerance` times the longest
// column counts as dependent.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "taut/solve/sparse/saddle.h"

namespace taut {

class SparseQr {
 public:
  // Repeated entries are summed. Throws RunError when memory runs out.
  SparseQr(int rows, int columns, const std::vector<SparseEntry>& entries, double tolerance);
  ~SparseQr();
  SparseQr(const SparseQr&) = delete;
  SparseQr& operator=(const SparseQr&) = delete;

  int rank() const;
  // Independent z with A z = 0: one for every dependent column, where its entry is 1; no other of those columns is in
  // it.
  Eigen::MatrixXd null_space() const;
  // Orthonormal y with Aᵀ y = 0.
  Eigen::MatrixXd left_null_space() const;
  // min |A x - b|, with 0 for the dependent columns.
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  // The part of b in the left null space: what no x reaches.
  Eigen::VectorXd out_of_reach(const Eigen::VectorXd& b) const;

 private:
  struct Content;
  Eigen::MatrixXd solve_all(const Eigen::MatrixXd& b) const;
  std::unique_ptr<Content> content_;
};

}  // namespace taut
