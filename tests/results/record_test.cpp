// What recorders write is read back by other means, number for number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/record_csv.h"
#include "taut/results/record_summary.h"
#include "tests/results/read_hdf5.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using testing::contents;
using testing::ResultFile;
using testing::ScratchFolder;

Scenario scenario_of(int nodes, int cables, int bars, int rows) {
  Scenario scenario;
  scenario.model.name = "Prüfling \"3\"";
  scenario.model.nodes.resize(nodes);
  scenario.model.cables.resize(cables);
  scenario.model.bars.resize(bars);
  for (int i = 0; i < nodes; ++i) scenario.model.nodes[i].name = fmt::format("node{}", i);
  for (int i = 0; i < cables; ++i) scenario.model.cables[i].name = fmt::format("cable{}", i);
  for (int i = 0; i < bars; ++i) scenario.model.bars[i].name = fmt::format("bar{}", i);
  scenario.simulation.output_step = 0.125;
  scenario.simulation.duration = 0.125 * (rows - 1);
  return scenario;
}

// Rows of random numbers of every magnitude, the same for the same seed.
class RandomRows {
 public:
  explicit RandomRows(const Scenario& scenario) : step_(scenario.simulation.output_step) {
    sample_.nodes.resize(3 * scenario.model.nodes.size());
    sample_.velocities.resize(sample_.nodes.size());
    sample_.tensions.resize(scenario.model.cables.size());
    sample_.lengths.resize(scenario.model.cables.size());
    sample_.rest_lengths.resize(scenario.model.cables.size());
    sample_.bar_forces.resize(scenario.model.bars.size());
  }
  const Sample& next() {
    sample_.t = step_ * static_cast<double>(row_++);
    fill(sample_.nodes), fill(sample_.velocities), fill(sample_.tensions), fill(sample_.lengths),
        fill(sample_.rest_lengths), fill(sample_.bar_forces);
    fill(sample_.energy);
    sample_.constraint_error = number();
    return sample_;
  }

 private:
  double number() { return std::ldexp(mantissa_(engine_), exponent_(engine_)); }
  template <class Values>
  void fill(Values& values) {
    for (double& value : values) value = number();
  }

  double step_;
  long row_ = 0;
  Sample sample_;
  std::mt19937 engine_{7};
  std::uniform_real_distribution<double> mantissa_{-1.0, 1.0};
  std::uniform_int_distribution<int> exponent_{-60, 60};
};

void record(Recorder& recorder, const Scenario& scenario, int rows, const Summary& summary = {}) {
  RandomRows source(scenario);
  recorder.begin(scenario);
  for (int i = 0; i < rows; ++i) recorder.sample(source.next());
  recorder.finish(summary);
}

struct Size {
  int nodes, cables, bars, rows;
};
class Hdf5Sizes : public ::testing::TestWithParam<Size> {};

TEST_P(Hdf5Sizes, KeepEveryNumberAndName) {
  const auto [nodes, cables, bars, rows] = GetParam();
  const Scenario scenario = scenario_of(nodes, cables, bars, rows);
  const ScratchFolder folder;
  OutputDir dir(folder / "out");
  Hdf5Recorder recorder(dir);
  record(recorder, scenario, rows);

  const ResultFile file(folder / "out/run.h5");
  using Shape = std::vector<std::size_t>;
  const std::size_t T = rows, N = nodes, C = cables, B = bars;
  EXPECT_EQ(file.shape("t"), (Shape{T}));
  EXPECT_EQ(file.shape("nodes"), (Shape{T, N, 3}));
  EXPECT_EQ(file.shape("velocities"), (Shape{T, N, 3}));
  EXPECT_EQ(file.shape("tensions"), (Shape{T, C}));
  EXPECT_EQ(file.shape("bar_forces"), (Shape{T, B}));
  EXPECT_EQ(file.shape("energy"), (Shape{T, 7}));
  EXPECT_EQ(file.shape("constraint_error"), (Shape{T}));

  // The same rows again, gathered in memory.
  std::vector<double> t, x, v, tension, force, energy, error;
  const auto append = [](std::vector<double>& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  RandomRows source(scenario);
  for (int i = 0; i < rows; ++i) {
    const Sample& sample = source.next();
    t.push_back(sample.t), error.push_back(sample.constraint_error);
    append(x, sample.nodes), append(v, sample.velocities), append(tension, sample.tensions);
    append(force, sample.bar_forces), append(energy, sample.energy);
  }
  EXPECT_TRUE(file.numbers("t") == t);
  EXPECT_TRUE(file.numbers("nodes") == x);
  EXPECT_TRUE(file.numbers("velocities") == v);
  EXPECT_TRUE(file.numbers("tensions") == tension);
  EXPECT_TRUE(file.numbers("bar_forces") == force);
  EXPECT_TRUE(file.numbers("energy") == energy);
  EXPECT_TRUE(file.numbers("constraint_error") == error);

  const auto check_names = [&](const char* set, const auto& parts) {
    const std::vector<std::string> names = file.texts(set, "names");
    ASSERT_EQ(names.size(), parts.size()) << set;
    for (std::size_t i = 0; i < parts.size(); ++i) ASSERT_EQ(names[i], parts[i].name) << set;
  };
  check_names("nodes", scenario.model.nodes);
  check_names("tensions", scenario.model.cables);
  check_names("bar_forces", scenario.model.bars);
}

// One node without members; a six-bar over several chunks, the last one not full; a single row; no rows at all; and a
// structure whose names exceed 64 KiB and whose rows exceed a chunk.
INSTANTIATE_TEST_SUITE_P(All, Hdf5Sizes,
                         ::testing::Values(Size{1, 0, 0, 30}, Size{12, 24, 6, 2500}, Size{12, 24, 6, 1},
                                           Size{2, 0, 1, 0}, Size{20000, 30000, 10000, 3}));

TEST(Hdf5Recorder, CarriesUnitsColumnsModelAndVersion) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  Hdf5Recorder recorder(dir);
  Summary summary;
  summary.formulation = "nodal", summary.integrator = "rk4", summary.status = RunStatus::interrupted;
  record(recorder, scenario_of(2, 1, 1, 3), 3, summary);

  const ResultFile file(folder / "run.h5");
  EXPECT_EQ(file.text("/", "model"), "Prüfling \"3\"");
  EXPECT_FALSE(file.text("/", "version").empty());
  EXPECT_EQ(file.text("/", "status"), "interrupted");
  EXPECT_EQ(file.text("/", "formulation"), "nodal");
  EXPECT_EQ(file.text("/", "integrator"), "rk4");
  EXPECT_EQ(file.text("t", "units"), "s");
  EXPECT_EQ(file.text("nodes", "units"), "m");
  EXPECT_EQ(file.text("velocities", "units"), "m/s");
  EXPECT_EQ(file.text("tensions", "units"), "N");
  EXPECT_EQ(file.text("bar_forces", "units"), "N");
  EXPECT_EQ(file.text("energy", "units"), "J");
  EXPECT_EQ(file.text("constraint_error", "units"), "m");
  EXPECT_EQ(file.texts("energy", "columns"),
            (std::vector<std::string>{"kinetic", "elastic", "gravity", "contact", "dissipated", "work", "balance"}));
}

TEST(Hdf5Recorder, SameRunGivesSameBytes) {
  const ScratchFolder folder;
  const Scenario scenario = scenario_of(12, 24, 6, 700);
  for (const char* name : {"a", "b"}) {
    OutputDir dir(folder / name);
    Hdf5Recorder recorder(dir);
    record(recorder, scenario, 700);
  }
  EXPECT_TRUE(contents(folder / "a/run.h5") == contents(folder / "b/run.h5"));
}

TEST(Hdf5Recorder, RefusesARowOfTheWrongSize) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  Hdf5Recorder recorder(dir);
  const Scenario scenario = scenario_of(2, 1, 1, 3);
  recorder.begin(scenario);
  Sample sample = RandomRows(scenario).next();
  sample.tensions.push_back(1.0);
  EXPECT_THROW(recorder.sample(sample), std::runtime_error);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<double> fields_of(const std::string& line) {
  std::vector<double> fields;
  for (const char* p = line.c_str(); *p != '\0';) {
    char* end = nullptr;
    fields.push_back(std::strtod(p, &end));
    p = *end == ',' ? end + 1 : end;
  }
  return fields;
}

TEST(CsvRecorder, BringsBackTheSameNumbers) {
  const ScratchFolder folder;
  const Scenario scenario = scenario_of(12, 24, 6, 400);
  OutputDir dir(folder.path());
  CsvRecorder recorder(dir, scenario.model);
  record(recorder, scenario, 400);

  const auto nodes = lines_of(contents(folder / "nodes.csv")), cables = lines_of(contents(folder / "cables.csv"));
  const auto energy = lines_of(contents(folder / "energy.csv"));
  ASSERT_EQ(nodes.size(), 401u);
  ASSERT_EQ(cables.size(), 401u);
  ASSERT_EQ(energy.size(), 401u);
  EXPECT_TRUE(nodes[0].starts_with("t,node0.x,node0.y,node0.z,node1.x,")) << nodes[0];
  EXPECT_TRUE(cables[0].starts_with("t,cable0.tension,cable0.length,cable1.tension,")) << cables[0];
  EXPECT_EQ(energy[0], "t,kinetic,elastic,gravity,contact,dissipated,work,balance");

  RandomRows source(scenario);
  for (int row = 1; row <= 400; ++row) {
    const Sample& sample = source.next();
    std::vector<double> x{sample.t}, c{sample.t}, e{sample.t};
    x.insert(x.end(), sample.nodes.begin(), sample.nodes.end());
    for (std::size_t i = 0; i < sample.tensions.size(); ++i)
      c.push_back(sample.tensions[i]), c.push_back(sample.lengths[i]);
    e.insert(e.end(), sample.energy.begin(), sample.energy.end());
    ASSERT_TRUE(fields_of(nodes[row]) == x) << nodes[row];
    ASSERT_TRUE(fields_of(cables[row]) == c) << cables[row];
    ASSERT_TRUE(fields_of(energy[row]) == e) << energy[row];
  }
}

TEST(CsvRecorder, WritesSeventeenDigitsAndQuotesNames) {
  const ScratchFolder folder;
  Scenario scenario = scenario_of(1, 1, 0, 1);
  scenario.model.nodes[0].name = "a,1";
  scenario.model.cables[0].name = "the \"long\" one";
  OutputDir dir(folder.path());
  CsvRecorder recorder(dir, scenario.model);
  recorder.begin(scenario);
  Sample sample;
  sample.t = 0.1, sample.nodes = {1.0 / 3.0, -2.0, 1e300}, sample.tensions = {0.0},
  sample.lengths = {2.2250738585072014e-308};
  recorder.sample(sample);
  recorder.finish({});
  EXPECT_EQ(contents(folder / "nodes.csv"),
            "t,\"a,1.x\",\"a,1.y\",\"a,1.z\"\n0.10000000000000001,0.33333333333333331,-2,1.0000000000000001e+300\n");
  EXPECT_EQ(contents(folder / "cables.csv"),
            "t,\"the \"\"long\"\" one.tension\",\"the \"\"long\"\" "
            "one.length\"\n0.10000000000000001,0,2.2250738585072014e-308\n");
}

TEST(SummaryRecorder, SaysWhatTheRunDid) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  SummaryRecorder recorder(dir);
  Summary summary;
  summary.status = RunStatus::failed, summary.reason = "node b1 left the \"world\"", summary.formulation = "nodal";
  summary.integrator = "dopri5", summary.steps = 12, summary.rejected = 3, summary.rhs = 91;
  summary.wall_s = 0.5, summary.simulated_s = 2.0, summary.max_bar_length_error = 1e-16;
  summary.energy_drift = std::numeric_limits<double>::quiet_NaN();
  summary.slack_events = {{0.25, 1, false}, {0.5, 0, true}};
  summary.slack_events_dropped = 4;
  summary.warnings = {"bytes that are not UTF-8: \xff"};
  record(recorder, scenario_of(2, 2, 1, 3), 3, summary);

  const auto json = nlohmann::json::parse(contents(folder / "summary.json"));
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["reason"], summary.reason);
  EXPECT_EQ(json["formulation"], "nodal");
  EXPECT_EQ(json["integrator"], "dopri5");
  EXPECT_EQ(json["steps"], 12);
  EXPECT_EQ(json["rejected"], 3);
  EXPECT_EQ(json["rhs"], 91);
  EXPECT_EQ(json["wall_s"], 0.5);
  EXPECT_EQ(json["simulated_s"], 2.0);
  EXPECT_EQ(json["real_time_factor"], 4.0);
  EXPECT_EQ(json["max_bar_length_error"], 1e-16);
  EXPECT_TRUE(json["energy_drift"].is_null());
  ASSERT_EQ(json["slack_events"].size(), 2u);
  EXPECT_EQ(json["slack_events"][0], (nlohmann::json{{"time", 0.25}, {"cable", "cable1"}, {"kind", "slack"}}));
  EXPECT_EQ(json["slack_events"][1], (nlohmann::json{{"time", 0.5}, {"cable", "cable0"}, {"kind", "taut"}}));
  EXPECT_EQ(json["slack_events_dropped"], 4);
  EXPECT_EQ(json["warnings"].size(), 1u);
  for (const char* part : {"taut", "compiler", "eigen", "sundials", "hdf5"})
    EXPECT_FALSE(json["versions"].at(part).get<std::string>().empty()) << part;
}

TEST(SummaryRecorder, GivesNoReasonWhenDoneAndNoInfiniteNumbers) {
  Summary summary;  // wall_s = 0: the real-time factor is 0/0
  const auto json = nlohmann::json::parse(summary_json(summary, scenario_of(1, 0, 0, 1).model));
  EXPECT_EQ(json["status"], "done");
  EXPECT_FALSE(json.contains("reason"));
  EXPECT_TRUE(json["real_time_factor"].is_null());
  EXPECT_EQ(json["slack_events"], nlohmann::json::array());
}

}  // namespace
}  // namespace taut
