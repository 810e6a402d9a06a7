#include "taut/analysis/modes_lanczos.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
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

// K + σM positive, σ raised tenfold until it is.
ShiftedFactor positive_factor(const MotionMatrices& m, double& shift) {
  const double limit = 1e6 * highest(m);
  for (; shift < limit; shift *= 10.0)
    if (ShiftedFactor factor = factorise(m, shift); factor.positive()) return factor;
  throw RunError(0.0, "the stiffness at the start shape is not finite: two nodes joined by a member coincide");
}

// A Krylov space that grows block by block.
class Krylov {
 public:
  Krylov(const MotionMatrices& m, const ShiftedFactor& factor, int freedoms)
      : m_(m), factor_(factor), freedoms_(freedoms) {}

  long size() const { return V_.cols(); }
  bool full() const { return V_.cols() >= freedoms_; }

  // Goes on from the last block, or from random vectors where it ended.
  void grow() {
    MatrixXd next;
    if (fresh_.cols() > 0) {
      next = fresh_;
    } else {
      next.resize(m_.unknowns(), block);
      for (double& x : next.reshaped()) x = static_cast<double>(random_() >> 11) * 0x1.0p-53 - 0.5;
      next = apply(next);
    }
    const long before = V_.cols();
    join(next);
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
    factor_.solve(result);
    return result;
  }
  // Columns orthonormal to all before and to each other, in M; what is in the space already falls away.
  void join(MatrixXd X) {
    const VectorXd before = X.cwiseProduct(m_.M * X).colwise().sum().cwiseSqrt().transpose();
    for (int sweep = 0; sweep < 2 && V_.cols() > 0; ++sweep) X -= V_ * (MV_.transpose() * X);
    for (long j = 0; j < X.cols() && !full(); ++j) {
      VectorXd x = X.col(j);
      for (int sweep = 0; sweep < 2 && V_.cols() > 0; ++sweep) x -= V_ * (MV_.transpose() * x);
      const VectorXd Mx = m_.M * x;
      const double after = std::sqrt(std::max(x.dot(Mx), 0.0));
      if (!(after > 1e-7 * before[j]) || !std::isfinite(after)) continue;  // more would leave the constraints
      V_.conservativeResize(m_.unknowns(), V_.cols() + 1);
      MV_.conservativeResize(m_.unknowns(), V_.cols());
      V_.col(V_.cols() - 1) = x / after;
      MV_.col(V_.cols() - 1) = Mx / after;
    }
  }

  const MotionMatrices& m_;
  const ShiftedFactor& factor_;
  int freedoms_;
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
// `sure`.
bool none_missing(const MotionMatrices& m, const ShiftedFactor& factor, const VectorXd& square, int count, int sure) {
  if (sure >= square.size()) return true;
  long at = count - 1;
  for (long i = count - 1; i + 1 < sure; ++i)
    if (square[i + 1] - square[i] > square[at + 1] - square[at]) at = i;
  return count_below(m, factor, 0.5 * (square[at] + square[at + 1])) == at + 1;
}

}  // namespace

LowestModes lanczos_modes(const MotionMatrices& m, int count) {
  LowestModes modes;
  double shift = 1e-11 * highest(m);
  if (!(shift > 0.0) || !std::isfinite(shift))
    throw RunError(0.0, "the start shape has no finite stiffness and mass: two nodes joined by a member coincide");
  modes.factor = positive_factor(m, shift);
  modes.freedoms = m.unknowns() - modes.factor.rank();
  count = std::min(count, modes.freedoms);
  if (count == 0) {
    modes.complete = true;
    return modes;
  }
  VectorXd value;
  const int more = std::min(modes.freedoms, count + block);
  {
    // How high do the wanted ones reach? A shift well below them, but not smaller than it need be.
    Krylov probe(m, modes.factor, modes.freedoms);
    while (probe.size() < std::min(modes.freedoms, count + 2 * block)) probe.grow();
    probe.ritz(count, value);
    const double low = 1.0 / value[0] - shift, reach = 1.0 / value[value.size() - 1] - shift;
    const bool unstable = low < -1e-6 * std::abs(reach);  // a zero may come out on either side
    const double first = unstable ? 0.05 * (reach - low) - low : 0.01 * reach;
    // Of a stable shape it may grow; of an unstable one it comes down to just above what makes K + σM positive.
    if (unstable ? first < 0.5 * shift : first > 10.0 * shift) {
      for (double next = first; !unstable || next < shift; next += 0.2 * std::abs(reach - low))
        if (ShiftedFactor factor = factorise(m, next); factor.positive()) {
          modes.factor = std::move(factor);
          break;
        }
    }
  }
  // A few more than wanted, so that a multiple frequency at the end is whole.
  const int enough = std::min(modes.freedoms, count + 3);
  Krylov krylov(m, modes.factor, modes.freedoms);
  const long limit = std::min<long>(modes.freedoms, 10 * more + 200);
  for (int attempt = 0; attempt < 3 && !modes.complete; ++attempt) {
    int good_ones = 0;
    // Random vectors join the space where modes were missed.
    for (int grown = 0; good_ones < enough; ++grown) {
      krylov.grow();
      const bool last = krylov.full() || krylov.size() >= limit + attempt * 5 * block;
      if (krylov.size() < std::min(more + block, modes.freedoms) || (grown % 3 != 2 && !last)) continue;
      good_ones = krylov.ritz(more, value);
      if (last) break;
    }
    modes.shapes = krylov.space();
    separate(m, modes.shapes, modes.square);
    modes.complete = good_ones >= enough && none_missing(m, modes.factor, modes.square, count, good_ones);
    krylov.restart();
    if (krylov.full()) break;
  }
  return modes;
}

}  // namespace taut
