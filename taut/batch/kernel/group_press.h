// Hard ground on the coupled part of one robot, as formulation/nodal/nodal_press.cpp does it: the answers of all touching
// nodes to each other's impulses, through the constraints, then block Gauss-Seidel. Included by kernel.h only.
//
//   dv = (1 - M⁻¹ Gᵀ S⁻¹ G) M⁻¹ p     with the directions G and the factors of S from the beginning of the step
#pragma once

#include "taut/batch/kernel/group.h"
#include "taut/batch/kernel/press.h"

namespace taut::batch {

inline constexpr int group_sweeps = 1000, group_rounds = 6, group_looks = 6;

// Numbers of scratch: seven vectors over the nodes; per node that may touch three, seven triples and a point; the blocks.
template <class S>
TAUT_KERNEL constexpr long press_numbers(const S& s) {
  const long q = s.group_touching();
  return q > 0 ? 21L * s.nodes() + q * (3 + 7 * 3 + 11) + 9 * q * q : 0;
}

// Places behind those of GroupRoom.
template <class R, class S>
struct PressRoom {
  R *x0, *v0, *free_x, *free_v, *answer, *forward, *backward, *on, *bounce, *blocks;
  Triple<R>*before, *at, *p, *last, *room, *p0, *at0;
  RigidPoint<R>* points;
  int *list, count = 0;  // those that touch in some lane

  TAUT_KERNEL PressRoom(const S& s, R* begin) {
    const int n3 = 3 * s.nodes(), q = s.group_touching();
    x0 = begin, v0 = x0 + n3, free_x = v0 + n3, free_v = free_x + n3, answer = free_v + n3;
    forward = answer + n3, backward = forward + n3;
    on = backward + n3, bounce = on + q, blocks = bounce + q;
    before = reinterpret_cast<Triple<R>*>(blocks + 9 * q * q);
    at = before + q, p = at + q, last = p + q, room = last + q, p0 = room + q, at0 = p0 + q;
    points = reinterpret_cast<RigidPoint<R>*>(at0 + q);
    list = reinterpret_cast<int*>(points + q);
  }
};

template <class R, class S>
TAUT_KERNEL R* press_scratch(const S& s, const Room<R>& room) {
  return room.group + 3 * s.nodes() + 5 * s.rows() + s.factor_entries();
}

// Nodes as they are before a leap or kick.
template <class R, class S>
TAUT_KERNEL void remember_group(const S& s, Room<R>& room) {
  const PressRoom<R, S> q(s, press_scratch(s, room));
  for (int i = 0; i < 3 * s.nodes(); ++i) q.x0[i] = room.x[i], q.v0[i] = room.v[i];
}

// From impulses on nodes in g.y to what they do to all velocities, in `answer`.
template <class R, class S, class N>
TAUT_KERNEL_PART void answer_impulses(const S& s, const N& n, GroupRoom<R, S>& g, R* answer) {
  divide_by_mass(s, n, g.y);
  find_rates(s, n, g.y, g);
  solve_rows(s, n, g, answer);
  for (int i = 0; i < 3 * s.nodes(); ++i) answer[i] = answer[i] + g.y[i];
}

template <class R, class S>
TAUT_KERNEL void no_impulses(const S& s, GroupRoom<R, S>& g) {
  for (int i = 0; i < 3 * s.nodes(); ++i) g.y[i] = R(0.0);
}

template <class R>
TAUT_KERNEL void add_to(R* of_nodes, int node, const Triple<R>& a) {
  put(of_nodes, node, triple(of_nodes, node) + a);
}

// The blocks of all that is in the list; a lane in which a node does not touch has zeros there.
template <class R, class S, class N>
TAUT_KERNEL_PART void find_blocks(const S& s, const N& n, const Plane<R>& plane, GroupRoom<R, S>& g,
                                  PressRoom<R, S>& q) {
  for (int l = 0; l < q.count; ++l)
    for (int axis = 0; axis < 3; ++axis) {
      const ContactFrame<R>& f = plane.frame;
      no_impulses(s, g);
      put(g.y, s.group_touch_node(q.list[l]), q.on[q.list[l]] * (axis == 0 ? f.n : axis == 1 ? f.t : f.s));
      answer_impulses(s, n, g, q.answer);
      for (int k = 0; k < q.count; ++k) {
        const Triple<R> moved = to_frame(f, q.on[q.list[k]] * triple(q.answer, s.group_touch_node(q.list[k])));
        R* const to = q.blocks + 9 * (k * q.count + l) + axis;
        to[0] = moved.x, to[3] = moved.y, to[6] = moved.z;
      }
    }
}

// Impulses without a bounce and with one where lanes bounce; in every lane bounded so that no energy comes in. Returns the
// lanes that were bounded.
template <class R, class S, class M>
TAUT_KERNEL_PART auto settle_group_once(PressRoom<R, S>& q, const R& speed, M open, M bouncing) {
  const int count = q.count;
  const auto settle = [&](Triple<R>* at, Triple<R>* p, M lanes) {
    settle_contacts(count, q.blocks, q.points, at, p, speed, is_soft, group_sweeps, lanes, q.room);
  };
  for (int k = 0; k < count; ++k) q.at0[k] = q.at[k], q.p0[k] = q.p[k];
  if (any(bouncing)) {
    settle(q.at0, q.p0, both(open, bouncing));
    for (int k = 0; k < count; ++k) q.points[k].wanted = select(bouncing, q.bounce[q.list[k]], q.points[k].wanted);
  }
  settle(q.at, q.p, open);
  auto bounded = both(open, inverse(open));
  if (any(bouncing)) {
    for (int k = 0; k < count; ++k) q.last[k] = q.at[k], q.room[k] = q.p[k];
    bounded = both(bouncing, bound_bounce(count, q.before, q.p0, q.at0, q.p, q.at));
    for (int k = 0; k < count; ++k) {
      q.at[k] = select_triple(bouncing, q.at[k], q.last[k]);
      q.p[k] = select_triple(bouncing, q.p[k], q.room[k]);
    }
  }
  const auto falling = both(open, inverse(bouncing));
  if (any(falling)) {
    for (int k = 0; k < count; ++k) q.last[k] = q.at[k], q.room[k] = q.p[k];
    bounded = either(bounded, both(falling, bound_growth(count, q.points, q.at0, q.p, q.at)));
    for (int k = 0; k < count; ++k) {
      q.at[k] = select_triple(falling, q.at[k], q.last[k]);
      q.p[k] = select_triple(falling, q.p[k], q.room[k]);
    }
  }
  return bounded;
}

// From the free velocities to those that all touching nodes ask for.
template <class R, class S, class N, class M>
TAUT_KERNEL_PART void settle_group(const S& s, const N& n, const Plane<R>& plane, double h, bool moves, Room<R>& room,
                                   GroupRoom<R, S>& g, PressRoom<R, S>& q, M touching) {
  R speed(0.0);
  for (int i = 0; i < s.group_nodes(); ++i) speed = larger(speed, largest_entry(triple(room.v, s.group_node(i))));
  auto bouncing = both(touching, inverse(touching));
  for (int l = 0; l < q.count; ++l) {
    const int k = q.list[l], node = s.group_touch_node(k);
    const auto on = q.on[k] > R(0.5);
    const RodTouch<R> touch = touch_of(plane, triple(q.x0, node), triple(q.v0, node), h, moves, on, 1.0, 0.0);
    q.points[l] = touch.point;
    q.before[l] = q.on[k] * touch.before;
    q.bounce[k] = touch.bounce;
    bouncing = either(bouncing, touch.bounce > touch.point.wanted);
    q.at[l] = to_frame(plane.frame, q.on[k] * triple(room.v, node));
    q.p[l] = {R(0.0), R(0.0), R(0.0)};
    speed = larger(speed, magnitude(touch.point.wanted));
  }
  find_blocks(s, n, plane, g, q);
  auto open = both(touching, speed > R(0.0));
  const auto bounded = settle_group_once(q, speed, open, both(open, bouncing));
  for (int l = 0; l < q.count; ++l) q.last[l] = {R(0.0), R(0.0), R(0.0)};
  for (int round = 0; round < group_rounds; ++round) {
    if (round > 0) settle_contacts(q.count, q.blocks, q.points, q.at, q.p, speed, is_soft, group_sweeps, open, q.room);
    no_impulses(s, g);
    for (int l = 0; l < q.count; ++l) {
      const int k = q.list[l];
      const Triple<R> more = select_triple(open, q.p[l] - q.last[l], Triple<R>{R(0.0), R(0.0), R(0.0)});
      add_to(g.y, s.group_touch_node(k), q.on[k] * from_frame(plane.frame, more));
    }
    // settle_contacts() takes `last` of its own: the impulses so far.
    for (int l = 0; l < q.count; ++l) q.last[l] = q.p[l];
    answer_impulses(s, n, g, q.answer);
    for (int i = 0; i < s.group_nodes(); ++i) {
      const int node = s.group_node(i);
      const Triple<R> v = triple(room.v, node) + triple(q.answer, node);
      put(room.v, node, select_triple(open, v, triple(room.v, node)));
      if (moves) put(room.x, node, select_triple(open, triple(q.x0, node) + R(h) * v, triple(room.x, node)));
    }
    if (!moves) return;
    keep_rows(s, n, h, room, g, open);
    R off(0.0);
    for (int l = 0; l < q.count; ++l) {
      const int k = q.list[l];
      const Triple<R> now = to_frame(plane.frame, q.on[k] * triple(room.v, s.group_touch_node(k)));
      off = larger(off, largest_entry(now - q.at[l]));
      q.at[l] = select_triple(open, now, q.at[l]);
    }
    open = both(both(open, inverse(bounded)), off > R(rigid_tolerance<R>) * speed);
    if (!any(open)) return;
  }
}

// After a leap or kick of the group without contact, with what was before it remembered.
template <class R, class S, class N>
TAUT_KERNEL_PART void press_group(const S& s, const N& n, double h, bool moves, Room<R>& room) {
  GroupRoom<R, S> g(s, room);
  PressRoom<R, S> q(s, press_scratch(s, room));
  const Plane<R> plane = plane_of<R>(s, n);
  const R zero(0.0);
  auto touching = zero > zero;
  for (int k = 0; k < s.group_touching(); ++k) {
    const int node = s.group_touch_node(k);
    const auto on =
        moves ? leap_touches(plane, triple(room.x, node)) : kick_touches(plane, triple(q.x0, node), triple(q.v0, node));
    q.on[k] = select(on, R(1.0), zero);
    touching = either(touching, on);
  }
  if (!any(touching)) return;
  for (int i = 0; i < 3 * s.nodes(); ++i) q.free_x[i] = room.x[i], q.free_v[i] = room.v[i];
  for (int look = 0; look < group_looks; ++look) {
    q.count = 0;
    for (int k = 0; k < s.group_touching(); ++k)
      if (any(q.on[k] > zero)) q.list[q.count++] = k;
    settle_group(s, n, plane, h, moves, room, g, q, touching);
    if (!moves || look + 1 == group_looks) return;
    bool more = false;
    for (int k = 0; k < s.group_touching(); ++k) {
      const auto fresh =
          both(both(touching, inverse(q.on[k] > zero)), leap_touches(plane, triple(room.x, s.group_touch_node(k))));
      more = more || any(fresh);
      q.on[k] = select(fresh, R(1.0), q.on[k]);
    }
    if (!more) return;
    for (int i = 0; i < 3 * s.nodes(); ++i) room.x[i] = q.free_x[i], room.v[i] = q.free_v[i];
  }
}

// Half a kick of the group: forward, or what steps begin from.
template <class R, class S, class N>
TAUT_KERNEL void kick_group_on_ground(const S& s, const N& n, double h, bool back, Room<R>& room) {
  remember_group(s, room);
  const PressRoom<R, S> q(s, press_scratch(s, room));
  if (!back) {
    kick_group(s, n, h, room);
    press_group(s, n, h, false, room);
    return;
  }
  const auto copy = [&](R* to, const R* from) {
    for (int i = 0; i < 3 * s.nodes(); ++i) to[i] = from[i];
  };
  kick_group(s, n, -h, room);
  copy(q.backward, room.v);
  copy(room.v, q.v0);
  kick_group(s, n, h, room);
  copy(q.forward, room.v);
  press_group(s, n, h, false, room);
  for (int i = 0; i < s.group_nodes(); ++i) {
    const int node = s.group_node(i);
    put(room.v, node,
        taken_back(triple(q.v0, node), triple(q.backward, node), triple(q.forward, node), triple(room.v, node)));
  }
}

}  // namespace taut::batch
