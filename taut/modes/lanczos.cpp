#include "taut/modes/lanczos.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "taut/base/error.h"
#include "taut/solve/dense.h"
#include "taut/solve/spectrum.h"

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

EigenOperators operators(const MotionMatrices& m, const Inverse& inverse, int freedoms) {
  EigenOperators of{m.unknowns(), freedoms, inverse.shift, {}, {}, {}};
  of.solve = [&inverse](MatrixXd& X) { inverse.factor.solve(X); };
  of.stiffness = [&m](const MatrixXd& X) -> MatrixXd { return m.K * X; };
  of.mass = [&m](const MatrixXd& X) -> MatrixXd { return m.M * X; };
  return of;
}

// K on the space of the vectors.
void separate(const MotionMatrices& m, MatrixXd& vectors, VectorXd& square) {
  const MatrixXd MV = m.M * vectors, KV = m.K * vectors;
  const SymmetricEigen ritz = symmetric_eigen(vectors.transpose() * KV, vectors.transpose() * MV);
  square = ritz.values;
  vectors = (vectors * ritz.vectors).eval();
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
  const EigenOperators of = operators(m, now, freedoms);
  KrylovSpace probe(of, block);
  while (probe.size() < std::min(freedoms, count + 2 * block) && !probe.full()) probe.grow();
  if (probe.size() == 0)
    throw RunError(0.0, "the motions of the start shape are not finite: its masses or stiffnesses are too far apart");
  VectorXd value;
  probe.ritz(count, good, value);
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
  const EigenOperators of = operators(m, inverse, modes.freedoms);
  KrylovSpace krylov(of, block);
  const long limit = std::min<long>(modes.freedoms, 10 * more + 200);
  VectorXd value;
  for (int attempt = 0; attempt < 3 && !modes.complete; ++attempt) {
    int good_ones = 0;
    // Random vectors join the space where modes were missed.
    for (int grown = 0; good_ones < enough; ++grown) {
      krylov.grow();
      const bool last = krylov.full() || krylov.size() >= limit + attempt * 5 * block;
      if (!last && (krylov.size() < more + block || grown % 3 != 2)) continue;
      good_ones = krylov.ritz(more, good, value);
      if (last) break;
    }
    modes.shapes = krylov.vectors();
    separate(m, modes.shapes, modes.square);
    modes.complete = krylov.size() >= modes.freedoms ||
                     (good_ones >= enough && none_missing(m, inverse.factor, modes.square, count, good_ones));
    krylov.restart();
    if (krylov.full()) break;
  }
  modes.factor = std::move(inverse.factor);
  modes.shift = inverse.shift;
  return modes;
}

}  // namespace taut
