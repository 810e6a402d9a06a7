// A condition followed over time, row by row: when it first and last held, and for how long.
//
// Between rows each comparison a < b (or another one) is followed by its difference d = a - b, taken as linear in time:
// where d changes its sign, at the share d0 / (d0 - d1) of the way, the comparison changes. All changes between two
// rows divide the time between them into pieces in which the whole condition holds or does not.
#pragma once

#include <span>
#include <vector>

#include "taut/sweep/expression/program.h"

namespace taut {

class ConditionTrack {
 public:
  // Keeps a reference.
  explicit ConditionTrack(const Reduction& reduction);

  void begin();
  // The differences of all comparisons at a row; times do not fall.
  void row(double t, std::span<const double> differences);

  double first_time() const { return first_; }  // nan: never
  double last_time() const { return last_; }    // nan: never
  double duration() const { return duration_; }

 private:
  bool holds() const;
  void note(double from, double to);
  void between(double t, std::span<const double> differences);

  const Reduction* reduction_;
  bool started_ = false;
  double time_ = 0.0, first_ = 0.0, last_ = 0.0, duration_ = 0.0;
  std::vector<double> before_;   // differences at the row before
  std::vector<double> change_;   // share of the way at which each comparison changes
  std::vector<double> changes_;  // all of them, in order
  std::vector<double> holding_;  // of each comparison: 1 or 0
};

}  // namespace taut
