// Processor time of the calling thread, s: what a run costs even while the machine is busy with other things.
#pragma once

#include <time.h>

namespace taut::bench {

inline double core_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace taut::bench
