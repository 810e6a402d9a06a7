#include "taut/solve/spectrum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "taut/solve/dense.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int least_block = 6;         // as many as a free body has rigid motions
constexpr long most_vectors = 400;     // where convergence is that slow, more will not bring it
constexpr double in_the_space = 1e-7;  // of a vector: less is left than full orthogonality can trust

// Norms of columns in M.
VectorXd norms(const MatrixXd& X, const MatrixXd& MX) {
  return X.cwiseProduct(MX).colwise().sum().cwiseMax(0.0).cwiseSqrt().transpose();
}

}  // namespace

KrylovSpace::KrylovSpace(const EigenOperators& operators, int block, const MatrixXd& start)
    : of_(operators), block_(block), start_(start) {}

MatrixXd KrylovSpace::apply(const MatrixXd& X) const {
  MatrixXd result = times_mass(X);
  of_.solve(result);
  return result;
}

void KrylovSpace::grow() {
  MatrixXd next;
  if (fresh_.cols() > 0) {
    next = fresh_;
  } else {
    // What the space holds is taken out of random vectors before they are multiplied, or zeros, which grow by 1/σ, would
    // drown the rest.
    next.resize(of_.unknowns, block_);
    for (double& x : next.reshaped()) x = static_cast<double>(random_() >> 11) * 0x1.0p-53 - 0.5;
    if (start_.cols() > 0) next.leftCols(start_.cols()) = start_;
    start_.resize(0, 0);
    if (V_.cols() > 0) next -= V_ * (MV_.transpose() * next);
    next = apply(next);
  }
  const long before = V_.cols();
  join(next);
  fruitless_ = V_.cols() > before ? 0 : fruitless_ + 1;
  const MatrixXd added = V_.rightCols(V_.cols() - before);
  fresh_ = added.cols() > 0 ? apply(added) : MatrixXd();
  if (added.cols() == 0) return;
  OV_.conservativeResize(of_.unknowns, V_.cols());
  OV_.rightCols(added.cols()) = fresh_;
  T_.conservativeResize(V_.cols(), V_.cols());
  const MatrixXd T = MV_.transpose() * fresh_;
  T_.rightCols(added.cols()) = T;
  T_.bottomRows(added.cols()) = T.transpose();
}

int KrylovSpace::ritz(int count, double good, VectorXd& value, MatrixXd* y, bool by_size) const {
  const SymmetricEigen solver = symmetric_eigen(0.5 * (T_ + T_.transpose()));
  const long p = T_.rows(), k = std::min<long>(count, p);
  std::vector<long> order(p);
  for (long i = 0; i < p; ++i) order[i] = p - 1 - i;
  if (by_size)
    std::stable_sort(order.begin(), order.end(),
                     [&](long i, long j) { return std::abs(solver.values[i]) > std::abs(solver.values[j]); });
  MatrixXd Y(p, k);
  value.resize(k);
  for (long i = 0; i < k; ++i) value[i] = solver.values[order[i]], Y.col(i) = solver.vectors.col(order[i]);
  const MatrixXd vectors = V_ * Y, left = OV_ * Y - vectors * value.asDiagonal();
  const VectorXd residual = norms(left, times_mass(left));
  int done = 0;
  while (done < k && residual[done] <= good * std::abs(value[done])) ++done;
  if (y != nullptr) *y = std::move(Y);
  return done;
}

// x - V VᵀM x, twice.
void KrylovSpace::take_out(VectorXd& x) const {
  for (int sweep = 0; sweep < 2 && V_.cols() > 0; ++sweep) x -= V_ * (MV_.transpose() * x);
}

// Back onto the constraints: what is left of a vector after much was taken from it keeps all of its rounding, and over
// many vectors that grows.
void KrylovSpace::put_back(VectorXd& x) const {
  if (!of_.stiffness) return;
  MatrixXd force = of_.stiffness(x) + of_.shift * times_mass(x);
  of_.solve(force);
  x = force.col(0);
}

// Columns orthonormal to all before and to each other, in M; what is in the space already falls away.
void KrylovSpace::join(const MatrixXd& X) {
  const VectorXd before = norms(X, times_mass(X));
  for (long j = 0; j < X.cols() && !full(); ++j) {
    VectorXd x = X.col(j);
    take_out(x);
    VectorXd Mx = times_mass(x);
    double after = std::sqrt(std::max(x.dot(Mx), 0.0));
    if (!(after > in_the_space * before[j]) || !std::isfinite(after)) continue;
    x /= after;
    put_back(x);
    take_out(x);
    Mx = times_mass(x);
    after = std::sqrt(std::max(x.dot(Mx), 0.0));
    if (!(after > 0.5) || !std::isfinite(after)) continue;  // it was rounding
    V_.conservativeResize(of_.unknowns, V_.cols() + 1);
    MV_.conservativeResize(of_.unknowns, V_.cols());
    V_.col(V_.cols() - 1) = x / after;
    MV_.col(V_.cols() - 1) = Mx / after;
  }
}

Eigenpairs lowest_eigenpairs(const EigenOperators& of, int count, const MatrixXd& start, double tolerance) {
  Eigenpairs result;
  count = std::min(count, of.freedoms);
  KrylovSpace space(of, std::max({count, least_block, static_cast<int>(start.cols())}), start);
  MatrixXd KV(of.unknowns, 0);
  while (count > 0 && !result.converged && !space.full() && space.size() < most_vectors) {
    space.grow();
    const MatrixXd& V = space.vectors();
    const long added = V.cols() - KV.cols();
    KV.conservativeResize(of.unknowns, V.cols());
    if (added > 0) KV.rightCols(added) = of.stiffness(V.rightCols(added));  // no direction may be of any size
    if (V.cols() < count) continue;
    // K itself on the space: zeros come out as zeros, whatever σ is.
    const SymmetricEigen ritz = symmetric_eigen(V.transpose() * KV);
    const MatrixXd Y = ritz.vectors.leftCols(count);
    result.values = ritz.values.head(count);
    result.vectors = V * Y;
    MatrixXd rest = result.vectors - space.solved() * Y * (result.values.array() + of.shift).matrix().asDiagonal();
    rest -= V * (space.mass_times().transpose() * rest);
    result.residuals = norms(rest, of.mass ? of.mass(rest) : rest);
    result.converged = result.residuals.maxCoeff() <= tolerance;
  }
  return result;
}

VectorXd many_directions(long size) {
  VectorXd v(size);
  for (long i = 0; i < size; ++i) v[i] = std::sin(1.0 + 7.3 * static_cast<double>(i));
  return v;
}

Eigenpairs nearest_eigenpair(const EigenOperators& of, const VectorXd& start, double tolerance) {
  Eigenpairs result;
  // Few vectors need not be put back onto the constraints, and K has next to no inverse near an eigenvalue.
  EigenOperators inverse = of;
  inverse.stiffness = nullptr;
  KrylovSpace space(inverse, 1, start);
  VectorXd theta;
  MatrixXd y;
  while (!result.converged && !space.full() && space.size() < most_vectors) {
    const long before = space.size();
    space.grow();
    if (space.size() == before) break;
    result.converged = space.ritz(1, tolerance, theta, &y, true) == 1;
  }
  if (space.size() == 0) return result;
  result.vectors = space.vectors() * y;
  const MatrixXd rest = space.solved() * y - result.vectors * theta.asDiagonal();
  result.residuals = norms(rest, of.mass ? of.mass(rest) : rest) / std::abs(theta[0]);
  if (of.stiffness)
    result.values = result.vectors.transpose() * of.stiffness(result.vectors);
  else
    result.values = VectorXd::Constant(1, 1.0 / theta[0] - of.shift);
  return result;
}

}  // namespace taut
