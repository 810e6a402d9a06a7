// The report page of a sweep: a table of runs as plots that open at once, however many rows there are
// (docs/report-format.md, "Sweeps").
//
// A small table goes into the page row by row. Of a large one the page holds what the plots need: per column a
// histogram, per parameter and record a two-dimensional density with mean, least and most over the parameter, per two
// parameters and record the mean in every cell; and rows drawn at random, the same ones every time, to be clicked.
//
//   SweepPage page{.title = "tilt of the prism", .sweep_file = "tilt.toml", .model = "prism.toml"};
//   page.columns = {{"tilt", true}, {"slack", false}};
//   file << sweep_page(page, [&] { return rows_of("table.h5"); });
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "taut/report/report.h"

namespace taut {

struct SweepColumn {
  std::string name;
  bool parameter = false;  // or a record
};

struct SweepPage {
  std::string title, sweep_file, model;  // for the head of the page
  std::vector<SweepColumn> columns;      // in the order of the table
  long runs = 0;                         // rows planned
  bool links = false;                    // run i has its page at runs/%06ld/report.html
  std::vector<std::string> notes;        // sentences shown on top
};

enum SweepStatus : int { sweep_done = 0, sweep_failed = 1, sweep_refused = 2, sweep_stopped = 3 };

// Gives the next row: the number of its run, a value for each column (NaN where it is missing), its status and, unless
// it is done, the reason. False at the end.
using SweepRows = std::function<bool(long& run, std::vector<double>& values, int& status, std::string& reason)>;

// Starts at the first row. It is called twice: ranges must be known before anything can be counted within them.
using SweepTable = std::function<SweepRows()>;

// The whole page. Besides its text, memory does not grow with the number of rows. Values of rows that failed or were
// refused stay out of the statistics of records. Ask reports_possible() first: throws std::logic_error when `shell` is
// no page of the viewer, or a row has not one value for each column.
std::string sweep_page(const SweepPage& page, const SweepTable& table, std::string_view shell = report_page());

}  // namespace taut
