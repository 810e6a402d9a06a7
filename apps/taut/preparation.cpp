#include "apps/taut/preparation.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "apps/taut/stop_signals.h"

namespace taut {

Preparation::Preparation(OutputDir& dir, Progress& progress)
    : dir_(dir), progress_(progress), thread_([this] { watch(); }) {}

void Preparation::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Preparation::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(50), [&] { return ended_; })) {
    if (stop_asked()) {
      progress_.wipe();
      dir_.abandon();
      message("interrupted before the first row: there is nothing to keep\n");
      std::_Exit(1);
    }
    progress_.update(0.0, [](double elapsed_s) { return fmt::format("preparing the run, {:.0f} s", elapsed_s); });
  }
}

}  // namespace taut
