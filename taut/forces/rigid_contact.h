// Hard contact with Coulomb friction as impulses at the velocity level (docs/theory/rigid-contact.md). In the frame of
// a contact, normal first and two tangents after it, with the velocity u that the point would have without the impulse
// p (N s) and its velocity v = u + A p with it, A the inverse mass that it shows (1/kg):
//
//   normal     0 <= p_n  complementary to  v_n >= c        c: wanted normal velocity, m/s
//   friction   |p_t| <= μ p_n;  v_t = 0,  or  p_t = -μ p_n v_t/|v_t|
//
// One contact, exactly. No contact if u_n >= c. It sticks if p = A⁻¹(c n - u) lies in the cone. Else it slides, v_t =
// -σ p_t with some σ > 0:
//
//   (A_tt + σ) p_t = -(u_t + A_tn p_n),   p_n = (c - u_n + A_nt (A_tt + σ)⁻¹ u_t) / (A_nn - A_nt (A_tt + σ)⁻¹ A_tn)
//
// The denominator is positive for every σ >= 0, and |p_t| - μ p_n goes from above 0 at σ = 0 to below 0 at infinity, so
// that there is a root: Newton on 1/|p_t| - 1/(μ p_n), inside a bracket; one step where A_tt is a multiple of 1 and
// A_nt is 0.
//
// Several contacts: block Gauss-Seidel with that solution for each, p_k the answer to (A_kk + ε) and u = v - (A_kk + ε)
// p_k (old), which has the same fixed points for every ε > 0 and one for redundant contacts too.
//
// R is the number of a kernel (base/number.h). Lanes that have converged are frozen: none depends on the others.
#pragma once

#include "taut/base/number.h"

namespace taut {

template <class R>
struct Triple {
  R x, y, z;
};
template <class R>
TAUT_KERNEL Triple<R> operator+(const Triple<R>& a, const Triple<R>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class R>
TAUT_KERNEL Triple<R> operator-(const Triple<R>& a, const Triple<R>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class R>
TAUT_KERNEL Triple<R> operator*(const R& s, const Triple<R>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
// By axes: inverse masses of a node that is held along some.
template <class R>
TAUT_KERNEL Triple<R> operator*(const Triple<R>& a, const Triple<R>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class R>
TAUT_KERNEL R inner(const Triple<R>& a, const Triple<R>& b) {
  return fused(a.x, b.x, fused(a.y, b.y, a.z * b.z));
}
template <class R>
TAUT_KERNEL R largest_entry(const Triple<R>& a) {
  return larger(magnitude(a.x), larger(magnitude(a.y), magnitude(a.z)));
}
template <class M, class R>
TAUT_KERNEL Triple<R> select_triple(const M& mask, const Triple<R>& yes, const Triple<R>& no) {
  return {select(mask, yes.x, no.x), select(mask, yes.y, no.y), select(mask, yes.z, no.z)};
}

// The frame of a contact: n is its unit normal, which points up (n_z > 0).
template <class R>
struct ContactFrame {
  Triple<R> n, t, s;
};
template <class R>
TAUT_KERNEL ContactFrame<R> contact_frame(const Triple<R>& n) {
  const R size = R(1) / root(fused(n.z, n.z, n.x * n.x));
  const Triple<R> t{n.z * size, R(0), -n.x * size};
  return {n, t, {n.y * t.z, fused(n.z, t.x, -(n.x * t.z)), -(n.y * t.x)}};
}
template <class R>
TAUT_KERNEL Triple<R> to_frame(const ContactFrame<R>& f, const Triple<R>& a) {
  return {inner(f.n, a), inner(f.t, a), inner(f.s, a)};
}
template <class R>
TAUT_KERNEL Triple<R> from_frame(const ContactFrame<R>& f, const Triple<R>& a) {
  return a.x * f.n + (a.y * f.t + a.z * f.s);
}

// How one contact answers an impulse on itself: A in its frame, symmetric.
template <class R>
struct ContactResponse {
  R nn, nt, ns, tt, ts, ss;
};

template <class R>
struct SlidePoint {
  R normal, t, s;           // p at this σ
  R normal_by, t_by, s_by;  // and by σ
};

// The family of impulses with v_n = c and v_t = -σ p_t.
template <class R>
TAUT_KERNEL SlidePoint<R> slide_point(const ContactResponse<R>& a, const Triple<R>& u, const R& c, const R& sigma) {
  const R tt = a.tt + sigma, ss = a.ss + sigma;
  const R inverse = R(1) / fused(tt, ss, -(a.ts * a.ts));
  // (A_tt + σ)⁻¹ of A_tn and of u_t.
  const R g_t = (ss * a.nt - a.ts * a.ns) * inverse, g_s = (tt * a.ns - a.ts * a.nt) * inverse;
  const R k_t = (ss * u.y - a.ts * u.z) * inverse, k_s = (tt * u.z - a.ts * u.y) * inverse;
  const R schur = R(1) / (a.nn - fused(a.nt, g_t, a.ns * g_s));
  SlidePoint<R> p;
  p.normal = (c - u.x + fused(a.nt, k_t, a.ns * k_s)) * schur;
  p.t = -fused(g_t, p.normal, k_t);
  p.s = -fused(g_s, p.normal, k_s);
  p.normal_by = fused(g_t, p.t, g_s * p.s) * schur;
  const R r_t = fused(a.nt, p.normal_by, p.t), r_s = fused(a.ns, p.normal_by, p.s);
  p.t_by = (a.ts * r_s - ss * r_t) * inverse;
  p.s_by = (a.ts * r_t - tt * r_s) * inverse;
  return p;
}

// The impulse of a contact that slides, for u_n < c and μ > 0 where it matters; elsewhere the answer is not looked at.
template <class R, class M>
TAUT_KERNEL Triple<R> slide_impulse(const ContactResponse<R>& a, const Triple<R>& u, const R& c, const R& mu, M open) {
  const R middle = R(0.5) * (a.tt + a.ss), far = R(1e18) * middle;
  // As if A_tt were isotropic and nothing coupled the normal with it: the first guess.
  const R frictionless = (c - u.x) / a.nn;
  const R w_t = fused(a.nt, frictionless, u.y), w_s = fused(a.ns, frictionless, u.z);
  R low = R(0), high = far;
  R sigma = root(fused(w_t, w_t, w_s * w_s)) / larger(mu * frictionless, R(least_square<R>)) - middle;
  sigma = select(sigma > R(0), smaller(sigma, R(0.5) * far), R(0));
  const M slides = open;
  const R close = R(8.0 * rounding_of<R>);
  R cosine = R(1), sine = R(0);
  for (int pass = 0; pass < 60; ++pass) {
    const SlidePoint<R> p = slide_point(a, u, c, sigma);
    const R square = fused(p.t, p.t, p.s * p.s), size = root(square), limit = mu * p.normal;
    const R per = R(1) / larger(size, R(least_square<R>));
    cosine = select(open, p.t * per, cosine);
    sine = select(open, p.s * per, sine);
    const R excess = size - limit;
    open = both(open, magnitude(excess) > close * (size + magnitude(limit)));
    if (!any(open)) break;
    low = select(both(open, excess > R(0)), sigma, low);
    high = select(both(open, excess > R(0)), high, sigma);
    // Newton on 1/size - 1/limit, where the limit is positive; otherwise, and outside the bracket, its middle.
    const R size_by = fused(p.t, p.t_by, p.s * p.s_by) * per, limit_by = mu * p.normal_by;
    const R slope = limit_by * square - size_by * limit * limit;
    const R next = sigma + excess * size * limit / select(slope > R(0), slope, R(1));
    const R between = select(high < far, R(0.5) * (low + high), fused(R(4), low, middle));
    const auto good = both(both(slope > R(0), limit > R(0)), both(next > low, next < high));
    const R chosen = select(good, next, between);
    open = both(open, either(chosen > sigma, chosen < sigma));
    sigma = select(open, chosen, sigma);
  }
  // Exactly on the cone and at v_n = c, along the direction found.
  const R along = fused(mu, fused(a.nt, cosine, a.ns * sine), a.nn);
  const R normal = (c - u.x) / select(both(slides, along > R(0)), along, a.nn);
  return {normal, mu * normal * cosine, mu * normal * sine};
}

// The impulse of one contact; A positive definite.
template <class R>
TAUT_KERNEL Triple<R> contact_impulse(const ContactResponse<R>& a, const Triple<R>& u, const R& c, const R& mu) {
  const auto touches = both(u.x<c, a.nn> R(0));
  if (!any(touches)) return {R(0), R(0), R(0)};
  const SlidePoint<R> stuck = slide_point(a, u, c, R(0));
  const R limit = mu * stuck.normal;
  const auto sticks = both(stuck.normal >= R(0), fused(stuck.t, stuck.t, stuck.s * stuck.s) <= limit * limit);
  Triple<R> p{stuck.normal, stuck.t, stuck.s};
  const auto slides = both(touches, inverse(sticks));
  if (any(slides)) {
    const auto rubs = both(slides, mu > R(0));
    if (any(rubs)) p = select_triple(rubs, slide_impulse(a, u, c, mu, rubs), p);
    p = select_triple(both(slides, inverse(mu > R(0))), Triple<R>{(c - u.x) / a.nn, R(0), R(0)}, p);
  }
  return select_triple(touches, p, Triple<R>{R(0), R(0), R(0)});
}

// A point that may touch.
template <class R>
struct RigidPoint {
  ContactFrame<R> frame;
  R wanted;    // c, m/s: its normal velocity is at least this
  R friction;  // μ
};

// What a solution took: sweeps, and by how much the last one still changed a velocity, m/s.
template <class R>
struct RigidReport {
  R residual;
  int sweeps;
};

// Adds the velocities that an impulse on contact k makes; returns how much it changes its own.
template <class R>
TAUT_KERNEL R add_impulse(int count, int k, const R* blocks, const Triple<R>& p, Triple<R>* v) {
  R own = R(0);
  for (int l = 0; l < count; ++l) {
    const R* const e = blocks + 9 * (l * count + k);
    const Triple<R> moved{fused(e[0], p.x, fused(e[1], p.y, e[2] * p.z)),
                          fused(e[3], p.x, fused(e[4], p.y, e[5] * p.z)),
                          fused(e[6], p.x, fused(e[7], p.y, e[8] * p.z))};
    v[l] = v[l] + moved;
    if (l == k) own = largest_entry(moved);
  }
  return own;
}

// What velocities may still be off by when a solution is taken, as a part of the speeds in it.
template <class R>
inline constexpr double rigid_tolerance = 64.0 * rounding_of<R>;

// Block Gauss-Seidel. blocks: the 3 × 3 block of contacts k and l, A_kl, is at 9 (k count + l), by rows. v: velocities
// in the frames, in step with the impulses p, which are a first guess (zero: none); both are moved. soft: ε, as a part of
// the trace of A_kk: 1e-15 where every A_kk is far from singular, and one contact is then exact in one sweep; 1e-4 where
// supports or other contacts may make it singular (ε takes three sweeps more, and rounding divided by it is still
// nothing). speed: what velocities are measured by. open: the lanes that take part. last: room for count.
//
// Changes that shrink by ρ from sweep to sweep, all alike, would add up to ρ/(1 - ρ) times the last one: that is added
// every few sweeps, and also ends the slow growth of impulses along a rod whose ends cannot both stick.
template <class R, class M>
TAUT_KERNEL RigidReport<R> settle_contacts(int count, const R* blocks, const RigidPoint<R>* points, Triple<R>* v,
                                           Triple<R>* p, const R& speed, double soft, int most_sweeps, M open,
                                           Triple<R>* last) {
  RigidReport<R> report{R(0), 0};
  R change_before = R(0);
  const R enough = R(rigid_tolerance<R>) * speed;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    R change = R(0);
    for (int k = 0; k < count; ++k) {
      const R* const d = blocks + 9 * (k * count + k);
      const R more = R(soft) * (d[0] + d[4] + d[8]);
      const ContactResponse<R> a{d[0] + more, d[1], d[2], d[4] + more, d[5], d[8] + more};
      const Triple<R> u{v[k].x - fused(a.nn, p[k].x, fused(a.nt, p[k].y, a.ns * p[k].z)),
                        v[k].y - fused(a.nt, p[k].x, fused(a.tt, p[k].y, a.ts * p[k].z)),
                        v[k].z - fused(a.ns, p[k].x, fused(a.ts, p[k].y, a.ss * p[k].z))};
      const Triple<R> found = contact_impulse(a, u, points[k].wanted, points[k].friction);
      last[k] = select_triple(open, found - p[k], Triple<R>{R(0), R(0), R(0)});
      p[k] = select_triple(open, found, p[k]);
      change = larger(change, add_impulse(count, k, blocks, last[k], v));
    }
    report.residual = select(open, change, report.residual);
    report.sweeps = sweep + 1;
    // Alone and with next to no softness, the answer is exact at once.
    if (count == 1 && soft < 100.0 * rounding_of<R>) {
      report.residual = R(0);
      break;
    }
    open = both(open, change > enough);
    if (!any(open)) break;
    if (sweep % 4 == 3 && sweep < 120) {
      const R ratio = smaller(change / larger(change_before, R(least_square<R>)), R(0.99));
      const R ahead = select(open, ratio / (R(1) - ratio), R(0));
      for (int k = 0; k < count; ++k) {
        const Triple<R> more = ahead * last[k];
        p[k] = p[k] + more;
        add_impulse(count, k, blocks, more, v);
      }
    }
    change_before = change;
  }
  return report;
}

// No solution adds to the kinetic energy, but for what pushing out of the ground takes: Σ p·(u + v) <= 2 Σ p_n c where
// c > 0, with the velocities u without p. What misses that is none (a node wedged between its guide and the ground, which
// rounding decides): it is scaled down until nothing is gained. Returns where.
template <class R>
TAUT_KERNEL auto bound_growth(int count, const RigidPoint<R>* points, const Triple<R>* u, Triple<R>* p, Triple<R>* v) {
  R start = R(0), square = R(0), allowed = R(0);
  for (int k = 0; k < count; ++k) {
    start = start + inner(p[k], u[k]);
    square = square + inner(p[k], v[k] - u[k]);
    allowed = fused(p[k].x, larger(points[k].wanted, R(0)), allowed);
  }
  const auto sound = fused(R(2), start, square) <= R(2) * allowed;
  const R share = larger(R(0), smaller(R(-2) * start / larger(square, R(least_square<R>)), R(1)));
  for (int k = 0; k < count; ++k) {
    const auto numbers = share * inner(p[k], p[k]) >= R(0);
    p[k] = select_triple(sound, p[k], select_triple(numbers, share * p[k], Triple<R>{R(0), R(0), R(0)}));
    v[k] = select_triple(sound, v[k], select_triple(numbers, u[k] + share * (v[k] - u[k]), u[k]));
  }
  return inverse(sound);
}

// Restitution: the impulses p bounce, p0 do not, v and v0 are the velocities with them and `before` those before the
// step. Where p would add to the kinetic energy, Σ p·(before + v)/2 > 0, it and v become the largest part of the way from
// p0 to p that does not. Returns where. The cones are convex, so it is in them.
template <class R>
TAUT_KERNEL auto bound_bounce(int count, const Triple<R>* before, const Triple<R>* p0, const Triple<R>* v0,
                              Triple<R>* p, Triple<R>* v) {
  R none = R(0), by = R(0), by_square = R(0);
  for (int k = 0; k < count; ++k) {
    const Triple<R> dp = p[k] - p0[k], dv = v[k] - v0[k], sum = before[k] + v0[k];
    none = none + inner(p0[k], sum);
    by = by + (inner(dp, sum) + inner(p0[k], dv));
    by_square = by_square + inner(dp, dv);
  }
  const auto grows = none + by + by_square > R(0);
  none = smaller(none, R(0));
  const R square = larger(by_square, R(0)), size = root(fused(by, by, R(-4) * square * none));
  const R least = R(least_square<R>);
  const R part = select(by > R(0), R(-2) * none / larger(by + size, least), (size - by) / larger(R(2) * square, least));
  const R share = larger(R(0), smaller(part, R(1)));
  for (int k = 0; k < count; ++k) {
    p[k] = select_triple(grows, p0[k] + share * (p[k] - p0[k]), p[k]);
    v[k] = select_triple(grows, v0[k] + share * (v[k] - v0[k]), v[k]);
  }
  return grows;
}

}  // namespace taut
