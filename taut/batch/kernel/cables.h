// Forces of cables and elastic bars on the nodes of one robot: laws of model/laws/cable_law.h in a number type R.
// Included by kernel.h only.
//
//   l = Σ |x_{i+1} - x_i| over the path,  e = l - L0,  ė = l̇ - L̇0,  T = law(e, ė),  force ± T (x_b - x_a)/|x_b - x_a|
#pragma once

#include "taut/batch/kernel/room.h"

namespace taut::batch {

// What drives the rest length of a cable at an instant.
template <class R>
struct Rest {
  R length, rate, stiffness;
};

template <class R>
TAUT_KERNEL R soft_root(R e, R beta) {
  return root(e * e + beta * beta);
}

// The tension of a law that is not the plain one (two nodes, linear, clipped), and what vector damping brakes with.
template <class R, class S, class N>
TAUT_KERNEL R general_tension(const S& s, const N& n, int i, R e, R e_rate, const Rest<R>& rest, R& braking) {
  const R zero(0.0), c = n(s.at_general_damping() + i);
  const int law = s.general_law(i);
  R elastic = rest.stiffness * e, damping = c, t;
  if (law == law_softplus) {
    const R beta = n(s.at_beta() + i), w = soft_root(e, beta);
    elastic = rest.stiffness * (R(0.5) * (e + w));
    damping = c * (R(0.5) * (R(1.0) + e / w));
    t = elastic + damping * e_rate;
    if (!s.general_vector(i)) t = larger(t, zero);
  } else if (law == law_spring) {
    t = elastic + damping * e_rate;
  } else if (law == law_table) {
    const R strain = e / rest.length;
    const int begin = s.table_begin(i), end = s.table_begin(i + 1);
    R low = n(s.at_table_strain() + begin), force = n(s.at_table_force() + begin),
      slope = n(s.at_table_slope() + begin);
    for (int k = begin + 1; k + 1 < end; ++k) {
      const auto beyond = strain >= n(s.at_table_strain() + k);
      low = select(beyond, n(s.at_table_strain() + k), low);
      force = select(beyond, n(s.at_table_force() + k), force);
      slope = select(beyond, n(s.at_table_slope() + k), slope);
    }
    elastic = larger(zero, force + slope * (strain - low));
    t = elastic + c * e_rate;
    if (!s.general_vector(i)) t = larger(t, zero);
    const auto pulls = elastic > zero;
    t = select(pulls, t, zero);
    damping = select(pulls, c, zero);
  } else {
    t = elastic + c * e_rate;
    if (s.general_clip(i)) t = larger(t, zero);
    const auto stretched = e > zero;
    t = select(stretched, t, zero);
    damping = select(stretched, c, zero);
  }
  braking = damping;
  return t;
}

// The last four lengths of every slot, and l̇ from them.
template <class R>
class Past {
 public:
  TAUT_KERNEL Past(const Room<R>& room, int phase, int slots)
      : p1_(&past_of(room, phase, slots, 0)),
        p2_(&past_of(room, phase + 1, slots, 0)),
        p3_(&past_of(room, phase + 2, slots, 0)),
        p4_(&past_of(room, phase + 3, slots, 0)) {}

  // l̇_n from l_n and the four lengths before; l_n takes the place of the oldest.
  TAUT_KERNEL R rate(int slot, R length, const R* weight) const {
    const int k = slot * TAUT_PAST_STRIDE;
    const R rate =
        fused(weight[0], length,
              fused(weight[1], p1_[k], fused(weight[2], p2_[k], fused(weight[3], p3_[k], weight[4] * p4_[k]))));
    p4_[k] = length;
    return rate;
  }
  // At a beginning: the length and its rate, which the first step takes from here.
  TAUT_KERNEL void begin(int slot, R length, R rate) const {
    p1_[slot * TAUT_PAST_STRIDE] = length;
    p2_[slot * TAUT_PAST_STRIDE] = rate;
  }

 private:
  R *p1_, *p2_, *p3_, *p4_;
};

}  // namespace taut::batch
