// Distributions of a parameter, each by its quantile: the value below which a share u of the draws lies. Random
// numbers, Latin hypercube and Sobol points all become values in this one way.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace taut {

enum class DistributionKind { uniform, log_uniform, normal, lognormal, triangular, choice };

struct Distribution {
  DistributionKind kind = DistributionKind::uniform;

  // uniform, log_uniform (0 < low), triangular: from low to high; mode is where a triangle has its tip.
  double low = 0.0, high = 1.0, mode = 0.5;

  // normal, and lognormal, where they are of the natural logarithm of the value.
  double mean = 0.0, std = 1.0;
  // What normal and lognormal are cut off at: quantiles of the part in between, never a pile of draws at the ends.
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();

  // choice: one of these, all as likely.
  std::vector<double> values;

  // 0 < u < 1. Never leaves the bounds.
  double quantile(double u) const;
};

// What is wrong with the numbers of a distribution, what was expected, naming the key; empty if nothing is. Quantiles
// of a distribution with a fault mean nothing.
std::string fault_of(const Distribution& distribution);

// Which of `count` equally likely things u in (0, 1) stands for.
int chosen(double u, int count);

}  // namespace taut
