// What lanes or card are asked to do: some robots of a batch, through some steps.
#pragma once

#include "taut/batch/kernel/room.h"
#include "taut/batch/plan/shape.h"

namespace taut::batch {

struct LanesJob : Crossing {
  const Shape* shape = nullptr;
  const double* numbers = nullptr;  // of all robots
  int number_count = 0;
  const int* varied = nullptr;  // which of them differ: their values are the rows of varied_values
  int varied_count = 0;
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
