// Distributions of parameters: quantiles against the distribution functions that they invert.
#include "taut/sweep/draw/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "taut/sweep/draw/normal_quantile.h"

namespace {

using taut::Distribution;
using taut::DistributionKind;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Distribution make_normal(double mean, double std) {
  Distribution d;
  d.kind = DistributionKind::normal;
  d.mean = mean;
  d.std = std;
  return d;
}

Distribution make_range(DistributionKind kind, double low, double high) {
  Distribution d;
  d.kind = kind;
  d.low = low;
  d.high = high;
  return d;
}

// Shares from 1e-16 to 1 - 1e-16, dense in both tails.
std::vector<double> shares() {
  std::vector<double> list;
  for (int i = 0; i <= 1000; ++i) {
    const double small = std::pow(10.0, -16.0 + i * 0.0157);
    if (small >= 0.5) continue;
    list.push_back(small);
    list.push_back(1 - small);
  }
  for (int i = 1; i < 1000; ++i) list.push_back(i / 1000.0);
  return list;
}

// The mean and the variance of quantiles: ∫ q du and ∫ (q - mean)² du, by the midpoint rule.
std::pair<double, double> moments(const Distribution& d) {
  const int n = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) sum += d.quantile((i + 0.5) / n);
  for (int i = 0; i < n; ++i) squares += std::pow(d.quantile((i + 0.5) / n) - sum / n, 2);
  return {sum / n, squares / n};
}

// The root of long double Φ(x) = p by bisection: 64 bits of erfc, no derivative, no starting value.
long double bisected_quantile(long double p) {
  long double low = -40, high = 0;
  for (int i = 0; i < 200; ++i) {
    const long double x = (low + high) / 2;
    (std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2 < p ? low : high) = x;
  }
  return (low + high) / 2;
}

}  // namespace

// x itself is known to rounding, in both tails and where it passes through zero.
TEST(SweepDistribution, NormalQuantileAgreesWithBisectionOfALongErfc) {
  for (const double u : shares()) {
    if (std::abs(u - 0.5) < 1e-3) continue;  // there the bisection itself loses digits; see the next test
    const long double exact = u < 0.5 ? bisected_quantile(u) : -bisected_quantile(1.0L - u);
    EXPECT_NEAR(taut::normal_quantile(u), static_cast<double>(exact), 1e-15 * std::abs(static_cast<double>(exact)))
        << u;
  }
  for (const double p : {1e-20, 1e-50, 1e-100, 1e-200, 1e-295})
    EXPECT_NEAR(taut::normal_quantile(p) / static_cast<double>(bisected_quantile(p)), 1.0, 1e-15) << p;
}

TEST(SweepDistribution, NormalQuantileInvertsErfcAndErf) {
  for (const double u : shares()) {
    const double x = taut::normal_quantile(u);
    const double tail = std::erfc(std::abs(x) / std::numbers::sqrt2) / 2;
    // A relative rounding of x changes the tail by x² roundings.
    EXPECT_NEAR(tail / (u < 0.5 ? u : 1 - u), 1.0, 4 * epsilon * (1 + x * x)) << u;
  }
  // About the middle: 2 (u - 1/2) = erf(x / √2), also relative to the smallest steps.
  for (double step = 0x1p-53; step < 0.2; step *= 1.7) {
    const double x = taut::normal_quantile(0.5 + step), miss = (0.5 + step) - 0.5;
    if (miss == 0) continue;
    EXPECT_NEAR(std::erf(x / std::numbers::sqrt2) / (2 * miss), 1.0, 4 * epsilon) << step;
    EXPECT_EQ(taut::normal_quantile(0.5 - miss), -x);
  }
  EXPECT_EQ(taut::normal_quantile(0.5), 0.0);
  EXPECT_EQ(taut::normal_quantile(0.0), -INFINITY);
  EXPECT_EQ(taut::normal_quantile(1.0), INFINITY);
  // Tables of the normal distribution.
  EXPECT_NEAR(taut::normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(taut::normal_quantile(0.9999), 3.719016485455709, 2e-14);
}

TEST(SweepDistribution, MomentsAreThoseOfTheFormulas) {
  const auto expect = [](const Distribution& d, double mean, double variance, double tolerance) {
    ASSERT_EQ(taut::fault_of(d), "");
    const auto [m, v] = moments(d);
    EXPECT_NEAR(m, mean, tolerance * std::max(1.0, std::abs(mean)));
    EXPECT_NEAR(v, variance, tolerance * std::max(1.0, variance));
  };
  // Midpoints leave out the ends of unbounded tails: with n = 2e5 about n⁻¹ log n of the variance.
  expect(make_normal(3, 2), 3, 4, 2e-4);
  expect(make_range(DistributionKind::uniform, -1, 5), 2, 3, 1e-9);
  const double ratio = std::log(100.0);
  expect(make_range(DistributionKind::log_uniform, 0.1, 10), 9.9 / ratio,
         99.99 / (2 * ratio) - 9.9 / ratio * (9.9 / ratio), 1e-8);
  Distribution lognormal = make_normal(0.3, 0.5);
  lognormal.kind = DistributionKind::lognormal;
  expect(lognormal, std::exp(0.3 + 0.125), std::expm1(0.25) * std::exp(0.6 + 0.25), 1e-3);
  Distribution triangle = make_range(DistributionKind::triangular, 1, 4);
  triangle.mode = 2;
  expect(triangle, 7.0 / 3, (1 + 16 + 4 - 4 - 8 - 2) / 18.0, 1e-7);
  // A triangle with its tip at an end.
  triangle.mode = 1;
  expect(triangle, 2.0, 0.5, 1e-6);

  // Cut to [a, b] in standard deviations: mean μ + σ (φ(a) - φ(b)) / Z, variance by the usual formula.
  Distribution cut = make_normal(1, 0.5);
  cut.min = 0.8;
  cut.max = 2.5;
  const double a = -0.4, b = 3.0, z = taut::normal_cdf(b) - taut::normal_cdf(a);
  const auto phi = [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); };
  const double shift = (phi(a) - phi(b)) / z;
  expect(cut, 1 + 0.5 * shift, 0.25 * (1 + (a * phi(a) - b * phi(b)) / z - shift * shift), 1e-7);
}

// F(quantile(u)) = u with the distribution function written down anew for every kind.
TEST(SweepDistribution, QuantilesInvertTheDistributionFunctions) {
  struct Case {
    Distribution d;
    std::function<double(double)> cdf;
  };
  Distribution triangle = make_range(DistributionKind::triangular, -1, 3);
  triangle.mode = 0;
  Distribution lognormal = make_normal(-2, 0.7);
  lognormal.kind = DistributionKind::lognormal;
  const std::vector<Case> cases{
      {make_range(DistributionKind::uniform, 2, 6), [](double x) { return (x - 2) / 4; }},
      {make_range(DistributionKind::log_uniform, 1e-3, 1e4),
       [](double x) { return std::log(x / 1e-3) / std::log(1e7); }},
      {triangle, [](double x) { return x < 0 ? (x + 1) * (x + 1) / 4 : 1 - (3 - x) * (3 - x) / 12; }},
      {make_normal(-5, 3), [](double x) { return std::erfc((-5 - x) / 3 / std::numbers::sqrt2) / 2; }},
      {lognormal, [](double x) { return std::erfc((-2 - std::log(x)) / 0.7 / std::numbers::sqrt2) / 2; }},
  };
  for (const Case& c : cases)
    for (int i = 1; i < 1000; ++i) EXPECT_NEAR(c.cdf(c.d.quantile(i / 1000.0)), i / 1000.0, 1e-13);
}

// The part that is left of a normal distribution far from its middle, on either side, and cut on one side only.
TEST(SweepDistribution, CutNormalsKeepTheirDigitsInTheTails) {
  for (const double from : {-30.0, -8.0, -1.0, 0.0, 2.0, 9.0, 35.0}) {
    Distribution d = make_normal(0, 1), mirrored = d;
    d.min = from;
    d.max = from + 0.5;
    mirrored.min = -from - 0.5;
    mirrored.max = -from;
    ASSERT_EQ(taut::fault_of(d), "");
    for (int i = 1; i < 100; ++i) {
      const double u = i / 100.0, x = d.quantile(u);
      // The share by the tail probabilities on the side of zero away from the bounds.
      const double s = from < 0 ? 1 : -1;
      const auto tail = [&](double y) { return std::erfc(-s * y / std::numbers::sqrt2); };
      const double share = (tail(x) - tail(d.min)) / (tail(d.max) - tail(d.min));
      EXPECT_NEAR(share, u, 1e-11) << from;
      EXPECT_NEAR(mirrored.quantile(1 - u), -x, 1e-12 * (1 + std::abs(from)));
    }
    EXPECT_GE(d.quantile(1e-16), d.min);
    EXPECT_LE(d.quantile(1 - 1e-16), d.max);
  }
  Distribution one_sided = make_normal(10, 2);
  one_sided.min = 10;
  EXPECT_NEAR(one_sided.quantile(0.5), 10 + 2 * taut::normal_quantile(0.75), 1e-13);
  // Bounds that cut nothing away change nothing.
  Distribution loose = make_normal(1, 1);
  loose.min = -100;
  loose.max = 100;
  for (const double u : shares()) EXPECT_NEAR(loose.quantile(u), make_normal(1, 1).quantile(u), 1e-14 * 10);
}

TEST(SweepDistribution, CutLognormalsAreCutNormalsOfTheLogarithm) {
  Distribution d = make_normal(0, 1), log = d;
  d.kind = DistributionKind::lognormal;
  d.max = 2;
  log.max = std::log(2.0);
  for (const double u : shares()) EXPECT_NEAR(std::log(d.quantile(u)), log.quantile(u), 1e-14);
  d.min = 0.5;
  log.min = std::log(0.5);
  for (const double u : shares()) EXPECT_NEAR(std::log(d.quantile(u)), log.quantile(u), 1e-14);
}

TEST(SweepDistribution, ChoicesAreEquallyWide) {
  Distribution d;
  d.kind = DistributionKind::choice;
  d.values = {3, -1, 7};
  std::vector<int> counts(3);
  for (int i = 0; i < 300; ++i) {
    const double v = d.quantile((i + 0.5) / 300);
    ++counts[v == 3 ? 0 : v == -1 ? 1 : 2];
  }
  EXPECT_EQ(counts, (std::vector<int>{100, 100, 100}));
  EXPECT_EQ(d.quantile(1 - 0x1p-53), 7);
  EXPECT_EQ(taut::chosen(1 - 0x1p-53, 1 << 30), (1 << 30) - 1);
}

TEST(SweepDistribution, QuantilesStayInsideAndRise) {
  Distribution huge = make_range(DistributionKind::uniform, -1.7e308, 1.7e308);
  Distribution narrow = make_range(DistributionKind::log_uniform, 3.0, std::nextafter(3.0, 4.0));
  Distribution triangle = make_range(DistributionKind::triangular, -1.7e308, 1.7e308);
  triangle.mode = 1e308;
  for (const Distribution& d : {huge, narrow, triangle}) {
    ASSERT_EQ(taut::fault_of(d), "");
    double last = d.low;
    for (int i = 1; i < 1000; ++i) {
      const double v = d.quantile(i / 1000.0);
      EXPECT_GE(v, last);
      EXPECT_LE(v, d.high);
      last = v;
    }
  }
}

TEST(SweepDistribution, FaultsNameTheKey) {
  EXPECT_EQ(taut::fault_of(make_range(DistributionKind::uniform, 2, 1)), "low = 2 must be smaller than high = 1");
  EXPECT_EQ(taut::fault_of(make_range(DistributionKind::uniform, NAN, 1)), "low and high must be finite numbers");
  EXPECT_EQ(taut::fault_of(make_range(DistributionKind::log_uniform, 0, 1)),
            "low = 0 must be greater than 0 on a logarithmic scale");
  Distribution triangle = make_range(DistributionKind::triangular, 0, 1);
  triangle.mode = 2;
  EXPECT_EQ(taut::fault_of(triangle), "mode = 2 must lie between low = 0 and high = 1");
  EXPECT_EQ(taut::fault_of(make_normal(INFINITY, 1)), "mean must be a finite number");
  EXPECT_EQ(taut::fault_of(make_normal(0, 0)), "std = 0 must be greater than 0");
  EXPECT_EQ(taut::fault_of(make_normal(0, 1e308)),
            "mean = 0 and std = 1e+308 reach beyond the largest number there is");
  Distribution cut = make_normal(0, 1);
  cut.min = 3;
  cut.max = 3;
  EXPECT_EQ(taut::fault_of(cut), "min = 3 must be smaller than max = 3");
  cut.min = 40;
  cut.max = 50;
  EXPECT_EQ(taut::fault_of(cut),
            "min = 40 leaves nothing: it is 40 standard deviations from the mean, at most 37 are possible");
  cut.min = -INFINITY;
  cut.max = -38;
  EXPECT_EQ(taut::fault_of(cut),
            "max = -38 leaves nothing: it is 38 standard deviations from the mean, at most 37 are possible");
  cut.kind = DistributionKind::lognormal;
  EXPECT_EQ(taut::fault_of(cut), "max = -38: a lognormal value is greater than 0");
  Distribution choice;
  choice.kind = DistributionKind::choice;
  EXPECT_EQ(taut::fault_of(choice), "values must hold at least one number");
  choice.values = {1, NAN};
  EXPECT_EQ(taut::fault_of(choice), "values must be finite numbers");
}
