#pragma once

namespace taut {

// Two bars whose axes went through each other (bar_watch.h).
struct BarPass {
  double time = 0.0;  // s
  int a = 0, b = 0;   // bars, a < b
};

}  // namespace taut
