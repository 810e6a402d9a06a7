#include "taut/sweep/table/table_page.h"

#include <fmt/format.h>

#include "taut/sweep/table/report_sweep.h"

namespace taut {

namespace {

// Texts are numbers on the page: the name says which.
std::string column_title(const TableColumn& column) {
  std::string name = column.name;
  for (std::size_t i = 0; i < column.texts.size(); ++i)
    name +=
        fmt::format("{}{} = {}{}", i == 0 ? " (" : ", ", i, column.texts[i], i + 1 == column.texts.size() ? ")" : "");
  return name;
}

}  // namespace

std::string table_page(const TablePage& page, const std::vector<TableColumn>& columns,
                       const std::function<NextRow()>& rows) {
  SweepPage shown;
  shown.title = page.title;
  shown.sweep_file = page.sweep_file;
  shown.model = page.model;
  shown.runs = page.runs;
  shown.links = page.links;
  for (const TableColumn& column : columns) shown.columns.push_back({column_title(column), column.parameter});

  TableRow row;
  long bad = 0;
  std::string first_failure;
  for (const NextRow next = rows(); next(row);) {
    if (row.status != RowStatus::failed && row.status != RowStatus::refused) continue;
    if (bad++ == 0) first_failure = failure_text(row);
  }
  if (bad > 0)
    shown.notes.push_back(fmt::format("{} of {} runs failed or were refused; {}", bad, page.runs, first_failure));
  return sweep_page(shown, [&]() -> SweepRows {
    return [next = rows(), given = TableRow()](long& run, std::vector<double>& values, int& status,
                                               std::string& reason) mutable {
      if (!next(given)) return false;
      run = given.run;
      values = given.values;
      status = static_cast<int>(given.status);
      reason = given.reason;
      return true;
    };
  });
}

}  // namespace taut
