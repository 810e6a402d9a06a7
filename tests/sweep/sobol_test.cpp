// The Sobol sequence: known points, how evenly it fills lines and squares, and that scrambling keeps that.
#include "taut/sweep/draw/sobol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "taut/sweep/draw/counter_random.h"
#include "taut/sweep/draw/draw.h"

namespace {

using taut::sobol_dimensions;

using Points = std::vector<std::vector<std::uint64_t>>;  // [dimension][point]

Points first_points(int bits, const std::function<std::uint64_t(std::uint64_t, int)>& change) {
  Points points(sobol_dimensions);
  for (int d = 0; d < sobol_dimensions; ++d)
    for (std::uint64_t n = 0; n < std::uint64_t{1} << bits; ++n) points[d].push_back(change(taut::sobol_bits(n, d), d));
  return points;
}

std::uint64_t unchanged(std::uint64_t bits, int) { return bits; }

// Whether every rectangle of 2^-across by 2^-up that tiles the square holds as many of the points as any other.
bool is_even(const std::vector<std::uint64_t>& x, const std::vector<std::uint64_t>& y, int across, int up) {
  std::vector<int> cells(std::size_t{1} << (across + up));
  for (std::size_t n = 0; n < x.size(); ++n) {
    const std::uint64_t column = across == 0 ? 0 : x[n] >> (64 - across), row = up == 0 ? 0 : y[n] >> (64 - up);
    ++cells[column << up | row];
  }
  for (const int count : cells)
    if (count != static_cast<int>(x.size() >> (across + up))) return false;
  return true;
}

// The least t for which the 2^m points are a (t, m, 2)-net: all tiles of 2^(t-m) hold 2^t points.
int net_quality(const std::vector<std::uint64_t>& x, const std::vector<std::uint64_t>& y) {
  const int m = static_cast<int>(std::bit_width(x.size())) - 1;
  for (int t = 0; t < m; ++t) {
    bool even = true;
    for (int across = 0; across <= m - t && even; ++across) even = is_even(x, y, across, m - t - across);
    if (even) return t;
  }
  return m;
}

// The degree of the d-th primitive polynomial (from 0; the first dimension counts as degree 1), by trying all of them.
std::vector<int> degrees_of_primitive_polynomials(int count) {
  std::vector<int> degrees{1};
  for (unsigned p = 3; static_cast<int>(degrees.size()) < count; p += 2) {
    const int degree = static_cast<int>(std::bit_width(p)) - 1;
    // Primitive: x has the order 2^degree - 1.
    unsigned x = 1;
    int order = 0;
    do {
      x <<= 1;
      if (x >> degree & 1) x ^= p;
      ++order;
    } while (x != 1 && order < 1 << degree);
    if (order == (1 << degree) - 1) degrees.push_back(degree);
  }
  return degrees;
}

}  // namespace

TEST(SweepSobol, FirstPointsAreTheKnownOnes) {
  const double known[8][3] = {{0, 0, 0},
                              {0.5, 0.5, 0.5},
                              {0.75, 0.25, 0.25},
                              {0.25, 0.75, 0.75},
                              {0.375, 0.375, 0.625},
                              {0.875, 0.875, 0.125},
                              {0.625, 0.125, 0.875},
                              {0.125, 0.625, 0.375}};
  for (int n = 0; n < 8; ++n)
    for (int d = 0; d < 3; ++d) EXPECT_EQ(std::ldexp(static_cast<double>(taut::sobol_bits(n, d)), -64), known[n][d]);
}

// Exactly one of the first 2^k points, and of every later block of 2^k, in each of 2^k equal parts of every axis.
TEST(SweepSobol, EveryAxisIsStratified) {
  for (int d = 0; d < sobol_dimensions; ++d) {
    for (int k = 1; k <= 12; ++k) {
      for (const std::uint64_t block : {0, 1, 5}) {
        std::vector<int> hits(std::size_t{1} << k);
        for (std::uint64_t n = 0; n < hits.size(); ++n) ++hits[taut::sobol_bits(block << k | n, d) >> (64 - k)];
        EXPECT_EQ(hits, std::vector<int>(hits.size(), 1)) << "dimension " << d << ", 2^" << k << " points";
      }
    }
  }
}

// Sobol's theorem: the projection on two dimensions is a (t, 2)-sequence with t = (degree - 1) + (degree - 1) or
// better. The degrees come from a search of our own for primitive polynomials.
TEST(SweepSobol, PairsOfDimensionsAreNetsOfTheQualityOfTheirPolynomials) {
  const std::vector<int> degrees = degrees_of_primitive_polynomials(sobol_dimensions);
  EXPECT_EQ(degrees.back(), 8);
  const Points points = first_points(9, unchanged);
  double sum = 0;
  int worst = 0;
  for (int i = 0; i < sobol_dimensions; ++i) {
    for (int j = 0; j < i; ++j) {
      const int t = net_quality(points[i], points[j]);
      EXPECT_LE(t, degrees[i] + degrees[j] - 2) << i << " and " << j;
      sum += t;
      worst = std::max(worst, t);
    }
  }
  EXPECT_EQ(net_quality(points[0], points[1]), 0);
  // What the numbers of Joe and Kuo were searched for: far better than the theorem grants (10.8 on average, 14 at
  // worst).
  EXPECT_LT(sum / (sobol_dimensions * (sobol_dimensions - 1) / 2), 2.5);
  EXPECT_LE(worst, 6);
}

// Sobol's property A: of the first 2^d points one lies in each of the 2^d octants of d dimensions. Joe and Kuo chose
// their numbers so; a wrong one is likely to break it. Equivalent: the first bits of v_1 .. v_d are independent
// modulo 2.
TEST(SweepSobol, FirstBitsHavePropertyA) {
  std::vector<std::uint64_t> rows;
  for (int d = 0; d < sobol_dimensions; ++d) {
    std::uint64_t row = 0;
    for (int k = 0; k <= 51; ++k) {
      // The point whose Gray code is bit k alone is v_(k+1).
      std::uint64_t n = 0;
      for (int bit = k; bit >= 0; --bit) n |= std::uint64_t{1} << bit;
      row |= (taut::sobol_bits(n, d) >> 63) << k;
    }
    rows.push_back(row);
  }
  for (int size = 1; size <= 52; ++size) {
    std::vector<std::uint64_t> matrix(rows.begin(), rows.begin() + size);
    const std::uint64_t mask = (std::uint64_t{1} << size) - 1;
    int rank = 0;
    for (int column = 0; column < size; ++column) {
      int pivot = rank;
      while (pivot < size && !((matrix[pivot] & mask) >> column & 1)) ++pivot;
      if (pivot == size) continue;
      std::swap(matrix[rank], matrix[pivot]);
      for (int i = 0; i < size; ++i)
        if (i != rank && matrix[i] >> column & 1) matrix[i] ^= matrix[rank];
      ++rank;
    }
    EXPECT_EQ(rank, size);
  }
}

// Shifts and nested scrambling change the points and nothing about how evenly they lie.
TEST(SweepSobol, ScramblingKeepsNets) {
  const Points plain = first_points(7, unchanged);
  const Points shifted = first_points(7, [](std::uint64_t b, int d) { return taut::digitally_shifted(b, 4, d); });
  const Points owen = first_points(7, [](std::uint64_t b, int d) { return taut::owen_scrambled(b, 4, d); });
  for (int i = 0; i < sobol_dimensions; ++i) {
    for (int j = 0; j < i; ++j) {
      const int t = net_quality(plain[i], plain[j]);
      EXPECT_EQ(net_quality(shifted[i], shifted[j]), t);
      EXPECT_EQ(net_quality(owen[i], owen[j]), t);
    }
    EXPECT_NE(shifted[i], plain[i]);
    EXPECT_NE(owen[i], shifted[i]);
  }
}

// One point over many seeds is uniform, and its dimensions are independent.
TEST(SweepSobol, ScrambledPointsAreUniformOverTheSeeds) {
  for (const taut::Scramble scramble : {taut::Scramble::shift, taut::Scramble::owen}) {
    const int n = 20000;
    double mean = 0, square = 0, product = 0;
    for (int seed = 0; seed < n; ++seed) {
      const taut::DrawPlan plan{.method = taut::DrawMethod::sobol,
                                .scramble = scramble,
                                .seed = static_cast<std::uint64_t>(seed),
                                .runs = 100,
                                .dimensions = 2};
      const double u = taut::draw(plan, 37, 0), v = taut::draw(plan, 37, 1);
      mean += u / n, square += u * u / n, product += (u - 0.5) * (v - 0.5) / n;
    }
    EXPECT_NEAR(mean, 0.5, 4 / std::sqrt(12.0 * n));
    EXPECT_NEAR(square, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
    EXPECT_NEAR(product, 0, 4 / 12.0 / std::sqrt(n));
  }
}

// What it is for: a smooth integral over ten dimensions, far more exact than random points allow.
TEST(SweepSobol, IntegralsAreMoreExactThanRandomOnes) {
  const auto error = [](taut::DrawMethod method, taut::Scramble scramble) {
    const taut::DrawPlan plan{.method = method, .scramble = scramble, .seed = 1, .runs = 4096, .dimensions = 10};
    double sum = 0;
    for (std::uint64_t run = 0; run < plan.runs; ++run) {
      double product = 1;
      for (int d = 0; d < 10; ++d) product *= 1 + (taut::draw(plan, run, d) - 0.5) / (d + 1);
      sum += product;
    }
    return std::abs(sum / static_cast<double>(plan.runs) - 1);
  };
  // The standard deviation of a product over one random point, over √4096.
  double variance = 1;
  for (int d = 0; d < 10; ++d) variance *= 1 + 1.0 / (12 * (d + 1) * (d + 1));
  const double random_error = std::sqrt((variance - 1) / 4096);
  EXPECT_LT(error(taut::DrawMethod::random, taut::Scramble::none), 4 * random_error);
  for (const taut::Scramble scramble : {taut::Scramble::none, taut::Scramble::shift, taut::Scramble::owen})
    EXPECT_LT(error(taut::DrawMethod::sobol, scramble), random_error / 10);
}

TEST(SweepSobol, PlainDrawsLeaveOutTheCorner) {
  const taut::DrawPlan plan{
      .method = taut::DrawMethod::sobol, .scramble = taut::Scramble::none, .runs = 3, .dimensions = sobol_dimensions};
  for (int d = 0; d < sobol_dimensions; ++d) {
    EXPECT_EQ(taut::draw(plan, 0, d), 0.5 + 0x1p-53);
    for (std::uint64_t run = 0; run < 3; ++run)
      EXPECT_EQ(taut::draw(plan, run, d), taut::unit_from_bits(taut::sobol_bits(run + 1, d)));
  }
}
