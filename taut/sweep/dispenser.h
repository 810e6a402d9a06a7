// Hands out the runs that are still to be done, a few at a time: enough for some hundredths of a second, and fewer
// towards the end, so that one slow run does not hold up others behind it. For batches enough for a second or two, in
// multiples of what fills a vector unit.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <vector>

namespace taut {

class Dispenser {
 public:
  // `missing` says of a run whether it is still to be done. `batch`: how many at most are made side by side; 0: each by
  // itself.
  Dispenser(long runs, std::function<bool(long)> missing, long batch = 0)
      : runs_(runs), missing_(std::move(missing)), batch_(batch) {}

  // The next runs for one of `workers`; none: everything is handed out.
  std::vector<long> take(int workers);
  // Nothing more is handed out.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  const long runs_;
  const std::function<bool(long)> missing_;
  const long batch_;
  std::mutex lock_;
  long next_ = 0, handed_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace taut
