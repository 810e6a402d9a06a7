// What controllers did, in every result: rows, run.h5, CSV, summary, plots and the closing table.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "taut/export/plot.h"
#include "taut/file/read/read_toml.h"
#include "taut/model/control_names.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/record_csv.h"
#include "taut/results/record_summary.h"
#include "tests/apps/program.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

const std::string model = R"(name = "hoist"
[nodes]
hook = { at = [0, 0, 2], fixed = true }
load = { at = [0, 0, 1], mass = 2.0 }
[[cables]]
name = "rope, \"A\""
nodes = ["hook", "load"]
stiffness = 800.0
damping = 40.0
rest_length = 0.97
[simulation]
duration = 0.5
output_step = 0.05
[[controllers]]
kind = "pid"
inputs = ["rope, \"A\""]
targets = ["load.z"]
path = { t = [0, 0.3], values = [1.0, 1.2] }
position_gain = -0.5
integral_gain = -4
speed = 0.3
)";

TEST(ControlResults, TheSameNumbersEverywhere) {
  const Scenario scenario = read_scenario_text(model, "m.toml");
  const ScratchFolder folder;
  Motion motion;
  Summary summary;
  {
    OutputDir dir(folder.path());
    Hdf5Recorder hdf5(dir);
    CsvRecorder csv(dir, scenario.model);
    summary = simulate(scenario, {&motion, &hdf5, &csv});
  }
  ASSERT_EQ(summary.status, RunStatus::done);
  const taut::Run result = read_run(folder / "run.h5");
  ASSERT_EQ(result.columns.controls.size(), 3 * motion.rows.size());
  for (std::size_t i = 0; i < motion.rows.size(); ++i) {
    ASSERT_EQ(row_of(result, i).controls, motion.rows[i].controls);
    ASSERT_EQ(motion.rows[i].controls.size(), 3u);
  }
  // CSV: a heading with quotes, 17 digits.
  std::istringstream file(contents(folder / "controls.csv"));
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_EQ(line, "t,\"pid.rope, \"\"A\"\"\",pid.load.z.wanted,pid.load.z.error");
  for (const Sample& row : motion.rows) {
    ASSERT_TRUE(std::getline(file, line));
    std::istringstream cells(line);
    std::string cell;
    std::vector<double> numbers;
    while (std::getline(cells, cell, ',')) numbers.push_back(std::stod(cell));
    ASSERT_EQ(numbers, (std::vector<double>{row.t, row.controls[0], row.controls[1], row.controls[2]}));
  }
  // The summary, and back.
  const nlohmann::json json = nlohmann::json::parse(summary_json(summary, scenario.model));
  ASSERT_EQ(json["controllers"].size(), 1u);
  EXPECT_EQ(json["controllers"][0]["targets"][0]["name"], "load.z");
  EXPECT_EQ(json["controllers"][0]["targets"][0]["max_error"], summary.controllers[0].targets[0].max_error);
  EXPECT_GT(summary.controllers[0].inputs[0].saturations, 0);
  ASSERT_EQ(result.summary.controllers.size(), 1u);
  EXPECT_EQ(result.summary.controllers[0].targets[0].rms_error, summary.controllers[0].targets[0].rms_error);
  EXPECT_EQ(result.summary.controllers[0].inputs[0].saturated_s, summary.controllers[0].inputs[0].saturated_s);
  EXPECT_EQ(result.summary.control_events.size(), summary.control_events.size());
  // A plot of the errors.
  const Plot plot = make_plot(result, plottable("controls"), "*.error");
  ASSERT_EQ(plot.curves.size(), 1u);
  EXPECT_EQ(plot.curves[0].name, "pid.load.z.error");
  EXPECT_EQ(plot.curves[0].y.back(), motion.last().controls[2]);
}

TEST(ControlResults, RunsWithoutControllersHaveNone) {
  Scenario scenario = read_scenario_text(model, "m.toml");
  scenario.model.controllers.clear();
  const ScratchFolder folder;
  Motion motion;
  {
    OutputDir dir(folder.path());
    Hdf5Recorder hdf5(dir);
    CsvRecorder csv(dir, scenario.model);
    simulate(scenario, {&motion, &hdf5, &csv});
  }
  EXPECT_TRUE(motion.last().controls.empty());
  EXPECT_TRUE(read_run(folder / "run.h5").columns.controls.empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "controls.csv"));
}

TEST(ControlResults, TheProgramTellsErrorsAndLimits) {
  const ScratchFolder folder;
  write_text(folder / "m.toml", model);
  const Outcome done = run_program({"run", "m.toml", "-o", "r", "--csv", "--no-report"}, folder.path());
  EXPECT_EQ(done.exit_code, 0) << done.error;
  for (const char* text : {"control errors    pid.load.z  ", " m at most, ", "saturated inputs  pid.rope, \"A\"  ",
                           "input rope, \"A\" at the speed of its winch, 0.3 m/s  at ", "controls.csv"})
    EXPECT_NE(done.out.find(text), std::string::npos) << text << "\n" << done.out;
  const Outcome plotted = run_program({"plot", "r", "--what", "controls", "-o", "c.svg"}, folder.path());
  EXPECT_EQ(plotted.exit_code, 0) << plotted.error;
}

}  // namespace
}  // namespace taut::testing
