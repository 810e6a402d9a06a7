// Reports: what is put in comes out again, whatever the names and numbers are.
#include <cmath>
#include <stdexcept>

#include "taut/report/report.h"
#include "tests/report/decode_report.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using testing::DecodedReport;
using testing::Random;

std::string page_of(const Report& report) {
  std::string page;
  write_report(
      report, [&](std::string_view text) { page += text; }, testing::stand_in_page);
  return page;
}

std::vector<float> random_floats(std::size_t count, double size, unsigned seed = 1) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.between(-size, size));
  return values;
}

Model two_nodes() {
  Model model;
  testing::add_node(model, {0.0, 0.0, 0.5}, 1.0, {true, false, true});
  testing::add_node(model, {1.0, 0.0, 0.25}, 1.0);
  testing::add_bar(model, 0, 1, 1.0);
  testing::add_cable(model, {0, 1, 0}, testing::linear_law(10.0), 1.5);
  return model;
}

TEST(Report, CarriesTheStructure) {
  Report report;
  Model model = two_nodes();
  model.ground = Ground{};
  model.ground->height = -0.5;
  testing::add_load(model, 1, {0.0, 3.0, 0.0}, 0.25, 0.5);
  testing::add_load(model, 0, {1.0, 0.0, 0.0});
  report.structure = describe(model);
  const DecodedReport decoded(page_of(report));
  const auto& structure = decoded.document["structure"];
  EXPECT_EQ(decoded.document["format"], 1);
  EXPECT_EQ(structure["nodes"]["names"], (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(structure["nodes"]["fixed"], (std::vector<int>{5, 0}));
  EXPECT_EQ(decoded.numbers(structure["nodes"]["positions"]), (std::vector<double>{0.0, 0.0, 0.5, 1.0, 0.0, 0.25}));
  EXPECT_EQ(structure["bars"]["a"][0], 0);
  EXPECT_EQ(structure["bars"]["b"][0], 1);
  EXPECT_EQ(structure["cables"]["paths"][0], (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(structure["cables"]["rest_lengths"][0], 1.5);
  EXPECT_EQ(structure["loads"][0]["to"], 0.5);
  EXPECT_TRUE(structure["loads"][1]["to"].is_null());  // for ever
  EXPECT_EQ(structure["ground"]["height"], -0.5);
}

TEST(Report, CarriesHeightsOfTheGround) {
  Report report;
  Model model = two_nodes();
  model.ground = Ground{};
  model.ground->height = 1.0;
  model.ground->heights = {0.0, -1.0, 0.5, 0.25, 3, 2, {1, 2, 3, 4, 5, 6}};
  report.structure = describe(model);
  const DecodedReport decoded(page_of(report));
  const auto& grid = decoded.document["structure"]["ground"]["grid"];
  EXPECT_EQ(grid["nx"], 3);
  EXPECT_EQ(grid["ny"], 2);
  EXPECT_EQ(grid["dy"], 0.25);
  EXPECT_EQ(decoded.numbers(grid["heights"]), (std::vector<double>{2, 3, 4, 5, 6, 7}));
}

TEST(Report, HostileTextsStayTexts) {
  const std::vector<std::string> hostile = {"</script><script>alert(1)</script>",
                                            "<!--",
                                            "]]>",
                                            "\"'\\\n\t\x01",
                                            "\u2028\u2029",
                                            "&lt;",
                                            "Prüfling 🤖",
                                            std::string(10000, 'x')};
  Report report;
  report.warnings = hostile;
  report.title = "\xff\xfe not UTF-8 \xc3";
  const std::string page = page_of(report);
  const DecodedReport decoded(page);
  EXPECT_EQ(decoded.document["warnings"], hostile);
  EXPECT_EQ(decoded.document["title"], "\ufffd\ufffd not UTF-8 \ufffd");
  // One opening and one closing mark for each of the two elements and the stand-in's own script.
  std::size_t ends = 0;
  for (std::size_t at = page.find("</script"); at != std::string::npos; at = page.find("</script", at + 1)) ++ends;
  EXPECT_EQ(ends, 3u);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  for (const char c : page) ASSERT_LT(static_cast<unsigned char>(c), 128);
}

TEST(Report, SmallArraysKeepEveryDigit) {
  Report report;
  ReportRun run;
  run.label = "a";
  run.t = report_array(std::vector<double>{0.0, 1.0 / 3.0});
  const std::vector<float> nodes = random_floats(12, 100.0);
  run.nodes = report_array(nodes, {2, 2, 3});
  run.constraint_error = report_array(std::vector<float>{NAN, -INFINITY});
  report.runs.push_back(run);
  const DecodedReport decoded(page_of(report));
  const auto& back = decoded.document["runs"][0];
  EXPECT_EQ(decoded.numbers(back["t"]), (std::vector<double>{0.0, 1.0 / 3.0}));
  EXPECT_EQ(decoded.numbers(back["nodes"]), std::vector<double>(nodes.begin(), nodes.end()));
  EXPECT_TRUE(std::isnan(decoded.numbers(back["constraint_error"])[0]));
  EXPECT_EQ(decoded.numbers(back["constraint_error"])[1], -INFINITY);
  EXPECT_FALSE(back.contains("tensions"));
}

// Rows enough to make the report compact: above 4 MB of floats.
constexpr std::size_t rows = 2000, nodes = 100, cables = 300;

Report large_report(const std::vector<float>& x, const std::vector<float>& tensions) {
  Report report;
  ReportRun run;
  run.t = report_array(std::vector<double>(rows, 1.0));
  run.nodes = report_array(x, {rows, nodes, 3});
  run.tensions = report_array(tensions, {rows, cables});
  report.runs.push_back(std::move(run));
  return report;
}

// Each column within half a step of its range / 65534, or of its largest value / 32767 where it passes through 0.
void expect_close(const std::vector<float>& given, const std::vector<double>& back, std::size_t columns) {
  ASSERT_EQ(given.size(), back.size());
  for (std::size_t c = 0; c < columns; ++c) {
    float low = INFINITY, high = -INFINITY;
    for (std::size_t i = c; i < given.size(); i += columns)
      low = std::min(low, given[i]), high = std::max(high, given[i]);
    const double largest = std::max(std::abs(low), std::abs(high));
    const double step = low > 0.0F || high < 0.0F ? (high - low) / 65534.0 : largest / 32767.0;
    // The rounding of floats adds a little: of the value itself, and of its count of steps.
    const double allowed = 0.51 * step + 2e-7 * largest;
    for (std::size_t i = c; i < given.size(); i += columns) ASSERT_NEAR(back[i], given[i], allowed) << c;
  }
}

TEST(Report, LargeArraysAreRoundedPerColumn) {
  std::vector<float> x = random_floats(rows * nodes * 3, 1.0), tensions = random_floats(rows * cables, 10.0, 2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * static_cast<float>(i % 7) + static_cast<float>(i % 300);
  for (std::size_t i = 0; i < tensions.size(); ++i)
    tensions[i] = std::max(tensions[i] * static_cast<float>(i % cables), 0.0F);
  const DecodedReport decoded(page_of(large_report(x, tensions)));
  const auto& run = decoded.document["runs"][0];
  EXPECT_EQ(run["nodes"]["type"], "i2");
  EXPECT_EQ(run["t"]["type"], "f8");
  expect_close(x, decoded.numbers(run["nodes"]), 3 * nodes);
  const std::vector<double> back = decoded.numbers(run["tensions"]);
  expect_close(tensions, back, cables);
  // A slack cable pulls nothing at all.
  for (std::size_t i = 0; i < back.size(); ++i)
    if (tensions[i] == 0.0F) {
      ASSERT_EQ(back[i], 0.0);
    }
}

TEST(Report, RoundedNumbersThatAreNotFiniteStayOut) {
  std::vector<float> tensions = random_floats(rows * cables, 1.0);
  tensions[5 * cables + 7] = NAN;
  tensions[6 * cables + 8] = INFINITY;
  for (std::size_t row = 0; row < rows; ++row) tensions[row * cables + 9] = NAN;
  tensions[10] = 3e38F, tensions[cables + 10] = -3e38F;
  const DecodedReport decoded(page_of(large_report(random_floats(rows * nodes * 3, 1.0), tensions)));
  const std::vector<double> back = decoded.numbers(decoded.document["runs"][0]["tensions"]);
  EXPECT_TRUE(std::isnan(back[5 * cables + 7]));
  EXPECT_TRUE(std::isnan(back[6 * cables + 8]));
  for (std::size_t row = 0; row < rows; ++row) EXPECT_TRUE(std::isnan(back[row * cables + 9]));
  EXPECT_NEAR(back[7 * cables + 7], tensions[7 * cables + 7], 1e-4);
}

TEST(Report, AStructureThatTravelsGetsAnOrigin) {
  // 1 m wide, 10 km away at the end: without an origin a step would be 15 cm.
  std::vector<float> x = random_floats(rows * nodes * 3, 1.0);
  std::vector<double> exact(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto row = static_cast<float>(i / (3 * nodes));
    x[i] += i % 3 == 0 ? 5.0F * row : 0.0F;
  }
  const DecodedReport decoded(page_of(large_report(x, random_floats(rows * cables, 1.0))));
  const auto& run = decoded.document["runs"][0];
  ASSERT_TRUE(run.contains("origin"));
  const std::vector<double> origin = decoded.numbers(run["origin"]), about = decoded.numbers(run["nodes"]);
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, std::abs(origin[i / (3 * nodes) * 3 + i % 3] + about[i] - x[i]));
  // A step is 2 m / 65534 = 3e-5 m; a float of 10 km is good to 5e-4 m, twice.
  EXPECT_LT(worst, 1.1e-3);
}

TEST(Report, CarriesModesPlotsAndTables) {
  Report report;
  report.kind = "modes";
  report.modes.push_back({"1", 12.5, NAN, report_array(std::vector<double>{0, 0, 1}, {1, 3})});
  ReportPlot plot{"drift", "t, s", "m", false, true, true, {}};
  plot.series.push_back(
      {"ours", report_array(std::vector<double>{1, 2}), report_array(std::vector<double>{3, 4}), "points", true});
  report.plots.push_back(plot);
  report.tables.push_back({"T", {"a", "b"}, {{"1", "2"}}});
  const DecodedReport decoded(page_of(report));
  EXPECT_EQ(decoded.numbers(decoded.document["modes"][0]["shape"]), (std::vector<double>{0, 0, 1}));
  EXPECT_TRUE(decoded.document["modes"][0]["damping_ratio"].is_null());
  EXPECT_EQ(decoded.document["plots"][0]["y_log"], true);
  EXPECT_EQ(decoded.numbers(decoded.document["plots"][0]["series"][0]["y"]), (std::vector<double>{3, 4}));
  EXPECT_EQ(decoded.document["plots"][0]["series"][0]["published"], true);
  EXPECT_EQ(decoded.document["tables"][0]["rows"][0][1], "2");
}

TEST(Report, RefusesAPageWithoutAMarkAndAShapeThatDoesNotFit) {
  Report report;
  EXPECT_THROW(write_report(
                   report, [](std::string_view) {}, "<html></html>"),
               std::logic_error);
  report.modes.push_back({"1", 1.0, 0.0, report_array(std::vector<double>{0, 0, 1}, {2, 3})});
  EXPECT_THROW(page_of(report), std::logic_error);
}

TEST(Report, TheViewersPageHasOneMark) {
  if (!reports_possible()) GTEST_SKIP() << no_viewer;
  const std::string page(report_page());
  const std::size_t mark = page.find("<!--taut:data-->");
  ASSERT_NE(mark, std::string::npos);
  EXPECT_EQ(page.find("<!--taut:data-->", mark + 1), std::string::npos);
  EXPECT_EQ(page.find('\0'), std::string::npos);
}

}  // namespace
}  // namespace taut
