// Plots: round ticks, whole curves, well-formed SVG whatever the names are.
#include "taut/export/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "taut/base/error.h"
#include "taut/base/text/xml_text.h"
#include "taut/export/plot_axis.h"
#include "taut/run/still.h"
#include "tests/support/complaint.h"
#include "tests/support/support.h"
#include "tests/support/xml_check.h"

namespace taut {
namespace {

using testing::complaint;
using testing::xml_problem;

TEST(XmlCheck, FindsMistakes) {
  EXPECT_EQ(xml_problem("<?xml version=\"1.0\"?>\n<a b=\"1\"><c/>x &lt; y</a>\n"), "");
  for (const char* bad : {"<a>", "<a></b>", "<a b=1></a>", "<a>&</a>", "<a>&nbsp;</a>", "<a b=\"<\"/>", "<a/><b/>", "x",
                          "<a b=\"1\" b=\"2\"/>", "<a>\x01</a>"})
    EXPECT_NE(xml_problem(bad), "") << bad;
}

TEST(XmlText, EscapesAndReplaces) {
  EXPECT_EQ(xml_text("<a & \"b\">'"), "&lt;a &amp; &quot;b&quot;&gt;&#39;");
  EXPECT_EQ(xml_text("\x01\xff\xc0\x80\xed\xa0\x80 ü🤖"), "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd ü🤖");
  EXPECT_EQ(shortened("Prüfling", 8), "Prüfling");
  EXPECT_EQ(shortened("Prüfling", 4), "Prü…");
}

TEST(Axis, HasRoundTicksWithin) {
  testing::Random random(11);
  for (int i = 0; i < 2000; ++i) {
    const double size = std::pow(10.0, random.between(-20.0, 20.0)),
                 middle = random.chance(0.5) ? 0.0 : random.between(-10.0, 10.0) * size;
    const double low = middle - random.between(0.0, 1.0) * size, high = middle + random.between(0.0, 1.0) * size;
    for (const bool padded : {true, false}) {
      const Axis axis = make_axis(low, high, 5, padded);
      ASSERT_LE(axis.low, low);
      ASSERT_GE(axis.high, high);
      ASSERT_GE(axis.ticks.size(), 2u) << low << " " << high;
      ASSERT_LE(axis.ticks.size(), 8u);
      ASSERT_EQ(axis.labels.size(), axis.ticks.size());
      for (std::size_t k = 0; k < axis.ticks.size(); ++k) {
        ASSERT_GE(axis.ticks[k], axis.low - 1e-9 * size);
        ASSERT_LE(axis.ticks[k], axis.high + 1e-9 * size);
        if (k == 0) continue;
        // 1, 2 or 5 times a power of ten, and no two labels alike.
        const double step = axis.ticks[1] - axis.ticks[0],
                     lead = step / std::pow(10.0, std::floor(std::log10(step) + 1e-6));
        ASSERT_TRUE(std::abs(lead - 1) < 1e-4 || std::abs(lead - 2) < 1e-4 || std::abs(lead - 5) < 1e-4) << lead;
        ASSERT_NE(axis.labels[k], axis.labels[k - 1]) << low << " " << high;
      }
    }
  }
}

TEST(Axis, CopesWithNothingAndWithTooMuch) {
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {0, 0}, {5, 5}, {INFINITY, -INFINITY}, {-1e308, 1e308}, {1e-320, 2e-320}, {-3, -3}}) {
    const Axis axis = make_axis(low, high, 5, true);
    EXPECT_GT(axis.high, axis.low);
    EXPECT_GE(axis.ticks.size(), 2u);
    EXPECT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high));
  }
  EXPECT_EQ(make_axis(0.0, 4e-15, 4, true).exponent, -15);
  EXPECT_EQ(power_of_ten(-15), "10⁻¹⁵");
}

TEST(Patterns, FitNames) {
  EXPECT_TRUE(fits_pattern("a1-b2", "a1*"));
  EXPECT_TRUE(fits_pattern("a1-b2", "*b?"));
  EXPECT_TRUE(fits_pattern("", "*"));
  EXPECT_TRUE(fits_pattern("abab", "*ab"));
  EXPECT_FALSE(fits_pattern("a1-b2", "a1"));
  EXPECT_FALSE(fits_pattern("a", "a?"));
  EXPECT_FALSE(fits_pattern(std::string(5000, 'a'), "*a*a*a*a*a*a*a*b"));  // and at once
}

Run short_run() {
  Scenario scenario = generate(*find_generator("prism"), {{"fixed", 1.0}});
  scenario.model.frames = {{"top", {3, 4, 5}, -1}};
  taut::Run result = still_run(scenario);
  const taut::Run first = result;
  for (int row = 1; row < 50; ++row) {
    result.t.push_back(0.1 * row);
    for (const double x : first.columns.nodes) result.columns.nodes.push_back(x + 0.1 * row);
    for (const double v : first.columns.velocities) result.columns.velocities.push_back(v + 3.0);
    for (std::size_t i = 0; i < first.columns.tensions.size(); ++i) {
      result.columns.tensions.push_back(first.columns.tensions[i] + row * static_cast<double>(i));
      result.columns.lengths.push_back(first.columns.lengths[i]),
          result.columns.rest_lengths.push_back(0.5 * first.columns.lengths[i]);
    }
    result.columns.bar_forces.insert(result.columns.bar_forces.end(), first.columns.bar_forces.begin(),
                                     first.columns.bar_forces.end());
    result.columns.energy.insert(result.columns.energy.end(), first.columns.energy.begin(), first.columns.energy.end());
    result.columns.constraint_error.push_back(1e-15 * row);
    result.columns.frames.insert(result.columns.frames.end(), first.columns.frames.begin(), first.columns.frames.end());
  }
  return result;
}

TEST(MakePlot, ChoosesCurvesAndTimes) {
  const taut::Run result = short_run();
  const Plot all = make_plot(result, plottable("nodes"));
  EXPECT_EQ(all.curves.size(), 18u);
  EXPECT_EQ(all.curves[5].name, "a2.z");
  const Plot some = make_plot(result, plottable("nodes"), "a1,b2.z", 1.0, 2.0);
  ASSERT_EQ(some.curves.size(), 4u);  // a1.x, a1.y, a1.z, b2.z
  EXPECT_EQ(some.curves[3].name, "b2.z");
  ASSERT_EQ(some.x.size(), 11u);
  EXPECT_DOUBLE_EQ(some.x.front(), 1.0);
  EXPECT_DOUBLE_EQ(some.curves[3].y[0], result.columns.nodes[14] + 1.0);
  EXPECT_NEAR(make_plot(result, plottable("strains")).curves[0].y[5], 1.0, 1e-12);
  EXPECT_NEAR(make_plot(result, plottable("speeds")).curves[0].y[5], std::sqrt(27.0), 1e-12);
  EXPECT_EQ(make_plot(result, plottable("energy")).curves.size(), 7u);
  for (const Plottable& what : plottables())
    if (const std::string word = what.word;
        word != "inputs" && word != "joints" && word != "controls" && word != "bar_lengths") {
      EXPECT_EQ(xml_problem(svg(make_plot(result, what))), "") << what.word;
    }
}

TEST(MakePlot, SaysWhatIsWrong) {
  const taut::Run result = short_run();
  const std::string unknown = complaint([] { plottable("tenions"); });
  EXPECT_TRUE(unknown.starts_with("--what: \"tenions\" is not known: expected one of ")) << unknown;
  EXPECT_TRUE(unknown.ends_with(" (did you mean \"tensions\"?)")) << unknown;
  EXPECT_NE(complaint([] { plottable("colour of the sky"); }).find("is not known: expected one of tensions, nodes"),
            std::string::npos);
  EXPECT_EQ(complaint([&] {
              make_plot(result, plottable("nodes"), "b9.z");
            }).find("--select b9.z: there is no such curve (did you mean \"b"),
            0u);
  EXPECT_NE(complaint([&] { make_plot(result, plottable("nodes"), "", 10.0); }).find("the run goes from 0 s to 4.9 s"),
            std::string::npos);
  EXPECT_NE(complaint([&] { make_plot(result, plottable("inputs")); }).find("the run has none"), std::string::npos);
}

TEST(Svg, HostileNamesAreTexts) {
  Plot plot;
  plot.title = "</svg><script>alert(1)</script> \x02\xff";
  plot.y_label = "a & b, <m>";
  plot.x = {0, 1, 2};
  for (const char* name : {"<x onload=\"y\">", "]]>", "\"'&", "🤖", "\xff\xfe", "a\nb"})
    plot.curves.push_back({name, {1, 2, 3}});
  plot.curves.push_back({std::string(10000, 'w'), {NAN, INFINITY, 1}});
  const std::string text = svg(plot);
  EXPECT_EQ(xml_problem(text), "");
  EXPECT_EQ(text.find("<script"), std::string::npos);
}

// The points of the longest path.
std::vector<std::pair<double, double>> longest_path(const std::string& text) {
  std::string longest;
  const std::string begin = "<path d=\"";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t from = at + begin.size(), end = text.find('"', from);
    if (end - from > longest.size()) longest = text.substr(from, end - from);
  }
  std::vector<std::pair<double, double>> points;
  for (const char* at = longest.c_str(); *at == 'M' || *at == 'L';) {
    char* end = nullptr;
    const double x = std::strtod(at + 1, &end), y = std::strtod(end, &end);
    points.emplace_back(x, y);
    at = end;
  }
  return points;
}

TEST(Svg, LongCurvesKeepTheirExtremesAndStayClearOfTheLegend) {
  Plot plot;
  plot.y_label = "y, m";
  const std::size_t rows = 200'000;
  std::vector<double> y(rows);
  for (std::size_t i = 0; i < rows; ++i)
    plot.x.push_back(1e-4 * static_cast<double>(i)), y[i] = std::sin(0.1 * static_cast<double>(i));
  y[123'456] = 7.0, y[77'777] = -5.0;  // one row each
  plot.curves = {{"spiky", y}, {"flat", std::vector<double>(rows, 0.0)}};
  const std::string text = svg(plot);
  EXPECT_LT(text.size(), 120'000u);
  const std::vector<std::pair<double, double>> curve = longest_path(text);
  ASSERT_GT(curve.size(), 100u);
  double top = 1e9, bottom = -1e9, top_x = 0.0, right = 0.0;
  for (const auto& [px, py] : curve) {
    if (py < top) top = py, top_x = px;
    bottom = std::max(bottom, py);
    right = std::max(right, px);
  }
  const double left = curve.front().first;
  EXPECT_NEAR((top_x - left) / (right - left), 123'456.0 / (rows - 1), 2e-3);
  // The highest and the lowest row are 12 of the axis' 12.96 apart (4 % of air on either side).
  EXPECT_NEAR((bottom - top) * 12.96 / 12.0, 100.0 / 25.4 * 72.0 - 8.0 - 34.0, 0.1);
  // The legend begins to the right of every point.
  const std::size_t name = text.find(">spiky</text>"), place = text.rfind("<text x=\"", name);
  ASSERT_NE(name, std::string::npos);
  EXPECT_GT(std::stod(text.substr(place + 9)), right + 10.0);
}

TEST(Svg, ManyCurvesAreGreyButForTheLargest) {
  Plot plot;
  plot.y_label = "y, N";
  plot.x = {0, 1};
  for (int i = 0; i < 40; ++i) plot.curves.push_back({"curve" + std::to_string(i), {0.0, i == 13 ? 1000.0 : 1.0 * i}});
  const std::string text = svg(plot);
  EXPECT_NE(text.find(">33 others</text>"), std::string::npos);
  EXPECT_NE(text.find(">curve13</text>"), std::string::npos);
  EXPECT_NE(text.find(">curve39</text>"), std::string::npos);
  EXPECT_EQ(text.find(">curve12</text>"), std::string::npos);
  EXPECT_NE(text.find("<title>curve12</title>"), std::string::npos);  // still named for who points at it
}

}  // namespace
}  // namespace taut
