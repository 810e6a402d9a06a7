// The page of a sweep: what is in its table comes out again, row by row where it is small, counted where it is large.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

#include "taut/sweep/table/report_sweep.h"
#include "taut/sweep/table/report_sweep_columns.h"
#include "taut/sweep/table/report_sweep_rows.h"
#include "tests/report/decode_report.h"

namespace taut {
namespace {

using testing::DecodedReport;

struct Row {
  long run = 0;
  std::vector<double> values;
  int status = sweep_done;
  std::string reason{};
};

SweepTable table_of(const std::vector<Row>& rows) {
  return [&rows] {
    return [&rows, next = std::size_t{0}](long& run, std::vector<double>& values, int& status,
                                          std::string& reason) mutable {
      if (next == rows.size()) return false;
      const Row& row = rows[next++];
      run = row.run, values = row.values, status = row.status, reason = row.reason;
      return true;
    };
  };
}

std::string page_of(const SweepPage& page, const std::vector<Row>& rows) {
  return sweep_page(page, table_of(rows), testing::stand_in_page);
}

SweepPage named(std::initializer_list<SweepColumn> columns) {
  SweepPage page;
  page.title = "T";
  page.columns = columns;
  return page;
}

// A grid of angles, a stiffness over decades, a length between -1 and 1; two records, the second often missing.
std::vector<Row> many_rows(std::size_t count) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> part(0.0, 1.0);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = static_cast<double>(i % 7), stiffness = 1e3 * std::pow(10.0, 3.0 * part(random));
    const double length = 2.0 * part(random) - 1.0, force = angle * length + part(random);
    Row row{static_cast<long>(i), {angle, stiffness, length, force, part(random) < 0.3 ? NAN : std::sqrt(stiffness)}};
    if (i % 5000 == 17) row = {row.run, {angle, stiffness, length, NAN, 1e9}, sweep_failed, "no balance at t = 0.5 s"};
    rows.push_back(std::move(row));
  }
  return rows;
}

const SweepPage many_page =
    named({{"angle", true}, {"stiffness", true}, {"length", true}, {"force", false}, {"root", false}});

TEST(SweepReport, CarriesASmallTableExactly) {
  SweepPage page = named({{"tilt", true}, {"slack", false}});
  page.sweep_file = "sweep.toml", page.model = "prism.toml";
  page.runs = 4, page.links = true;
  page.notes = {"1 of 4 runs failed"};
  const double third = 1.0 / 3.0;
  const std::vector<Row> rows = {{1, {0.1, 2.0}},
                                 {2, {0.2, NAN}, sweep_refused, "tilt: too much"},
                                 {3, {third, 5.0}, sweep_stopped, "enough"},
                                 {4, {0.4, INFINITY}}};
  const DecodedReport decoded(page_of(page, rows));
  const auto& sweep = decoded.document["sweep"];
  EXPECT_EQ(decoded.document["kind"], "sweep");
  EXPECT_EQ(decoded.document["subtitle"], "sweep.toml · prism.toml");
  EXPECT_EQ(decoded.document["warnings"][0], "1 of 4 runs failed");
  EXPECT_EQ(sweep["complete"], true);
  EXPECT_EQ(sweep["links"], true);
  EXPECT_EQ(sweep["planned"], 4);
  EXPECT_EQ(sweep["counts"], (std::vector<long>{2, 0, 1, 1}));
  const auto& table = sweep["table"];
  EXPECT_EQ(decoded.numbers(table["run"]), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(decoded.numbers(table["status"]), (std::vector<double>{0, 2, 3, 0}));
  EXPECT_EQ(decoded.numbers(table["reason"]), (std::vector<double>{-1, 0, 1, -1}));
  EXPECT_EQ(table["reasons"], (std::vector<std::string>{"tilt: too much", "enough"}));
  const std::vector<double> values = decoded.numbers(table["values"]);
  ASSERT_EQ(values.size(), 8u);
  EXPECT_EQ(values[4], third);  // all digits
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_EQ(values[7], INFINITY);
  // The parameter of a run that was refused counts, what is not finite does not.
  EXPECT_EQ(sweep["columns"][0]["count"], 4);
  EXPECT_EQ(sweep["columns"][0]["distinct"], 4);
  EXPECT_EQ(sweep["columns"][1]["count"], 2);
  EXPECT_EQ(sweep["columns"][1]["high"], 5.0);
  EXPECT_DOUBLE_EQ(sweep["columns"][1]["mean"], 3.5);
  EXPECT_FALSE(sweep.contains("pairs"));
}

TEST(SweepReport, HostileTextsStayTexts) {
  for (const std::string hostile :
       {"</script><script>alert(1)</script>", "<!--<script>", "\"'\\\n\x01", "Größe ≤ 10 🙂"}) {
    SweepPage page = named({{hostile, true}, {hostile + "2", false}});
    page.title = page.sweep_file = page.model = hostile;
    page.notes = {hostile};
    const DecodedReport decoded(page_of(page, {{1, {1.0, 2.0}, sweep_failed, hostile}}));
    EXPECT_EQ(decoded.document["title"], hostile);
    EXPECT_EQ(decoded.document["sweep"]["columns"][0]["name"], hostile);
    EXPECT_EQ(decoded.document["sweep"]["failures"][0]["reason"], hostile);
    EXPECT_EQ(decoded.document["sweep"]["table"]["reasons"][0], hostile);
  }
}

// Every number that was counted, counted once more: all rows against the edges that the page gives.
TEST(SweepReport, CountsALargeTable) {
  const std::vector<Row> rows = many_rows(30'000);
  const DecodedReport decoded(page_of(many_page, rows));
  const auto& sweep = decoded.document["sweep"];
  EXPECT_EQ(sweep["complete"], false);
  EXPECT_EQ(sweep["rows"], 30'000);
  EXPECT_EQ(sweep["columns"][0]["distinct"], 7);
  EXPECT_EQ(sweep["columns"][1]["log"], true);
  EXPECT_EQ(sweep["columns"][2]["log"], false);
  EXPECT_LT(sweep["columns"][4]["high"], 1001.0);  // not the value of a run that failed
  std::vector<std::vector<double>> edges;
  for (const auto& column : sweep["columns"]) edges.push_back(decoded.numbers(column["edges"]));
  EXPECT_EQ(decoded.numbers(sweep["columns"][0]["centers"]), (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  const auto inside = [&](std::size_t c, std::size_t bin, double value) {
    return value >= edges[c][bin] &&
           (value < edges[c][bin + 1] || (bin + 2 == edges[c].size() && value == edges[c].back()));
  };

  EXPECT_EQ(sweep["pairs"].size(), 6u);
  for (const auto& pair : sweep["pairs"]) {
    const std::size_t x = pair["x"], y = pair["y"], nx = edges[x].size() - 1, ny = edges[y].size() - 1;
    const std::vector<double> counts = decoded.numbers(pair["counts"]), range = decoded.numbers(pair["range"]);
    ASSERT_EQ(counts.size(), nx * ny);
    const double low = sweep["columns"][y]["low"], high = sweep["columns"][y]["high"];
    double total = 0.0;
    for (const double count : counts) total += count;
    double expected_total = 0.0;
    for (const Row& row : rows) expected_total += row.status == sweep_done && !std::isnan(row.values[y]) ? 1.0 : 0.0;
    EXPECT_EQ(total, expected_total);
    for (std::size_t i = 0; i < nx; i += 3) {
      double count = 0.0, sum = 0.0, least = INFINITY, most = -INFINITY;
      std::vector<double> along(ny);
      for (const Row& row : rows) {
        const double value = row.values[y];
        if (row.status != sweep_done || std::isnan(value) || !inside(x, i, row.values[x])) continue;
        ++count, sum += value, least = std::min(least, value), most = std::max(most, value);
        for (std::size_t j = 0; j < ny; ++j) along[j] += inside(y, j, value) ? 1.0 : 0.0;
      }
      for (std::size_t j = 0; j < ny; ++j) EXPECT_EQ(counts[i * ny + j], along[j]);
      // Parts are floats: seven digits of the range.
      const double rounding = 2e-7 * (high - low);
      EXPECT_NEAR(low + range[3 * i] * (high - low), sum / count, 5.0 * rounding);
      EXPECT_NEAR(low + range[3 * i + 1] * (high - low), least, rounding);
      EXPECT_NEAR(low + range[3 * i + 2] * (high - low), most, rounding);
    }
  }

  EXPECT_EQ(sweep["cells"].size(), 3u);
  for (const auto& cells : sweep["cells"]) {
    const std::size_t x = cells["x"], y = cells["y"], ny = edges[y].size() - 1;
    EXPECT_EQ(cells["records"].size(), 2u);
    for (const auto& record : cells["records"]) {
      const std::size_t z = record["z"];
      const double low = sweep["columns"][z]["low"], high = sweep["columns"][z]["high"];
      const std::vector<double> means = decoded.numbers(record["mean"]);
      for (const std::size_t cell : {std::size_t{3}, means.size() / 2, means.size() - 1}) {
        double count = 0.0, sum = 0.0;
        for (const Row& row : rows) {
          if (row.status != sweep_done || std::isnan(row.values[z])) continue;
          if (!inside(x, cell / ny, row.values[x]) || !inside(y, cell % ny, row.values[y])) continue;
          ++count, sum += row.values[z];
        }
        if (count == 0.0)
          EXPECT_TRUE(std::isnan(means[cell]));
        else
          EXPECT_NEAR(low + means[cell] * (high - low), sum / count, 1e-6 * (high - low));
      }
    }
  }
  std::vector<double> lost(7);
  for (const Row& row : rows)
    if (row.status == sweep_failed) ++lost[static_cast<std::size_t>(row.values[0])];
  EXPECT_EQ(decoded.numbers(sweep["columns"][0]["lost"]), lost);
}

TEST(SweepReport, KeepsRowsOfALargeTableAsTheyAre) {
  const std::vector<Row> rows = many_rows(30'000);
  const std::string page = page_of(many_page, rows);
  EXPECT_EQ(page, page_of(many_page, rows));  // the same rows every time
  const DecodedReport decoded(page);
  const auto& table = decoded.document["sweep"]["table"];
  const std::vector<double> runs = decoded.numbers(table["run"]), values = decoded.numbers(table["values"]);
  ASSERT_EQ(runs.size(), 20'000u);
  EXPECT_TRUE(std::is_sorted(runs.begin(), runs.end()));
  EXPECT_EQ(std::set<double>(runs.begin(), runs.end()).size(), runs.size());
  int failed = 0;
  double mean = 0.0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Row& row = rows[static_cast<std::size_t>(runs[i])];
    for (std::size_t c = 0; c < 5; ++c)
      EXPECT_TRUE(values[5 * i + c] == row.values[c] || (std::isnan(values[5 * i + c]) && std::isnan(row.values[c])));
    failed += row.status == sweep_failed ? 1 : 0;
    mean += runs[i] / 20'000.0;
  }
  EXPECT_EQ(failed, 6);  // few, and none is lost
  // Drawn evenly: the mean of 20 000 of 30 000 numbers, drawn without putting back, strays by 35.
  EXPECT_NEAR(mean, 15'000.0, 5.0 * 35.0);
}

TEST(SweepReport, StaysSmallHoweverManyColumnsAndRows) {
  SweepPage page;
  for (int c = 0; c < 40; ++c) page.columns.push_back({"column " + std::to_string(c), c < 10});
  std::mt19937_64 random(3);
  std::vector<Row> rows(12'000);
  for (Row& row : rows) {
    row.run = static_cast<long>(&row - rows.data());
    for (int c = 0; c < 40; ++c) row.values.push_back(std::ldexp(static_cast<double>(random() >> 11U), -53));
    row.status = sweep_failed * (row.run % 2 == 0 ? 1 : 0);
    if (row.status != 0) row.reason = std::string(1000, 'x') + std::to_string(row.run);
  }
  const std::string text = page_of(page, rows);
  EXPECT_LT(text.size(), 4'300'000u);  // and 0.7 MB of the viewer
  const DecodedReport decoded(text);
  EXPECT_EQ(decoded.document["sweep"]["complete"], false);
  EXPECT_EQ(decoded.numbers(decoded.document["sweep"]["table"]["run"]).size(), 2'000'000u / (8u * 40u));
  // Every pair, and means over two parameters as far as there is room.
  EXPECT_EQ(decoded.document["sweep"]["pairs"].size(), 10u * 30u);
  EXPECT_FALSE(decoded.document["sweep"]["cells"].empty());
  EXPECT_GE(decoded.numbers(decoded.document["sweep"]["columns"][0]["counts"]).size(), 24u);
}

TEST(SweepReport, ReasonsThatDifferInNumbersAreOne) {
  ReasonList list;
  for (int i = 0; i < 50; ++i)
    list.take(i, sweep_failed, "step of 1e-" + std::to_string(10 + i) + " s at -0." + std::to_string(i));
  for (int i = 0; i < 3; ++i) list.take(100 + i, sweep_refused, "tilt: too much");
  list.take(103, sweep_failed, "tilt: too much");
  const std::vector<ReasonGroup> groups = list.groups();
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].count, 50);
  EXPECT_EQ(groups[0].text, "step of 1e-10 s at -0.0");
  EXPECT_TRUE(groups[0].alike);
  EXPECT_EQ(groups[1].count, 3);
  EXPECT_EQ(groups[1].run, 100);
  EXPECT_FALSE(groups[1].alike);
  EXPECT_EQ(groups[2].status, sweep_failed);
  // Beyond a hundred they are only counted.
  for (int i = 0; i < 200; ++i) list.take(i, sweep_failed, std::string(static_cast<std::size_t>(i) + 1, 'a'));
  EXPECT_EQ(list.groups().size(), 100u);
  EXPECT_EQ(list.others(), 103);
  EXPECT_EQ(clipped("aäö", 4), "a…");
  EXPECT_EQ(clipped("abcäöü", 8), "abcä…");
}

TEST(SweepReport, BinsHoldEveryValue) {
  const auto surveyed = [](const std::vector<double>& values) {
    ColumnSurvey survey;
    for (const double value : values) survey.take(value);
    return survey;
  };
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  std::vector<double> spread(3000);
  for (double& value : spread) value = std::exp(5.0 * normal(random));
  std::vector<double> grid;
  for (int i = 0; i < 5000; ++i) grid.push_back(0.1 * (i % 1000));
  const double huge = std::numeric_limits<double>::max(), next = std::nextafter(1.0, 2.0);
  const std::vector<std::vector<double>> cases = {
      spread, grid, {1.0}, {0.0, 0.0}, {-huge, 0.0, huge}, {1.0, next}, {1e-300, 1e300}, {5, 1, 5, 3, 3}};
  for (const std::vector<double>& values : cases) {
    const ColumnSurvey survey = surveyed(values);
    for (const bool log : {false, true}) {
      if (log && survey.low <= 0.0) continue;
      const ColumnBins bins = make_bins(survey, log, 100);
      ASSERT_EQ(bins.edges.size(), bins.size() + 1);
      EXPECT_LE(bins.size(), 100u);
      EXPECT_TRUE(std::is_sorted(bins.edges.begin(), bins.edges.end()));
      EXPECT_LE(bins.edges.front(), survey.low);
      EXPECT_GE(bins.edges.back(), survey.high);
      std::set<std::size_t> used;
      for (const double value : values) {
        const std::size_t bin = bins.find(value);
        ASSERT_LT(bin, bins.size());
        EXPECT_LE(bins.edges[bin], value);
        EXPECT_GE(bins.edges[bin + 1], value);
        used.insert(bin);
      }
      // Few different values have a bin each; of a grid of 1000 every bin takes ten.
      const std::size_t different = survey.distinct.size();
      if (!survey.many && (different <= 100 || &values == &cases[1])) {
        EXPECT_EQ(used.size(), std::min<std::size_t>(different, 100));
      }
    }
  }
  EXPECT_TRUE(spans_decades(surveyed(spread), spread));
  EXPECT_FALSE(spans_decades(surveyed(grid), grid));
  EXPECT_FALSE(spans_decades(surveyed({1.0, 50.0, 100.0}), {1.0, 50.0, 100.0}));
  EXPECT_TRUE(spans_decades(surveyed({1.0, 10.0, 100.0}), {1.0, 10.0, 100.0}));
}

TEST(SweepReport, TakesTablesWithNothingInThem) {
  const DecodedReport empty(page_of(named({{"a", true}, {"b", false}}), {}));
  EXPECT_EQ(empty.document["sweep"]["rows"], 0);
  EXPECT_FALSE(empty.document["sweep"]["columns"][0].contains("low"));
  const DecodedReport bare(page_of(named({}), {{1, {}}, {2, {}, sweep_failed, "x"}}));
  EXPECT_EQ(bare.document["sweep"]["rows"], 2);
  // A record that no run has, in a large table.
  std::vector<Row> rows;
  for (long i = 0; i < 20'100; ++i) rows.push_back({i, {static_cast<double>(i), NAN}});
  const DecodedReport missing(page_of(named({{"a", true}, {"b", false}}), rows));
  EXPECT_TRUE(missing.document["sweep"]["pairs"].empty());
  EXPECT_FALSE(missing.document["sweep"]["columns"][1].contains("edges"));
}

TEST(SweepReport, RefusesRowsThatDoNotFit) {
  const SweepPage page = named({{"a", true}});
  EXPECT_THROW(page_of(page, {{1, {1.0, 2.0}}}), std::logic_error);
  EXPECT_THROW(page_of(page, {{1, {1.0}, 7}}), std::logic_error);
  EXPECT_THROW(sweep_page(page, table_of({}), "<html></html>"), std::logic_error);
}

}  // namespace
}  // namespace taut
