// Hard ground in the leapfrog of one robot: what contact makes of the leap or half kick of a lone node or bar
// (forces/rigid_ground.h, formulation/press_rod.h), by the impulses of forces/rigid_rod.h in a number type R. Included
// by kernel.h only.
#pragma once

#include "taut/batch/kernel/ground.h"
#include "taut/forces/rigid_rod.h"

namespace taut::batch {

// As in forces/rigid_ground.h and formulation/press_rod.h.
inline constexpr double arrives = 0.01, pushes_out = 0.05, touches_within = 1e-9, is_firm = 1e-15, is_soft = 1e-4;

// The plane and its numbers.
template <class R>
struct Plane {
  ContactFrame<R> frame;
  R reach, friction, restitution;
};

template <class R, class S, class N>
TAUT_KERNEL Plane<R> plane_of(const S& s, const N& n) {
  const int at = s.at_ground();
  return {contact_frame(Triple<R>{n(at), n(at + 1), n(at + 2)}), n(at + ground_reach), n(at + ground_friction),
          n(at + ground_restitution)};
}

template <class R>
TAUT_KERNEL Triple<R> triple(const R* of_nodes, int node) {
  return {of_nodes[3 * node], of_nodes[3 * node + 1], of_nodes[3 * node + 2]};
}
template <class R>
TAUT_KERNEL void put(R* of_nodes, int node, const Triple<R>& a) {
  of_nodes[3 * node] = a.x, of_nodes[3 * node + 1] = a.y, of_nodes[3 * node + 2] = a.z;
}

template <class R>
TAUT_KERNEL R depth_in(const Plane<R>& plane, const Triple<R>& at) {
  return plane.reach - (plane.frame.n.x * at.x + plane.frame.n.y * at.y + plane.frame.n.z * at.z);
}

// Whether the node touches, and what it wants then: from x with the velocity `before`, in a leap to `end`, or in a kick.
// It is at share w_a, w_b of a rod, zero where it does not touch.
template <class R, class M>
TAUT_KERNEL RodTouch<R> touch_of(const Plane<R>& plane, const Triple<R>& x, const Triple<R>& before, double h,
                                 bool moves, M touching, double w_a, double w_b) {
  const R zero(0.0), depth = depth_in(plane, x), speed = root(inner(before, before));
  RodTouch<R> touch;
  touch.point.frame = plane.frame;
  touch.point.friction = plane.friction;
  touch.before = to_frame(plane.frame, before);
  touch.point.wanted = moves ? smaller(depth / R(h), R(pushes_out) + R(0.5) * speed) : zero;
  touch.point.wanted = select(touching, touch.point.wanted, zero);
  touch.bounce = touch.point.wanted;
  if (moves) {
    const auto arriving = both(touching, both(plane.restitution > zero, touch.before.x < R(-arrives)));
    touch.bounce = select(arriving, larger(touch.point.wanted, -plane.restitution * touch.before.x), touch.bounce);
  }
  touch.w_a = select(touching, R(w_a), zero);
  touch.w_b = select(touching, R(w_b), zero);
  return touch;
}

// In a leap what ends below the surface touches; in a kick what is on it and does not arrive.
template <class R>
TAUT_KERNEL auto leap_touches(const Plane<R>& plane, const Triple<R>& end) {
  return depth_in(plane, end) > R(0.0);
}
template <class R>
TAUT_KERNEL auto kick_touches(const Plane<R>& plane, const Triple<R>& x, const Triple<R>& before) {
  return both(depth_in(plane, x) > R(-touches_within), inner(plane.frame.n, before) > R(-1e-4 * arrives));
}

// Bars of which one end touches and sticks, in a leap (stick_end): moves v there and returns where. Not where the other end
// comes down by that.
template <class R, class M>
TAUT_KERNEL M stuck_bars(const Plane<R>& plane, R aa, R ab, R bb, R length, bool touch_a, bool touch_b,
                         const Pair<R>& x0, const Pair<R>& v0, double h, M on_a, M on_b, Pair<R>& v) {
  const auto one = both(either(on_a, on_b), inverse(both(on_a, on_b)));
  const RodEnd<R> end{select(on_a, aa, bb), ab, select(on_a, bb, aa), select_triple(on_a, x0.b - x0.a, x0.a - x0.b)};
  const RodTouch<R> touch =
      touch_of(plane, select_triple(on_a, x0.a, x0.b), select_triple(on_a, v0.a, v0.b), h, true, one, 1.0, 0.0);
  Pair<R> found{select_triple(on_a, v.a, v.b), select_triple(on_a, v.b, v.a)};
  Triple<R> p;
  auto stuck = stick_end(end, length, R(h), touch.point, found, p);
  stuck = both(both(one, stuck), touch.bounce <= touch.point.wanted);
  const Pair<R> moved{select_triple(on_a, found.a, found.b), select_triple(on_a, found.b, found.a)};
  if (touch_a) stuck = both(stuck, either(on_a, inverse(leap_touches(plane, x0.a + R(h) * moved.a))));
  if (touch_b) stuck = both(stuck, either(on_b, inverse(leap_touches(plane, x0.b + R(h) * moved.b))));
  v = {select_triple(stuck, moved.a, v.a), select_triple(stuck, moved.b, v.b)};
  return stuck;
}
// Not of guided bars.
template <class R, class M>
TAUT_KERNEL M stuck_bars(const Plane<R>&, const Triple<R>&, const Triple<R>&, const Triple<R>&, R, bool, bool,
                         const Pair<R>&, const Pair<R>&, double, M on_a, M, Pair<R>&) {
  return both(on_a, inverse(on_a));
}

// A bar that touches there, by turns of contact and length.
template <class R, class W, class M>
TAUT_KERNEL_RARE Pair<R> press_by_turns(Plane<R> plane, W aa, W ab, W bb, R length, bool touch_a, bool touch_b,
                                        double softness, Pair<R> x0, Pair<R> v0, double h, bool moves, Pair<R> free,
                                        M on_a, M on_b) {
  const auto never = R(0.0) > R(0.0);
  const RigidRod<R, W> rod{aa, ab, bb, x0.b - x0.a};
  const bool bounces = moves && any(plane.restitution > R(0.0));
  Pair<R> v = free, impulse;
  for (int look = 0; look < 2; ++look) {
    const RodTouch<R> touches[2] = {touch_of(plane, x0.a, v0.a, h, moves, on_a, 1.0, 0.0),
                                    touch_of(plane, x0.b, v0.b, h, moves, on_b, 0.0, 1.0)};
    v = free;
    settle_rod<2>(rod, moves, length, R(h), 2, touches, bounces, softness, v, impulse);
    if (!moves) break;
    // The other end, where this has brought it down.
    auto more_a = never, more_b = never;
    if (touch_a) more_a = both(inverse(on_a), leap_touches(plane, x0.a + R(h) * v.a));
    if (touch_b) more_b = both(inverse(on_b), leap_touches(plane, x0.b + R(h) * v.b));
    more_a = both(more_a, on_b), more_b = both(more_b, on_a);
    if (!any(either(more_a, more_b))) break;
    on_a = either(on_a, more_a), on_b = either(on_b, more_b);
  }
  return v;
}

// Bars of which one end touches, by turns of contact and length: as press_by_turns() with half the work. Moves v and
// returns where; not where the other end comes down by that.
template <class R, class W, class M>
TAUT_KERNEL_RARE M press_one_end(Plane<R> plane, W aa, W ab, W bb, R length, bool touch_a, bool touch_b,
                                 double softness, Pair<R> x0, Pair<R> v0, double h, bool moves, M on_a, M one,
                                 Pair<R>& v) {
  const RigidRod<R, W> rod{aa, ab, bb, x0.b - x0.a};
  RodTouch<R> touch =
      touch_of(plane, select_triple(on_a, x0.a, x0.b), select_triple(on_a, v0.a, v0.b), h, moves, one, 1.0, 0.0);
  touch.w_b = select(on_a, R(0.0), touch.w_a);
  touch.w_a = select(on_a, touch.w_a, R(0.0));
  Pair<R> moved = v, impulse;
  settle_rod<1>(rod, moves, length, R(h), 1, &touch, moves && any(plane.restitution > R(0.0)), softness, moved,
                impulse);
  auto done = one;
  if (moves && touch_a) done = both(done, either(on_a, inverse(leap_touches(plane, x0.a + R(h) * moved.a))));
  if (moves && touch_b) done = both(done, either(inverse(on_a), inverse(leap_touches(plane, x0.b + R(h) * moved.b))));
  v = {select_triple(done, moved.a, v.a), select_triple(done, moved.b, v.b)};
  return done;
}

// A bar that touches there: what sticks with one end, then what slides or bounces with one end, then both ends.
template <class R, class W, class M>
TAUT_KERNEL_PART Pair<R> press_touching(const Plane<R>& plane, const W& aa, const W& ab, const W& bb, R length,
                                        bool touch_a, bool touch_b, double softness, const Pair<R>& x0,
                                        const Pair<R>& v0, double h, bool moves, const Pair<R>& free, M on_a, M on_b) {
  Pair<R> v = free;
  auto left = either(on_a, on_b);
  const M one = both(left, inverse(both(on_a, on_b)));
  if (moves && any(one))
    left = both(left, inverse(stuck_bars(plane, aa, ab, bb, length, touch_a, touch_b, x0, v0, h, on_a, on_b, v)));
  if (any(both(left, one)))
    left = both(left, inverse(press_one_end(plane, aa, ab, bb, length, touch_a, touch_b, softness, x0, v0, h, moves,
                                            on_a, both(left, one), v)));
  if (!any(left)) return v;
  const Pair<R> by_turns = press_by_turns(plane, aa, ab, bb, length, touch_a, touch_b, softness, x0, v0, h, moves, free,
                                          both(on_a, left), both(on_b, left));
  return {select_triple(left, by_turns.a, v.a), select_triple(left, by_turns.b, v.b)};
}

// A bar from x0, v0 with the velocities `free` after a leap or kick without contact. Returns what they become.
template <class R, class W>
TAUT_KERNEL Pair<R> press_bar(const Plane<R>& plane, const W& aa, const W& ab, const W& bb, R length, bool touch_a,
                              bool touch_b, double softness, const Pair<R>& x0, const Pair<R>& v0, double h, bool moves,
                              const Pair<R>& free) {
  auto on_a = R(0.0) > R(0.0), on_b = on_a;
  if (moves) {
    if (touch_a) on_a = leap_touches(plane, x0.a + R(h) * free.a);
    if (touch_b) on_b = leap_touches(plane, x0.b + R(h) * free.b);
  } else {
    if (touch_a) on_a = kick_touches(plane, x0.a, v0.a);
    if (touch_b) on_b = kick_touches(plane, x0.b, v0.b);
  }
  if (!any(either(on_a, on_b))) return free;
  return press_touching(plane, aa, ab, bb, length, touch_a, touch_b, softness, x0, v0, h, moves, free, on_a, on_b);
}

// A lone node.
template <class R>
TAUT_KERNEL_RARE Triple<R> press_node(const Plane<R>& plane, const Triple<R>& inverse_mass, const Triple<R>& x0,
                                      const Triple<R>& v0, double h, bool moves, const Triple<R>& free) {
  const auto on = moves ? leap_touches(plane, x0 + R(h) * free) : kick_touches(plane, x0, v0);
  if (!any(on)) return free;
  const bool bounces = moves && any(plane.restitution > R(0.0));
  Triple<R> v = free, impulse;
  settle_node(inverse_mass, touch_of(plane, x0, v0, h, moves, on, 1.0, 0.0), bounces, is_soft, v, impulse);
  return select_triple(on, v, free);
}

// v - δ, with δ what half a kick forward does where contact has its say; elsewhere half a kick back.
template <class R>
TAUT_KERNEL Triple<R> taken_back(const Triple<R>& v0, const Triple<R>& back, const Triple<R>& forward,
                                 const Triple<R>& pressed) {
  return {select(pressed.x == forward.x, back.x, R(2.0) * v0.x - pressed.x),
          select(pressed.y == forward.y, back.y, R(2.0) * v0.y - pressed.y),
          select(pressed.z == forward.z, back.z, R(2.0) * v0.z - pressed.z)};
}

}  // namespace taut::batch
