// While a run is being prepared there is nothing to keep: whoever asks to stop (stop_signals.h) gets it at once, and
// what the run has in the making is removed. A terminal shows that it goes on. The first row ends this.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "apps/taut/terminal.h"
#include "taut/results/output_dir.h"

namespace taut {

class Preparation {
 public:
  Preparation(OutputDir& dir, Progress& progress);
  ~Preparation() { end(); }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  // From here on the caller has the progress line for itself. Cheap when repeated.
  void end();

 private:
  void watch();

  OutputDir& dir_;
  Progress& progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace taut
