// What a kernel asks of its number type R, here for double and float; packs of lanes (batch/lanes/lanes.h) answer the same. A
// comparison of two R gives their mask, bool here. Included by kernels that CUDA compiles too: no other header.
//
// A card has no unit for roots and quotients of doubles. There they come from an approximation y of 20 bits by one step of
// third order, which leaves about 2^-57:
//
//   1/√a: e = 1 - a y²,  y (1 + e/2 + 3e²/8)      1/b: e = 1 - b y,  y (1 + e + e²)
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

// fused: a b + c, rounded once.
#ifdef __CUDACC__
TAUT_KERNEL double fused(double a, double b, double c) { return fma(a, b, c); }
TAUT_KERNEL float fused(float a, float b, float c) { return fmaf(a, b, c); }

TAUT_KERNEL double inverse_root(double a) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  const double e = fma(-a * y, y, 1.0);
  return fma(y * e, fma(0.375, e, 0.5), y);
}
TAUT_KERNEL float inverse_root(float a) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
  return y;
}
TAUT_KERNEL double root(double a) {
  const double r = a * inverse_root(a);
  return select(a >= 0.0 && a < 1e-300, 0.0, r);
}
TAUT_KERNEL float root(float a) {
  const float r = a * inverse_root(a);
  return select(a >= 0.0f && a < 1e-37f, 0.0f, r);
}
TAUT_KERNEL double root_and_inverse(double a, double& inverse) { return a * (inverse = inverse_root(a)); }
TAUT_KERNEL float root_and_inverse(float a, float& inverse) { return a * (inverse = inverse_root(a)); }
TAUT_KERNEL double quotient(double a, double b) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(b));
  const double e = fma(-b, y, 1.0);
  return a * fma(fma(e, e, e), y, y);
}
TAUT_KERNEL float quotient(float a, float b) { return __fdividef(a, b); }
#else
TAUT_KERNEL double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
TAUT_KERNEL float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TAUT_KERNEL double root(double a) { return __builtin_sqrt(a); }
TAUT_KERNEL float root(float a) { return __builtin_sqrtf(a); }

// √a and 1/√a of an a that is not next to nothing; a/b.
template <class R>
TAUT_KERNEL R root_and_inverse(R a, R& inverse) {
  const R length = root(a);
  inverse = R(1.0) / length;
  return length;
}
template <class R>
TAUT_KERNEL R quotient(R a, R b) {
  return a / b;
}
#endif

// Lane by lane: how many there are, the number in one of them, and another number put there.
template <class R>
inline constexpr int lane_count = 1;
TAUT_KERNEL double lane(double a, int) { return a; }
TAUT_KERNEL double lane(float a, int) { return static_cast<double>(a); }
TAUT_KERNEL void set_lane(double& a, int, double value) { a = value; }
TAUT_KERNEL void set_lane(float& a, int, double value) { a = static_cast<float>(value); }
TAUT_KERNEL bool mask_lane(bool mask, int) { return mask; }
template <class T, class U>
TAUT_KERNEL void load_lanes(T& a, const U* from) {
  a = static_cast<T>(*from);
}
template <class T, class U>
TAUT_KERNEL void store_lanes(T a, U* to) {
  *to = static_cast<U>(a);
}

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
