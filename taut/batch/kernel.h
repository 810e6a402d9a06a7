// One robot of a batch, or one pack of robots in vector lanes, through some steps of the leapfrog: the arithmetic of
// `integrator = "symplectic"` with formulation nodal (integrate/symplectic.cpp), written once over a number type R.
//
//   v(n+½) = v(n-½) + h W (f(x_n, ṽ_n) + Gᵀλ),   x(n+1) = x_n + h v(n+½),   λ such that bars keep their lengths
//
// From synchronised (x, v) to synchronised (x, v): half a kick back, the steps, half a kick forward. S is the shape, what
// is the same for all robots (who is tied to whom, which law), N the numbers of this robot (stiffness, masses, ...), both
// as batch/plan/plan.h lists them. On the processor S is a table; in a CUDA kernel its functions return constants, and all loops
// unroll. No header but these: CUDA compiles this file as it is.
#pragma once

#include "taut/batch/kernel/bars.h"
#include "taut/batch/kernel/cables.h"
#include "taut/batch/kernel/ground.h"
#include "taut/batch/kernel/group_press.h"

namespace taut::batch {

// Numbers from a row of signals, each lane from its own time.
template <class R>
TAUT_KERNEL R at_time(const Steps& steps, const double* rows, const Room<R>& room, int after, int column) {
  R r(0.0);
  for (int k = 0; k < lane_count<R>; ++k)
    set_lane(r, k, rows[static_cast<long long>(room.time[k] + after - steps.first) * steps.row + column]);
  return r;
}

// Rest lengths of the driven slots `after` steps; `begins`: a segment begins there, so that what jumps has jumped.
template <class R, class S>
TAUT_KERNEL void set_rest(const S& s, const Steps& steps, Room<R>& room, int after, bool begins) {
  const double* const rows = begins ? steps.after : steps.before;
  TAUT_UNROLL
  for (int d = 0; d < s.drives(); ++d) {
    if (!steps.commands || s.signalled(d)) {
      room.rest[d] = at_time(steps, rows, room, after, 2 * d);
      room.rest_rate[d] = at_time(steps, rows, room, after, 2 * d + 1);
      if (!steps.commands) continue;
    }
    const R* const c = room.command + 3 * d;
    const R now(static_cast<double>(after)), rest = c[0] + c[1] * (R(steps.h) * smaller(now, c[2]));
    const R rate = select(begins ? c[2] > now : c[2] >= now, c[1], R(0.0));
    const auto own = c[2] < R(0.0);
    room.rest[d] = s.signalled(d) ? select(own, room.rest[d], rest) : rest;
    room.rest_rate[d] = s.signalled(d) ? select(own, room.rest_rate[d], rate) : rate;
  }
}

template <class R, class S, class N>
TAUT_KERNEL Rest<R> rest_of(const S& s, const N& n, const Room<R>& room, int slot) {
  const int d = s.driven(slot);
  Rest<R> r{n(s.at_rest() + slot), R(0.0), n(s.at_stiffness() + slot)};
  if (d >= 0) {
    r.length = room.rest[d], r.rate = room.rest_rate[d];
    if (s.by_EA(slot)) r.stiffness = n(s.at_EA() + slot) / r.length;
  }
  return r;
}

// In this loop most of a step is spent: what stays the same in it is known before it begins.
template <Rates rates, class R, class S, class N>
TAUT_KERNEL void plain_cables(const S& s, const N& n, Room<R>& room, int phase, const R* weight, R* tension) {
  const R zero(0.0);
  const R* const x = room.x;
  R* const f = room.f;
  const int count = s.plain(), at_damping = s.at_damping();
  const bool damped = s.damped();
  const Past<R> past(room, phase, s.slots());
  TAUT_UNROLL
  for (int i = 0; i < count; ++i) {
    const R *const xa = x + 3 * s.cable_a(i), *const xb = x + 3 * s.cable_b(i);
    const R d0 = xb[0] - xa[0], d1 = xb[1] - xa[1], d2 = xb[2] - xa[2];
    const R square = larger(fused(d0, d0, fused(d1, d1, d2 * d2)), R(least_square<R>));
    R inverse;
    const R l = root_and_inverse(square, inverse);
    const Rest<R> rest = rest_of(s, n, room, i);
    const R e = l - rest.length;
    R t = rest.stiffness * e;
    if (damped) {
      R rate;
      if constexpr (rates == Rates::memory) {
        rate = past.rate(i, l, weight);
      } else {
        const R *const va = room.v + 3 * s.cable_a(i), *const vb = room.v + 3 * s.cable_b(i);
        rate = (d0 * (vb[0] - va[0]) + d1 * (vb[1] - va[1]) + d2 * (vb[2] - va[2])) * inverse;
        past.begin(i, l, rate);
      }
      t = fused(n(at_damping + i), rate - rest.rate, t);
    }
    t = select(e > zero, larger(t, zero), zero);
    if (tension) tension[i] = t;
    const R pull = t * inverse, back = -pull;
    R *const fa = f + 3 * s.cable_a(i), *const fb = f + 3 * s.cable_b(i);
    fa[0] = fused(pull, d0, fa[0]), fa[1] = fused(pull, d1, fa[1]), fa[2] = fused(pull, d2, fa[2]);
    fb[0] = fused(back, d0, fb[0]), fb[1] = fused(back, d1, fb[1]), fb[2] = fused(back, d2, fb[2]);
  }
}

// Cables over several nodes, and all other laws.
template <Rates rates, class R, class S, class N>
TAUT_KERNEL void general_cables(const S& s, const N& n, Room<R>& room, int phase, const R* weight, R* tension) {
  const R* const x = room.x;
  R* const f = room.f;
  const Past<R> past(room, phase, s.slots());
  TAUT_UNROLL
  for (int g = 0; g < s.general(); ++g) {
    const int slot = s.plain() + g;
    R length(0.0), rate(0.0);
    TAUT_UNROLL
    for (int p = s.piece_begin(g); p < s.piece_begin(g + 1); ++p) {
      const int a = 3 * s.piece_a(p), b = 3 * s.piece_b(p);
      const R d0 = x[b] - x[a], d1 = x[b + 1] - x[a + 1], d2 = x[b + 2] - x[a + 2];
      const R l = root(larger(d0 * d0 + d1 * d1 + d2 * d2, R(least_square<R>)));
      length = length + l;
      if constexpr (rates == Rates::velocities) {
        const R* const v = room.v;
        rate = rate + (d0 * (v[b] - v[a]) + d1 * (v[b + 1] - v[a + 1]) + d2 * (v[b + 2] - v[a + 2])) / l;
      }
    }
    const Rest<R> rest = rest_of(s, n, room, slot);
    if constexpr (rates == Rates::memory) {
      if (s.damped()) rate = past.rate(slot, length, weight);
    } else if (s.damped()) {
      past.begin(slot, length, rate);
    }
    R braking(0.0);
    const R t = general_tension(s, n, g, length - rest.length, rate - rest.rate, rest, braking);
    if (tension) tension[slot] = t;
    TAUT_UNROLL
    for (int p = s.piece_begin(g); p < s.piece_begin(g + 1); ++p) {
      const int a = 3 * s.piece_a(p), b = 3 * s.piece_b(p);
      const R d0 = x[b] - x[a], d1 = x[b + 1] - x[a + 1], d2 = x[b + 2] - x[a + 2];
      const R inverse = R(1.0) / root(larger(d0 * d0 + d1 * d1 + d2 * d2, R(least_square<R>)));
      const R pull = t * inverse;
      R p0 = pull * d0, p1 = pull * d1, p2 = pull * d2;
      if (s.general_vector(g)) {
        const R u0 = d0 * inverse, u1 = d1 * inverse, u2 = d2 * inverse;
        const R w0 = seen_velocity<rates>(room, b) - seen_velocity<rates>(room, a);
        const R w1 = seen_velocity<rates>(room, b + 1) - seen_velocity<rates>(room, a + 1);
        const R w2 = seen_velocity<rates>(room, b + 2) - seen_velocity<rates>(room, a + 2);
        const R along = u0 * w0 + u1 * w1 + u2 * w2;
        p0 = p0 + braking * (w0 - along * u0);
        p1 = p1 + braking * (w1 - along * u1);
        p2 = p2 + braking * (w2 - along * u2);
      }
      f[a] = f[a] + p0, f[a + 1] = f[a + 1] + p1, f[a + 2] = f[a + 2] + p2;
      f[b] = f[b] - p0, f[b + 1] = f[b + 1] - p1, f[b + 2] = f[b + 2] - p2;
    }
  }
}

template <Rates rates, class R, class S, class N>
TAUT_KERNEL void drag(const S& s, const N& n, Room<R>& room) {
  TAUT_UNROLL
  for (int i = 0; i < s.dragged(); ++i) {
    const R aa = n(s.at_drag() + 3 * i), ab = n(s.at_drag() + 3 * i + 1), bb = n(s.at_drag() + 3 * i + 2);
    const int a = 3 * s.drag_a(i), b = 3 * s.drag_b(i);
    TAUT_UNROLL
    for (int k = 0; k < 3; ++k) {
      const R va = seen_velocity<rates>(room, a + k), vb = seen_velocity<rates>(room, b + k);
      room.f[a + k] = room.f[a + k] + (aa * va + ab * vb);
      room.f[b + k] = room.f[b + k] + (ab * va + bb * vb);
    }
  }
}

// All forces `after` steps from the beginning of the call.
template <Rates rates, class R, class S, class N>
TAUT_KERNEL_PART void forces(const S& s, const N& n, const Steps& steps, Room<R>& room, int after, bool begins,
                             int phase, const R* weight, R* tension = nullptr) {
  if (s.drives() > 0) set_rest(s, steps, room, after, begins);
  TAUT_UNROLL
  for (int k = 0; k < 3 * s.nodes(); ++k) room.f[k] = n(s.at_weight() + k);
  plain_cables<rates>(s, n, room, phase, weight, tension);
  general_cables<rates>(s, n, room, phase, weight, tension);
  drag<rates>(s, n, room);
  if (s.presses()) ground_forces<rates>(s, n, room);
  TAUT_UNROLL
  for (int i = 0; i < s.loads(); ++i) {
    const R on = at_time(steps, begins ? steps.after : steps.before, room, after, 2 * s.drives() + i);
    TAUT_UNROLL
    for (int k = 0; k < 3; ++k)
      room.f[3 * s.load_node(i) + k] = room.f[3 * s.load_node(i) + k] + on * n(s.at_load() + 3 * i + k);
  }
}

// By h: forward, or with `back` from synchronised velocities to those half a step earlier.
template <class R, class S, class N>
TAUT_KERNEL_PART void kick(const S& s, const N& n, double h, bool back, Room<R>& room) {
  kick_nodes(s, n, h, back, room);
  kick_bars(s, n, h, back, room);
  if (s.group_touching() > 0)
    kick_group_on_ground(s, n, h, back, room);
  else if (s.group_nodes() > 0)
    kick_group(s, n, back ? -h : h, room);
}

template <class R, class S, class N>
TAUT_KERNEL_PART void leap(const S& s, const N& n, double h, Room<R>& room) {
  leap_nodes(s, n, h, room);
  if (s.rigid())
    leap_bars<true>(s, n, h, room);
  else
    leap_bars<false>(s, n, h, room);
  if (s.group_touching() > 0) remember_group(s, room);
  if (s.group_nodes() > 0) leap_group(s, n, h, room);
  if (s.group_touching() > 0) press_group(s, n, h, true, room);
}

// From synchronised velocities: half a kick back, with the forces of this place. `phase` is that of the next step.
template <class R, class S, class N>
TAUT_KERNEL void begin(const S& s, const N& n, const Steps& steps, Room<R>& room, int after, int phase) {
  if (s.damped()) {
    TAUT_UNROLL
    for (int i = 0; i < 4 * s.slots(); ++i) past_of(room, 0, 0, i) = R(0.0);
  }
  const R* const none = nullptr;
  forces<Rates::velocities>(s, n, steps, room, after, true, phase, none);
  kick(s, n, 0.5 * steps.h, true, room);
}

// Which lanes are at a time where signals jump.
template <class R>
TAUT_KERNEL auto jumping(const Steps& steps, const Room<R>& room, int after) {
  R flag(0.0);
  for (int k = 0; k < lane_count<R>; ++k)
    set_lane(flag, k, steps.jumps[room.time[k] + after - steps.first] != 0 ? 1.0 : 0.0);
  return flag > R(0.5);
}

// What a beginning changes, kept where it is not wanted.
template <class R, class S, class M>
TAUT_KERNEL void keep(const S& s, Room<R>& room, M wanted) {
  R* spare = room.spare;
  TAUT_UNROLL
  for (int k = 0; k < 3 * s.nodes(); ++k) {
    room.v[k] = select(wanted, room.v[k], *spare++);
    room.f[k] = select(wanted, room.f[k], *spare++);
  }
  TAUT_UNROLL
  for (int i = 0; i < 4 * s.slots(); ++i) past_of(room, 0, 0, i) = select(wanted, past_of(room, 0, 0, i), *spare++);
}

template <class R, class S>
TAUT_KERNEL void put_aside(const S& s, Room<R>& room) {
  R* spare = room.spare;
  TAUT_UNROLL
  for (int k = 0; k < 3 * s.nodes(); ++k) {
    *spare++ = room.v[k];
    *spare++ = room.f[k];
  }
  TAUT_UNROLL
  for (int i = 0; i < 4 * s.slots(); ++i) *spare++ = past_of(room, 0, 0, i);
}

// room.x and room.v: synchronised before and after.
template <class R, class S, class N>
TAUT_KERNEL void advance(const S& s, const N& n, const Steps& steps, Room<R>& room) {
  begin(s, n, steps, room, 0, 0);
  R weight[5];
  int since[lane_count<R>] = {};  // steps since the last beginning
  int young = 4;                  // steps until all lanes have the formula of long memory
  for (int i = 1; i <= steps.count; ++i) {
    if (s.sees_velocities()) {
      TAUT_UNROLL
      for (int k = 0; k < 3 * s.nodes(); ++k) room.before[k] = room.v[k];
    }
    leap(s, n, steps.h, room);
    if (young > 0) {
      --young;
      for (int k = 0; k < lane_count<R>; ++k) {
        double w[5];
        rate_weights(++since[k], steps.h, w);
        for (int j = 0; j < 5; ++j) set_lane(weight[j], k, w[j]);
      }
    }
    const int phase = (1 - i) & 3;
    forces<Rates::memory>(s, n, steps, room, i, false, phase, weight);
    // Where signals jump, steps begin anew.
    if (!s.jumps() || i == steps.count) continue;
    const auto wanted = jumping(steps, room, i);
    if (!any(wanted)) continue;
    const bool everyone = all(wanted);
    if (!everyone) put_aside(s, room);
    kick(s, n, 0.5 * steps.h, false, room);
    begin(s, n, steps, room, i, (phase - 1) & 3);
    if (!everyone) keep(s, room, wanted);
    for (int k = 0; k < lane_count<R>; ++k) since[k] = mask_lane(wanted, k) ? 0 : since[k];
    young = 4;
  }
  kick(s, n, 0.5 * steps.h, false, room);
}

// Tensions of all slots at synchronised (x, v), as rows show them.
template <class R, class S, class N>
TAUT_KERNEL void tensions(const S& s, const N& n, const Steps& steps, Room<R>& room, R* tension) {
  forces<Rates::velocities, R, S, N>(s, n, steps, room, 0, true, 0, static_cast<const R*>(nullptr), tension);
}

}  // namespace taut::batch
