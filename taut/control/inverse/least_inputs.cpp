#include "taut/control/inverse/least_inputs.h"

#include <fmt/format.h>

#include <cmath>

#include "taut/solve/dense.h"

namespace taut {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double dependent = 1e-9;  // of a row of norm 1: what lies outside the span of the others
constexpr double missed = 1e-9;     // of the largest input: a bound is missed

}  // namespace

// The independent equations, each divided by its norm in inputs that are scaled alike; after them, those that
// contradict the others, put into their span.
void LeastInputs::reduce(const LeastInputProblem& p) {
  const long m = p.A.rows(), n = p.A.cols();
  rows_.resize(m, n);
  right_.resize(m);
  size_.setZero(m);
  Q_.resize(m, n);
  L_.setZero(m, m);
  column_.setOnes(n);
  part_.resize(m);
  again_.resize(m);
  for (long j = 0; j < n; ++j)
    if (const double most = m > 0 ? p.A.col(j).cwiseAbs().maxCoeff() : 0.0; most > 0.0) column_[j] = most;
  row_of_.clear();
  contradicting_.clear();
  rank_ = 0;
  for (long i = 0; i < m; ++i) {
    row_ = p.A.row(i).transpose().cwiseQuotient(column_);
    const double size = row_.norm();
    if (!(size > 0.0)) {
      if (std::abs(p.b[i]) > p.rounding[i]) contradicting_.push_back(static_cast<int>(i));
      continue;
    }
    row_ /= size;
    // What the rows before it leave, taken out twice.
    const auto Q = Q_.topRows(rank_);
    auto part = part_.head(rank_), again = again_.head(rank_);
    part.noalias() = Q * row_;
    row_.noalias() -= Q.transpose() * part;
    again.noalias() = Q * row_;
    part += again;
    row_.noalias() -= Q.transpose() * again;
    const double rest = row_.norm();
    if (rest > dependent) {
      L_.row(rank_).head(rank_) = part.transpose();
      L_(rank_, rank_) = rest;
      Q_.row(rank_) = row_.transpose() / rest;
      rows_.row(rank_) = p.A.row(i) / size;
      right_[rank_] = p.b[i] / size;
      size_[rank_] = size;
      row_of_.push_back(static_cast<int>(i));
      ++rank_;
      continue;
    }
    // A combination κ of the others: does its right side fit?
    const VectorXd kappa = L_.topLeftCorner(rank_, rank_).triangularView<Eigen::Lower>().transpose().solve(part);
    double misfit = p.b[i] / size, allowed = dependent * std::abs(misfit) + p.rounding[i] / size;
    for (int k = 0; k < rank_; ++k) {
      misfit -= kappa[k] * right_[k];
      allowed += std::abs(kappa[k]) * (dependent * std::abs(right_[k]) + p.rounding[row_of_[k]] / size_[k]);
    }
    if (std::abs(misfit) > allowed) contradicting_.push_back(static_cast<int>(i));
  }
  long at = rank_;
  for (const int i : contradicting_) {
    row_ = p.A.row(i).transpose().cwiseQuotient(column_);
    const double size = row_.norm();
    const auto Q = Q_.topRows(rank_);
    rows_.row(at) = (Q.transpose() * (Q * row_)).cwiseProduct(column_).transpose() / (size > 0.0 ? size : 1.0);
    right_[at++] = p.b[i] / (size > 0.0 ? size : 1.0);
    row_of_.push_back(i);
  }
}

void LeastInputs::fill_qp(const LeastInputProblem& p) {
  const long n = p.A.cols(), rows = static_cast<long>(row_of_.size());
  qp_.P.setZero(n, n);
  qp_.P.diagonal() = p.weight;
  qp_.q.setZero(n);
  qp_.A = rows_.topRows(rows);
  qp_.b = right_.head(rows);
  qp_.C = p.C;
  qp_.l = p.least;
  qp_.u = p.most;
  qp_.lower = p.lower;
  qp_.upper = p.upper;
}

bool LeastInputs::by_qp(const LeastInputProblem& p) {
  fill_qp(p);
  QpOptions options;
  options.start = &solution_.active;
  solve_qp(qp_, workspace_, solution_, options);
  if (solution_.status == QpStatus::optimal || solution_.status == QpStatus::inaccurate) {
    u_ = solution_.x;
    return true;
  }
  if (solution_.status == QpStatus::infeasible) {
    conflict_ = solution_.conflict;
    for (QpConflict& c : conflict_)
      if (c.kind == QpKind::equality) c.index = row_of_[static_cast<std::size_t>(c.index)];
  } else {
    trouble_ = fmt::format("the quadratic programme ended as {}", name(solution_.status));
  }
  return false;
}

bool LeastInputs::by_null_space(const LeastInputProblem& p) {
  const long n = p.A.cols(), r = rank_, k = n - r;
  const VectorXd root = p.weight.cwiseSqrt();
  const MatrixXd Bt = root.cwiseInverse().asDiagonal() * rows_.topRows(r).transpose();
  MatrixXd Q = MatrixXd::Identity(n, n);
  VectorXd u0 = VectorXd::Zero(n);
  if (r > 0) {
    Q = householder_q(Bt);
    const MatrixXd R = Q.leftCols(r).transpose() * Bt;
    u0 = Q.leftCols(r) * R.triangularView<Eigen::Upper>().transpose().solve(right_.head(r));
  }
  // Bounds as rows, in √w u.
  const MatrixXd N = Q.rightCols(k);
  const MatrixXd CN = p.C * root.cwiseInverse().asDiagonal();
  const VectorXd C0 = CN * u0;
  VectorXd z = VectorXd::Zero(k);
  const double size = u0.cwiseAbs().maxCoeff();
  if (k > 0) {
    reduced_.P = N.transpose() * N;
    reduced_.q = N.transpose() * u0;
    reduced_.C.resize(n + p.C.rows(), k);
    reduced_.C.topRows(n) = N;
    reduced_.C.bottomRows(p.C.rows()) = CN * N;
    reduced_.l.resize(n + p.C.rows());
    reduced_.u.resize(n + p.C.rows());
    reduced_.l.head(n) = p.lower.cwiseProduct(root) - u0;
    reduced_.u.head(n) = p.upper.cwiseProduct(root) - u0;
    reduced_.l.tail(C0.size()) = p.least - C0;
    reduced_.u.tail(C0.size()) = p.most - C0;
    solve_qp(reduced_, workspace_, other_);
    if (other_.status != QpStatus::optimal && other_.status != QpStatus::inaccurate) return by_qp(p);
    z = other_.x;
  } else {
    // Nothing to choose: u₀ is within the bounds or nothing is.
    const VectorXd u = u0.cwiseQuotient(root), c = p.C * u;
    const auto inside = [&](double value, double low, double high, double most) {
      return value >= low - missed * most && value <= high + missed * most;
    };
    for (long j = 0; j < n; ++j)
      if (!inside(u0[j], p.lower[j] * root[j], p.upper[j] * root[j], size)) return by_qp(p);
    for (long i = 0; i < c.size(); ++i)
      if (!inside(c[i], p.least[i], p.most[i], p.C.row(i).cwiseAbs() * u.cwiseAbs())) return by_qp(p);
  }
  u_ = (u0 + N * z).cwiseQuotient(root);
  return true;
}

bool LeastInputs::by_nlp(const LeastInputProblem& p) {
  const long n = p.A.cols();
  // x = √w u / σ, with σ about as large as the solution.
  const VectorXd root = p.weight.cwiseSqrt();
  double sigma = 0.0;
  if (rank_ > 0) {
    const MatrixXd B = rows_.topRows(rank_) * root.cwiseInverse().asDiagonal();
    const VectorXd y = solve_symmetric(B * B.transpose(), right_.head(rank_));
    sigma = (B.transpose() * y).cwiseAbs().maxCoeff();
  }
  for (long j = 0; j < n; ++j)
    sigma = std::max(sigma, root[j] * std::abs(std::min(std::max(0.0, p.lower[j]), p.upper[j])));
  if (!(sigma > 0.0 && std::isfinite(sigma))) sigma = 1.0;
  const VectorXd scale = sigma * root.cwiseInverse();
  // Rows g x = e and h x ≥ f: the equations, and every side that is finite.
  std::vector<std::pair<VectorXd, double>> g, h;
  const auto add = [&](std::vector<std::pair<VectorXd, double>>& list, const VectorXd& row, double side) {
    const VectorXd scaled = row.cwiseProduct(scale);
    const double size = std::max(scaled.norm(), std::abs(side));
    list.emplace_back(scaled / (size > 0.0 ? size : 1.0), side / (size > 0.0 ? size : 1.0));
  };
  for (long i = 0; i < rank_; ++i) add(g, rows_.row(i).transpose(), right_[i]);
  const auto add_sides = [&](const VectorXd& row, double low, double high) {
    if (low == high) return add(g, row, low);
    if (std::isfinite(low)) add(h, row, low);
    if (std::isfinite(high)) add(h, -row, -high);
  };
  for (long j = 0; j < n; ++j) add_sides(VectorXd::Unit(n, j), p.lower[j], p.upper[j]);
  for (long i = 0; i < p.C.rows(); ++i) add_sides(p.C.row(i).transpose(), p.least[i], p.most[i]);
  const auto values = [](const auto& list, const VectorXd& x, VectorXd& out) {
    for (std::size_t i = 0; i < list.size(); ++i) out[static_cast<long>(i)] = list[i].first.dot(x) - list[i].second;
  };
  const auto slopes = [](const auto& list, MatrixXd& out) {
    for (std::size_t i = 0; i < list.size(); ++i) out.row(static_cast<long>(i)) = list[i].first.transpose();
  };
  Nlp nlp;
  nlp.variables = static_cast<int>(n);
  nlp.equalities = static_cast<int>(g.size());
  nlp.inequalities = static_cast<int>(h.size());
  nlp.objective = [](const VectorXd& x) { return 0.5 * x.squaredNorm(); };
  nlp.gradient = [](const VectorXd& x, VectorXd& out) { out = x; };
  nlp.constraints = [&](const VectorXd& x, VectorXd& go, VectorXd& ho) {
    values(g, x, go);
    values(h, x, ho);
  };
  nlp.jacobians = [&](const VectorXd&, MatrixXd& Jg, MatrixXd& Jh) {
    slopes(g, Jg);
    slopes(h, Jh);
  };
  nlp.hessian = [](const VectorXd&, double weight, const VectorXd&, const VectorXd&, MatrixXd& H) {
    H.setIdentity();
    H *= weight;
  };
  const NlpSolution found = solve_nlp(nlp, VectorXd::Zero(n));
  if (found.status == NlpStatus::optimal ||
      (found.status == NlpStatus::inaccurate &&
       std::max({found.infeasibility, found.stationarity, std::sqrt(found.complementarity)}) <= missed)) {
    u_ = found.x.cwiseProduct(scale);
    return true;
  }
  // The active set names what is in the way, or finds what only just can be.
  if (found.status == NlpStatus::infeasible) return by_qp(p);
  trouble_ = fmt::format("the nonlinear programme ended as {}", name(found.status));
  return false;
}

// Least squares of A u - b within the bounds; where even those exclude each other, within those of the inputs.
void LeastInputs::come_near(const LeastInputProblem& p) {
  const long n = p.A.cols();
  near_.P = p.A.transpose() * p.A;
  const double most = n > 0 ? near_.P.diagonal().maxCoeff() : 0.0;
  near_.P.diagonal() += (1e-10 * (most > 0.0 ? most : 1.0) / p.weight.maxCoeff()) * p.weight;
  near_.q = -p.A.transpose() * p.b;
  near_.C = p.C;
  near_.l = p.least;
  near_.u = p.most;
  near_.upper = p.upper;
  near_.lower = p.lower.cwiseMin(p.upper);
  const auto done = [&] { return other_.status == QpStatus::optimal || other_.status == QpStatus::inaccurate; };
  solve_qp(near_, workspace_, other_);
  if (!done()) {
    near_.C.resize(0, n);
    near_.l.resize(0);
    near_.u.resize(0);
    solve_qp(near_, workspace_, other_);
  }
  u_ = done() ? other_.x : VectorXd(VectorXd::Zero(n));
}

bool LeastInputs::solve(const LeastInputProblem& p, InverseMethod method) {
  conflict_.clear();
  trouble_.clear();
  reduce(p);
  bool found = false;
  if (!contradicting_.empty() || method == InverseMethod::qp)
    found = by_qp(p);
  else
    found = method == InverseMethod::null_space ? by_null_space(p) : by_nlp(p);
  if (!found) come_near(p);
  u_ = u_.cwiseMin(p.upper).cwiseMax(p.lower.cwiseMin(p.upper));
  return found;
}

}  // namespace taut
