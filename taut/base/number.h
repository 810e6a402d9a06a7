// What a kernel asks of its number type R, here for double and float; packs of lanes (batch/lanes.h) answer the same. A
// comparison of two R gives their mask, bool here. Included by kernels that CUDA compiles too: no other header.
#pragma once

#ifdef __CUDACC__
#define TAUT_KERNEL __device__ __forceinline__
#else
#define TAUT_KERNEL inline __attribute__((always_inline))
#endif

namespace taut {

TAUT_KERNEL double select(bool mask, double yes, double no) { return mask ? yes : no; }
TAUT_KERNEL float select(bool mask, float yes, float no) { return mask ? yes : no; }

TAUT_KERNEL bool any(bool mask) { return mask; }
TAUT_KERNEL bool all(bool mask) { return mask; }

TAUT_KERNEL double root(double a) { return __builtin_sqrt(a); }
TAUT_KERNEL float root(float a) { return __builtin_sqrtf(a); }

// a b + c, rounded once.
TAUT_KERNEL double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
TAUT_KERNEL float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

template <class R>
TAUT_KERNEL R larger(R a, R b) {
  return select(a > b, a, b);
}
template <class R>
TAUT_KERNEL R smaller(R a, R b) {
  return select(a < b, a, b);
}
template <class R>
TAUT_KERNEL R magnitude(R a) {
  return select(a < R(0), -a, a);
}

}  // namespace taut
