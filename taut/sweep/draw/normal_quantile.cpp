#include "taut/sweep/draw/normal_quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace taut {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double root_half = std::numbers::sqrt2 / 2;
const double root_two_pi = std::sqrt(2 * std::numbers::pi);

// For 0 < p <= 1/2, so x <= 0.
double lower_quantile(double p) {
  // Abramowitz and Stegun, 26.2.23.
  const double t = std::sqrt(-2 * std::log(p));
  double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));

  const bool middle = p > 0.25;
  for (int step = 0; step < 2; ++step) {
    // Both differences are of numbers known to a relative rounding; p - 0.5 is exact.
    const double miss = middle ? std::erf(x * root_half) / 2 - (p - 0.5) : normal_cdf(x) - p;
    const double r = miss * root_two_pi * std::exp(x * x / 2);
    x -= r / (1 + x * r / 2);
  }
  return x;
}

}  // namespace

double normal_cdf(double x) { return std::erfc(-x * root_half) / 2; }

double normal_quantile(double p) {
  if (std::isnan(p)) return p;
  if (p <= 0) return -infinite;
  if (p >= 1) return infinite;
  if (p == 0.5) return 0;
  // 1 - p is exact above 1/2.
  return p <= 0.5 ? lower_quantile(p) : -lower_quantile(1 - p);
}

double normal_quantile_between(double u, double a, double b) {
  // Everything right of the middle is looked at from the other side.
  if (a > 0) return -normal_quantile_between(1 - u, -b, -a);
  const double below = normal_cdf(a), above = normal_cdf(-b);
  const double between = b > 0 ? 1 - below - above : normal_cdf(b) - below;
  const double p = below + u * between;
  const double x = p <= 0.5 ? normal_quantile(p) : -normal_quantile(above + (1 - u) * between);
  return std::clamp(x, a, b);
}

}  // namespace taut
