// One column of a sweep's table: what its values span, and the bins that they are counted in.
#pragma once

#include <cstddef>
#include <vector>

namespace taut {

// What is learnt from the values one by one.
struct ColumnSurvey {
  static constexpr std::size_t most_distinct = 1024;

  long count = 0;  // finite values
  double low = 0.0, high = 0.0, mean = 0.0;
  std::vector<double> distinct;  // ascending
  bool many = false;             // more than most_distinct: `distinct` is empty

  void take(double value);  // leaves out what is not finite
};

// Bins of a column: edges ascend, one more than there are bins. Few different values have a bin each, or a bin for as
// many neighbours each; else bins are equally wide, in the logarithm where `log`.
struct ColumnBins {
  std::vector<double> edges, centers;

  std::size_t size() const { return centers.size(); }
  std::size_t find(double value) const;  // of a value that the survey has seen
};
ColumnBins make_bins(const ColumnSurvey& survey, bool log, std::size_t most);

// Whether values are better shown on a logarithmic axis: all positive, over a factor of 30 or more, and their median
// nearer to the middle of that axis. `sample` holds some of the values.
bool spans_decades(const ColumnSurvey& survey, std::vector<double> sample);

}  // namespace taut
