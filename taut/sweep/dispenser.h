// Hands out the runs that are still to be done, a few at a time: enough for some hundredths of a second, and fewer
// towards the end, so that one slow run does not hold up others behind it.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <vector>

namespace taut {

class Dispenser {
 public:
  // `missing` says of a run whether it is still to be done.
  Dispenser(long runs, std::function<bool(long)> missing) : runs_(runs), missing_(std::move(missing)) {}

  // The next runs for one of `workers`; none: everything is handed out.
  std::vector<long> take(int workers);
  // Nothing more is handed out.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  const long runs_;
  const std::function<bool(long)> missing_;
  std::mutex lock_;
  long next_ = 0, handed_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace taut
