// Three coordinates in one register: the fourth lane is zero. The hot loops over cables and bars use it.
#pragma once

#include <cmath>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace taut {

typedef double Vec4 __attribute__((vector_size(32)));

// Three neighbouring doubles, none beyond them touched.
inline Vec4 load3(const double* p) {
#ifdef __AVX512VL__
  return _mm256_maskz_loadu_pd(7, p);
#else
  return Vec4{p[0], p[1], p[2], 0.0};
#endif
}

inline void store3(double* p, Vec4 v) {
#ifdef __AVX512VL__
  _mm256_mask_storeu_pd(p, 7, v);
#else
  p[0] = v[0];
  p[1] = v[1];
  p[2] = v[2];
#endif
}

// Arrays of stride 4 on 32-byte boundaries (AlignedDoubles).
inline Vec4 load4(const double* p) { return *reinterpret_cast<const Vec4*>(p); }
inline void store4(double* p, Vec4 v) { *reinterpret_cast<Vec4*>(p) = v; }

inline double dot(Vec4 a, Vec4 b) {
  const Vec4 c = a * b;
  return c[0] + c[1] + c[2];
}

inline Vec4 square_root(Vec4 a) {
#ifdef __AVX__
  return _mm256_sqrt_pd(a);
#else
  return Vec4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

// The sums of the lanes of four vectors, in one.
inline Vec4 lane_sums(Vec4 a, Vec4 b, Vec4 c, Vec4 d) {
  const Vec4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Vec4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

}  // namespace taut
