// The Sobol sequence: points that fill the unit cube more evenly than random ones. Point n in dimension j is
//
//   x_n = g_1 v_1 ^ g_2 v_2 ^ g_3 v_3 ^ ...,
//
// with g the bits of the Gray code n ^ (n >> 1), lowest first, ^ the sum without carries and v_k = m_k / 2^k < 1 from
// the recurrence of a primitive polynomial of degree s,
//
//   m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^(s-1) a_(s-1) m_(k-s+1) ^ 2^s m_(k-s) ^ m_(k-s).
//
// Polynomials and first numbers are those of Joe and Kuo, "Constructing Sobol sequences with better two-dimensional
// projections" (SIAM J. Sci. Comput. 30, 2008). Of the first 2^k points exactly one lies in each of 2^k equal parts of
// every axis.
#pragma once

#include <cstdint>

namespace taut {

inline constexpr int sobol_dimensions = 53;  // as many as there are numbers for
inline constexpr int sobol_index_bits = 52;  // index < 2^52

// Coordinate `dimension` (from 0) of point `index`, as a fraction of 2^64. Point 0 is the corner 0.
std::uint64_t sobol_bits(std::uint64_t index, int dimension);

// The same bits flipped in all points of a dimension, chosen by the seed. Keeps what was said about equal parts.
std::uint64_t digitally_shifted(std::uint64_t bits, std::uint64_t seed, int dimension);

// Nested random flips (Owen, 1995): whether a bit is flipped depends on the seed and on all bits before it. Keeps what
// was said about equal parts, and each point by itself is uniform in the cube.
std::uint64_t owen_scrambled(std::uint64_t bits, std::uint64_t seed, int dimension);

}  // namespace taut
