#include "bench/floor.h"

#include <cmath>
#include <stdexcept>

namespace taut::bench {

SixBarFloor::SixBarFloor(const Model& model) {
  if (model.nodes.size() != nodes || model.cables.size() != cables || model.bars.size() != bars) {
    throw std::runtime_error("the floor is written for the six-bar");
  }
  for (int i = 0; i < cables; ++i) {
    const Cable& cable = model.cables[i];
    if (cable.law.kind != LawKind::linear || cable.path.size() != 2) throw std::runtime_error("not a linear cable");
    cable_a[i] = cable.path[0];
    cable_b[i] = cable.path[1];
    stiffness[i] = stiffness_at(cable.law, cable.rest_length);
    damping[i] = cable.law.damping;
    rest_length[i] = cable.rest_length;
  }
  for (int i = 0; i < bars; ++i) {
    const Bar& bar = model.bars[i];
    bar_a[i] = bar.a;
    bar_b[i] = bar.b;
    inverse_same[i] = 4.0 / bar.mass;
    inverse_other[i] = -2.0 / bar.mass;
  }
}

void SixBarFloor::rhs(const double* x, const double* v, double* acceleration) const {
  double f[3 * nodes] = {};
#pragma GCC unroll 24
  for (int i = 0; i < cables; ++i) {
    const int a = 3 * cable_a[i], b = 3 * cable_b[i];
    const double d0 = x[b] - x[a], d1 = x[b + 1] - x[a + 1], d2 = x[b + 2] - x[a + 2];
    const double u0 = v[b] - v[a], u1 = v[b + 1] - v[a + 1], u2 = v[b + 2] - v[a + 2];
    const double length = std::sqrt(d0 * d0 + d1 * d1 + d2 * d2), inverse = 1.0 / length;
    const double e = length - rest_length[i];
    const double raw = stiffness[i] * e + damping[i] * inverse * (d0 * u0 + d1 * u1 + d2 * u2);
    const double density = e > 0.0 && raw > 0.0 ? raw * inverse : 0.0;
    f[a] += density * d0, f[a + 1] += density * d1, f[a + 2] += density * d2;
    f[b] -= density * d0, f[b + 1] -= density * d1, f[b + 2] -= density * d2;
  }
#pragma GCC unroll 6
  for (int i = 0; i < bars; ++i) {
    const int a = 3 * bar_a[i], b = 3 * bar_b[i];
    const double same = inverse_same[i], other = inverse_other[i];
    double qa[3], qb[3], d[3], square = 0.0, drift = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      d[axis] = x[b + axis] - x[a + axis];
      const double d_rate = v[b + axis] - v[a + axis];
      qa[axis] = same * f[a + axis] + other * f[b + axis];
      qb[axis] = other * f[a + axis] + same * f[b + axis];
      square += d[axis] * d[axis];
      drift += d_rate * d_rate + d[axis] * (qb[axis] - qa[axis]);
    }
    // A push λ d on b and −λ d on a moves them apart by 2 (same − other) λ d.
    const double push = -drift / (2.0 * square);
    for (int axis = 0; axis < 3; ++axis) {
      acceleration[a + axis] = qa[axis] - push * d[axis];
      acceleration[b + axis] = qb[axis] + push * d[axis];
    }
  }
}

}  // namespace taut::bench
