// Random numbers that are a pure function of a counter: any of them can be had anywhere, at any time, in any order.
//
// The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011): ten rounds of
//
//   (c0, c1, c2, c3) -> (hi(m1 c2) ^ c1 ^ k0,  lo(m1 c2),  hi(m0 c0) ^ c3 ^ k1,  lo(m0 c0)),    k0 += w0,  k1 += w1
//
// on a counter of 128 bits under a key of 64 bits; hi and lo are the halves of a product of 64 bits.
#pragma once

#include <array>
#include <cstdint>

namespace taut {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox(PhiloxCounter c, PhiloxKey k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k = {k[0] + 0x9E3779B9u, k[1] + 0xBB67AE85u};
  }
  return c;
}

// What a number is drawn for: numbers of different streams have nothing to do with each other.
enum class RandomStream : std::uint32_t { value, jitter, shuffle, feistel, shift, scramble, imperfection };

// 64 random bits for (seed, index, dimension) of a stream.
constexpr std::uint64_t random_bits(std::uint64_t seed, RandomStream stream, std::uint64_t index,
                                    std::uint32_t dimension) {
  const PhiloxCounter bits = philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                                     dimension, static_cast<std::uint32_t>(stream)},
                                    {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return std::uint64_t{bits[1]} << 32 | bits[0];
}

// The top 52 of 64 bits as a number in (0, 1): the middle of one of 2^52 equal cells, exactly, so never 0 and never 1.
constexpr double unit_from_bits(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

}  // namespace taut
