// A rigid bar that shares its nodes with no other bar: everything about it is in closed form.
//
// Two nodes with the 2×2 mass matrix [m_aa m_ab; m_ab m_bb] per axis (uniform slender bar: m/3, m/6), inverse W,
// zero along fixed axes. With b = x_b - x_a, the constraint ½(b·b - L²) = 0 has the multiplier λ, force ±λ b:
//
//   λ = -(ḃ·ḃ + b·(Wf)_rel) / (b·w b),   u_a = W_ab - W_aa,  u_b = W_bb - W_ab,  w = u_b - u_a  (per axis).
//
// W is a double for a bar free along all axes and a Vec4 (one weight per axis) for a bar that is guided or pinned.
#pragma once

#include <cmath>

#include "taut/base/vec4.h"
#include "taut/formulation/drift_gains.h"

namespace taut {

template <class W>
struct LoneBar {
  int a = 0, b = 0;  // nodes
  int row = 0;       // of its constraint
  double length = 0.0;
  W aa{}, ab{}, bb{};  // inverse masses
};

// Accelerations of both nodes (stride 3); returns λ. x, v, f have stride 4.
template <class W>
inline double accelerate(const LoneBar<W>& bar, const double* x, const double* v, const double* f,
                         const DriftGains& gains, double* acceleration) {
  const Vec4 b = load4(x + 4 * bar.b) - load4(x + 4 * bar.a);
  const Vec4 b_rate = load4(v + 4 * bar.b) - load4(v + 4 * bar.a);
  const Vec4 fa = load4(f + 4 * bar.a), fb = load4(f + 4 * bar.b);
  Vec4 aa = bar.aa * fa + bar.ab * fb;
  Vec4 ab = bar.ab * fa + bar.bb * fb;
  const Vec4 ua = (bar.ab - bar.aa) * b, ub = (bar.bb - bar.ab) * b;
  const double authority = dot(b, ub - ua);
  double drift = dot(b_rate, b_rate) + dot(b, ab - aa);
  if (gains.any())
    drift += gains.velocity * dot(b, b_rate) + gains.position * 0.5 * (dot(b, b) - bar.length * bar.length);
  const double lambda = authority > 0.0 ? -drift / authority : 0.0;
  aa += lambda * ua;
  ab += lambda * ub;
  store3(acceleration + 3 * bar.a, aa);
  store3(acceleration + 3 * bar.b, ab);
  return lambda;
}

// The small root μ of |d + μ s|² = L²: the move along s that gives d the length L. NaN if there is none.
inline double length_root(Vec4 d, Vec4 s, double length) {
  const double square = dot(s, s), half = dot(d, s), excess = dot(d, d) - length * length;
  if (square == 0.0) return 0.0;
  const double root = std::sqrt(half * half - square * excess);
  return -excess / (half + std::copysign(root, half));
}

// On coordinates of stride 3: places both nodes on |b| = L and takes the lengthening out of their velocities. Returns
// the relative length move.
template <class W>
inline double project(const LoneBar<W>& bar, double* x, double* v) {
  Vec4 xa = load3(x + 3 * bar.a), xb = load3(x + 3 * bar.b);
  Vec4 b = xb - xa;
  Vec4 ua = (bar.ab - bar.aa) * b, ub = (bar.bb - bar.ab) * b;
  const double excess = dot(b, b) / (bar.length * bar.length) - 1.0;
  const double mu = length_root(b, ub - ua, bar.length);
  xa += mu * ua;
  xb += mu * ub;
  store3(x + 3 * bar.a, xa);
  store3(x + 3 * bar.b, xb);
  b = xb - xa;
  ua = (bar.ab - bar.aa) * b;
  ub = (bar.bb - bar.ab) * b;
  Vec4 va = load3(v + 3 * bar.a), vb = load3(v + 3 * bar.b);
  const double authority = dot(b, ub - ua);
  const double nu = authority > 0.0 ? -dot(b, vb - va) / authority : 0.0;
  store3(v + 3 * bar.a, va + nu * ua);
  store3(v + 3 * bar.b, vb + nu * ub);
  return std::abs(excess);
}

// On arrays of stride 4: v += h W f, x += h v, then back on |b| = L along the old b (SHAKE in closed form). Returns λ.
template <class W>
inline double leap(const LoneBar<W>& bar, double h, double* x, double* v, const double* f) {
  Vec4 xa = load4(x + 4 * bar.a), xb = load4(x + 4 * bar.b);
  Vec4 va = load4(v + 4 * bar.a), vb = load4(v + 4 * bar.b);
  const Vec4 fa = load4(f + 4 * bar.a), fb = load4(f + 4 * bar.b);
  const Vec4 b = xb - xa;
  va += h * (bar.aa * fa + bar.ab * fb);
  vb += h * (bar.ab * fa + bar.bb * fb);
  const Vec4 ua = (bar.ab - bar.aa) * b, ub = (bar.bb - bar.ab) * b;
  const double mu = length_root(b + h * (vb - va), ub - ua, bar.length);
  va += (mu / h) * ua;
  vb += (mu / h) * ub;
  store4(v + 4 * bar.a, va);
  store4(v + 4 * bar.b, vb);
  store4(x + 4 * bar.a, xa + h * va);
  store4(x + 4 * bar.b, xb + h * vb);
  return mu / (h * h);
}

// v += h W (f + force along b) such that b does not lengthen.
template <class W>
inline void kick(const LoneBar<W>& bar, double h, const double* x, double* v, const double* f) {
  const Vec4 b = load4(x + 4 * bar.b) - load4(x + 4 * bar.a);
  const Vec4 fa = load4(f + 4 * bar.a), fb = load4(f + 4 * bar.b);
  const Vec4 va = load4(v + 4 * bar.a) + h * (bar.aa * fa + bar.ab * fb);
  const Vec4 vb = load4(v + 4 * bar.b) + h * (bar.ab * fa + bar.bb * fb);
  const Vec4 ua = (bar.ab - bar.aa) * b, ub = (bar.bb - bar.ab) * b;
  const double authority = dot(b, ub - ua);
  const double nu = authority > 0.0 ? -dot(b, vb - va) / authority : 0.0;
  store4(v + 4 * bar.a, va + nu * ua);
  store4(v + 4 * bar.b, vb + nu * ub);
}

}  // namespace taut
