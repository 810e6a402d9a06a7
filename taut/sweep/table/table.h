// The result of a sweep: one row per run, in the order of the runs, whoever computed them.
//
//   table.csv   run, the parameters, the records, status, reason
//   table.h5    the same, a data set for each column
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/results/output_dir.h"
#include "taut/sweep/table/rows_file.h"

namespace taut {

struct TableColumn {
  std::string name;
  bool parameter = false;          // else a record
  std::vector<std::string> texts;  // not empty: the value is a place in this list
  bool whole = false;              // whole numbers, given as such
};

struct TableRow {
  long run = 0;
  std::vector<double> values;  // one per column; NaN: none
  RowStatus status = RowStatus::done;
  std::string reason;
};

// "run 7: why"
std::string failure_text(const TableRow& row);

// Calls for each row there is, in order.
using TableRows = std::function<void(const std::function<void(const TableRow&)>& take)>;

// Both throw RunError when the disk does not take them. Memory does not grow with the number of rows.
void write_table_csv(OutputFile& file, const std::vector<TableColumn>& columns, const TableRows& rows);
void write_table_hdf5(OutputFile& file, const std::vector<TableColumn>& columns, long count, const TableRows& rows);

}  // namespace taut
