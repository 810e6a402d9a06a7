// report.html of a run: the numbers of run.h5 within the resolution that the format states, and within its size.
#include <cmath>

#include "taut/report/record_scene.h"
#include "taut/report/report.h"
#include "taut/report/report_model.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "tests/report/decode_report.h"
#include "tests/results/read_hdf5.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using testing::contents;
using testing::DecodedReport;
using testing::ScratchFolder;

Scenario driven_six_bar(double duration) {
  Scenario scenario = generate(*find_generator("six_bar"), {{"velocity_z", 10.0}, {"spin_x", 1.0}, {"damping", 2.0}});
  scenario.model.gravity = {0.0, 0.0, -9.81};
  scenario.model.actuators.push_back({3, testing::ramp_signal(scenario.model.cables[3].rest_length, 0.3, 0.1, 0.5)});
  scenario.simulation.duration = duration;
  return scenario;
}

TEST(SceneRecorder, HoldsTheNumbersOfTheRun) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  Hdf5Recorder hdf5(dir);
  SceneRecorder scene(dir, "six", SceneRecorder::file_name, testing::stand_in_page);
  const Scenario scenario = driven_six_bar(1.0);
  const Summary summary = simulate(scenario, {&hdf5, &scene});
  ASSERT_EQ(summary.status, RunStatus::done) << summary.reason;

  const DecodedReport report(contents(folder / "report.html"));
  const testing::ResultFile file(folder / "run.h5");
  const auto& run = report.document["runs"][0];
  // Floats: seven digits of the largest number in the array.
  for (const char* name : {"nodes", "tensions", "lengths", "rest_lengths", "bar_forces", "constraint_error"}) {
    const std::vector<double> given = file.numbers(name), back = report.numbers(run[name]);
    ASSERT_EQ(back.size(), given.size()) << name;
    double largest = 0.0;
    for (const double value : given) largest = std::max(largest, std::abs(value));
    EXPECT_GT(largest, 0.0) << name;
    for (std::size_t i = 0; i < given.size(); ++i) ASSERT_NEAR(back[i], given[i], 6e-8 * largest) << name;
  }
  for (const char* name : {"t", "energy"}) EXPECT_EQ(report.numbers(run[name]), file.numbers(name)) << name;
  EXPECT_EQ(run["inputs"]["names"], std::vector<std::string>{scenario.model.cables[3].name});
  EXPECT_EQ(report.numbers(run["inputs"]["values"]).size(), 101u);
  EXPECT_EQ(run["label"], "nodal");
  EXPECT_EQ(report.document["title"], scenario.model.name);
  EXPECT_EQ(report.document["tables"][0]["rows"][0], (std::vector<std::string>{"status", "done"}));
}

TEST(SceneRecorder, ConstantRestLengthsAreLeftToTheStructure) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  SceneRecorder scene(dir, "x", SceneRecorder::file_name, testing::stand_in_page);
  Scenario scenario = driven_six_bar(0.05);
  scenario.model.actuators.clear();
  simulate(scenario, {&scene});
  const DecodedReport report(contents(folder / "report.html"));
  EXPECT_FALSE(report.document["runs"][0].contains("rest_lengths"));
  EXPECT_FALSE(report.document["runs"][0].contains("inputs"));
}

// Rows made up by a rule, so that each can be recognised.
Sample made_up(const Model& model, std::size_t row) {
  Sample sample;
  sample.t = 0.01 * static_cast<double>(row);
  const auto wave = [&](std::size_t i, double size) {
    return size * std::sin(0.37 * static_cast<double>(i) + sample.t * (1.0 + 0.01 * static_cast<double>(i % 97)));
  };
  for (std::size_t i = 0; i < 3 * model.nodes.size(); ++i)
    sample.nodes.push_back(0.1 * static_cast<double>(i) + wave(i, 1.0));
  sample.velocities.resize(sample.nodes.size());
  for (std::size_t i = 0; i < model.cables.size(); ++i) {
    sample.tensions.push_back(50.0 + wave(i, 20.0)), sample.lengths.push_back(1.0 + wave(i, 0.02));
    sample.rest_lengths.push_back(0.9);
  }
  for (std::size_t i = 0; i < model.bars.size(); ++i) sample.bar_forces.push_back(wave(i, 100.0));
  return sample;
}

Scenario made_up_scenario(int nodes, int cables, int bars) {
  Scenario scenario;
  scenario.model.nodes.resize(nodes);
  for (int i = 0; i < nodes; ++i) scenario.model.nodes[i].name = "n" + std::to_string(i);
  scenario.model.cables.resize(cables);
  for (int i = 0; i < cables; ++i)
    scenario.model.cables[i].name = "c" + std::to_string(i),
    scenario.model.cables[i].path = {i % nodes, (i + 7) % nodes};
  scenario.model.bars.resize(bars);
  for (int i = 0; i < bars; ++i) scenario.model.bars[i].a = 2 * i, scenario.model.bars[i].b = 2 * i + 1;
  return scenario;
}

class Thinning : public ::testing::TestWithParam<int> {};

TEST_P(Thinning, KeepsEvenlySpacedRowsAndTheLast) {
  const auto rows = static_cast<std::size_t>(GetParam());
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  const Scenario scenario = made_up_scenario(4, 3, 1);
  SceneRecorder scene(dir, "x", SceneRecorder::file_name, testing::stand_in_page, 4 * 20 * 64);  // room for 64 rows
  scene.begin(scenario);
  for (std::size_t row = 0; row < rows; ++row) scene.sample(made_up(scenario.model, row));
  scene.finish({});
  const DecodedReport report(contents(folder / "report.html"));
  const auto& run = report.document["runs"][0];
  const std::vector<double> t = report.numbers(run["t"]), x = report.numbers(run["nodes"]);
  ASSERT_EQ(x.size(), 12 * t.size());
  EXPECT_LE(t.size(), 65u);
  EXPECT_EQ(t.front(), 0.0);
  EXPECT_EQ(t.back(), 0.01 * static_cast<double>(rows - 1));
  EXPECT_EQ(t.size() < rows, !report.document["notes"].empty());
  const double stride = t.size() > 2 ? t[1] / 0.01 : 1.0;
  EXPECT_EQ(std::log2(std::round(stride)), std::floor(std::log2(std::round(stride))));
  for (std::size_t i = 0; i < t.size(); ++i) {
    // Each row is where its time says, unmixed.
    const auto row = static_cast<std::size_t>(std::lround(t[i] / 0.01));
    if (i + 1 < t.size()) {
      EXPECT_EQ(row, i * static_cast<std::size_t>(std::lround(stride)));
    }
    const Sample sample = made_up(scenario.model, row);
    for (std::size_t k = 0; k < 12; ++k) ASSERT_NEAR(x[12 * i + k], sample.nodes[k], 1e-6);
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, Thinning, ::testing::Values(1, 2, 3, 63, 64, 65, 66, 127, 128, 129, 130, 257, 1000));

TEST(SceneRecorder, OtherRunsAreLaidOver) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  const Scenario scenario = made_up_scenario(4, 3, 1);
  SceneRecorder scene(dir, "x", SceneRecorder::file_name, testing::stand_in_page);
  scene.begin(scenario);
  for (std::size_t row = 0; row < 5; ++row) scene.sample(made_up(scenario.model, row));
  for (std::size_t row = 0; row < 5; ++row) scene.other("minimal", made_up(scenario.model, row + 1));
  for (std::size_t row = 0; row < 5; ++row) scene.other("quaternion", made_up(scenario.model, row + 2));
  scene.finish({});
  const DecodedReport report(contents(folder / "report.html"));
  ASSERT_EQ(report.document["runs"].size(), 3u);
  EXPECT_EQ(report.document["runs"][1]["label"], "minimal");
  EXPECT_NEAR(report.numbers(report.document["runs"][2]["nodes"])[0], made_up(scenario.model, 2).nodes[0], 1e-7);
}

TEST(SceneRecorder, WarnsOfSlackCablesAndOfARunThatFailed) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  const Scenario scenario = made_up_scenario(4, 3, 1);
  SceneRecorder scene(dir, "fallback", SceneRecorder::file_name, testing::stand_in_page);
  scene.begin(scenario);
  scene.sample(made_up(scenario.model, 0));
  Summary summary;
  summary.status = RunStatus::failed, summary.reason = "it fell apart", summary.simulated_s = 0.5;
  summary.slack_events = {{0.125, 2, false}, {0.25, 2, true}, {0.3, 2, false}, {0.4, 0, false}};
  scene.finish(summary);
  const DecodedReport report(contents(folder / "report.html"));
  EXPECT_EQ(report.document["title"], "fallback");
  EXPECT_EQ(report.document["warnings"][0], "The run failed at t = 0.5 s: it fell apart");
  EXPECT_EQ(report.document["warnings"][1], "2 cables went slack, first c2 at 0.125 s.");
  EXPECT_EQ(report.document["runs"][0]["slack_events"][1]["kind"], "taut");
}

TEST(SceneRecorder, ARunWithoutRowsStillHasAPage) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  SceneRecorder scene(dir, "x", SceneRecorder::file_name, testing::stand_in_page);
  scene.begin(made_up_scenario(4, 3, 1));
  scene.finish({});
  EXPECT_TRUE(DecodedReport(contents(folder / "report.html")).document["runs"].empty());
}

// A 10 s run of a six-bar: 3 MB at most, and no more than 0.2 s for the page.
TEST(SceneRecorder, ASixBarFitsIntoThreeMegabytes) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  std::optional<SceneRecorder> scene;
  scene.emplace(dir, "six", SceneRecorder::file_name, reports_possible() ? report_page() : testing::stand_in_page);
  simulate(driven_six_bar(10.0), {&*scene});
  EXPECT_LT(std::filesystem::file_size(folder / "report.html"), 3'000'000u);
}

// 1000 bars and 3000 cables, 10 s in steps of 0.01 s: 30 MB at most.
TEST(SceneRecorder, AThousandBarsFitIntoThirtyMegabytes) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  const Scenario scenario = made_up_scenario(2000, 3000, 1000);
  SceneRecorder scene(dir, "tower", SceneRecorder::file_name,
                      reports_possible() ? report_page() : testing::stand_in_page);
  scene.begin(scenario);
  for (std::size_t row = 0; row < 1001; ++row) scene.sample(made_up(scenario.model, row));
  scene.finish({});
  EXPECT_LT(std::filesystem::file_size(folder / "report.html"), 30'000'000u);
}

TEST(ModelReport, ShowsForcesAtTheStartAndTheBalance) {
  const Scenario prism = generate(*find_generator("prism"), {{"fixed", 1.0}});
  const auto document_of = [](const Scenario& scenario) {
    std::string page;
    write_report(
        model_report(scenario, "x"), [&](std::string_view text) { page += text; }, testing::stand_in_page);
    return DecodedReport(page);
  };
  const DecodedReport still = document_of(prism);
  EXPECT_EQ(still.document["kind"], "model");
  EXPECT_TRUE(still.document["warnings"].empty()) << still.document["warnings"];
  // The generator states the pretension of the vertical cables.
  const std::vector<double> tensions = still.numbers(still.document["runs"][0]["tensions"]);
  ASSERT_EQ(tensions.size(), 9u);
  EXPECT_NEAR(tensions[8], 50.0, 1e-9);

  Scenario heavy = prism;
  heavy.model.gravity = {0.0, 0.0, -9.81};
  heavy.model.cables[0].rest_length *= 2.0;
  const DecodedReport sagging = document_of(heavy);
  ASSERT_EQ(sagging.document["warnings"].size(), 2u);
  EXPECT_NE(sagging.document["warnings"][0].get<std::string>().find("out of balance, worst at node"),
            std::string::npos);
  EXPECT_NE(sagging.document["warnings"][1].get<std::string>().find("One cable has no tension at the start: "),
            std::string::npos);
}

}  // namespace
}  // namespace taut
