// What the processor's lanes are asked to do: some robots of a batch, through some steps. Robots lie side by side: number
// k of robot i is at k * stride + i, so that a pack of neighbours is one load.
#pragma once

#include "taut/batch/kernel_room.h"
#include "taut/batch/shape.h"

namespace taut::batch {

// How rest lengths go to what is commanded: at once, at no more than `speed`, or evenly over the call.
struct Winding {
  bool evenly = false;
  double speed = 0.0;  // m/s; 0: no limit
};

struct LanesJob {
  const Shape* shape = nullptr;
  const double* numbers = nullptr;  // of all robots
  int number_count = 0;
  const int* varied = nullptr;  // which of them differ, and their values: varied_values[k * stride + i]
  int varied_count = 0;
  const double* varied_values = nullptr;
  void *x = nullptr, *v = nullptr;  // 3 numbers per node, of the batch's precision
  double* rest = nullptr;           // per driven cable, m: now
  const double* target = nullptr;   // commanded; not a number: its signal drives it
  Winding winding;
  const int* time = nullptr;  // steps since each robot's t = 0
  unsigned char* done =
      nullptr;              // 0: goes on. Set to 1 where a motion is no number any more; the robot is then as before
  void* tension = nullptr;  // per slot; null: advance, else fill this
  Steps steps;
  long stride = 0;
};

// Robots [first, last), in packs that begin at multiples of the width.
using LanesFunction = void (*)(const LanesJob& job, long first, long last);

struct Lanes {
  const char* unit;  // "avx512", "avx2", "narrow", "scalar"
  int width_double, width_single;
  LanesFunction in_double, in_single;
};

// The widest that this machine has; `unit` asks for one by name: "scalar" too, one robot at a time. Null: the machine has
// it not.
const Lanes* lanes(const char* unit = nullptr);

}  // namespace taut::batch
