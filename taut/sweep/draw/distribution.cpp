#include "taut/sweep/draw/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taut/sweep/draw/normal_quantile.h"

namespace taut {

namespace {

// low + u (high - low), which must not overflow or leave the range by rounding.
double between(double low, double high, double u) { return std::clamp(low * (1 - u) + high * u, low, high); }

double triangular(double low, double mode, double high, double u) {
  // All lengths are shares of the range, halved so that none overflows.
  const double range = high / 2 - low / 2, tip = (mode / 2 - low / 2) / range;
  const double share = u <= tip ? std::sqrt(u * tip) : 1 - std::sqrt((1 - u) * (1 - tip));
  return between(low, high, share);
}

// A normal variable between bounds given in its own units.
double cut_normal(double mean, double std, double min, double max, double u) {
  if (std::isinf(min) && std::isinf(max)) return mean + std * normal_quantile(u);
  return std::clamp(mean + std * normal_quantile_between(u, (min - mean) / std, (max - mean) / std), min, max);
}

std::string fault_of_range(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return "low and high must be finite numbers";
  if (!(low < high)) return fmt::format("low = {} must be smaller than high = {}", low, high);
  return {};
}

std::string fault_of_normal(const Distribution& d) {
  if (!std::isfinite(d.mean)) return "mean must be a finite number";
  if (!(d.std > 0) || !std::isfinite(d.std)) return fmt::format("std = {} must be greater than 0", d.std);
  if (std::isnan(d.min) || std::isnan(d.max) || !(d.min < d.max))
    return fmt::format("min = {} must be smaller than max = {}", d.min, d.max);
  const bool log = d.kind == DistributionKind::lognormal;
  if (log && d.max <= 0) return fmt::format("max = {}: a lognormal value is greater than 0", d.max);

  // How far the nearer end of what is left is from the mean.
  const double a = ((log ? std::log(std::max(d.min, 0.0)) : d.min) - d.mean) / d.std;
  const double b = ((log ? std::log(d.max) : d.max) - d.mean) / d.std;
  if (a > normal_reach || b < -normal_reach)
    return fmt::format(
        "{} = {} leaves nothing: it is {:.3g} standard deviations from the mean, at most {} are possible",
        a > 0 ? "min" : "max", a > 0 ? d.min : d.max, a > 0 ? a : -b, normal_reach);
  if (!(a < b)) return fmt::format("min = {} and max = {} are too close together", d.min, d.max);
  if (!std::isfinite(d.quantile(0x1p-53)) || !std::isfinite(d.quantile(1 - 0x1p-53)))
    return fmt::format("mean = {} and std = {} reach beyond the largest number there is", d.mean, d.std);
  return {};
}

}  // namespace

int chosen(double u, int count) { return std::clamp(static_cast<int>(u * count), 0, count - 1); }

double Distribution::quantile(double u) const {
  switch (kind) {
    case DistributionKind::uniform:
      return between(low, high, u);
    case DistributionKind::log_uniform:
      return std::clamp(std::exp(between(std::log(low), std::log(high), u)), low, high);
    case DistributionKind::normal:
      return cut_normal(mean, std, min, max, u);
    case DistributionKind::lognormal:
      return std::clamp(std::exp(cut_normal(mean, std, std::log(std::max(min, 0.0)), std::log(max), u)), min, max);
    case DistributionKind::triangular:
      return triangular(low, mode, high, u);
    case DistributionKind::choice:
      return values[chosen(u, static_cast<int>(values.size()))];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::string fault_of(const Distribution& d) {
  switch (d.kind) {
    case DistributionKind::uniform:
      return fault_of_range(d.low, d.high);
    case DistributionKind::log_uniform:
      if (!(d.low > 0)) return fmt::format("low = {} must be greater than 0 on a logarithmic scale", d.low);
      return fault_of_range(d.low, d.high);
    case DistributionKind::normal:
    case DistributionKind::lognormal:
      return fault_of_normal(d);
    case DistributionKind::triangular:
      if (std::string fault = fault_of_range(d.low, d.high); !fault.empty()) return fault;
      if (!(d.low <= d.mode && d.mode <= d.high))
        return fmt::format("mode = {} must lie between low = {} and high = {}", d.mode, d.low, d.high);
      return {};
    case DistributionKind::choice:
      if (d.values.empty()) return "values must hold at least one number";
      if (!std::all_of(d.values.begin(), d.values.end(), [](double v) { return std::isfinite(v); }))
        return "values must be finite numbers";
      return {};
  }
  return "unknown kind of distribution";
}

}  // namespace taut
