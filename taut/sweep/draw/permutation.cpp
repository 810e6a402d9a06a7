#include "taut/sweep/draw/permutation.h"

#include <array>
#include <bit>
#include <utility>

#include "taut/sweep/draw/counter_random.h"

namespace taut {

namespace {

constexpr std::uint64_t most_shuffled = 64;

// A number below count <= 64 from 32 random bits: the upper half of their product.
std::uint64_t below(std::uint64_t count, std::uint64_t bits) { return (bits >> 32) * count >> 32; }

std::uint64_t shuffled(std::uint64_t index, std::uint64_t count, std::uint64_t seed, std::uint32_t dimension) {
  std::array<std::uint8_t, most_shuffled> order{};
  for (std::uint64_t i = 0; i < count; ++i) order[i] = static_cast<std::uint8_t>(i);
  for (std::uint64_t i = count; i > 1; --i) {
    // The length is part of the counter: sweeps of other lengths are shuffled in another way.
    const std::uint64_t bits = random_bits(seed, RandomStream::shuffle, i << 32 | count, dimension);
    std::swap(order[i - 1], order[below(i, bits)]);
  }
  return order[index];
}

// One pass of the network over numbers of `bits` bits; odd numbers of bits are split unevenly.
std::uint64_t feistel(std::uint64_t value, int bits, std::uint64_t seed, std::uint32_t dimension) {
  int left_bits = bits / 2, right_bits = bits - left_bits;
  std::uint64_t left = value >> right_bits, right = value & ((std::uint64_t{1} << right_bits) - 1);
  for (std::uint64_t round = 0; round < 10; ++round) {
    // At most 31 bits of value, then the width and the round.
    const std::uint64_t index = right | static_cast<std::uint64_t>(bits) << 40 | round << 48;
    const std::uint64_t mask = (std::uint64_t{1} << left_bits) - 1;
    const std::uint64_t mixed = left ^ (random_bits(seed, RandomStream::feistel, index, dimension) & mask);
    left = right;
    right = mixed;
    std::swap(left_bits, right_bits);
  }
  return left << right_bits | right;
}

}  // namespace

std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed, std::uint32_t dimension) {
  if (count <= most_shuffled) return shuffled(index, count, seed, dimension);
  const int bits = static_cast<int>(std::bit_width(count - 1));
  do index = feistel(index, bits, seed, dimension);
  while (index >= count);
  return index;
}

}  // namespace taut
