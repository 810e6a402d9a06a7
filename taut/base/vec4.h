// Three coordinates in one register: the fourth lane is zero. The hot loops over cables and bars use it.
#pragma once

namespace taut {

typedef double Vec4 __attribute__((vector_size(32)));

inline Vec4 load3(const double* p) { return Vec4{p[0], p[1], p[2], 0.0}; }

inline void store3(double* p, Vec4 v) {
  p[0] = v[0];
  p[1] = v[1];
  p[2] = v[2];
}

// Arrays of stride 4, aligned by AlignedDoubles below.
inline Vec4 load4(const double* p) { return *reinterpret_cast<const Vec4*>(p); }
inline void store4(double* p, Vec4 v) { *reinterpret_cast<Vec4*>(p) = v; }

inline double dot(Vec4 a, Vec4 b) {
  const Vec4 c = a * b;
  return c[0] + c[1] + c[2];
}

}  // namespace taut
