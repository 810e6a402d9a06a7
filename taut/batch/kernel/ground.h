// The ground on the nodes of one robot, and on points along its bars where it is a height field: the laws of
// forces/contact_law.h and forces/ground.h in a number type R. Included by kernel.h only.
//
//   F = -N g - (μ N g(|v_t|/v_s)/|v_t| + c_v r) v_t,   N(d, ḋ) by the law,  ḋ = g·v,  v_t = v - (n·v) n
#pragma once

#include "taut/batch/kernel/room.h"

namespace taut::batch {

// Numbers of the ground, from at_ground() on.
enum GroundNumber {
  ground_normal = 0,
  ground_reach = 3,  // plane: n·p + radius; heights: what is added to them
  ground_radius = 4,
  ground_stiffness = 5,
  ground_damping = 6,
  ground_beta = 7,
  ground_friction = 8,
  ground_slip_speed = 9,
  ground_viscous = 10,
  ground_restitution = 11,
  ground_numbers = 12
};

// Depth at a place, and its slope there.
template <class R>
struct Depth {
  R d, g[3];
};

// The four cubic B-splines at u grid steps, and their slopes and curvatures; straight beyond the grid.
template <class R>
struct Basis {
  R value[4], slope[4], curve[4];
};

template <class R>
TAUT_KERNEL void basis_at(R u, int count, int* first, Basis<R>& b) {
  R inside = select(u > R(0.0), smaller(u, R(static_cast<double>(count - 1))), R(0.0)), base(0.0);
  for (int k = 0; k < lane_count<R>; ++k) {
    const int at = static_cast<int>(lane(inside, k));
    first[k] = at < count - 2 ? at : count - 2;
    set_lane(base, k, static_cast<double>(first[k]));
  }
  const R t = inside - base, r = R(1.0) - t, out = u - inside, sixth(1.0 / 6.0);
  b.value[0] = r * r * r * sixth;
  b.value[1] = (R(4.0) + R(3.0) * t * t * (t - R(2.0))) * sixth;
  b.value[2] = (R(4.0) + R(3.0) * r * r * (r - R(2.0))) * sixth;
  b.value[3] = t * t * t * sixth;
  b.slope[0] = R(-0.5) * r * r;
  b.slope[1] = R(0.5) * t * (R(3.0) * t - R(4.0));
  b.slope[2] = R(-0.5) * r * (R(3.0) * r - R(4.0));
  b.slope[3] = R(0.5) * t * t;
  const auto within = out == R(0.0);
  b.curve[0] = select(within, r, R(0.0));
  b.curve[1] = select(within, R(3.0) * t - R(2.0), R(0.0));
  b.curve[2] = select(within, R(3.0) * r - R(2.0), R(0.0));
  b.curve[3] = select(within, t, R(0.0));
  for (int k = 0; k < 4; ++k) b.value[k] = select(within, b.value[k], b.value[k] + out * b.slope[k]);
}

// model/shape/ground_surface.h, with the spline's coefficients as they are without the offset.
template <class R, class S, class N>
TAUT_KERNEL Depth<R> depth_of_heights(const S& s, const N& n, R x, R y, R z) {
  int column[lane_count<R>], row[lane_count<R>];
  Basis<R> bx, by;
  const double dx = s.height_dx(), dy = s.height_dy();
  basis_at((x - R(s.height_x0())) / R(dx), s.height_columns(), column, bx);
  basis_at((y - R(s.height_y0())) / R(dy), s.height_rows(), row, by);
  R h(0.0), hx(0.0), hy(0.0), hxx(0.0), hxy(0.0), hyy(0.0);
  const int wide = s.height_columns() + 2;
  for (int j = 0; j < 4; ++j) {
    R value(0.0), slope(0.0), curve(0.0);
    for (int i = 0; i < 4; ++i) {
      R c(0.0);
      for (int k = 0; k < lane_count<R>; ++k) set_lane(c, k, s.height((row[k] + j) * wide + column[k] + i));
      value = value + c * bx.value[i], slope = slope + c * bx.slope[i], curve = curve + c * bx.curve[i];
    }
    h = h + by.value[j] * value;
    hx = hx + by.value[j] * slope;
    hxx = hxx + by.value[j] * curve;
    hy = hy + by.slope[j] * value;
    hxy = hxy + by.slope[j] * slope;
    hyy = hyy + by.curve[j] * value;
  }
  hx = hx / R(dx), hy = hy / R(dy);
  hxx = hxx / R(dx * dx), hxy = hxy / R(dx * dy), hyy = hyy / R(dy * dy);
  const R e = h + n(s.at_ground() + ground_reach) - z, c = R(1.0) / root(R(1.0) + hx * hx + hy * hy), c3 = c * c * c;
  const R cx = -c3 * (hx * hxx + hy * hxy), cy = -c3 * (hx * hxy + hy * hyy);
  return {e * c + n(s.at_ground() + ground_radius), {c * hx + e * cx, c * hy + e * cy, -c}};
}

template <class R, class S, class N>
TAUT_KERNEL Depth<R> depth_at(const S& s, const N& n, R x, R y, R z) {
  if (s.height_columns() > 0) return depth_of_heights(s, n, x, y, z);
  const int at = s.at_ground();
  const R n0 = n(at), n1 = n(at + 1), n2 = n(at + 2);
  return {n(at + ground_reach) - (n0 * x + n1 * y + n2 * z), {-n0, -n1, -n2}};
}

// Share of the damping at this depth.
template <class R>
TAUT_KERNEL R onset(int law, R d, R beta) {
  if (law == press_smooth) return R(0.5) * (R(1.0) + d / root(d * d + beta * beta));
  const R u = select(d < beta, d / beta, R(1.0));
  return select(d > R(0.0), u * u * (R(3.0) - R(2.0) * u), R(0.0));
}

// The force on a point that moves with velocity v, zero where it does not touch.
template <class R, class S, class N>
TAUT_KERNEL void ground_force(const S& s, const N& n, const Depth<R>& at, const R* v, R* force) {
  const int law = s.press_law();
  const R zero(0.0), d = at.d, beta = n(s.at_ground() + ground_beta);
  const R k = n(s.at_ground() + ground_stiffness), c = n(s.at_ground() + ground_damping);
  const R rate = at.g[0] * v[0] + at.g[1] * v[1] + at.g[2] * v[2];
  const R share = onset(law, d, beta);
  R press;
  if (law == press_smooth) {
    const R w = root(d * d + beta * beta);
    const R depth = select(d > zero, R(0.5) * (d + w), R(0.5) * beta * beta / (w - d));
    press = larger(k * depth + c * share * rate, zero);
  } else if (law == press_hunt_crossley) {
    const R inside = larger(d, zero);
    const int twice = s.press_exponent_twice();
    R elastic = k * inside;
    if (twice == 3) elastic = elastic * root(inside);
    if (twice == 4) elastic = elastic * inside;
    press = elastic * larger(R(1.0) + c * rate, zero);
  } else {
    press = select(d > zero, larger(k * d + c * share * rate, zero), zero);
  }
  const R size2 = at.g[0] * at.g[0] + at.g[1] * at.g[1] + at.g[2] * at.g[2], back = rate / size2;
  const R t0 = v[0] - at.g[0] * back, t1 = v[1] - at.g[1] * back, t2 = v[2] - at.g[2] * back;
  R drag = n(s.at_ground() + ground_viscous) * share;
  if (s.rubs()) {
    const R mu = n(s.at_ground() + ground_friction), slow = n(s.at_ground() + ground_slip_speed);
    const R speed = root(t0 * t0 + t1 * t1 + t2 * t2);
    drag = drag + press * select(speed < slow, mu / slow * (R(2.0) - speed / slow), mu / speed);
  }
  force[0] = -(press * at.g[0] + drag * t0);
  force[1] = -(press * at.g[1] + drag * t1);
  force[2] = -(press * at.g[2] + drag * t2);
}

// Whether a place is so high over the grid that nothing touches.
template <class R, class S, class N>
TAUT_KERNEL bool surely_above(const S& s, const N& n, const R* x) {
  if (s.press_law() == press_smooth) return false;
  const R u = (x[0] - R(s.height_x0())) / R(s.height_dx()), w = (x[1] - R(s.height_y0())) / R(s.height_dy());
  const R top = R(s.height_top()) + n(s.at_ground() + ground_reach) + n(s.at_ground() + ground_radius);
  return all(both(both(x[2] > top, both(u >= R(0.0), w >= R(0.0))),
                  both(u <= R(s.height_columns() - 1.0), w <= R(s.height_rows() - 1.0))));
}

template <Rates rates, class R, class S, class N>
TAUT_KERNEL void bars_on_heights(const S& s, const N& n, Room<R>& room) {
  for (int i = 0; i < s.ground_bars(); ++i) {
    const int a = 3 * s.ground_bar_a(i), b = 3 * s.ground_bar_b(i), points = s.ground_bar_points(i);
    if (surely_above(s, n, room.x + a) && surely_above(s, n, room.x + b)) continue;
    for (int p = 1; p <= points; ++p) {
      const double part = p * (1.0 / (points + 1));
      const R to_b(part), to_a(1.0 - part);
      R x[3], v[3], force[3];
      for (int k = 0; k < 3; ++k) {
        x[k] = room.x[a + k] + to_b * (room.x[b + k] - room.x[a + k]);
        v[k] = to_a * seen_velocity<rates>(room, a + k) + to_b * seen_velocity<rates>(room, b + k);
      }
      const Depth<R> at = depth_of_heights(s, n, x[0], x[1], x[2]);
      if (s.press_law() != press_smooth && !any(at.d > R(0.0))) continue;
      ground_force(s, n, at, v, force);
      for (int k = 0; k < 3; ++k) {
        room.f[a + k] = room.f[a + k] + to_a * force[k];
        room.f[b + k] = room.f[b + k] + to_b * force[k];
      }
    }
  }
}

template <Rates rates, class R, class S, class N>
TAUT_KERNEL void ground_forces(const S& s, const N& n, Room<R>& room) {
  if (s.height_columns() > 0) bars_on_heights<rates>(s, n, room);
  TAUT_UNROLL
  for (int i = 0; i < s.touching(); ++i) {
    const int node = 3 * s.touch_node(i);
    if (s.height_columns() > 0 && surely_above(s, n, room.x + node)) continue;
    const Depth<R> at = depth_at(s, n, room.x[node], room.x[node + 1], room.x[node + 2]);
    if (s.press_law() != press_smooth && !any(at.d > R(0.0))) continue;
    R v[3], force[3];
    for (int k = 0; k < 3; ++k) v[k] = seen_velocity<rates>(room, node + k);
    ground_force(s, n, at, v, force);
    for (int k = 0; k < 3; ++k) room.f[node + k] = room.f[node + k] + force[k];
  }
}

}  // namespace taut::batch
