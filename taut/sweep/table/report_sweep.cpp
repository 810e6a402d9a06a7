#include "taut/sweep/table/report_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "taut/base/version.h"
#include "taut/report/report_arrays.h"
#include "taut/report/report_document.h"
#include "taut/sweep/table/report_sweep_bins.h"
#include "taut/sweep/table/report_sweep_rows.h"

namespace taut {
namespace {

using Json = nlohmann::ordered_json;

// Together they keep a page below 5 MB: bytes of the rows as they are, numbers counted in bins, text of reasons.
constexpr std::size_t most_rows = 20'000, least_rows = 100, row_bytes = 2'000'000;
constexpr std::size_t most_cells = 500'000, most_text = 300'000;

std::size_t rows_that_fit(std::size_t columns) {
  return std::clamp(row_bytes / (sizeof(double) * std::max<std::size_t>(columns, 1)), least_rows, most_rows);
}

template <class Visit>
void each_row(const SweepPage& page, const SweepTable& table, const Visit& visit) {
  const SweepRows next = table();
  long run = 0;
  std::vector<double> values;
  int status = sweep_done;
  std::string reason;
  while (next(run, values, status, reason)) {
    if (values.size() != page.columns.size())
      throw std::logic_error(
          fmt::format("run {} has {} values for {} columns", run, values.size(), page.columns.size()));
    if (status < sweep_done || status > sweep_stopped)
      throw std::logic_error(fmt::format("run {} has the status {}", run, status));
    visit(run, values, status, reason);
    reason.clear();
  }
}

// The first time through the table.
struct Survey {
  std::vector<ColumnSurvey> columns;
  std::vector<bool> logs;
  std::array<long, 4> counts{};  // by status
  long rows = 0;
  std::vector<KeptRow> kept;
  ReasonList reasons;
};

Survey survey(const SweepPage& page, const SweepTable& table) {
  Survey out;
  out.columns.resize(page.columns.size());
  RowSample sample(rows_that_fit(page.columns.size()));
  each_row(page, table, [&](long run, const std::vector<double>& values, int status, const std::string& reason) {
    ++out.rows;
    ++out.counts[static_cast<std::size_t>(status)];
    const bool well = status != sweep_failed && status != sweep_refused;
    for (std::size_t c = 0; c < values.size(); ++c)
      if (well || page.columns[c].parameter) out.columns[c].take(values[c]);
    if (status != sweep_done) out.reasons.take(run, status, reason);
    sample.take(run, values, status, reason);
  });
  out.kept = sample.rows();
  for (std::size_t c = 0; c < page.columns.size(); ++c) {
    std::vector<double> some;
    for (const KeptRow& row : out.kept) {
      const bool well = row.status != sweep_failed && row.status != sweep_refused;
      if (well || page.columns[c].parameter) some.push_back(row.values[c]);
    }
    out.logs.push_back(spans_decades(out.columns[c], std::move(some)));
  }
  return out;
}

template <class Numbers>
std::vector<float> floats(const Numbers& numbers) {
  std::vector<float> out;
  out.reserve(numbers.size());
  for (const auto number : numbers) out.push_back(static_cast<float>(number));
  return out;
}

// Rows one after another. Reasons are texts of their own, each once, until there are too many.
Json table_json(const SweepPage& page, std::vector<KeptRow>& kept, ArrayPack& pack) {
  std::vector<double> runs, values;
  std::vector<float> status, reason;
  std::map<std::string, std::size_t> places;
  Json texts = Json::array();
  std::size_t written = 0;
  for (KeptRow& row : kept) {
    runs.push_back(static_cast<double>(row.run));
    values.insert(values.end(), row.values.begin(), row.values.end());
    status.push_back(static_cast<float>(row.status));
    reason.push_back(-1.0F);
    if (row.status == sweep_done || row.reason.empty()) continue;
    auto place = places.find(row.reason);
    if (place == places.end() && written + row.reason.size() <= most_text) {
      written += row.reason.size();
      texts.push_back(row.reason);
      place = places.emplace(std::move(row.reason), places.size()).first;
    }
    if (place != places.end()) reason.back() = static_cast<float>(place->second);
  }
  Json json;
  json["run"] = pack.enter(report_array(std::move(runs), {kept.size()}));
  json["values"] = pack.enter(report_array(std::move(values), {kept.size(), page.columns.size()}));
  json["status"] = pack.enter(report_array(std::move(status), {kept.size()}));
  json["reason"] = pack.enter(report_array(std::move(reason), {kept.size()}));
  json["reasons"] = std::move(texts);
  return json;
}

Json column_json(const SweepColumn& column, const ColumnSurvey& found, bool log) {
  Json json{{"name", column.name}, {"parameter", column.parameter}, {"log", log}, {"count", found.count}};
  if (found.count == 0) return json;
  json["low"] = found.low;
  json["high"] = found.high;
  json["mean"] = found.mean;
  if (!found.many) json["distinct"] = found.distinct.size();
  return json;
}

// Mean, least and most in the bins of x, as parts of the range of y; not a number where nothing was counted.
Json pair_json(const PairBins& pair, const SweepBins& bins, ArrayPack& pack) {
  const std::size_t nx = bins.columns()[pair.x].size(), ny = bins.columns()[pair.y].size();
  std::vector<float> range;
  for (std::size_t i = 0; i < nx; ++i) {
    std::uint64_t count = 0;
    for (std::size_t j = 0; j < ny; ++j) count += pair.counts[i * ny + j];
    range.push_back(static_cast<float>(pair.sums[i] / static_cast<double>(count)));
    range.push_back(count > 0 ? pair.least[i] : NAN);
    range.push_back(count > 0 ? pair.most[i] : NAN);
  }
  Json json{{"x", pair.x}, {"y", pair.y}};
  json["counts"] = pack.enter(report_array(floats(pair.counts), {nx, ny}));
  json["range"] = pack.enter(report_array(std::move(range), {nx, 3}));
  return json;
}

Json cells_json(const CellBins& table, const SweepBins& bins, ArrayPack& pack) {
  const std::size_t nx = bins.columns()[table.x].size(), ny = bins.columns()[table.y].size();
  Json json{{"x", table.x}, {"y", table.y}, {"records", Json::array()}};
  for (const CellBins::Record& record : table.records) {
    std::vector<float> mean(nx * ny);
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] = static_cast<float>(record.sums[i] / static_cast<double>(record.counts[i]));
    json["records"].push_back({{"z", record.column}, {"mean", pack.enter(report_array(std::move(mean), {nx, ny}))}});
  }
  return json;
}

// The second time through the table, where not all rows are kept.
void put_bins(Json& json, const SweepPage& page, const SweepTable& table, const Survey& found, ArrayPack& pack) {
  SweepBins bins(page.columns, found.columns, found.logs, most_cells);
  each_row(page, table,
           [&](long, const std::vector<double>& values, int status, const std::string&) { bins.take(values, status); });
  for (std::size_t c = 0; c < page.columns.size(); ++c) {
    const ColumnBins& column = bins.columns()[c];
    if (column.size() == 0) continue;
    Json& entry = json["columns"][c];
    entry["edges"] = pack.enter(report_array(column.edges));
    entry["centers"] = pack.enter(report_array(column.centers));
    entry["counts"] = pack.enter(report_array(floats(bins.counts()[c])));
    if (page.columns[c].parameter) entry["lost"] = pack.enter(report_array(floats(bins.lost()[c])));
  }
  json["pairs"] = Json::array();
  json["cells"] = Json::array();
  for (const PairBins& pair : bins.pairs()) json["pairs"].push_back(pair_json(pair, bins, pack));
  for (const CellBins& cells : bins.cells()) json["cells"].push_back(cells_json(cells, bins, pack));
}

}  // namespace

std::string sweep_page(const SweepPage& page, const SweepTable& table, std::string_view shell) {
  Survey found = survey(page, table);
  const bool complete = static_cast<long>(found.kept.size()) == found.rows;
  ArrayPack pack;
  Json sweep{{"study", page.sweep_file}, {"model", page.model}, {"planned", page.runs},
             {"rows", found.rows},       {"links", page.links}, {"complete", complete}};
  sweep["counts"] = found.counts;
  sweep["columns"] = Json::array();
  for (std::size_t c = 0; c < page.columns.size(); ++c)
    sweep["columns"].push_back(column_json(page.columns[c], found.columns[c], found.logs[c]));
  sweep["failures"] = Json::array();
  for (const ReasonGroup& group : found.reasons.groups())
    sweep["failures"].push_back({{"reason", group.text},
                                 {"status", group.status},
                                 {"count", group.count},
                                 {"run", group.run},
                                 {"alike", group.alike}});
  sweep["other_failures"] = found.reasons.others();
  sweep["table"] = table_json(page, found.kept, pack);
  if (!complete) put_bins(sweep, page, table, found, pack);

  Json document{{"format", 1},
                {"generator", program_version()},
                {"title", page.title},
                {"subtitle", page.sweep_file.empty() || page.model.empty() ? page.sweep_file + page.model
                                                                           : page.sweep_file + " · " + page.model},
                {"kind", "sweep"},
                {"sweep", std::move(sweep)},
                {"warnings", page.notes}};
  std::string text;
  write_document(
      document, pack, [&](std::string_view piece) { text += piece; }, shell);
  return text;
}

}  // namespace taut
