// Threads that take runs and put rows until none are left, one of them throws or a stop is asked for.
#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <vector>

#include "taut/sweep/job.h"

namespace taut {

class Crew {
 public:
  using Take = std::function<std::vector<long>()>;
  using Put = std::function<void(long, const SweepRow&)>;

  // `keep`: where the whole results of the runs go; empty: nowhere.
  Crew(const SweepJob& job, std::filesystem::path keep, int threads, const std::atomic<bool>* stop)
      : job_(job), keep_(std::move(keep)), threads_(threads), outside_(stop) {}

  void work(const Take& take, const Put& put);
  // Keeps the exception that is being handled, and stops all.
  void fail();
  void throw_if_failed() const;
  // Where batches make the runs: how many the ordinary engine has made.
  long left() const { return left_; }
  bool stopped() const { return stop_ || (outside_ != nullptr && *outside_); }

 private:
  void work_alone(const Take& take, const Put& put);

  const SweepJob& job_;
  const std::filesystem::path keep_;
  const int threads_;
  const std::atomic<bool>* outside_;
  std::atomic<bool> stop_{false};
  std::atomic<long> left_{0};
  std::mutex lock_;
  std::exception_ptr error_;
};

}  // namespace taut
