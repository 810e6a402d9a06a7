#include <algorithm>
#include <cmath>

#include "taut/solve/qp/qp_scratch.h"

namespace taut {

namespace {

double signed_side(const QpScratch& s, int c, double side) { return side > 0.0 ? s.lo[c] : -s.up[c]; }

void try_to_enter(QpScratch& s, int c, double side, double multiplier) {
  if (s.inside[static_cast<std::size_t>(c)] || s.k == s.n) return;
  qp_project_normal(s, c, side);
  if (qp_free_part(s) > qp_dependent * s.d.norm()) qp_enter(s, c, side, multiplier);
}

// The constraint that is violated most, and on which side; −1 where all hold within rounding.
int most_violated(QpScratch& s, double& side) {
  if (s.rows > 0) s.value.head(s.rows).noalias() = s.normals.transpose() * s.x;
  s.value.tail(s.n) = s.x;
  const double extent = s.x.cwiseAbs().maxCoeff();
  int worst = -1;
  double violation = 0.0;
  for (int c = 0; c < s.constraints; ++c) {
    const double below = s.lo[c] - s.value[c], above = s.value[c] - s.up[c], v = std::max(below, above);
    if (!(v > violation) || s.inside[static_cast<std::size_t>(c)] || s.ignored[static_cast<std::size_t>(c)]) continue;
    if (qp_holds(s, c, s.value[c], extent)) continue;
    violation = v;
    worst = c;
    side = below > above ? 1.0 : -1.0;
  }
  return worst;
}

enum class Dependence { conflict, redundant, unclear };

// n_p = Σ r_j n_j with no r_j > 0 on inequalities. If the side of p lies above Σ r_j side_j no x exists, as far as the
// rounding in n_p − Σ r_j n_j lets that be said within the extent of x; if not, p holds wherever the set does.
Dependence judge_dependence(QpScratch& s, int p, double side) {
  for (int pass = 0; pass < 2; ++pass) {
    s.residual.setZero();
    qp_add_normal(s, p, side, s.residual);
    for (int j = 0; j < s.k; ++j) {
      const auto at = static_cast<std::size_t>(j);
      qp_add_normal(s, s.set[at], -s.r[j] * s.side[at], s.residual);
    }
    if (pass == 1) break;
    s.along.noalias() = s.J.transpose() * s.residual;
    qp_solve_R(s, s.along);
    s.r.head(s.k) += s.along.head(s.k);
  }
  const double largest = s.k > 0 ? std::max(1.0, s.r.head(s.k).cwiseAbs().maxCoeff()) : 1.0;
  double gap = signed_side(s, p, side), size = std::abs(gap);
  for (int j = 0; j < s.k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const bool noise = std::abs(s.r[j]) <= 1e-10 * largest || (s.r[j] > 0.0 && !s.is_fixed(s.set[at]));
    if (noise) {
      qp_add_normal(s, s.set[at], s.r[j] * s.side[at], s.residual);
      s.r[j] = 0.0;
      continue;
    }
    const double term = s.r[j] * signed_side(s, s.set[at], s.side[at]);
    gap -= term;
    size += std::abs(term);
  }
  if (!(gap > 10.0 * qp_feasible * size)) return Dependence::redundant;
  return s.residual.cwiseAbs().dot(s.x.cwiseAbs()) <= 0.1 * gap ? Dependence::conflict : Dependence::unclear;
}

// What rounding in the gradient may move x along a normal whose free part has this length: J₂ J₂ᵀ times that rounding.
double rounding_of(const QpScratch& s, double free) {
  const double gradient = s.q.cwiseAbs().maxCoeff() + s.product.cwiseAbs().maxCoeff();
  return 1e-15 * free * s.J.rightCols(s.n - s.k).norm() * gradient;
}

// How far the multipliers let a constraint go whose s.r is known: the step, and the one that blocks it, -1 for none. Among
// equals the one that depends most on the constraint.
std::pair<double, int> dual_step_of(const QpScratch& s) {
  const double smallest = s.k > 0 ? 1e-12 * s.r.head(s.k).cwiseAbs().maxCoeff() : 0.0;
  int blocking = -1;
  double step = qp_infinity;
  for (int j = 0; j < s.k; ++j) {
    if (s.r[j] <= smallest || s.is_fixed(s.set[static_cast<std::size_t>(j)])) continue;
    const double t = std::max(0.0, s.multiplier[j]) / s.r[j];
    if (t < step || (t == step && s.r[j] > s.r[blocking])) {
      step = t;
      blocking = j;
    }
  }
  return {step, blocking};
}

// Brings a violated constraint into the set; those whose multiplier would turn negative on the way leave.
QpInner bring_in(QpScratch& s, int p, double side) {
  double multiplier = 0.0;
  for (;;) {
    qp_project_normal(s, p, side);
    const double free = s.k < s.n ? qp_free_part(s) : 0.0;
    const double violation = signed_side(s, p, side) - side * qp_normal_times(s, p, s.x);
    bool dependent = !(free > qp_dependent * s.d.norm());
    s.r.head(s.k) = s.d.head(s.k);
    qp_solve_R(s, s.r);

    const auto [dual_step, blocking] = dual_step_of(s);
    if (dependent && blocking < 0) {
      const Dependence verdict = judge_dependence(s, p, side);
      if (verdict == Dependence::conflict) {
        s.broken = p;
        s.broken_side = side;
        return QpInner::infeasible;
      }
      dependent = verdict == Dependence::redundant || !(free > 1e-14 * s.d.norm());
      if (dependent) {
        s.ignored[static_cast<std::size_t>(p)] = 1;
        return QpInner::solved;
      }
    }

    // Primal step to the constraint, or as far as the blocking multiplier allows.
    if (multiplier == 0.0 && !dependent && violation <= rounding_of(s, free)) {
      s.ignored[static_cast<std::size_t>(p)] = 1;
      return QpInner::solved;
    }
    const double full_step = dependent ? qp_infinity : std::max(0.0, violation) / (free * free);
    const double t = std::min(full_step, dual_step);
    if (!dependent) s.x.noalias() += t * (s.J.rightCols(s.n - s.k) * s.d.tail(s.n - s.k));
    s.multiplier.head(s.k) -= t * s.r.head(s.k);
    multiplier += t;
    ++s.iterations;
    if (full_step <= dual_step) {
      qp_enter(s, p, side, multiplier);
      return QpInner::solved;
    }
    qp_leave(s, blocking);
    if (s.iterations >= s.limit) return QpInner::limit;
  }
}

}  // namespace

void qp_start(QpScratch& s, const QpActiveSet* start) {
  for (int c = 0; c < s.constraints; ++c)
    if (s.is_fixed(c)) try_to_enter(s, c, 1.0, 0.0);
  if (start == nullptr) return;
  const auto guess = [&](const std::vector<QpSide>& sides, int first, int count) {
    if (static_cast<int>(sides.size()) != count) return;
    for (int i = 0; i < count; ++i) {
      const double side = static_cast<double>(sides[static_cast<std::size_t>(i)]);
      if (side != 0.0 && std::isfinite(signed_side(s, first + i, side))) try_to_enter(s, first + i, side, 0.0);
    }
  };
  guess(start->rows, s.equalities, s.rows - s.equalities);
  guess(start->bounds, s.rows, s.n);
  if (s.proximal == 0.0) return;
  qp_stationary(s);
  s.centre = s.x;
}

void qp_stationary(QpScratch& s) {
  // Corrections from the residuals: the first solves, those after refine.
  double before = qp_infinity;
  for (int pass = 0; pass < 4; ++pass) {
    s.product.noalias() = s.P * s.x;
    s.residual = -s.product - s.q - s.proximal * (s.x - s.centre);
    double size = 0.0;
    for (int j = 0; j < s.k; ++j) {
      const auto at = static_cast<std::size_t>(j);
      qp_add_normal(s, s.set[at], s.multiplier[j] * s.side[at], s.residual);
      s.r[j] = signed_side(s, s.set[at], s.side[at]) - s.side[at] * qp_normal_times(s, s.set[at], s.x);
      size = std::max(size, std::abs(s.r[j]));
    }
    size = std::max(size, s.residual.cwiseAbs().maxCoeff());
    if (size == 0.0 || (pass > 1 && !(size < 0.1 * before))) return;
    before = size;
    s.d.noalias() = s.J.transpose() * s.residual;
    qp_solve_R_transposed(s, s.r);
    s.along.head(s.k) = s.r.head(s.k) - s.d.head(s.k);
    s.d.head(s.k) = s.r.head(s.k);
    s.x.noalias() += s.J * s.d;
    s.reach = std::max(s.reach, s.x.cwiseAbs().maxCoeff());
    qp_solve_R(s, s.along);
    s.multiplier.head(s.k) += s.along.head(s.k);
  }
}

double qp_gradient_size(const QpScratch& s) {
  return s.q.cwiseAbs().maxCoeff() + s.curvature * s.x.cwiseAbs().maxCoeff();
}

double qp_rounding_of_multiplier(const QpScratch& s) {
  const double largest = s.k > 0 ? s.multiplier.head(s.k).cwiseAbs().maxCoeff() : 0.0;
  const double moved = 1e-14 * s.x.cwiseAbs().maxCoeff() + qp_refined * s.reach;
  return 1e-13 * (largest + qp_gradient_size(s)) + (s.curvature + s.proximal) * moved;
}

int qp_most_negative(QpScratch& s) {
  const double rounding = qp_rounding_of_multiplier(s);
  int worst = -1;
  double least = -rounding;
  for (int j = 0; j < s.k; ++j) {
    if (s.is_fixed(s.set[static_cast<std::size_t>(j)])) continue;
    if (s.multiplier[j] < least) {
      least = s.multiplier[j];
      worst = j;
    } else if (s.multiplier[j] < 0.0 && s.multiplier[j] >= -rounding) {
      s.multiplier[j] = 0.0;
    }
  }
  return worst;
}

void qp_soften(QpScratch& s) {
  s.proximal *= 0.03;
  qp_factorise(s);
  const int k = s.k;
  s.k = 0;
  for (int j = 0; j < k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    s.inside[static_cast<std::size_t>(s.set[at])] = 0;
    try_to_enter(s, s.set[at], s.side[at], s.multiplier[j]);
  }
}

QpInner qp_minimise(QpScratch& s) {
  std::fill(s.ignored.begin(), s.ignored.end(), char{0});
  for (;;) {
    // To the minimum on the set; constraints that pull leave until none does.
    for (;;) {
      qp_stationary(s);
      const int worst = qp_most_negative(s);
      if (worst < 0) break;
      qp_leave(s, worst);
      if (++s.iterations >= s.limit) return QpInner::limit;
    }
    // Violated constraints, the worst first; x is computed afresh now and then, and where it came from far away.
    int entered = 0;
    double side = 1.0;
    const double extent = s.x.cwiseAbs().maxCoeff();
    for (int p = most_violated(s, side); p >= 0; p = most_violated(s, side)) {
      const QpInner result = bring_in(s, p, side);
      if (result != QpInner::solved) return result;
      if (s.iterations >= s.limit) return QpInner::limit;
      if (++entered >= 50 || s.x.cwiseAbs().maxCoeff() < 1e-4 * extent) break;
    }
    if (entered == 0) return QpInner::solved;
  }
}

}  // namespace taut
