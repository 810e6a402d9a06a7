// The loop of lane_probe.h for the vector unit that the including file is compiled for.
#pragma once

#include <cmath>

#include "bench/lane_probe.h"

namespace taut::bench {
namespace {

template <class T, int W>
struct Vector {
  typedef T V __attribute__((vector_size(sizeof(T) * W)));
  typedef decltype(V{} > V{}) Mask;
};

template <class V>
inline __attribute__((always_inline)) V square_root(V a) {
  for (unsigned k = 0; k < sizeof(V) / sizeof(a[0]); ++k) a[k] = std::sqrt(a[k]);
  return a;
}

template <class T, int W>
struct Robots {
  using V = typename Vector<T, W>::V;
  V x[36], v[36], f[36], past[4][24];
};

template <class T, int W>
void forces(const LaneProbe& probe, Robots<T, W>& r, int phase, const T* weight) {
  using V = typename Vector<T, W>::V;
  const SixBarFloor& s = probe.shape;
  const V zero{};
  V *const p1 = r.past[phase & 3], *const p2 = r.past[(phase + 1) & 3], *const p3 = r.past[(phase + 2) & 3],
          *const p4 = r.past[(phase + 3) & 3];
  for (int k = 0; k < 36; ++k) r.f[k] = zero + static_cast<T>(probe.weight[k]);
#pragma GCC unroll 2
  for (int i = 0; i < 24; ++i) {
    const int a = 3 * s.cable_a[i], b = 3 * s.cable_b[i];
    const V d0 = r.x[b] - r.x[a], d1 = r.x[b + 1] - r.x[a + 1], d2 = r.x[b + 2] - r.x[a + 2];
    const V l = square_root(d0 * d0 + d1 * d1 + d2 * d2), inverse = static_cast<T>(1) / l;
    const V rate = weight[0] * l + (weight[1] * p1[i] + (weight[2] * p2[i] + (weight[3] * p3[i] + weight[4] * p4[i])));
    p4[i] = l;
    const V e = l - static_cast<T>(s.rest_length[i]);
    V t = static_cast<T>(s.stiffness[i]) * e + static_cast<T>(s.damping[i]) * rate;
    t = (e > zero) & (t > zero) ? t : zero;
    const V pull = t * inverse;
    r.f[a] += pull * d0, r.f[a + 1] += pull * d1, r.f[a + 2] += pull * d2;
    r.f[b] -= pull * d0, r.f[b + 1] -= pull * d1, r.f[b + 2] -= pull * d2;
  }
}

template <class T, int W>
void leap(const LaneProbe& probe, Robots<T, W>& r) {
  using V = typename Vector<T, W>::V;
  const SixBarFloor& s = probe.shape;
  const T h = static_cast<T>(probe.step), per_h = 1 / h;
  for (int i = 0; i < 6; ++i) {
    const int a = 3 * s.bar_a[i], b = 3 * s.bar_b[i];
    const T same = static_cast<T>(s.inverse_same[i]), other = static_cast<T>(s.inverse_other[i]), part = other - same;
    const T length = static_cast<T>(probe.length[i]);
    V d[3], va[3], vb[3], square{}, half{}, reach{};
    for (int k = 0; k < 3; ++k) {
      d[k] = r.x[b + k] - r.x[a + k];
      va[k] = r.v[a + k] + h * (same * r.f[a + k] + other * r.f[b + k]);
      vb[k] = r.v[b + k] + h * (other * r.f[a + k] + same * r.f[b + k]);
      const V side = (-2 * part) * d[k], ahead = d[k] + h * (vb[k] - va[k]);
      square += side * side, half += ahead * side, reach += ahead * ahead;
    }
    const V excess = reach - length * length, under = square_root(half * half - square * excess);
    const V nu = -excess / (half + (half >= V{} ? under : -under)) * per_h;
    for (int k = 0; k < 3; ++k) {
      r.v[a + k] = va[k] + nu * (part * d[k]), r.v[b + k] = vb[k] - nu * (part * d[k]);
      r.x[a + k] += h * r.v[a + k], r.x[b + k] += h * r.v[b + k];
    }
  }
}

template <class T, int W>
double advance(const LaneProbe& probe, const double* start, long packs, int steps) {
  const double h = probe.step;
  const T weight[5] = {static_cast<T>(1.1 / h), static_cast<T>(-0.9 / h), static_cast<T>(-0.4 / h), static_cast<T>(0.1 / h),
                       static_cast<T>(0.1 / h)};
  double sum = 0.0;
  for (long pack = 0; pack < packs; ++pack) {
    alignas(64) Robots<T, W> r{};
    for (int k = 0; k < 36; ++k) {
      r.v[k] = typename Robots<T, W>::V{};
      r.x[k] = r.v[k] + static_cast<T>(start[k]);
    }
    for (int phase = 0; phase < 5; ++phase) forces<T, W>(probe, r, phase, weight);
    for (int i = 1; i <= steps; ++i) {
      leap<T, W>(probe, r);
      forces<T, W>(probe, r, (1 - i) & 3, weight);
    }
    for (int k = 0; k < 36; ++k) sum += static_cast<double>(r.x[k][0]);
  }
  return sum;
}

}  // namespace
}  // namespace taut::bench
