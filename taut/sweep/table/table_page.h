// The report page of a table of runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taut/sweep/table/table.h"

namespace taut {

struct TablePage {
  std::string title, sweep_file, model;  // for the head of the page; names of files without their folders
  long runs = 0;                         // rows planned
  bool links = false;                    // the whole runs lie beside it
};

// Gives the next row; false at the end.
using NextRow = std::function<bool(TableRow&)>;

// `rows` starts at the first row each time. Ask reports_possible() first.
std::string table_page(const TablePage& page, const std::vector<TableColumn>& columns,
                       const std::function<NextRow()>& rows);

}  // namespace taut
