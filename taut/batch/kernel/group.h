// Bars that share nodes, bodies and linear constraints of one robot: the coupled part of formulation nodal
// (formulation/nodal/nodal_group.cpp) in a number type R. Included by kernel.h only.
//
// With the constant mass matrix M (per axis, LDLᵀ made by the plan) and the rows G = (d_i along the constraint's nodes):
//
//   S = G M⁻¹ Gᵀ,  S_ij = Σ_axis d_i d_j C_ij,  C_ij = g_iᵀ M⁻¹ g_j constant,   S μ = -g(x),  x += M⁻¹ Gᵀ μ  until g(x) = 0
//
// S is factored once a step, at the old place, in the plan's order, with the plan's pattern.
#pragma once

#include "taut/batch/kernel/room.h"

namespace taut::batch {

// Places in Room::group: a vector over all nodes, directions, residuals, S and the inverse of its pivots.
template <class R, class S>
struct GroupRoom {
  R *y, *direction, *residual, *factor, *inverse;
  TAUT_KERNEL GroupRoom(const S& s, const Room<R>& room)
      : y(room.group),
        direction(y + 3 * s.nodes()),
        residual(direction + 3 * s.rows()),
        factor(residual + s.rows()),
        inverse(factor + s.factor_entries()) {}
};

// y = M⁻¹ y on the group's nodes.
template <class R, class S, class N>
TAUT_KERNEL void divide_by_mass(const S& s, const N& n, R* y) {
  TAUT_UNROLL
  for (int e = 0; e < s.mass_entries(); ++e) TAUT_UNROLL
  for (int k = 0; k < 3; ++k)
    y[3 * s.mass_row(e) + k] = y[3 * s.mass_row(e) + k] - n(s.at_mass() + 3 * e + k) * y[3 * s.mass_column(e) + k];
  TAUT_UNROLL
  for (int i = 0; i < s.group_nodes(); ++i) TAUT_UNROLL
  for (int k = 0; k < 3; ++k) y[3 * s.group_node(i) + k] = y[3 * s.group_node(i) + k] * n(s.at_inverse() + 3 * i + k);
  TAUT_UNROLL
  for (int e = s.mass_entries() - 1; e >= 0; --e) TAUT_UNROLL
  for (int k = 0; k < 3; ++k)
    y[3 * s.mass_column(e) + k] = y[3 * s.mass_column(e) + k] - n(s.at_mass() + 3 * e + k) * y[3 * s.mass_row(e) + k];
}

// A pivot below this part of what it was before the elimination counts as zero.
inline constexpr double rank_tolerance = 1e-8;

template <class R, class S>
TAUT_KERNEL void find_directions(const S& s, const Room<R>& room, GroupRoom<R, S>& g) {
  TAUT_UNROLL
  for (int i = 0; i < s.rows(); ++i) TAUT_UNROLL
  for (int k = 0; k < 3; ++k)
    g.direction[3 * i + k] =
        s.row_a(i) >= 0 ? room.x[3 * s.row_b(i) + k] - room.x[3 * s.row_a(i) + k] : R(k == s.row_axis(i) ? 1.0 : 0.0);
}

// S = L D Lᵀ; a row that depends on those before it is left out.
template <class R, class S, class N>
TAUT_KERNEL void factorise(const S& s, const N& n, GroupRoom<R, S>& g) {
  TAUT_UNROLL
  for (int e = 0; e < s.factor_entries(); ++e) g.factor[e] = R(0.0);
  TAUT_UNROLL
  for (int e = 0; e < s.coupling_entries(); ++e) {
    const R *const p = g.direction + 3 * s.coupling_row(e), *const q = g.direction + 3 * s.coupling_column(e);
    R sum(0.0);
    TAUT_UNROLL
    for (int k = 0; k < 3; ++k) sum = fused(p[k] * q[k], n(s.at_coupling() + 3 * e + k), sum);
    g.factor[s.coupling_place(e)] = sum;
  }
  TAUT_UNROLL
  for (int j = 0; j < s.rows(); ++j) g.inverse[j] = g.factor[s.factor_begin(j)];
  int update = 0;
  TAUT_UNROLL
  for (int j = 0; j < s.rows(); ++j) {
    const int begin = s.factor_begin(j), end = s.factor_begin(j + 1);
    const R pivot = g.factor[begin];
    g.inverse[j] = select(pivot > R(rank_tolerance) * g.inverse[j], R(1.0) / pivot, R(0.0));
    TAUT_UNROLL
    for (int e = begin + 1; e < end; ++e) {
      const R scaled = g.factor[e] * g.inverse[j];
      TAUT_UNROLL
      for (int c = begin + 1; c <= e; ++c, ++update) {
        const int at = s.update_place(update);
        g.factor[at] = g.factor[at] - scaled * g.factor[c];
      }
    }
    TAUT_UNROLL
    for (int e = begin + 1; e < end; ++e) g.factor[e] = g.factor[e] * g.inverse[j];
  }
}

// residual = -S⁻¹ residual, then y = M⁻¹ Gᵀ residual.
template <class R, class S, class N>
TAUT_KERNEL_PART void solve_rows(const S& s, const N& n, GroupRoom<R, S>& g, R* y) {
  TAUT_UNROLL
  for (int j = 0; j < s.rows(); ++j) TAUT_UNROLL
  for (int e = s.factor_begin(j) + 1; e < s.factor_begin(j + 1); ++e)
    g.residual[s.factor_row(e)] = g.residual[s.factor_row(e)] - g.factor[e] * g.residual[j];
  TAUT_UNROLL
  for (int j = s.rows() - 1; j >= 0; --j) {
    g.residual[j] = g.residual[j] * g.inverse[j];
    TAUT_UNROLL
    for (int e = s.factor_begin(j) + 1; e < s.factor_begin(j + 1); ++e)
      g.residual[j] = g.residual[j] - g.factor[e] * g.residual[s.factor_row(e)];
  }
  TAUT_UNROLL
  for (int i = 0; i < 3 * s.nodes(); ++i) y[i] = R(0.0);
  TAUT_UNROLL
  for (int i = 0; i < s.rows(); ++i) {
    const R push = -g.residual[i];
    if (s.row_a(i) >= 0) {
      TAUT_UNROLL
      for (int k = 0; k < 3; ++k) {
        const R p = push * g.direction[3 * i + k];
        y[3 * s.row_b(i) + k] = y[3 * s.row_b(i) + k] + p;
        y[3 * s.row_a(i) + k] = y[3 * s.row_a(i) + k] - p;
      }
    } else {
      TAUT_UNROLL
      for (int c = s.row_begin(i); c < s.row_begin(i + 1); ++c) {
        const int at = 3 * s.row_node(c) + s.row_axis(i);
        y[at] = fused(push, n(s.at_coefficient() + c), y[at]);
      }
    }
  }
  divide_by_mass(s, n, y);
}

// How much of each constraint is violated at the places, or at the velocities.
template <class R, class S, class N>
TAUT_KERNEL R linear_sum(const S& s, const N& n, int i, const R* of) {
  R sum(0.0);
  TAUT_UNROLL
  for (int c = s.row_begin(i); c < s.row_begin(i + 1); ++c)
    sum = fused(n(s.at_coefficient() + c), of[3 * s.row_node(c) + s.row_axis(i)], sum);
  return sum;
}

template <class R, class S, class N>
TAUT_KERNEL void find_rates(const S& s, const N& n, const R* v, GroupRoom<R, S>& g) {
  TAUT_UNROLL
  for (int i = 0; i < s.rows(); ++i) {
    if (s.row_a(i) >= 0) {
      R sum(0.0);
      TAUT_UNROLL
      for (int k = 0; k < 3; ++k)
        sum = fused(g.direction[3 * i + k], v[3 * s.row_b(i) + k] - v[3 * s.row_a(i) + k], sum);
      g.residual[i] = sum;
    } else {
      g.residual[i] = linear_sum(s, n, i, v);
    }
  }
}

template <class R, class S, class N>
TAUT_KERNEL void kick_group(const S& s, const N& n, double h, Room<R>& room) {
  GroupRoom<R, S> g(s, room);
  find_directions(s, room, g);
  factorise(s, n, g);
  TAUT_UNROLL
  for (int i = 0; i < 3 * s.nodes(); ++i) g.y[i] = R(h) * room.f[i];
  divide_by_mass(s, n, g.y);
  for (int pass = 0; pass < 2; ++pass) {
    TAUT_UNROLL
    for (int i = 0; i < s.group_nodes(); ++i) TAUT_UNROLL
    for (int k = 0; k < 3; ++k)
      room.v[3 * s.group_node(i) + k] = room.v[3 * s.group_node(i) + k] + g.y[3 * s.group_node(i) + k];
    if (pass == 1) break;
    find_rates(s, n, room.v, g);
    solve_rows(s, n, g, g.y);
  }
}

// Back on the constraints at the end of a step, with the factors of its beginning; in the lanes that are going.
template <class R, class S, class N, class M>
TAUT_KERNEL_PART void keep_rows(const S& s, const N& n, double h, Room<R>& room, GroupRoom<R, S>& g, M going) {
  const R least(1.5 * rounding_of<R>), close(50.0 * rounding_of<R>), zero(0.0), inverse_h(1.0 / h);
  R previous(0.0);
  for (int pass = 0; pass < 30; ++pass) {
    R error(0.0);
    TAUT_UNROLL
    for (int i = 0; i < s.rows(); ++i) {
      const R target = n(s.at_target() + i);
      R scaled;
      if (s.row_a(i) >= 0) {
        R square(0.0);
        TAUT_UNROLL
        for (int k = 0; k < 3; ++k) {
          const R d = room.x[3 * s.row_b(i) + k] - room.x[3 * s.row_a(i) + k];
          square = fused(d, d, square);
        }
        g.residual[i] = R(0.5) * (square - target);
        scaled = magnitude(g.residual[i]) * n(s.at_scale() + i);
      } else {
        g.residual[i] = linear_sum(s, n, i, room.x) - target;
        scaled = magnitude(g.residual[i]);
      }
      error = select(g.inverse[i] > zero, larger(error, scaled), error);
    }
    // A lane ends where rounding does, and goes on no more.
    going = both(going, error > least);
    if (pass > 0) going = both(going, either(error<R(0.3) * previous, error> close));
    if (!any(going)) break;
    previous = error;
    TAUT_UNROLL
    for (int i = 0; i < s.rows(); ++i) g.residual[i] = select(going, g.residual[i], zero);
    solve_rows(s, n, g, g.y);
    TAUT_UNROLL
    for (int i = 0; i < s.group_nodes(); ++i) TAUT_UNROLL
    for (int k = 0; k < 3; ++k) {
      const int at = 3 * s.group_node(i) + k;
      room.x[at] = room.x[at] + g.y[at];
      room.v[at] = fused(inverse_h, g.y[at], room.v[at]);
    }
  }
}

template <class R, class S, class N>
TAUT_KERNEL void leap_group(const S& s, const N& n, double h, Room<R>& room) {
  GroupRoom<R, S> g(s, room);
  find_directions(s, room, g);
  factorise(s, n, g);
  TAUT_UNROLL
  for (int i = 0; i < 3 * s.nodes(); ++i) g.y[i] = R(h) * room.f[i];
  divide_by_mass(s, n, g.y);
  TAUT_UNROLL
  for (int i = 0; i < s.group_nodes(); ++i) TAUT_UNROLL
  for (int k = 0; k < 3; ++k) {
    const int at = 3 * s.group_node(i) + k;
    room.v[at] = room.v[at] + g.y[at];
    room.x[at] = fused(R(h), room.v[at], room.x[at]);
  }
  keep_rows(s, n, h, room, g, R(0.0) == R(0.0));
}

}  // namespace taut::batch
