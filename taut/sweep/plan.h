// Which values each run of a sweep has: a pure function of the number of the run.
//
//   grid    run = ((point of the grid) draws + draw) repeats + repeat
//   else    run = draw repeats + repeat, every parameter drawn
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "taut/sweep/draw/draw.h"
#include "taut/sweep/expression/expression.h"
#include "taut/sweep/study.h"

namespace taut {

class Plan {
 public:
  // Throws InputError when there are too many runs, lists that go together have different lengths, or an expression
  // is wrong.
  explicit Plan(const SweepFile& sweep);

  long runs() const { return runs_; }
  // One value per parameter; of lists of texts their place in the list. Where the sweep searches for a limit, `limit`
  // follows them: parameters may be derived from it.
  void at(long run, std::vector<double>& values, double limit = std::numeric_limits<double>::quiet_NaN()) const;
  long repeat(long run) const { return run % sweep_.repeats; }

 private:
  const SweepFile& sweep_;
  long runs_ = 1;
  DrawPlan draws_;
  std::vector<std::uint64_t> lengths_;              // of the lists of the grid
  std::vector<int> list_, dimension_;               // per parameter, -1: none
  std::vector<std::optional<Expression>> derived_;  // per parameter
};

}  // namespace taut
