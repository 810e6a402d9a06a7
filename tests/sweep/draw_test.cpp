// Draws of a sweep: random numbers by counter, permutations, Latin hypercubes and grids.
#include "taut/sweep/draw/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "taut/sweep/draw/counter_random.h"
#include "taut/sweep/draw/distribution.h"
#include "taut/sweep/draw/permutation.h"

namespace {

using taut::DrawMethod;
using taut::DrawPlan;

std::vector<double> draws(const DrawPlan& plan, int dimension) {
  std::vector<double> list;
  for (std::uint64_t run = 0; run < plan.runs; ++run) list.push_back(taut::draw(plan, run, dimension));
  return list;
}

// The largest distance between the empirical distribution and the uniform one, times √n; above 1.95 once in 1000 times.
double kolmogorov_smirnov(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const double n = static_cast<double>(u.size());
  double distance = 0;
  for (std::size_t i = 0; i < u.size(); ++i)
    distance = std::max({distance, u[i] - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - u[i]});
  return distance * std::sqrt(n);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - 0.5) * (b[i] - 0.5);
  return 12 * sum / static_cast<double>(a.size());
}

// χ² of counts that should all be equal, as standard deviations from its mean.
double chi_square(const std::vector<double>& counts) {
  double total = 0, sum = 0;
  for (const double c : counts) total += c;
  const double n = static_cast<double>(counts.size()), each = total / n;
  for (const double c : counts) sum += (c - each) * (c - each) / each;
  return (sum - (n - 1)) / std::sqrt(2 * (n - 1));
}

}  // namespace

// The answers that the authors of Philox publish for three counters and keys.
TEST(SweepDraw, PhiloxGivesTheKnownAnswers) {
  using C = taut::PhiloxCounter;
  EXPECT_EQ(taut::philox({0, 0, 0, 0}, {0, 0}), (C{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t f = 0xffffffff;
  EXPECT_EQ(taut::philox({f, f, f, f}, {f, f}), (C{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(taut::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (C{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(SweepDraw, UnitNumbersAreInsideTheOpenInterval) {
  EXPECT_EQ(taut::unit_from_bits(0), 0x1p-53);
  EXPECT_EQ(taut::unit_from_bits(~std::uint64_t{0}), 1 - 0x1p-53);
  EXPECT_GT(taut::unit_from_bits(~std::uint64_t{0}), taut::unit_from_bits(~std::uint64_t{0} << 13));
}

TEST(SweepDraw, RandomNumbersAreUniformInEveryDimensionAndSeed) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    const DrawPlan plan{.seed = seed, .runs = 20000, .dimensions = 1000};
    for (const int dimension : {0, 1, 2, 999}) {
      const std::vector<double> u = draws(plan, dimension);
      EXPECT_LT(kolmogorov_smirnov(u), 1.95);
      double mean = 0, square = 0;
      for (const double x : u) mean += x / 20000, square += x * x / 20000;
      EXPECT_NEAR(mean, 0.5, 4 / std::sqrt(12 * 20000.0));
      EXPECT_NEAR(square, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / 20000));
    }
  }
}

// Pairs fill the square evenly: neighbouring runs, dimensions and seeds have nothing to do with each other.
TEST(SweepDraw, RandomNumbersOfNeighboursAreIndependent) {
  const DrawPlan plan{.seed = 5, .runs = 20000, .dimensions = 3}, next{.seed = 6, .runs = 20000, .dimensions = 3};
  const DrawPlan far{.seed = 5 | std::uint64_t{1} << 32, .runs = 20000, .dimensions = 3};
  const std::vector<double> a = draws(plan, 0);
  std::vector<double> shifted = a;
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  for (const std::vector<double>& b : {draws(plan, 1), draws(plan, 2), draws(next, 0), draws(far, 0), shifted}) {
    EXPECT_LT(std::abs(correlation(a, b)), 4 / std::sqrt(20000.0));
    std::vector<double> cells(400);
    for (std::size_t i = 0; i < a.size(); ++i) ++cells[taut::chosen(a[i], 20) * 20 + taut::chosen(b[i], 20)];
    EXPECT_LT(std::abs(chi_square(cells)), 4);
  }
}

TEST(SweepDraw, DrawsFollowTheirDistribution) {
  taut::Distribution normal;
  normal.kind = taut::DistributionKind::normal;
  normal.mean = 2;
  normal.std = 3;
  double mean = 0, square = 0, fourth = 0;
  const int n = 40000;
  for (const double u : draws({.seed = 12, .runs = n}, 0)) {
    const double z = (normal.quantile(u) - 2) / 3;
    mean += z / n, square += z * z / n, fourth += z * z * z * z / n;
  }
  EXPECT_NEAR(mean, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(square, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth, 3, 4 * std::sqrt(96.0 / n));
}

// Any draw by itself, in any order, is the same draw; the number of runs does not matter for random and Sobol points.
TEST(SweepDraw, DrawsDependOnNothingButTheirNumbers) {
  for (const DrawMethod method : {DrawMethod::random, DrawMethod::latin_hypercube, DrawMethod::sobol}) {
    const DrawPlan plan{.method = method, .seed = 3, .runs = 100, .dimensions = 4};
    DrawPlan longer = plan, other = plan;
    longer.runs = 1000;
    other.seed = 4;
    int changed = 0;
    for (int run = 99; run >= 0; --run) {
      const double u = taut::draw(plan, run, 2);
      EXPECT_EQ(u, taut::draw(DrawPlan(plan), run, 2));
      if (method != DrawMethod::latin_hypercube) {
        EXPECT_EQ(u, taut::draw(longer, run, 2));
      }
      changed += u != taut::draw(other, run, 2);
    }
    EXPECT_GT(changed, 98);
  }
}

TEST(SweepDraw, PermutationsArePermutations) {
  for (std::uint64_t count = 1; count <= 200; ++count) {
    for (std::uint32_t dimension = 0; dimension < 3; ++dimension) {
      std::set<std::uint64_t> seen;
      for (std::uint64_t i = 0; i < count; ++i) seen.insert(taut::permuted(i, count, 77, dimension));
      EXPECT_EQ(seen.size(), count);
      EXPECT_EQ(*seen.rbegin(), count - 1);
    }
  }
  for (const std::uint64_t count : {std::uint64_t{4096}, std::uint64_t{4097}, std::uint64_t{10000}}) {
    std::vector<bool> seen(count);
    for (std::uint64_t i = 0; i < count; ++i) seen[taut::permuted(i, count, 1, 0)] = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(count));
  }
}

TEST(SweepDraw, LongPermutationsAreSpreadEvenlyAndWithoutRepeats) {
  const std::uint64_t count = 1'000'000'000'003;
  std::vector<double> u;
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t p = taut::permuted(i, count, 9, 1);
    ASSERT_LT(p, count);
    seen.insert(p);
    u.push_back((static_cast<double>(p) + 0.5) / static_cast<double>(count));
  }
  EXPECT_EQ(seen.size(), 20000u);
  EXPECT_LT(kolmogorov_smirnov(u), 1.95);
  std::vector<double> shifted = u;
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  EXPECT_LT(std::abs(correlation(u, shifted)), 4 / std::sqrt(20000.0));
}

// Short ones: every order as often as any other. Longer ones (Feistel): every pair of places as often.
TEST(SweepDraw, PermutationsOfManySeedsAreEquallyLikely) {
  std::map<std::vector<std::uint64_t>, double> orders;
  for (std::uint64_t seed = 0; seed < 24000; ++seed) {
    std::vector<std::uint64_t> order;
    for (std::uint64_t i = 0; i < 4; ++i) order.push_back(taut::permuted(i, 4, seed, 0));
    ++orders[order];
  }
  ASSERT_EQ(orders.size(), 24u);
  std::vector<double> counts;
  for (const auto& [order, count] : orders) counts.push_back(count);
  EXPECT_LT(std::abs(chi_square(counts)), 4);

  std::vector<double> pairs(70 * 70);
  for (std::uint64_t seed = 0; seed < 50000; ++seed)
    ++pairs[taut::permuted(0, 70, seed, 0) * 70 + taut::permuted(1, 70, seed, 0)];
  std::vector<double> different;
  for (int i = 0; i < 70; ++i) {
    for (int j = 0; j < 70; ++j) {
      if (i != j) different.push_back(pairs[i * 70 + j]);
    }
    EXPECT_EQ(pairs[i * 70 + i], 0);
  }
  EXPECT_LT(std::abs(chi_square(different)), 4);
}

TEST(SweepDraw, LatinHypercubesHitEveryPartOnce) {
  for (const std::uint64_t runs : {1, 2, 7, 64, 65, 1000, 4096}) {
    const DrawPlan plan{.method = DrawMethod::latin_hypercube, .seed = 11, .runs = runs, .dimensions = 3};
    for (int dimension = 0; dimension < 3; ++dimension) {
      std::vector<int> hits(runs);
      for (const double u : draws(plan, dimension)) ++hits[static_cast<std::size_t>(u * static_cast<double>(runs))];
      EXPECT_EQ(hits, std::vector<int>(runs, 1)) << runs;
    }
  }
}

// The greatest numbers of runs: still inside the part, still below 1.
TEST(SweepDraw, LatinHypercubesOfManyRunsStayInside) {
  for (const std::uint64_t runs : {taut::most_drawn_runs, taut::most_drawn_runs - 1}) {
    const DrawPlan plan{.method = DrawMethod::latin_hypercube, .seed = 2, .runs = runs, .dimensions = 1};
    for (std::uint64_t run = 0; run < 2000; ++run) {
      const double u = taut::draw(plan, run, 0);
      EXPECT_EQ(static_cast<std::uint64_t>(u * static_cast<double>(runs)), taut::permuted(run, runs, 2, 0));
      EXPECT_GT(u, 0);
      EXPECT_LT(u, 1);
    }
  }
}

// Inside the parts the place is random, and dimensions are paired at random.
TEST(SweepDraw, LatinHypercubesAreRandomOtherwise) {
  const DrawPlan plan{.method = DrawMethod::latin_hypercube, .seed = 8, .runs = 20000, .dimensions = 2};
  const std::vector<double> a = draws(plan, 0), b = draws(plan, 1);
  std::vector<double> places;
  for (const double u : a) places.push_back(u * 20000 - std::floor(u * 20000));
  EXPECT_LT(kolmogorov_smirnov(places), 1.95);
  EXPECT_LT(std::abs(correlation(a, b)), 4 / std::sqrt(20000.0));
  EXPECT_LT(std::abs(correlation(a, places)), 4 / std::sqrt(20000.0));
}

TEST(SweepDraw, GridsCountWithTheLastListFastest) {
  const std::vector<std::uint64_t> lengths{2, 3, 4};
  ASSERT_EQ(taut::grid_runs(lengths), 24u);
  std::uint64_t run = 0;
  for (std::uint64_t i = 0; i < 2; ++i) {
    for (std::uint64_t j = 0; j < 3; ++j) {
      for (std::uint64_t k = 0; k < 4; ++k, ++run) {
        EXPECT_EQ(taut::grid_entry(lengths, run, 0), i);
        EXPECT_EQ(taut::grid_entry(lengths, run, 1), j);
        EXPECT_EQ(taut::grid_entry(lengths, run, 2), k);
      }
    }
  }
  EXPECT_EQ(taut::grid_runs({}), 1u);
  EXPECT_EQ(taut::grid_runs(std::vector<std::uint64_t>(60, 1000)), taut::most_drawn_runs + 1);
  std::vector<std::uint64_t> empty(60, 1000);
  empty.push_back(0);
  EXPECT_EQ(taut::grid_runs(empty), 0u);
}

TEST(SweepDraw, FaultsOfPlansAreSaid) {
  EXPECT_EQ(taut::fault_of(DrawPlan{.runs = 0}), "at least one run is needed");
  EXPECT_EQ(taut::fault_of(DrawPlan{.runs = taut::most_drawn_runs + 1}),
            "1099511627777 runs are too many: at most 1099511627776 are possible");
  EXPECT_EQ(taut::fault_of(DrawPlan{.dimensions = -1}), "the number of drawn parameters must not be negative");
  EXPECT_EQ(taut::fault_of(DrawPlan{.dimensions = 10000}), "");
  EXPECT_EQ(taut::fault_of(DrawPlan{.method = DrawMethod::sobol, .dimensions = 53}), "");
  EXPECT_EQ(taut::fault_of(DrawPlan{.method = DrawMethod::sobol, .dimensions = 54}),
            "54 parameters are drawn: Sobol points have at most 53 dimensions; use \"latin_hypercube\" or \"random\"");
}
