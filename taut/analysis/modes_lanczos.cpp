#include "taut/analysis/modes_lanczos.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "taut/base/error.h"

namespace taut {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int block = 6;       // as many as a free body has rigid motions
constexpr double good = 1e-9;  // of what a vector leaves of its equation: squares are then right to rounding

// The mean stiffness over mass: the scale of the highest ω².
double highest(const MotionMatrices& m) {
  double mass = 0.0;
  for (const SparseEntry& e : m.mass) mass += e.row == e.column ? e.value : 0.0;
  return m.bound.sum() / mass;
}

// (K + σM)⁻¹ along the constraints.
struct Inverse {
  double shift;
  ShiftedFactor factor;
};

// K + σM positive, σ raised tenfold until it is.
Inverse positive_inverse(const MotionMatrices& m, double shift) {
  const double limit = 1e6 * highest(m);
  for (; shift < limit; shift *= 10.0)
    if (Inverse inverse{shift, factorise(m, shift)}; inverse.factor.positive()) return inverse;
  throw RunError(0.0, "the stiffness at the start shape is not finite: two nodes joined by a member coincide");
}

// A Krylov space that grows block by block.
class Krylov {
 public:
  Krylov(const MotionMatrices& m, const Inverse& inverse, int freedoms)
      : m_(m), inverse_(inverse), freedoms_(freedoms) {}

  long size() const { return V_.cols(); }
  bool full() const { return V_.cols() >= freedoms_ || fruitless_ >= 3; }

  // Goes on from the last block, or from random vectors where it ended: what the space holds is taken out of them
  // before they are multiplied, or zeros, which grow by 1/σ, would drown the rest.
  void grow() {
    MatrixXd next;
    if (fresh_.cols() > 0) {
      next = fresh_;
    } else {
      next.resize(m_.unknowns(), block);
      for (double& x : next.reshaped()) x = static_cast<double>(random_() >> 11) * 0x1.0p-53 - 0.5;
      if (V_.cols() > 0) next -= V_ * (MV_.transpose() * next);
      next = apply(next);
    }
    const long before = V_.cols();
    join(next);
    fruitless_ = V_.cols() > before ? 0 : fruitless_ + 1;
    const MatrixXd added = V_.rightCols(V_.cols() - before);
    fresh_ = added.cols() > 0 ? apply(added) : MatrixXd();
    if (added.cols() == 0) return;
    OV_.conservativeResize(m_.unknowns(), V_.cols());
    OV_.rightCols(added.cols()) = fresh_;
    T_.conservativeResize(V_.cols(), V_.cols());
    const MatrixXd T = MV_.transpose() * fresh_;
    T_.rightCols(added.cols()) = T;
    T_.bottomRows(added.cols()) = T.transpose();
  }
  void restart() { fresh_.resize(0, 0); }

  const MatrixXd& space() const { return V_; }

  // The highest of (K + σM)⁻¹M; how many of the first `count` are good.
  int ritz(int count, VectorXd& value) const {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(0.5 * (T_ + T_.transpose()));
    const long p = T_.rows(), k = std::min<long>(count, p);
    value = solver.eigenvalues().reverse().head(k);
    const MatrixXd Y = solver.eigenvectors().rightCols(k).rowwise().reverse();
    const MatrixXd vectors = V_ * Y, left = OV_ * Y - vectors * value.asDiagonal();
    const VectorXd residual = left.cwiseProduct(m_.M * left).colwise().sum().cwiseMax(0.0).cwiseSqrt().transpose();
    int done = 0;
    while (done < k && residual[done] <= good * value[done]) ++done;
    return done;
  }

 private:
  MatrixXd apply(const MatrixXd& X) const {
    MatrixXd result = m_.M * X;
    inverse_.factor.solve(result);
    return result;
  }
  // Takes x - V Vᵀ M x, twice.
  void part(VectorXd& x) const {
    for (int sweep = 0; sweep < 2 && V_.cols() > 0; ++sweep) x -= V_ * (MV_.transpose() * x);
  }
  // Back onto the constraints: what is left of a vector after much was taken from it keeps all of its rounding, and
  // over many vectors that grows.
  void back(VectorXd& x) const {
    MatrixXd force = m_.K * x + inverse_.shift * (m_.M * x);
    inverse_.factor.solve(force);
    x = force.col(0);
  }
  // Columns orthonormal to all before and to each other, in M; what is in the space already falls away.
  void join(MatrixXd X) {
    const VectorXd before = X.cwiseProduct(m_.M * X).colwise().sum().cwiseSqrt().transpose();
    for (long j = 0; j < X.cols() && !full(); ++j) {
      VectorXd x = X.col(j);
      part(x);
      VectorXd Mx = m_.M * x;
      double after = std::sqrt(std::max(x.dot(Mx), 0.0));
      if (!(after > 1e-7 * before[j]) || !std::isfinite(after)) continue;
      x /= after;
      back(x);
      part(x);
      Mx = m_.M * x;
      after = std::sqrt(std::max(x.dot(Mx), 0.0));
      if (!(after > 0.5) || !std::isfinite(after)) continue;  // it was rounding
      V_.conservativeResize(m_.unknowns(), V_.cols() + 1);
      MV_.conservativeResize(m_.unknowns(), V_.cols());
      V_.col(V_.cols() - 1) = x / after;
      MV_.col(V_.cols() - 1) = Mx / after;
    }
  }

  const MotionMatrices& m_;
  const Inverse& inverse_;
  int freedoms_;
  int fruitless_ = 0;  // blocks in a row that added nothing
  MatrixXd V_, MV_, OV_, T_, fresh_;
  std::mt19937_64 random_{1};
};

// K on the space of the vectors.
void separate(const MotionMatrices& m, MatrixXd& vectors, VectorXd& square) {
  const MatrixXd MV = m.M * vectors, KV = m.K * vectors;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> ritz(vectors.transpose() * KV, vectors.transpose() * MV);
  square = ritz.eigenvalues();
  vectors = (vectors * ritz.eigenvectors()).eval();
}

// Whether as many modes lie below the last ones found as were found: counted in the widest gap between `count` and
// `sure`. Where all of these are one to rounding (zeros, more of them than are wanted), any of them will do: counted is
// what lies below them all.
bool none_missing(const MotionMatrices& m, const ShiftedFactor& factor, const VectorXd& square, int count, int sure) {
  if (sure >= square.size()) return true;
  const double rounding = 1e-13 * highest(m);
  const auto gap = [&](long i) { return square[i + 1] - square[i]; };
  long at = count - 1;
  for (long i = count - 1; i + 1 < sure; ++i)
    if (gap(i) > gap(at)) at = i;
  if (gap(at) > rounding) return count_below(m, factor, 0.5 * (square[at] + square[at + 1])) == at + 1;
  for (at = count - 2; at >= 0 && !(gap(at) > rounding);) --at;
  return count_below(m, factor, at < 0 ? square[0] - rounding : 0.5 * (square[at] + square[at + 1])) == at + 1;
}

// How high do the wanted ones reach? Another factor with a shift well below that, but not smaller than it need be.
// `raised`: a smaller shift was not enough to make K + σM positive.
std::optional<Inverse> better_shift(const MotionMatrices& m, const Inverse& now, int freedoms, int count, bool raised) {
  Krylov probe(m, now, freedoms);
  while (probe.size() < std::min(freedoms, count + 2 * block) && !probe.full()) probe.grow();
  if (probe.size() == 0)
    throw RunError(0.0, "the motions of the start shape are not finite: its masses or stiffnesses are too far apart");
  VectorXd value;
  probe.ritz(count, value);
  const double shift = now.shift, low = 1.0 / value[0] - shift, reach = 1.0 / value[value.size() - 1] - shift;
  const bool unstable = raised && low < -1e-6 * reach;  // a zero may come out on either side
  // Of a stable shape it may grow; of an unstable one it comes down to just above what makes K + σM positive.
  double next = unstable ? 0.05 * (reach - low) - low : 0.01 * reach;
  for (int tries = 0; tries < 8 && (unstable ? next < 0.5 * shift : next > 10.0 * shift); ++tries) {
    if (Inverse inverse{next, factorise(m, next)}; inverse.factor.positive()) return inverse;
    next *= 1.5;
  }
  return std::nullopt;
}

}  // namespace

LowestModes lanczos_modes(const MotionMatrices& m, int count) {
  LowestModes modes;
  const double least = 1e-11 * highest(m);
  if (!(least > 0.0) || !std::isfinite(least))
    throw RunError(0.0, "the start shape has no finite stiffness and mass: two nodes joined by a member coincide");
  Inverse inverse = positive_inverse(m, least);
  modes.freedoms = m.unknowns() - inverse.factor.rank();
  count = std::min(count, modes.freedoms);
  if (count == 0) {
    modes.factor = std::move(inverse.factor);
    modes.complete = true;
    return modes;
  }
  const int more = std::min(modes.freedoms, count + block);
  if (std::optional<Inverse> better = better_shift(m, inverse, modes.freedoms, more, inverse.shift > least))
    inverse = std::move(*better);
  // A few more than wanted, so that a multiple frequency at the end is whole.
  const int enough = std::min(modes.freedoms, count + 3);
  Krylov krylov(m, inverse, modes.freedoms);
  const long limit = std::min<long>(modes.freedoms, 10 * more + 200);
  VectorXd value;
  for (int attempt = 0; attempt < 3 && !modes.complete; ++attempt) {
    int good_ones = 0;
    // Random vectors join the space where modes were missed.
    for (int grown = 0; good_ones < enough; ++grown) {
      krylov.grow();
      const bool last = krylov.full() || krylov.size() >= limit + attempt * 5 * block;
      if (!last && (krylov.size() < more + block || grown % 3 != 2)) continue;
      good_ones = krylov.ritz(more, value);
      if (last) break;
    }
    modes.shapes = krylov.space();
    separate(m, modes.shapes, modes.square);
    modes.complete = good_ones >= enough && none_missing(m, inverse.factor, modes.square, count, good_ones);
    krylov.restart();
    if (krylov.full()) break;
  }
  modes.factor = std::move(inverse.factor);
  modes.shift = inverse.shift;
  return modes;
}

}  // namespace taut
