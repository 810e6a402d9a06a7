// Ctrl-C and its like: the first signal asks what is under way to end with its results kept; the next one ends the
// program at once. Signals that come within a fifth of a second are one: a key reaches a whole group of processes, and
// some pass it on.
#pragma once

#include <atomic>

namespace taut {

const std::atomic<bool>& stop_asked();

// The handlers while in scope. A hang-up that is ignored from outside (nohup) stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

}  // namespace taut
