#include "taut/formulation/multibody/independent.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>

namespace taut::multibody {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rank_tolerance = 1e-6;  // of scaled rows, as the square root of the sparse elimination's

// R₁₁ and the pivoting of K = Q (R₁₁ R₁₂; 0 ~0) Pᵀ.
Eigen::ColPivHouseholderQR<MatrixXd> decomposition(const MatrixXd& K) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(K);
  qr.setThreshold(rank_tolerance / std::max(qr.maxPivot(), rank_tolerance));
  return qr;
}

}  // namespace

Independent::Independent(const System& system) : system_(&system), mass_pattern_(mass_pattern(system.tree)) {
  for (int c = 0; c < system.tree.nv; ++c)
    if (!system.tree.imposed[c]) free_.push_back(c);
  column_scale_.resize(static_cast<long>(free_.size()));
  for (std::size_t i = 0; i < free_.size(); ++i)
    column_scale_[static_cast<long>(i)] = std::sqrt(system.inverse_inertia[free_[i]]);
}

MatrixXd Independent::scaled_jacobian(const SystemTerms& t) {
  const Loops& loops = system_->loops;
  std::vector<int> column(system_->tree.nv, -1);
  for (std::size_t i = 0; i < free_.size(); ++i) column[free_[i]] = static_cast<int>(i);
  row_scale_.resize(loops.rows);
  for (int r = 0; r < loops.rows; ++r) row_scale_[r] = t.loops.size[r] > 0.0 ? 1.0 / std::sqrt(t.loops.size[r]) : 0.0;
  MatrixXd K = MatrixXd::Zero(loops.rows, static_cast<long>(free_.size()));
  for (std::size_t k = 0; k < loops.pattern.size(); ++k)
    if (const int c = column[loops.pattern[k].second]; c >= 0)
      K(loops.pattern[k].first, c) += row_scale_[loops.pattern[k].first] * t.loops.K[k] * column_scale_[c];
  return K;
}

// G from the choice there is; false where K_d has lost rank or an entry is too large.
bool Independent::decompose(const MatrixXd& K) {
  const long r = static_cast<long>(dependent_column_.size()), n = static_cast<long>(independent_column_.size());
  K_d_ = K(Eigen::all, dependent_column_);
  MatrixXd D(r, n);
  if (r > 0) {
    const auto qr = decomposition(K_d_);
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
    for (long k = 0; k < qr.rank(); ++k) is_dependent[qr.colsPermutation().indices()[k]] = 1;
  }
  independent_.clear(), dependent_.clear(), independent_column_.clear(), dependent_column_.clear();
  for (int i = 0; i < static_cast<int>(free_.size()); ++i) {
    (is_dependent[i] ? dependent_ : independent_).push_back(free_[i]);
    (is_dependent[i] ? dependent_column_ : independent_column_).push_back(i);
  }
  decompose(K);
  return true;
}

VectorXd Independent::g(const double* k, double* misfit) const {
  VectorXd result = VectorXd::Zero(system_->tree.nv);
  if (misfit) *misfit = 0.0;
  if (K_d_.rows() == 0) return result;
  const VectorXd rows = row_scale_.cwiseProduct(VectorXd::Map(k, K_d_.rows()));
  VectorXd x = VectorXd::Zero(K_d_.cols());
  if (K_d_.cols() > 0) x = K_d_.colPivHouseholderQr().solve(rows);
  if (misfit) *misfit = (K_d_ * x - rows).cwiseAbs().maxCoeff();
  for (long i = 0; i < x.size(); ++i) result[dependent_[i]] = x[i] * column_scale_[dependent_column_[i]];
  return result;
}

MatrixXd Independent::mass(const SystemTerms& t) const {
  std::vector<Inertia> composite(system_->tree.links.size());
  VectorXd values(static_cast<long>(mass_pattern_.size()));
  mass_matrix(system_->tree, t.tree, composite, values.data());
  MatrixXd H = MatrixXd::Zero(system_->tree.nv, system_->tree.nv);
  for (std::size_t k = 0; k < mass_pattern_.size(); ++k) {
    const auto& [i, j] = mass_pattern_[k];
    H(i, j) = H(j, i) = values[static_cast<long>(k)];
  }
  return H;
}

void Independent::accelerate(const double* q, const double* v, const DriftGains& gains, SystemTerms& t,
                             double* v_rate) {
  const System& s = *system_;
  equations(s, q, v, gains, t);
  choose(t);
  const VectorXd fixed = g(t.lambda.data()), right = VectorXd::Map(t.bias.data(), s.tree.nv);
  const MatrixXd H = mass(t);
  VectorXd a = fixed;
  if (G_.cols() > 0) a += G_ * (G_.transpose() * H * G_).ldlt().solve(G_.transpose() * (right - H * fixed));
  // Kᵀλ = H v̇ - (τ - C) on the dependent velocities.
  std::fill(t.lambda.begin(), t.lambda.end(), 0.0);
  if (!dependent_.empty()) {
    VectorXd open = H * a - right, scaled(static_cast<long>(dependent_.size()));
    for (long i = 0; i < scaled.size(); ++i) scaled[i] = open[dependent_[i]] * column_scale_[dependent_column_[i]];
    const MatrixXd transposed = K_d_.transpose();
    const VectorXd lambda = transposed.completeOrthogonalDecomposition().solve(scaled);
    for (long r = 0; r < lambda.size(); ++r) t.lambda[r] = row_scale_[r] * lambda[r];
  }
  VectorXd::Map(v_rate, s.tree.nv) = a;
  if (s.has_motion) find_imposed_torques(s, v, t, v_rate);
}

}  // namespace taut::multibody
