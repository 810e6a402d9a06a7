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
TAUT_KERNEL bool both(bool a, bool b) { return a && b; }
TAUT_KERNEL bool either(bool a, bool b) { return a || b; }
TAUT_KERNEL bool inverse(bool mask) { return !mask; }

TAUT_KERNEL double root(double a) { return __builtin_sqrt(a); }
TAUT_KERNEL float root(float a) { return __builtin_sqrtf(a); }

// a b + c, rounded once.
TAUT_KERNEL double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
TAUT_KERNEL float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

// Lane by lane: how many there are, the number in one of them, and another number put there.
template <class R>
inline constexpr int lane_count = 1;
TAUT_KERNEL double lane(double a, int) { return a; }
TAUT_KERNEL double lane(float a, int) { return static_cast<double>(a); }
TAUT_KERNEL void set_lane(double& a, int, double value) { a = value; }
TAUT_KERNEL void set_lane(float& a, int, double value) { a = static_cast<float>(value); }
TAUT_KERNEL bool mask_lane(bool mask, int) { return mask; }

// What a kernel takes for the rounding and for the smallest square of its numbers.
template <class R>
inline constexpr double rounding_of = 2.2e-16;
template <>
inline constexpr double rounding_of<float> = 1.2e-7;
template <class R>
inline constexpr double least_square = 1e-280;
template <>
inline constexpr double least_square<float> = 1e-36;

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
