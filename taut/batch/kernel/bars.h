// Lone bars and nodes of one robot (formulation/nodal/lone_bar.h) through a leap or a half kick, with what hard ground
// makes of it. Included by kernel.h only.
#pragma once

#include "taut/batch/kernel/press.h"

namespace taut::batch {

// The small root μ of |d + μ s|² = L²: the move along s that gives d the length L.
template <class R>
TAUT_KERNEL R length_root(R square, R half, R excess) {
  const R under = root(half * half - square * excess);
  const R move = quotient(-excess, half + select(half >= R(0.0), under, -under));
  return select(square > R(0.0), move, R(0.0));
}

// Its weights along an axis: nine numbers in all, or three where it is free.
template <class R>
struct BarWeights {
  R aa, ab, bb;
};

template <class R, class S, class N>
TAUT_KERNEL BarWeights<R> bar_weights(const S& s, const N& n, int i, int axis) {
  const int at = s.at_bar() + 10 * i + (s.bar_guided(i) ? 3 * axis : 0);
  return {n(at), n(at + 1), n(at + 2)};
}

template <class R, class S, class N>
TAUT_KERNEL Pair<R> press(const S& s, const N& n, const Plane<R>& plane, int i, const Pair<R>& x0, const Pair<R>& v0,
                          double h, bool moves, const Pair<R>& free) {
  const R length = n(s.at_bar() + 10 * i + 9);
  const bool a = (s.bar_touches(i) & 1) != 0, b = (s.bar_touches(i) & 2) != 0;
  const BarWeights<R> x = bar_weights<R>(s, n, i, 0);
  if (!s.bar_guided(i)) return press_bar(plane, x.aa, x.ab, x.bb, length, a, b, is_firm, x0, v0, h, moves, free);
  const BarWeights<R> y = bar_weights<R>(s, n, i, 1), z = bar_weights<R>(s, n, i, 2);
  return press_bar(plane, Triple<R>{x.aa, y.aa, z.aa}, Triple<R>{x.ab, y.ab, z.ab}, Triple<R>{x.bb, y.bb, z.bb}, length,
                   a, b, is_soft, x0, v0, h, moves, free);
}

// `hard`: some of them may touch hard ground. Without, nothing of it is in the way of the others.
template <bool hard, class R, class S, class N>
TAUT_KERNEL_PART void leap_bars(const S& s, const N& n, double h, Room<R>& room) {
  Plane<R> plane;
  if constexpr (hard) plane = plane_of<R>(s, n);
  TAUT_UNROLL
  for (int i = 0; i < s.bars(); ++i) {
    const int a = s.bar_a(i), b = s.bar_b(i);
    R va[3], vb[3], ua[3], ub[3];
    R square(0.0), half(0.0), reach(0.0);
    TAUT_UNROLL
    for (int k = 0; k < 3; ++k) {
      const BarWeights<R> w = bar_weights<R>(s, n, i, k);
      const R d = room.x[3 * b + k] - room.x[3 * a + k], fa = room.f[3 * a + k], fb = room.f[3 * b + k];
      va[k] = fused(R(h), fused(w.aa, fa, w.ab * fb), room.v[3 * a + k]);
      vb[k] = fused(R(h), fused(w.ab, fa, w.bb * fb), room.v[3 * b + k]);
      ua[k] = (w.ab - w.aa) * d, ub[k] = (w.bb - w.ab) * d;
      const R side = ub[k] - ua[k], ahead = fused(R(h), vb[k] - va[k], d);
      square = fused(side, side, square);
      half = fused(ahead, side, half);
      reach = fused(ahead, ahead, reach);
    }
    const R length = n(s.at_bar() + 10 * i + 9);
    const R nu = length_root(square, half, reach - length * length) * R(1.0 / h);
    Pair<R> v{{fused(nu, ua[0], va[0]), fused(nu, ua[1], va[1]), fused(nu, ua[2], va[2])},
              {fused(nu, ub[0], vb[0]), fused(nu, ub[1], vb[1]), fused(nu, ub[2], vb[2])}};
    const Pair<R> x0{triple(room.x, a), triple(room.x, b)};
    if (hard && s.bar_touches(i))
      v = press(s, n, plane, i, x0, Pair<R>{triple(room.v, a), triple(room.v, b)}, h, true, v);
    put(room.v, a, v.a);
    put(room.v, b, v.b);
    put(room.x, a, Triple<R>{fused(R(h), v.a.x, x0.a.x), fused(R(h), v.a.y, x0.a.y), fused(R(h), v.a.z, x0.a.z)});
    put(room.x, b, Triple<R>{fused(R(h), v.b.x, x0.b.x), fused(R(h), v.b.y, x0.b.y), fused(R(h), v.b.z, x0.b.z)});
  }
}

// The velocities after a kick without contact.
template <class R, class S, class N>
TAUT_KERNEL Pair<R> kicked_bar(const S& s, const N& n, int i, double h, const Room<R>& room) {
  const int a = 3 * s.bar_a(i), b = 3 * s.bar_b(i);
  R va[3], vb[3], ua[3], ub[3];
  R authority(0.0), growth(0.0);
  TAUT_UNROLL
  for (int k = 0; k < 3; ++k) {
    const BarWeights<R> w = bar_weights<R>(s, n, i, k);
    const R d = room.x[b + k] - room.x[a + k], fa = room.f[a + k], fb = room.f[b + k];
    va[k] = room.v[a + k] + R(h) * (w.aa * fa + w.ab * fb);
    vb[k] = room.v[b + k] + R(h) * (w.ab * fa + w.bb * fb);
    ua[k] = (w.ab - w.aa) * d, ub[k] = (w.bb - w.ab) * d;
    authority = authority + d * (ub[k] - ua[k]);
    growth = growth + d * (vb[k] - va[k]);
  }
  const R ratio = quotient(-growth, authority), nu = select(authority > R(0.0), ratio, R(0.0));
  return {{va[0] + nu * ua[0], va[1] + nu * ua[1], va[2] + nu * ua[2]},
          {vb[0] + nu * ub[0], vb[1] + nu * ub[1], vb[2] + nu * ub[2]}};
}

template <class R, class S, class N>
TAUT_KERNEL Triple<R> kicked_node(const S& s, const N& n, int i, double h, const Room<R>& room) {
  const int at = 3 * s.lone_node(i), weight = s.at_lone() + 3 * i;
  return {fused(R(h) * n(weight), room.f[at], room.v[at]), fused(R(h) * n(weight + 1), room.f[at + 1], room.v[at + 1]),
          fused(R(h) * n(weight + 2), room.f[at + 2], room.v[at + 2])};
}

template <class R, class S, class N>
TAUT_KERNEL Triple<R> press(const S& s, const N& n, const Plane<R>& plane, int i, const Triple<R>& x0,
                            const Triple<R>& v0, double h, bool moves, const Triple<R>& free) {
  const int weight = s.at_lone() + 3 * i;
  return press_node(plane, Triple<R>{n(weight), n(weight + 1), n(weight + 2)}, x0, v0, h, moves, free);
}

// Half a kick forward from half-step velocities, or, with `back`, what steps begin from at synchronised ones.
template <class R, class S, class N>
TAUT_KERNEL void kick_bars(const S& s, const N& n, double h, bool back, Room<R>& room) {
  TAUT_UNROLL
  for (int i = 0; i < s.bars(); ++i) {
    const int a = s.bar_a(i), b = s.bar_b(i);
    Pair<R> v = kicked_bar(s, n, i, back ? -h : h, room);
    if (s.rigid() && s.bar_touches(i)) {
      const Pair<R> x0{triple(room.x, a), triple(room.x, b)}, v0{triple(room.v, a), triple(room.v, b)};
      const Plane<R> plane = plane_of<R>(s, n);
      const Pair<R> forward = back ? kicked_bar(s, n, i, h, room) : v;
      const Pair<R> pressed = press(s, n, plane, i, x0, v0, h, false, forward);
      v = back ? Pair<R>{taken_back(v0.a, v.a, forward.a, pressed.a), taken_back(v0.b, v.b, forward.b, pressed.b)}
               : pressed;
    }
    put(room.v, a, v.a);
    put(room.v, b, v.b);
  }
}

template <class R, class S, class N>
TAUT_KERNEL void kick_nodes(const S& s, const N& n, double h, bool back, Room<R>& room) {
  TAUT_UNROLL
  for (int i = 0; i < s.lone(); ++i) {
    const int node = s.lone_node(i);
    Triple<R> v = kicked_node(s, n, i, back ? -h : h, room);
    if (s.rigid() && s.lone_touches(i)) {
      const Triple<R> x0 = triple(room.x, node), v0 = triple(room.v, node);
      const Triple<R> forward = back ? kicked_node(s, n, i, h, room) : v;
      const Triple<R> pressed = press(s, n, plane_of<R>(s, n), i, x0, v0, h, false, forward);
      v = back ? taken_back(v0, v, forward, pressed) : pressed;
    }
    put(room.v, node, v);
  }
}

template <class R, class S, class N>
TAUT_KERNEL void leap_nodes(const S& s, const N& n, double h, Room<R>& room) {
  TAUT_UNROLL
  for (int i = 0; i < s.lone(); ++i) {
    const int node = s.lone_node(i);
    const Triple<R> x0 = triple(room.x, node);
    Triple<R> v = kicked_node(s, n, i, h, room);
    if (s.rigid() && s.lone_touches(i)) v = press(s, n, plane_of<R>(s, n), i, x0, triple(room.v, node), h, true, v);
    put(room.v, node, v);
    put(room.x, node, Triple<R>{fused(R(h), v.x, x0.x), fused(R(h), v.y, x0.y), fused(R(h), v.z, x0.z)});
  }
}

}  // namespace taut::batch
