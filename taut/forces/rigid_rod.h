// Hard contact of a rod or of a node by itself, on top of the contacts of rigid_contact.h (docs/theory/rigid-contact.md).
// R is the number of a kernel (base/number.h).
#pragma once

#include "taut/forces/rigid_contact.h"

namespace taut {

// A rod, or a node by itself: what contact makes of the end of a leapfrog step.
//
// Nodes a, b with the inverse masses W = [aa ab; ab bb] per axis (R where all axes are alike, Triple<R> where some are
// held), which a constraint along b = x_b - x_a keeps at a length. Impulses f on the nodes, together with the
// constraint's, change the velocities by
//
//   dv_a = aa f_a + ab f_b + λ u_a,   dv_b = ab f_a + bb f_b + λ u_b,   λ = -(u_a·f_a + u_b·f_b) / (b·(u_b - u_a)),
//   u_a = (ab - aa) b,   u_b = (bb - ab) b.
//
// A touching point is at w_a x_a + w_b x_b, and an impulse on it is w_a p on a and w_b p on b. In a step the constraint
// holds at the end, |b + h (v_b - v_a)| = L: the root μ that does it is of second order in what contact changes, so that
// contact and length are put right by turns, a few rounds; the length has the last word. What the turns change shrinks by
// the same part each time, so that its geometric sum is taken at once.
template <class R, class W>
struct RigidRod {
  W aa, ab, bb;
  Triple<R> b;  // m, at the beginning of the step
};

// One touching point of a rod.
template <class R>
struct RodTouch {
  RigidPoint<R> point;
  R w_a, w_b;
  R bounce;  // m/s: the normal velocity after a bounce, at least; `wanted` of the point where it does not bounce
  Triple<R> before;  // m/s, in the frame, before the step
};

template <class R>
struct Pair {
  Triple<R> a, b;
};

template <class R, class W>
struct RodAnswer {
  Triple<R> ua, ub;
  R inverse;  // 1/(b·(u_b - u_a))
};

template <class R, class W>
TAUT_KERNEL RodAnswer<R, W> rod_answer(const RigidRod<R, W>& rod) {
  const Triple<R> ua = (rod.ab - rod.aa) * rod.b, ub = (rod.bb - rod.ab) * rod.b;
  const R authority = inner(rod.b, ub - ua);
  return {ua, ub, select(authority > R(0), R(1) / authority, R(0))};
}

template <class R, class W>
TAUT_KERNEL Pair<R> answer(const RigidRod<R, W>& rod, const RodAnswer<R, W>& how, const Pair<R>& f) {
  const R lambda = -(inner(how.ua, f.a) + inner(how.ub, f.b)) * how.inverse;
  return {rod.aa * f.a + rod.ab * f.b + lambda * how.ua, rod.ab * f.a + rod.bb * f.b + lambda * how.ub};
}

template <class R>
TAUT_KERNEL Triple<R> touch_velocity(const RodTouch<R>& touch, const Pair<R>& v) {
  return to_frame(touch.point.frame, touch.w_a * v.a + touch.w_b * v.b);
}

// A_kl of all pairs, as settle_contacts() wants them.
template <class R, class W>
TAUT_KERNEL void rod_blocks(const RigidRod<R, W>& rod, const RodAnswer<R, W>& how, int count,
                            const RodTouch<R>* touches, R* blocks) {
  for (int l = 0; l < count; ++l) {
    const ContactFrame<R>& frame = touches[l].point.frame;
    for (int axis = 0; axis < 3; ++axis) {
      const Triple<R>& e = axis == 0 ? frame.n : axis == 1 ? frame.t : frame.s;
      const Pair<R> moved = answer(rod, how, {touches[l].w_a * e, touches[l].w_b * e});
      for (int k = 0; k < count; ++k) {
        const Triple<R> at = touch_velocity(touches[k], moved);
        R* const to = blocks + 9 * (k * count + l) + axis;
        to[0] = at.x, to[3] = at.y, to[6] = at.z;
      }
    }
  }
}

// The small root of |d + μ s|² = L², 0 where there is none.
template <class R>
TAUT_KERNEL R rod_length_root(const Triple<R>& d, const Triple<R>& s, const R& length) {
  const R square = inner(s, s), half = inner(d, s), excess = inner(d, d) - length * length;
  const R inside = fused(half, half, -(square * excess)), size = root(larger(inside, R(0)));
  const R down = half + select(half < R(0), -size, size);
  const auto there = both(inside > R(0), magnitude(down) > R(0));
  return select(there, -excess / select(there, down, R(1)), R(0));
}

// Adds to v the velocities that impulses on the touching points make, in their frames; returns those on the nodes.
template <class R, class W>
TAUT_KERNEL Pair<R> push_rod(const RigidRod<R, W>& rod, const RodAnswer<R, W>& how, int count,
                             const RodTouch<R>* touches, const Triple<R>* p, Pair<R>& v) {
  Pair<R> f{{R(0), R(0), R(0)}, {R(0), R(0), R(0)}};
  for (int k = 0; k < count; ++k) {
    const Triple<R> world = from_frame(touches[k].point.frame, p[k]);
    f.a = f.a + touches[k].w_a * world;
    f.b = f.b + touches[k].w_b * world;
  }
  const Pair<R> moved = answer(rod, how, f);
  v.a = v.a + moved.a, v.b = v.b + moved.b;
  return f;
}

// Moves v, the velocities after the free move, to what contact and the constraint ask for; `impulse` becomes those of
// contact on the nodes. With a length the constraint is that of a step of h, without (length 0) b·(v_b - v_a) stays. soft:
// as in settle_contacts(). bounces: whether some touch has a bounce above its wanted velocity. most: of touches.
template <int most, class R, class W>
TAUT_KERNEL RigidReport<R> settle_rod(const RigidRod<R, W>& rod, bool moves, const R& length, const R& h, int count,
                                      const RodTouch<R>* touches, bool bounces, double soft, Pair<R>& v,
                                      Pair<R>& impulse) {
  constexpr int most_rounds = 6, most_sweeps = 200;
  const RodAnswer<R, W> how = rod_answer(rod);
  R blocks[9 * most * most];
  rod_blocks(rod, how, count, touches, blocks);
  RigidPoint<R> points[most];
  Triple<R> at[most], p[most], room[most];
  R speed = larger(largest_entry(v.a), largest_entry(v.b));
  for (int k = 0; k < count; ++k) {
    points[k] = touches[k].point;
    at[k] = touch_velocity(touches[k], v);
    p[k] = {R(0), R(0), R(0)};
    speed = larger(speed, magnitude(points[k].wanted));
  }
  impulse.a = impulse.b = {R(0), R(0), R(0)};
  RigidReport<R> report{R(0), 0};
  // The length is known to its rounding, and so are velocities along the rod to that over a step. Contact cannot do better:
  // ends that both stick would push against each other for ever.
  R enough = R(rigid_tolerance<R>) * speed;
  if (moves) enough = larger(enough, R(8.0 * rounding_of<R>) * length / h);
  auto open = speed > R(0);
  if (bounces) {
    Triple<R> p0[most], v0[most];
    auto bouncing = speed < R(0);
    for (int k = 0; k < count; ++k) {
      p0[k] = p[k], v0[k] = at[k];
      bouncing = either(bouncing, touches[k].bounce > points[k].wanted);
    }
    settle_contacts(count, blocks, points, v0, p0, speed, soft, most_sweeps, both(open, bouncing), room);
    Triple<R> before[most];
    for (int k = 0; k < count; ++k) {
      before[k] = touches[k].before;
      points[k].wanted = larger(points[k].wanted, touches[k].bounce);
    }
    const RigidReport<R> found =
        settle_contacts(count, blocks, points, at, p, speed, soft, most_sweeps, both(open, bouncing), room);
    report = found;
    const auto bound = both(bouncing, bound_bounce(count, before, p0, v0, p, at));
    // What is bound stays as it is: apply it here and close its lanes.
    impulse = push_rod(rod, how, count, touches, p, v);
    if (moves) {
      const R mu = rod_length_root(rod.b + h * (v.b - v.a), how.ub - how.ua, length) / h;
      v.a = v.a + select(bouncing, mu, R(0)) * how.ua;
      v.b = v.b + select(bouncing, mu, R(0)) * how.ub;
      for (int k = 0; k < count; ++k) at[k] = touch_velocity(touches[k], v);
    }
    open = both(open, inverse(bound));
  }
  Triple<R> first[most];
  for (int k = 0; k < count; ++k) first[k] = at[k];
  R mu_before = R(0);
  for (int round = 0; round < most_rounds; ++round) {
    Triple<R> more[most];
    for (int k = 0; k < count; ++k) more[k] = p[k];
    const RigidReport<R> found = settle_contacts(count, blocks, points, at, p, speed, soft, most_sweeps, open, room);
    report.sweeps += found.sweeps;
    if (round == 0 && !bounces) open = both(open, inverse(bound_growth(count, points, first, p, at)));
    report.residual = select(open, found.residual, report.residual);
    for (int k = 0; k < count; ++k) more[k] = p[k] - more[k];
    const Pair<R> f = push_rod(rod, how, count, touches, more, v);
    impulse.a = impulse.a + f.a, impulse.b = impulse.b + f.b;
    if (!moves) break;
    R mu = rod_length_root(rod.b + h * (v.b - v.a), how.ub - how.ua, length) / h;
    mu = select(open, mu, R(0));
    R sum = mu;
    if (round > 0 && round + 1 < most_rounds) {
      const R ratio = mu / select(magnitude(mu_before) > R(0), mu_before, R(1));
      sum = select(magnitude(ratio) < R(0.1), mu / (R(1) - ratio), mu);
    }
    mu_before = mu;
    v.a = v.a + sum * how.ua, v.b = v.b + sum * how.ub;
    R off = R(0);
    for (int k = 0; k < count; ++k) {
      const Triple<R> now = touch_velocity(touches[k], v);
      off = larger(off, largest_entry(now - at[k]));
      at[k] = now;
    }
    report.residual = select(open, larger(report.residual, off), report.residual);
    open = both(open, off > enough);
    if (!any(open)) break;
  }
  return report;
}

// The end of a rod that touches: inverse masses of itself, across and of the other end, and d from it to the other.
template <class R>
struct RodEnd {
  R near, across, far;
  Triple<R> d;  // m, at the beginning of the step
};

// One end that sticks, in a step: exactly and at once. With r = across/near and κ = far - r across, from the velocities v_n
// and v_f after the free move it gets v* = c n, and what is left is the pull Λ of the rod, by the small root ν of its length:
//
//   p = (v* - v_n)/near + Λ (1 - r) d,   v_f + r (v* - v_n) + Λ κ d,   |d + h (v_f + r (v* - v_n) - v*) + ν d| = L,   Λ = ν/(h κ)
//
// v: of the end and of the other; moved with the impulse p. Returns where p is in the cone; elsewhere v and p mean nothing.
template <class R>
TAUT_KERNEL auto stick_end(const RodEnd<R>& rod, const R& length, const R& h, const RigidPoint<R>& point, Pair<R>& v,
                           Triple<R>& p) {
  const R per_near = R(1) / rod.near, ratio = rod.across * per_near, kappa = rod.far - ratio * rod.across;
  const Triple<R> wanted = point.wanted * point.frame.n, change = wanted - v.a, other = v.b + ratio * change;
  const Triple<R> end = rod.d + h * (other - wanted);
  const R square = inner(rod.d, rod.d), half = inner(end, rod.d), excess = inner(end, end) - length * length;
  const R inside = fused(half, half, -(square * excess));
  const R nu = -excess / (half + root(inside)), pull = nu / (h * kappa);
  p = per_near * change + (pull * (R(1) - ratio)) * rod.d;
  v.a = wanted;
  v.b = other + (pull * kappa) * rod.d;
  const Triple<R> in_frame = to_frame(point.frame, p);
  const R limit = point.friction * in_frame.x;
  const auto turns_little = both(half > R(0), inside > R(0));
  const auto in_cone =
      both(in_frame.x >= R(0), fused(in_frame.y, in_frame.y, in_frame.z * in_frame.z) <= limit * limit);
  return both(turns_little, in_cone);
}

// A node by itself, of inverse mass W: the same with one touching point.
template <class R, class W>
TAUT_KERNEL RigidReport<R> settle_node(const W& inverse_mass, const RodTouch<R>& touch, bool bounces, double soft,
                                       Triple<R>& v, Triple<R>& impulse) {
  const R zero = R(0);
  RigidRod<R, W> rod{inverse_mass, R(0) * inverse_mass, R(0) * inverse_mass, {zero, zero, zero}};
  Pair<R> both_v{v, {zero, zero, zero}}, both_p;
  const RigidReport<R> report = settle_rod<1>(rod, false, zero, zero, 1, &touch, bounces, soft, both_v, both_p);
  v = both_v.a;
  impulse = both_p.a;
  return report;
}

}  // namespace taut
