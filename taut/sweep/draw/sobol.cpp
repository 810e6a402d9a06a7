#include "taut/sweep/draw/sobol.h"

#include <array>

#include "taut/sweep/draw/counter_random.h"

namespace taut {

namespace {

// A primitive polynomial x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1 over the integers modulo 2, its inner coefficients as
// the bits of `a`, and the first s numbers of the recurrence.
struct Polynomial {
  int s;
  std::uint32_t a;
  std::array<std::uint32_t, 8> m;
};

// Dimensions 2 to 53 of Joe and Kuo (2008), "new-joe-kuo-6": every primitive polynomial up to degree 8.
constexpr std::array<Polynomial, sobol_dimensions - 1> polynomials{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
}};

using Directions = std::array<std::array<std::uint64_t, sobol_index_bits>, sobol_dimensions>;

// v_k = m_k / 2^k as fractions of 2^64, k = 1 .. sobol_index_bits at [k - 1].
constexpr Directions make_directions() {
  Directions v{};
  for (int k = 0; k < sobol_index_bits; ++k) v[0][k] = std::uint64_t{1} << (63 - k);
  for (int d = 1; d < sobol_dimensions; ++d) {
    const Polynomial& p = polynomials[d - 1];
    for (int k = 0; k < sobol_index_bits; ++k) {
      if (k < p.s) {
        v[d][k] = std::uint64_t{p.m[k]} << (63 - k);
        continue;
      }
      v[d][k] = v[d][k - p.s] ^ v[d][k - p.s] >> p.s;
      for (int i = 1; i < p.s; ++i)
        if (p.a >> (p.s - 1 - i) & 1) v[d][k] ^= v[d][k - i];
    }
  }
  return v;
}

constexpr Directions direction_numbers = make_directions();

}  // namespace

std::uint64_t sobol_bits(std::uint64_t index, int dimension) {
  // Point n is the sum of the v_k over the bits of its Gray code.
  std::uint64_t gray = index ^ index >> 1, bits = 0;
  for (int k = 0; gray != 0; ++k, gray >>= 1)
    if (gray & 1) bits ^= direction_numbers[dimension][k];
  return bits;
}

std::uint64_t digitally_shifted(std::uint64_t bits, std::uint64_t seed, int dimension) {
  return bits ^ random_bits(seed, RandomStream::shift, 0, static_cast<std::uint32_t>(dimension));
}

std::uint64_t owen_scrambled(std::uint64_t bits, std::uint64_t seed, int dimension) {
  // Beyond the first 52 bits nothing is seen.
  std::uint64_t flips = 0;
  for (int k = 0; k < 52; ++k) {
    // The k bits before, with a mark above them that tells how many they are.
    const std::uint64_t before = k == 0 ? 1 : bits >> (64 - k) | std::uint64_t{1} << k;
    const std::uint64_t random =
        random_bits(seed, RandomStream::scramble, before, static_cast<std::uint32_t>(dimension));
    flips |= (random & 1) << (63 - k);
  }
  return bits ^ flips;
}

}  // namespace taut
