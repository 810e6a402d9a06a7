// Several robots in one vector register: W numbers of type T that answer to the names of base/number.h. Every operation
// is that of the scalar on each lane, rounded alike (compile with -ffp-contract=off), so that a robot's motion does not
// depend on the width. The vector units are those that the including file is compiled for; TAUT_LANES names them, so
// that the linker never takes one file's functions for another's.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "taut/base/number.h"

namespace taut {
namespace TAUT_LANES {

template <class T, int W>
struct Pack {
  typedef T V __attribute__((vector_size(sizeof(T) * W)));
  V v;
  Pack() = default;
  TAUT_KERNEL Pack(V vector) : v(vector) {}
  TAUT_KERNEL Pack(double number) : v(static_cast<T>(number) - V{}) {}
};

#define TAUT_OPERATOR(op)                                               \
  template <class T, int W>                                             \
  TAUT_KERNEL Pack<T, W> operator op(Pack<T, W> a, Pack<T, W> b) {      \
    return a.v op b.v;                                                  \
  }                                                                     \
  template <class T, int W>                                             \
  TAUT_KERNEL Pack<T, W>& operator op##=(Pack<T, W>& a, Pack<T, W> b) { \
    a.v = a.v op b.v;                                                   \
    return a;                                                           \
  }
TAUT_OPERATOR(+)
TAUT_OPERATOR(-)
TAUT_OPERATOR(*)
TAUT_OPERATOR(/)
#undef TAUT_OPERATOR

template <class T, int W>
TAUT_KERNEL Pack<T, W> operator-(Pack<T, W> a) {
  return -a.v;
}

#ifdef __AVX512F__

// One bit a lane.
template <class T, int W>
struct Mask {
  unsigned bits;
};
template <int W>
inline constexpr unsigned every = (1u << W) - 1u;

TAUT_KERNEL unsigned greater(__m512d a, __m512d b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }
TAUT_KERNEL unsigned greater(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
TAUT_KERNEL unsigned greater_equal(__m512d a, __m512d b) { return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ); }
TAUT_KERNEL unsigned greater_equal(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
TAUT_KERNEL unsigned same(__m512d a, __m512d b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
TAUT_KERNEL unsigned same(__m512 a, __m512 b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
TAUT_KERNEL __m512d blend(unsigned m, __m512d yes, __m512d no) {
  return _mm512_mask_blend_pd(static_cast<__mmask8>(m), no, yes);
}
TAUT_KERNEL __m512 blend(unsigned m, __m512 yes, __m512 no) {
  return _mm512_mask_blend_ps(static_cast<__mmask16>(m), no, yes);
}
TAUT_KERNEL __m512d square_root_of(__m512d a) { return _mm512_sqrt_pd(a); }
TAUT_KERNEL __m512 square_root_of(__m512 a) { return _mm512_sqrt_ps(a); }
TAUT_KERNEL __m512d larger_of(__m512d a, __m512d b) { return _mm512_max_pd(a, b); }
TAUT_KERNEL __m512 larger_of(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }
TAUT_KERNEL __m512d smaller_of(__m512d a, __m512d b) { return _mm512_min_pd(a, b); }
TAUT_KERNEL __m512 smaller_of(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
TAUT_KERNEL __m512d fused_of(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
TAUT_KERNEL __m512 fused_of(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }

// The instructions for maximum and minimum do what a > b ? a : b does, of numbers that are none and of both zeros too.
template <class T, int W>
TAUT_KERNEL Pack<T, W> larger(Pack<T, W> a, Pack<T, W> b) {
  return larger_of(a.v, b.v);
}
template <class T, int W>
TAUT_KERNEL Pack<T, W> smaller(Pack<T, W> a, Pack<T, W> b) {
  return smaller_of(a.v, b.v);
}

template <class T, int W>
TAUT_KERNEL Mask<T, W> operator>(Pack<T, W> a, Pack<T, W> b) {
  return {greater(a.v, b.v)};
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> operator>=(Pack<T, W> a, Pack<T, W> b) {
  return {greater_equal(a.v, b.v)};
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> operator==(Pack<T, W> a, Pack<T, W> b) {
  return {same(a.v, b.v)};
}
template <class T, int W>
TAUT_KERNEL Pack<T, W> select(Mask<T, W> m, Pack<T, W> yes, Pack<T, W> no) {
  return blend(m.bits, yes.v, no.v);
}
template <class T, int W>
TAUT_KERNEL bool any(Mask<T, W> m) {
  return m.bits != 0;
}
template <class T, int W>
TAUT_KERNEL bool all(Mask<T, W> m) {
  return m.bits == every<W>;
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> both(Mask<T, W> a, Mask<T, W> b) {
  return {a.bits & b.bits};
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> either(Mask<T, W> a, Mask<T, W> b) {
  return {a.bits | b.bits};
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> inverse(Mask<T, W> a) {
  return {~a.bits & every<W>};
}
template <class T, int W>
TAUT_KERNEL bool mask_lane(Mask<T, W> m, int k) {
  return (m.bits >> k & 1u) != 0;
}

#else

// All bits of a lane.
template <class T, int W>
struct Mask {
  typedef decltype(typename Pack<T, W>::V{} > typename Pack<T, W>::V{}) V;
  V bits;
};

template <class V>
TAUT_KERNEL V square_root_of(V a) {
  V r;
  for (unsigned i = 0; i < sizeof(a) / sizeof(a[0]); ++i) r[i] = root(a[i]);
  return r;
}
template <class V>
TAUT_KERNEL V fused_of(V a, V b, V c) {
  V r;
  for (unsigned i = 0; i < sizeof(a) / sizeof(a[0]); ++i) r[i] = fused(a[i], b[i], c[i]);
  return r;
}
#ifdef __AVX2__
TAUT_KERNEL __m256d square_root_of(__m256d a) { return _mm256_sqrt_pd(a); }
TAUT_KERNEL __m256 square_root_of(__m256 a) { return _mm256_sqrt_ps(a); }
#endif
#ifdef __FMA__
TAUT_KERNEL __m256d fused_of(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
TAUT_KERNEL __m256 fused_of(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
#endif

template <class T, int W>
TAUT_KERNEL Mask<T, W> operator>(Pack<T, W> a, Pack<T, W> b) {
  return {a.v > b.v};
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> operator>=(Pack<T, W> a, Pack<T, W> b) {
  return {a.v >= b.v};
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> operator==(Pack<T, W> a, Pack<T, W> b) {
  return {a.v == b.v};
}
template <class T, int W>
TAUT_KERNEL Pack<T, W> select(Mask<T, W> m, Pack<T, W> yes, Pack<T, W> no) {
  return m.bits ? yes.v : no.v;
}
template <class T, int W>
TAUT_KERNEL bool any(Mask<T, W> m) {
  decltype(m.bits[0] | 0) sum = 0;
  for (int i = 0; i < W; ++i) sum |= m.bits[i];
  return sum != 0;
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> both(Mask<T, W> a, Mask<T, W> b) {
  return {a.bits & b.bits};
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> either(Mask<T, W> a, Mask<T, W> b) {
  return {a.bits | b.bits};
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> inverse(Mask<T, W> a) {
  return {~a.bits};
}
template <class T, int W>
TAUT_KERNEL bool all(Mask<T, W> m) {
  return !any(inverse(m));
}
template <class T, int W>
TAUT_KERNEL bool mask_lane(Mask<T, W> m, int k) {
  return m.bits[k] != 0;
}

#endif

template <class T, int W>
TAUT_KERNEL Mask<T, W> operator<(Pack<T, W> a, Pack<T, W> b) {
  return b > a;
}
template <class T, int W>
TAUT_KERNEL Mask<T, W> operator<=(Pack<T, W> a, Pack<T, W> b) {
  return b >= a;
}
template <class T, int W>
TAUT_KERNEL Pack<T, W> root(Pack<T, W> a) {
  return square_root_of(a.v);
}
template <class T, int W>
TAUT_KERNEL Pack<T, W> fused(Pack<T, W> a, Pack<T, W> b, Pack<T, W> c) {
  return fused_of(a.v, b.v, c.v);
}
template <class T, int W>
TAUT_KERNEL double lane(Pack<T, W> a, int k) {
  return static_cast<double>(a.v[k]);
}
template <class T, int W>
TAUT_KERNEL void set_lane(Pack<T, W>& a, int k, double value) {
  a.v[k] = static_cast<T>(value);
}

// Neighbours in memory, of any type of number.
template <class T, int W, class U>
TAUT_KERNEL void load_lanes(Pack<T, W>& a, const U* from) {
  typedef U V __attribute__((vector_size(sizeof(U) * W)));
  V v;
  __builtin_memcpy(&v, from, sizeof(v));
  a.v = __builtin_convertvector(v, typename Pack<T, W>::V);
}
template <class T, int W, class U>
TAUT_KERNEL void store_lanes(const Pack<T, W>& a, U* to) {
  typedef U V __attribute__((vector_size(sizeof(U) * W)));
  const V v = __builtin_convertvector(a.v, V);
  __builtin_memcpy(to, &v, sizeof(v));
}

}  // namespace TAUT_LANES

template <class T, int W>
inline constexpr int lane_count<TAUT_LANES::Pack<T, W>> = W;
template <int W>
inline constexpr double rounding_of<TAUT_LANES::Pack<float, W>> = rounding_of<float>;
template <int W>
inline constexpr double least_square<TAUT_LANES::Pack<float, W>> = least_square<float>;

}  // namespace taut
