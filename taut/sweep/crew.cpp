#include "taut/sweep/crew.h"

#include <optional>
#include <system_error>
#include <thread>

#include "taut/base/stop.h"
#include "taut/sweep/batch_runs.h"

namespace taut {

// No pool stays behind: a program that forks later has no threads that its child would wait for.
void Crew::work(const Take& take, const Put& put) {
  std::vector<std::thread> others;
  try {
    while (static_cast<int>(others.size()) + 1 < threads_) others.emplace_back([&] { work_alone(take, put); });
  } catch (const std::system_error&) {  // the system gives no more: those that there are do it
  }
  work_alone(take, put);
  for (std::thread& other : others) other.join();
}

void Crew::fail() {
  const std::lock_guard lock(lock_);
  if (!error_) error_ = std::current_exception();
  stop_ = true;
}

void Crew::throw_if_failed() const {
  if (error_) std::rethrow_exception(error_);
}

void Crew::work_alone(const Take& take, const Put& put) {
  try {
    std::optional<SweepWorker> worker;
    std::optional<BatchRuns> batches;
    const std::atomic<bool>* const stop = outside_ != nullptr ? outside_ : &stop_;
    while (!stopped()) {
      std::vector<long> piece = take();
      if (piece.empty()) return;
      if (job_.batch() != nullptr) {
        if (!batches) batches.emplace(job_);
        piece = batches->make(piece, stop, put);
      }
      if (!worker) worker.emplace(job_, keep_);
      for (const long run : piece) {
        if (stopped()) return;
        const std::optional<SweepRow> row = worker->run(run, stop);
        if (!row) return;
        left_ += job_.batch() != nullptr && row->status != RowStatus::refused;
        put(run, *row);
      }
    }
  } catch (const Stopped&) {
  } catch (...) {
    fail();
  }
}

}  // namespace taut
