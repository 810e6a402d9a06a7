// Signals and loads of a model on the grid of a batch's times, k h: what Steps::before and Steps::after point to.
#pragma once

#include <string>
#include <vector>

#include "taut/batch/plan/plan.h"

namespace taut::batch {

struct SignalRows {
  int first = 0, row = 0;
  std::vector<double> before, after;
  std::vector<unsigned char> jumps;
};

// Of the times first h ... last h. Throws InputError: a rest length that is not above 0, or more rows than make sense.
SignalRows signal_rows(const Model& model, const Plan& plan, double h, long first, long last);
// What to say where a jump does not fall on the grid and is moved to it; empty where all do.
std::string moved_jumps(const Model& model, double h);

}  // namespace taut::batch
