// Closest points of two segments p(s) = a0 + s (a1 - a0), q(t) = b0 + t (b1 - b0), s and t in [0, 1]:
//
//   the minimum of |p(s) - q(t)|² + ε² ((s - ½)² + (t - ½)²).
//
// With ε = 0 this is the distance, whose closest points are not unique for parallel segments. With ε > 0 they are, the
// minimum is a continuously differentiable function of the end points everywhere, and its derivatives by them are
// those of |p(s) - q(t)|² at fixed s and t (envelope theorem).
#pragma once

#include <algorithm>

namespace taut {

struct Closest {
  double s = 0.0, t = 0.0;
  double squared = 0.0;                 // the minimum, m²
  double apart[3] = {0.0, 0.0, 0.0};    // p(s) - q(t)
  bool s_free = false, t_free = false;  // inside (0, 1), not held by an end
  double ss = 0.0, st = 0.0, tt = 0.0;  // half the second derivatives of what is minimised
};

inline double dot3(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline Closest closest_points(const double* a0, const double* a1, const double* b0, const double* b1, double epsilon) {
  const double e2 = epsilon * epsilon;
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) u[k] = a1[k] - a0[k], v[k] = b1[k] - b0[k], w[k] = a0[k] - b0[k];
  Closest best;
  best.ss = dot3(u, u) + e2, best.tt = dot3(v, v) + e2, best.st = -dot3(u, v);
  const double p = 0.5 * e2 - dot3(u, w), q = 0.5 * e2 + dot3(v, w);
  const auto take = [&](double s, double t, bool s_free, bool t_free) {
    double apart[3];
    for (int k = 0; k < 3; ++k) apart[k] = w[k] + s * u[k] - t * v[k];
    const double squared = dot3(apart, apart) + e2 * ((s - 0.5) * (s - 0.5) + (t - 0.5) * (t - 0.5));
    if (best.squared >= 0.0 && !(squared < best.squared)) return;
    best.s = s, best.t = t, best.squared = squared, best.s_free = s_free, best.t_free = t_free;
    std::copy_n(apart, 3, best.apart);
  };
  best.squared = -1.0;  // nothing taken yet
  // Inside the square of (s, t), unless the segments are parallel to rounding.
  const double determinant = best.ss * best.tt - best.st * best.st;
  if (determinant > 1e-14 * best.ss * best.tt) {
    const double s = (p * best.tt - q * best.st) / determinant, t = (q * best.ss - p * best.st) / determinant;
    if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
      take(s, t, true, true);
      return best;
    }
  }
  // On its edges.
  for (int side = 0; side < 2; ++side) {
    const double t = std::clamp((q - side * best.st) / best.tt, 0.0, 1.0);
    take(side, t, false, t > 0.0 && t < 1.0);
    const double s = std::clamp((p - side * best.st) / best.ss, 0.0, 1.0);
    take(s, side, s > 0.0 && s < 1.0, false);
  }
  return best;
}

}  // namespace taut
