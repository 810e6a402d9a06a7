#include "taut/formulation/multibody/system/independent.h"

#include <algorithm>

#include "taut/solve/dense.h"

namespace taut::multibody {

namespace {

using Eigen::MatrixXd;

constexpr double rank_tolerance = 1e-6;  // of scaled rows, as the square root of the sparse elimination's

// R₁₁ and the pivoting of K = Q (R₁₁ R₁₂; 0 ~0) Pᵀ.
PivotedQr decomposition(const MatrixXd& K) {
  PivotedQr qr(K);
  qr.set_tolerance(rank_tolerance / std::max(qr.largest_pivot(), rank_tolerance));
  return qr;
}

}  // namespace

Independent::Independent(const System& system) : system_(&system) {
  for (int c = 0; c < system.tree.nv; ++c)
    if (!system.tree.imposed[c]) free_.push_back(c);
  column_scale_.resize(static_cast<long>(free_.size()));
  for (std::size_t i = 0; i < free_.size(); ++i)
    column_scale_[static_cast<long>(i)] = std::sqrt(system.inverse_inertia[free_[i]]);
}

MatrixXd Independent::scaled_jacobian(const SystemTerms& t) const {
  const Loops& loops = system_->loops;
  std::vector<int> column(system_->tree.nv, -1);
  for (std::size_t i = 0; i < free_.size(); ++i) column[free_[i]] = static_cast<int>(i);
  Eigen::VectorXd row_scale(loops.rows);
  for (int r = 0; r < loops.rows; ++r) row_scale[r] = t.loops.size[r] > 0.0 ? 1.0 / std::sqrt(t.loops.size[r]) : 0.0;
  MatrixXd K = MatrixXd::Zero(loops.rows, static_cast<long>(free_.size()));
  for (std::size_t k = 0; k < loops.pattern.size(); ++k)
    if (const int c = column[loops.pattern[k].second]; c >= 0)
      K(loops.pattern[k].first, c) += row_scale[loops.pattern[k].first] * t.loops.K[k] * column_scale_[c];
  return K;
}

// G from the choice there is; false where K_d has lost rank or an entry is too large.
bool Independent::decompose(const MatrixXd& K) {
  const long r = static_cast<long>(dependent_column_.size()), n = static_cast<long>(independent_column_.size());
  MatrixXd D(r, n);
  if (r > 0) {
    const auto qr = decomposition(K(Eigen::all, dependent_column_));
    if (qr.rank() < r) return false;
    if (n > 0) D = qr.solve(-K(Eigen::all, independent_column_));
  }
  largest_ = D.size() > 0 ? D.cwiseAbs().maxCoeff() : 0.0;
  G_.setZero(system_->tree.nv, n);
  for (long j = 0; j < n; ++j) {
    G_(independent_[j], j) = 1.0;
    for (long i = 0; i < r; ++i)
      G_(dependent_[i], j) = D(i, j) * column_scale_[dependent_column_[i]] / column_scale_[independent_column_[j]];
  }
  return largest_ <= worst;
}

bool Independent::choose(const SystemTerms& t) {
  const MatrixXd K = scaled_jacobian(t);
  const bool chosen = dependent_.size() + independent_.size() == free_.size() && !free_.empty();
  if (chosen && decompose(K)) return false;
  std::vector<char> is_dependent(free_.size(), 0);
  if (K.rows() > 0 && K.cols() > 0) {
    const auto qr = decomposition(K);
    const std::vector<int> order = qr.order();
    for (long k = 0; k < qr.rank(); ++k) is_dependent[order[k]] = 1;
  }
  independent_.clear(), dependent_.clear(), independent_column_.clear(), dependent_column_.clear();
  for (int i = 0; i < static_cast<int>(free_.size()); ++i) {
    (is_dependent[i] ? dependent_ : independent_).push_back(free_[i]);
    (is_dependent[i] ? dependent_column_ : independent_column_).push_back(i);
  }
  decompose(K);
  return true;
}

}  // namespace taut::multibody
