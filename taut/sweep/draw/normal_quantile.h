// The standard normal distribution: Φ(x) = erfc(-x / √2) / 2 and its inverse.
#pragma once

namespace taut {

// Φ(x), to rounding also far out on the left, where it is tiny.
double normal_cdf(double x);

// The x with Φ(x) = p, relative error about 1e-15. 0 < p < 1; -inf for p <= 0, inf for p >= 1.
//
// A start by Hastings (error below 4.5e-4), then two steps of Halley on Φ(x) - p, of which each triples the digits:
//   r = (Φ(x) - p) / φ(x),    x <- x - r / (1 + x r / 2).
// Near the middle Φ(x) - 1/2 = erf(x / √2) / 2 takes the place of Φ, which would lose digits there.
double normal_quantile(double p);

// The x with Φ(x) = Φ(a) + u (Φ(b) - Φ(a)): the quantile u of what lies between a < b. Works on the side on which the
// probabilities are small, so that no digits are lost in either tail. The nearer bound lies within normal_reach of 0.
double normal_quantile_between(double u, double a, double b);

inline constexpr double normal_reach = 37.0;  // beyond it probabilities are too small for a double

}  // namespace taut
