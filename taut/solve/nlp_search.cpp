#include "taut/solve/nlp_search.h"

#include <cmath>

#include "taut/solve/dense.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

NlpSearch::NlpSearch(const Nlp& problem, const VectorXd& start)
    : problem_(&problem), n_(problem.variables), m_(problem.equalities), p_(problem.inequalities) {
  g_scale_.setOnes(m_);
  h_scale_.setOnes(p_);
  row_.setOnes(p_);
  NlpPoint at;
  at.x = start;
  if (!values(at) || !slopes(at)) return;  // the caller sees the same
  const auto scale = [](double largest) { return largest > steepest ? steepest / largest : 1.0; };
  if (n_ == 0) return;
  for (int i = 0; i < m_; ++i) g_scale_[i] = scale(at.Jg.row(i).cwiseAbs().maxCoeff());
  for (int i = 0; i < p_; ++i) h_scale_[i] = scale(at.Jh.row(i).cwiseAbs().maxCoeff());
  objective_scale_ = scale(at.gradient.cwiseAbs().maxCoeff());
}

bool NlpSearch::values(NlpPoint& at) const {
  at.g.setZero(m_);
  at.h.setZero(p_);
  at.f = objective_scale_ * problem_->objective(at.x);
  if (m_ + p_ > 0) problem_->constraints(at.x, at.g, at.h);
  at.g = at.g.cwiseProduct(g_scale_);
  at.h = at.h.cwiseProduct(h_scale_);
  return std::isfinite(at.f) && at.g.allFinite() && at.h.allFinite();
}

bool NlpSearch::slopes(NlpPoint& at) const {
  at.gradient.setZero(n_);
  at.Jg.setZero(m_, n_);
  at.Jh.setZero(p_, n_);
  problem_->gradient(at.x, at.gradient);
  if (m_ + p_ > 0) problem_->jacobians(at.x, at.Jg, at.Jh);
  at.gradient *= objective_scale_;
  at.Jg = g_scale_.asDiagonal() * at.Jg;
  at.Jh = h_scale_.asDiagonal() * at.Jh;
  return at.gradient.allFinite() && at.Jg.allFinite() && at.Jh.allFinite();
}

//  | H + a  -Jgᵀ  -Jhᵀ | | dx |   | -(∇f - Jgᵀy - Jhᵀz) |
//  | Jg      b         | | dy | = | -g                  |
//  | Z Jh          S   | | dz |   | μ - Z h             |     ds = Jh dx + h - s
bool NlpSearch::factorise(const NlpPoint& at, double added, double softened) {
  const int size = n_ + m_ + p_;
  K_.setZero(size, size);
  K_.topLeftCorner(n_, n_) = H_;
  K_.diagonal().head(n_).array() += added;
  K_.block(0, n_, n_, m_) = -at.Jg.transpose();
  K_.block(0, n_ + m_, n_, p_) = -at.Jh.transpose();
  K_.block(n_, 0, m_, n_) = at.Jg;
  K_.diagonal().segment(n_, m_).setConstant(softened);
  row_ = at.s.cwiseMax(at.z).cwiseInverse();
  K_.block(n_ + m_, 0, p_, n_) = row_.cwiseProduct(at.z).asDiagonal() * at.Jh;
  K_.diagonal().tail(p_) = row_.cwiseProduct(at.s);
  lu_.compute(K_);
  // A pivot of nothing: constraints or curvature that depend on others.
  const VectorXd pivots = lu_.pivots().cwiseAbs();
  return size == 0 || pivots.minCoeff() > 1e-14 * K_.cwiseAbs().maxCoeff();
}

void NlpSearch::correct(const NlpPoint& at, double mu, const VectorXd& g, const VectorXd& h_less_s,
                        NlpStep& step) const {
  VectorXd right(n_ + m_ + p_);
  right.head(n_) = -(at.gradient - at.Jg.transpose() * at.y - at.Jh.transpose() * at.z);
  right.segment(n_, m_) = -g;
  right.tail(p_) = row_.cwiseProduct((mu - (at.s + h_less_s).cwiseProduct(at.z).array()).matrix());
  VectorXd d = lu_.solve(right);
  d += lu_.solve(VectorXd(right - K_ * d));
  step.x = d.head(n_);
  step.y = d.segment(n_, m_);
  step.z = d.tail(p_);
  step.s = at.Jh * step.x + h_less_s;
}

bool NlpSearch::newton(const NlpPoint& at, double mu, NlpStep& step) {
  H_.setZero(n_, n_);
  problem_->hessian(at.x, objective_scale_, at.y.cwiseProduct(g_scale_), at.z.cwiseProduct(h_scale_), H_);
  if (!H_.allFinite()) return false;
  const double size = std::max(1.0, H_.cwiseAbs().maxCoeff());
  double added = 0.0, softened = 0.0;
  for (int round = 0; round < 60; ++round) {
    const bool regular = factorise(at, added, softened);
    bool good = false;
    if (regular) {
      correct(at, mu, at.g, at.h - at.s, step);
      if (step.x.allFinite() && step.y.allFinite() && step.z.allFinite()) {
        const VectorXd along = at.Jh * step.x;
        step.curvature = step.x.dot(H_ * step.x) + added * step.x.squaredNorm() +
                         along.cwiseAbs2().cwiseProduct(at.z.cwiseQuotient(at.s)).sum();
        good = step.curvature >= 1e-12 * size * step.x.squaredNorm();
      }
    }
    if (good) {
      if (added > 0.0) last_added_ = added;
      return true;
    }
    // First the constraints are made soft, if the matrix is singular; then curvature.
    if (!regular && softened == 0.0 && m_ > 0)
      softened = 1e-8;
    else
      added = added == 0.0 ? std::max(1e-6 * size, last_added_ / 4.0) : 8.0 * added;
    if (added > 1e30 * size) break;
  }
  return false;
}

void NlpSearch::violation_part(const NlpPoint& at, VectorXd& r, MatrixXd& J) const {
  r.resize(m_ + p_);
  J.resize(m_ + p_, n_);
  r.head(m_) = at.g;
  r.tail(p_) = at.h.cwiseMin(0.0);
  J.topRows(m_) = at.Jg;
  J.bottomRows(p_) = at.Jh;
  for (int i = 0; i < p_; ++i)
    if (at.h[i] >= 0.0) J.row(m_ + i).setZero();
}

// Levenberg and Marquardt's steps.
bool NlpSearch::restore(NlpPoint& at, double tolerance) {
  double damping = 1e-3;
  VectorXd r;
  MatrixXd J;
  if (m_ + p_ == 0 || !values(at) || !slopes(at)) return false;
  for (int round = 0; round < 300; ++round) {
    violation_part(at, r, J);
    if (r.lpNorm<Eigen::Infinity>() <= tolerance) return true;
    const VectorXd slope = J.transpose() * r;
    const double size = J.squaredNorm();
    if (slope.norm() <= 1e-11 * std::sqrt(size) * r.norm()) return false;
    bool better = false;
    for (; !better && damping < 1e20; damping *= better ? 0.1 : 10.0) {
      MatrixXd normal = J.transpose() * J;
      normal.diagonal().array() += damping * std::min(size, r.norm()) + 1e-300;
      NlpPoint next = at;
      next.x += solve_symmetric(normal, -slope);
      if (!next.x.allFinite() || !values(next) || !slopes(next)) continue;
      if (!(next.g.squaredNorm() + next.h.cwiseMin(0.0).squaredNorm() < r.squaredNorm())) continue;
      better = true;
      at = std::move(next);
    }
    if (!better) return false;
  }
  return false;
}

}  // namespace taut
