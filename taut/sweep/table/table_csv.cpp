#include <fmt/format.h>

#include <cmath>

#include "taut/base/text/csv.h"
#include "taut/sweep/table/table.h"

namespace taut {

std::string failure_text(const TableRow& row) { return fmt::format("run {}: {}", row.run, row.reason); }

void write_table_csv(OutputFile& file, const std::vector<TableColumn>& columns, const TableRows& rows) {
  Csv csv;
  csv.cell("run");
  for (const TableColumn& column : columns) csv.cell(column.name);
  csv.row("status", "reason");
  rows([&](const TableRow& row) {
    csv.cell(row.run);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = row.values[i];
      if (columns[i].texts.empty())
        csv.cell(fmt::format("{}", std::isnan(value) ? std::abs(value) : value));  // as short as it can be
      else
        csv.cell(columns[i].texts[static_cast<std::size_t>(value)]);
    }
    csv.row(name(row.status), row.reason);
    if (csv.text().size() < (1U << 20)) return;
    file.append(csv.text(), 0.0);
    csv.clear();
  });
  file.append(csv.text(), 0.0);
  file.finish(0.0);
}

}  // namespace taut
