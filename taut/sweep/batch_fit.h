// Whether the runs of a sweep can be had from batches (taut/batch) as the ordinary engine gives them, to rounding.
//
// Both take the same steps: the leapfrog begins anew at each row, and so does each call of a batch. What a batch has not
// is what happens between rows (events, energies over time), steps that differ in length, and runs of other structure.
#pragma once

#include <string>
#include <vector>

#include "taut/sweep/measure.h"
#include "taut/sweep/plan.h"
#include "taut/sweep/study.h"
#include "taut/sweep/vary.h"

namespace taut {

// Rows that lie whole numbers of one step apart.
struct RowGrid {
  double step = 0.0;          // s; 0: they do not
  std::vector<double> times;  // s, of the rows, the start included
  std::vector<int> steps;     // to each from the row before; none to the start
};

RowGrid row_grid(const Scenario& scenario);

struct BatchFit {
  std::string objection;  // why a batch cannot make these runs; empty: it can
  Scenario base;          // the model that all robots differ from in numbers only
  RowGrid grid;
  bool rows = true;      // whether records look at rows
  long most_robots = 0;  // in one batch, by memory
  bool on_card = false;
  int card = 0;  // of this rank: ranks of one machine take them in turn
};

// `few`: also object where there are too few runs for a batch to be worth it.
BatchFit batch_fit(const SweepFile& sweep, const Plan& plan, const Variation& variation, bool keep_runs, bool few);

}  // namespace taut
