#include <algorithm>
#include <cmath>

#include "taut/solve/qp/qp_scratch.h"

namespace taut {

namespace {

// How far from x along the step the constraints outside the set allow, `most` at most.
double room_along(const QpScratch& s, const Eigen::VectorXd& step, double most) {
  const double size = step.cwiseAbs().maxCoeff();
  double room = most;
  for (int c = 0; c < s.constraints; ++c) {
    if (s.inside[static_cast<std::size_t>(c)] || s.is_fixed(c)) continue;
    const double rate = qp_normal_times(s, c, step), side = rate < 0.0 ? s.lo[c] : s.up[c];
    if (std::abs(rate) <= 1e-11 * size || !std::isfinite(side)) continue;
    room = std::min(room, std::max(0.0, (side - qp_normal_times(s, c, s.x)) / rate));
  }
  return room;
}

// K = J₂ᵀP J₂ = Π L Lᵀ Πᵀ with pivoting, L in the lower triangle of K; the number of pivots above the rounding in K.
// The eigenvalues of K are λ/(λ + σ): near 1 where P has curvature λ, 0 where it has none.
int reduce(QpScratch& s) {
  const int m = s.n - s.k;
  const auto free = s.J.rightCols(m);
  for (int j = 0; j < m; ++j) {
    s.PJ.col(j).noalias() = s.P * free.col(j);
    s.K.col(j).head(m).noalias() = free.transpose() * s.PJ.col(j);
    s.order[static_cast<std::size_t>(j)] = j;
  }
  const double least = 1e-12 * s.curvature * free.colwise().squaredNorm().maxCoeff();
  for (int j = 0; j < m; ++j) {
    int pivot = j;
    for (int i = j + 1; i < m; ++i)
      if (s.K(i, i) > s.K(pivot, pivot)) pivot = i;
    if (!(s.K(pivot, pivot) > least)) return j;
    if (pivot != j) {
      s.K.row(j).head(m).swap(s.K.row(pivot).head(m));
      s.K.col(j).head(m).swap(s.K.col(pivot).head(m));
      std::swap(s.order[static_cast<std::size_t>(j)], s.order[static_cast<std::size_t>(pivot)]);
    }
    s.K(j, j) = std::sqrt(s.K(j, j));
    auto below = s.K.col(j).segment(j + 1, m - j - 1);
    below /= s.K(j, j);
    // Both triangles, so that rows and columns can be exchanged.
    for (int i = j + 1; i < m; ++i) s.K.col(i).segment(j + 1, m - j - 1).noalias() -= s.K(i, j) * below;
  }
  return m;
}

// v ← L₁₁⁻¹ v, v ← L₁₁⁻ᵀ v on the first `rank` entries.
void solve_L(const QpScratch& s, int rank, Eigen::VectorXd& v) {
  for (int j = 0; j < rank; ++j) {
    v[j] /= s.K(j, j);
    v.segment(j + 1, rank - j - 1).noalias() -= v[j] * s.K.col(j).segment(j + 1, rank - j - 1);
  }
}

void solve_L_transposed(const QpScratch& s, int rank, Eigen::VectorXd& v) {
  for (int j = rank - 1; j >= 0; --j)
    v[j] = (v[j] - s.K.col(j).segment(j + 1, rank - j - 1).dot(v.segment(j + 1, rank - j - 1))) / s.K(j, j);
}

// along = the part of `reduced` orthogonal to the columns of L, by Gram and Schmidt, twice for accuracy.
void without_curvature(QpScratch& s, int rank) {
  const int m = s.n - s.k;
  s.along.head(m) = s.reduced.head(m);
  for (int j = 0; j < rank; ++j) {
    auto column = s.PJ.col(j).head(m);
    column.head(j).setZero();
    column.tail(m - j) = s.K.col(j).segment(j, m - j);
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < j; ++i) column -= s.PJ.col(i).head(m).dot(column) * s.PJ.col(i).head(m);
    column.normalize();
  }
  for (int pass = 0; pass < 2; ++pass)
    for (int j = 0; j < rank; ++j) s.along.head(m) -= s.PJ.col(j).head(m).dot(s.along.head(m)) * s.PJ.col(j).head(m);
}

// step = J₂ Π v
void expand(QpScratch& s, const Eigen::VectorXd& v) {
  const int m = s.n - s.k;
  s.work.setZero();
  for (int i = 0; i < m; ++i) s.work[s.order[static_cast<std::size_t>(i)]] = v[i];
  s.step.noalias() = s.J.rightCols(m) * s.work.head(m);
}

// With x the minimum on the set: is it the solution? Its multipliers are those of the problem itself.
bool is_solution(QpScratch& s) {
  s.centre = s.x;
  qp_stationary(s);
  s.product.noalias() = s.P * s.x;
  for (int pass = 0; pass < 3; ++pass) {
    s.residual = -s.product - s.q;
    for (int j = 0; j < s.k; ++j) {
      const auto at = static_cast<std::size_t>(j);
      qp_add_normal(s, s.set[at], s.multiplier[j] * s.side[at], s.residual);
    }
    if (pass == 2) break;
    s.along.noalias() = s.J.transpose() * s.residual;
    qp_solve_R(s, s.along);
    s.multiplier.head(s.k) -= s.along.head(s.k);
  }
  const double largest = s.k > 0 ? s.multiplier.head(s.k).cwiseAbs().maxCoeff() : 0.0;
  if (s.residual.cwiseAbs().maxCoeff() > 1e-11 * (largest + qp_gradient_size(s)) || qp_most_negative(s) >= 0)
    return false;
  const double extent = s.x.cwiseAbs().maxCoeff();
  for (int c = 0; c < s.constraints; ++c) {
    const auto at = static_cast<std::size_t>(c);
    if (!s.inside[at] && !s.ignored[at] && !qp_holds(s, c, qp_normal_times(s, c, s.x), extent)) return false;
  }
  return true;
}

}  // namespace

QpOuter qp_polish(QpScratch& s) {
  const double drift = s.proximal * (s.x - s.centre).cwiseAbs().maxCoeff();
  const bool flat = s.curvature == 0.0 && s.q.cwiseAbs().maxCoeff() == 0.0;
  if (flat || drift <= 1e-14 * qp_gradient_size(s)) return QpOuter::optimal;
  const int m = s.n - s.k;
  if (m > 0) {
    // What the set leaves of the gradient of the problem itself.
    s.product.noalias() = s.P * s.x;
    s.residual = -s.product - s.q;
    for (int j = 0; j < s.k; ++j) {
      const auto at = static_cast<std::size_t>(j);
      qp_add_normal(s, s.set[at], s.multiplier[j] * s.side[at], s.residual);
    }
    const int rank = reduce(s);
    s.work.head(m).noalias() = s.J.rightCols(m).transpose() * s.residual;
    for (int i = 0; i < m; ++i) s.reduced[i] = s.work[s.order[static_cast<std::size_t>(i)]];

    // Where there is no curvature: is it downhill, and for ever?
    double slope = 0.0, length = 0.0;
    if (rank < m) {
      without_curvature(s, rank);
      slope = s.along.head(m).squaredNorm();
      expand(s, s.along);
      s.ray = s.step;
      length = s.ray.cwiseAbs().maxCoeff();
    }
    const double least = 1e-11 * qp_gradient_size(s) + qp_rounding_of_multiplier(s);
    const bool downhill = length > 0.0 && slope > least * length;
    if (downhill) {
      s.ray /= length;
      if (std::isinf(room_along(s, s.ray, qp_infinity))) return QpOuter::unbounded;
    }

    // Where there is: to the minimum, or to the first constraint in the way. Then downhill to the next one.
    s.along.head(rank) = s.reduced.head(rank);
    solve_L(s, rank, s.along);
    solve_L_transposed(s, rank, s.along);
    s.along.segment(rank, m - rank).setZero();
    expand(s, s.along);
    const double room =
        s.step.cwiseAbs().maxCoeff() > 1e-15 * s.x.cwiseAbs().maxCoeff() ? room_along(s, s.step, 1.0) : 1.0;
    s.x.noalias() += room * s.step;
    if (room == 1.0 && downhill) s.x.noalias() += room_along(s, s.ray, qp_infinity) * s.ray;
    if (room < 1.0 || downhill) {
      s.centre = s.x;
      return QpOuter::moved;
    }
  }
  return is_solution(s) ? QpOuter::optimal : QpOuter::moved;
}

}  // namespace taut
