// Runs a sweep: on threads, or on the ranks of an MPI launcher. With a folder every row is on disk as soon as it is known,
// in DIR/.rows; the same call goes on where an earlier one ended. When all rows are there they become DIR/table.csv,
// DIR/table.h5 and DIR/report.html. Without one the rows are in memory, and come back.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "taut/sweep/study.h"
#include "taut/sweep/table/table.h"

namespace taut {

struct SweepCounts {
  long runs = 0;                              // of the sweep
  long there = 0;                             // rows that are there, earlier calls included
  long failed = 0, refused = 0, stopped = 0;  // of those of this call; of all of them in the end
  long computed = 0;                          // by this call
};

struct SweepOptions {
  std::filesystem::path folder;           // empty: none
  int threads = 0;                        // 0: one per processor; under MPI one per rank
  bool keep_runs = false, report = true;  // in the folder
  bool rows = false;                      // they come back from a folder as well
  bool ranks = true;  // with a folder: with the others where a launcher has started several processes
  // What to do where the folder has the rows of another sweep.
  std::string advice = "take another folder with -o, or remove it";
  const std::atomic<bool>* stop = nullptr;  // set from outside: ends the runs that are under way
  // At the start and at rows, from any thread, one at a time.
  std::function<void(const SweepCounts&)> progress;
};

struct SweepResult {
  SweepCounts counts;
  std::string title;
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;             // those that are there, in order, where they were asked for
  bool complete = false;                  // all rows are there and the tables are written
  bool reports = true;                    // false: the first rank does the talking
  bool page = false;                      // report.html was written
  std::string first_failure;              // "run 7: ..."
  SweepEngine engine = SweepEngine::run;  // that made the runs, or makes those that are missing
  std::string engine_reason;              // why run and not batch, where the sweep has left that open
  // Where batches made the runs: how many of this process they have left to the ordinary engine.
  long one_by_one = 0;
  double seconds = 0.0;
};

// Throws InputError before any run is started: a sweep file that is wrong, a folder that cannot be written or has the
// rows of another sweep. Throws RunError when the disk does not take what was computed, Stopped when the flag of a StopScope
// is set before the first run.
SweepResult run_sweep(SweepFile sweep, const SweepOptions& options);

// The rows without a folder; those that a stop has kept from being made are not there.
std::vector<TableRow> run_rows(SweepFile sweep, int threads, const std::atomic<bool>* stop);

}  // namespace taut
