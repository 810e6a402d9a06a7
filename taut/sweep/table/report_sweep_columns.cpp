#include "taut/sweep/table/report_sweep_columns.h"

#include <algorithm>
#include <cmath>

namespace taut {
namespace {

// Half way, in the logarithm where `log`; above a, so that a value at an edge lies in the bin to the right.
double between(double a, double b, bool log) {
  const double middle = log ? a * std::sqrt(b / a) : 0.5 * a + 0.5 * b;
  return middle > a && middle <= b ? middle : b;
}

// As far outside `end` as `inner` lies inside.
double beyond(double end, double inner, bool log) {
  const double edge = log ? end * std::sqrt(end / inner) : end + 0.5 * end - 0.5 * inner;
  return std::isfinite(edge) && edge != end ? edge : end;
}

ColumnBins bins_of_values(const std::vector<double>& values, bool log, std::size_t most) {
  ColumnBins bins;
  const std::size_t group = (values.size() + most - 1) / most;
  for (std::size_t first = 0; first < values.size(); first += group) {
    const std::size_t last = std::min(first + group, values.size()) - 1;
    bins.centers.push_back(group == 1 ? values[first] : between(values[first], values[last], log));
    if (first > 0) bins.edges.push_back(between(values[first - 1], values[first], log));
  }
  // The outer edges.
  const double low = values.front(), high = values.back();
  const double margin = low == 0.0 ? 0.5 : 0.5 * std::abs(low);
  const bool single = values.size() == 1;
  bins.edges.insert(bins.edges.begin(), single ? low - margin : beyond(low, values[1], log));
  bins.edges.push_back(single ? high + margin : beyond(high, values[values.size() - 2], log));
  return bins;
}

}  // namespace

void ColumnSurvey::take(double value) {
  if (!std::isfinite(value)) return;
  low = count == 0 ? value : std::min(low, value);
  high = count == 0 ? value : std::max(high, value);
  ++count;
  // Two terms: the difference of two numbers may exceed what a double holds.
  mean += value / static_cast<double>(count) - mean / static_cast<double>(count);
  if (many) return;
  const auto place = std::lower_bound(distinct.begin(), distinct.end(), value);
  if (place != distinct.end() && *place == value) return;
  distinct.insert(place, value);
  if (distinct.size() <= most_distinct) return;
  many = true;
  distinct = {};
}

std::size_t ColumnBins::find(double value) const {
  const auto right = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
  return static_cast<std::size_t>(right - edges.begin()) - 1;
}

ColumnBins make_bins(const ColumnSurvey& survey, bool log, std::size_t most) {
  if (survey.count == 0) return {};
  // Values that do not repeat are no grid.
  const std::size_t different = survey.distinct.size();
  const bool repeats = survey.count >= 4 * static_cast<long>(different);
  if (!survey.many && (different <= most || repeats)) return bins_of_values(survey.distinct, log, most);
  ColumnBins bins;
  const double count = static_cast<double>(most);
  const auto at = [&](double part) {
    if (log) return survey.low * std::pow(survey.high / survey.low, part);
    return survey.low * (1.0 - part) + survey.high * part;
  };
  for (std::size_t i = 0; i < most; ++i) {
    bins.edges.push_back(at(static_cast<double>(i) / count));
    bins.centers.push_back(at((static_cast<double>(i) + 0.5) / count));
  }
  bins.edges.push_back(survey.high);
  return bins;
}

bool spans_decades(const ColumnSurvey& survey, std::vector<double> sample) {
  std::erase_if(sample, [](double x) { return !std::isfinite(x); });
  if (sample.empty() || !(survey.low > 0.0) || !(survey.high / survey.low >= 30.0)) return false;
  if (!std::isfinite(survey.high / survey.low)) return true;
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  const double plain = (*middle - survey.low) / (survey.high - survey.low);
  const double decades = std::log(*middle / survey.low) / std::log(survey.high / survey.low);
  return std::abs(decades - 0.5) < std::abs(plain - 0.5);
}

}  // namespace taut
