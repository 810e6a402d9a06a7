// Keyed permutations of 0 .. count - 1 whose every value is computed by itself, without a table of that length.
#pragma once

#include <cstdint>

namespace taut {

// Where `index` goes under the permutation that (seed, dimension) choose; index < count <= 2^62.
//
// Up to 64 numbers are shuffled (Fisher and Yates), so that every order is as likely as any other. More are permuted by
// a Feistel network on the least number of bits that holds them: with left and right part L and R,
//
//   (L, R) -> (R, L ^ f(R)),
//
// ten times, f from random_bits; a result that is not below count goes through the network again, until it is (cycle
// walking: at most 2 passes on average).
std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed, std::uint32_t dimension);

}  // namespace taut
