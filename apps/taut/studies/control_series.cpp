#include "apps/taut/studies/control_series.h"

#include <algorithm>
#include <cmath>

namespace taut::reproduce {

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

Series deviations(const Series& series, std::size_t count) {
  Series result{"", series.x, {}};
  for (std::size_t k = 0; k < count; ++k) {
    Curve curve{"Δ" + series.columns[k].name, series.columns[k].y};
    for (std::size_t i = 0; i < curve.y.size(); ++i) curve.y[i] -= series.columns[count + k].y[i];
    result.columns.push_back(std::move(curve));
  }
  return result;
}

Series columns_of(const Series& series, std::size_t first, std::size_t count) {
  Series result{"", series.x, {}};
  for (std::size_t k = first; k < first + count; ++k) result.columns.push_back(series.columns[k]);
  return result;
}

double least(const Series& series, std::size_t first, std::size_t count) {
  double low = INFINITY;
  for (std::size_t k = first; k < first + count; ++k)
    for (const double x : series.columns[k].y) low = std::min(low, x);
  return low;
}

void note_end(const Run& motion, const std::string& name, Findings& out) {
  if (motion.summary.status != RunStatus::done)
    out.add(name + ".ends_early", motion.summary.simulated_s, std::nullopt, "s", motion.summary.reason);
}

}  // namespace taut::reproduce
