#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "taut/sweep/table.h"

namespace taut {

namespace {

// A cell; in quotes where it needs them.
void put_text(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace

void write_table_csv(OutputFile& file, const std::vector<TableColumn>& columns, const TableRows& rows) {
  std::string text = "run";
  for (const TableColumn& column : columns) text += ',', put_text(text, column.name);
  text += ",status,reason\n";
  rows([&](const TableRow& row) {
    fmt::format_to(std::back_inserter(text), "{}", row.run);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += ',';
      const double value = row.values[i];
      if (columns[i].texts.empty())
        fmt::format_to(std::back_inserter(text), "{}", std::isnan(value) ? std::abs(value) : value);
      else
        put_text(text, columns[i].texts[static_cast<std::size_t>(value)]);
    }
    text += ',';
    text += name(row.status);
    text += ',';
    put_text(text, row.reason);
    text += '\n';
    if (text.size() < (1U << 20)) return;
    file.append(text, 0.0);
    text.clear();
  });
  file.append(text, 0.0);
  file.finish(0.0);
}

}  // namespace taut
