// The six-bar of a batch as one would write it by hand: the steps of taut/batch/kernel.h for 24 damped linear cables
// (damping by remembered lengths) and 6 rigid rods, in packs of robots, over C arrays with sizes known to the compiler. No
// laws, drives, grounds, tables of other models; what the batch takes longer is what its generality costs.
#pragma once

#include "bench/floor.h"

namespace taut::bench {

struct LaneProbe {
  SixBarFloor shape;
  double length[SixBarFloor::bars], weight[3 * SixBarFloor::nodes];  // m, N
  double step;                                                       // s
  LaneProbe(const Model& model, double step_length);
};

// Advances `packs` packs of robots, all from that start, by some steps; returns a sum of their places, for whoever
// compares. One function for each vector unit and precision, and the robots in a pack of it.
struct ProbeUnit {
  const char* name;
  int width_double, width_single;
  double (*in_double)(const LaneProbe& probe, const double* start, long packs, int steps);
  double (*in_single)(const LaneProbe& probe, const double* start, long packs, int steps);
};
extern const ProbeUnit probe_avx512, probe_avx2;

// Prints the rates of the units that this processor has, on one thread.
void probe_rows(const Model& model, double seconds);

}  // namespace taut::bench
