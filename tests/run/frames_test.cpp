// Frames as results: the same numbers in memory, run.h5, CSV, the page and plots, and the physics that they must show.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <charconv>
#include <cmath>
#include <numbers>
#include <sstream>

#include "taut/base/error.h"
#include "taut/export/plot.h"
#include "taut/file/write/write_toml.h"
#include "taut/model/shape/frame_pose.h"
#include "taut/report/record_scene.h"
#include "taut/report/report_model.h"
#include "taut/results/hdf5/read_hdf5.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/record_csv.h"
#include "taut/run/still.h"
#include "tests/apps/program.h"
#include "tests/report/decode_report.h"
#include "tests/results/read_hdf5.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/support.h"

namespace taut {
namespace {

using testing::contents;
using testing::DecodedReport;
using testing::Motion;
using testing::ScratchFolder;
constexpr double pi = std::numbers::pi;

// A six-bar that flies and spins, with a frame on one bar's ends and a third node, and one relative to it.
Scenario spinning(double duration = 1.0) {
  Scenario scenario = generate(*find_generator("six_bar"), {{"velocity_z", 5.0}, {"spin_z", 9.0}, {"spin_x", 0.5}});
  scenario.simulation.duration = duration;
  scenario.model.frames = {{"top, \"T\"", {0, 3, 7}, 1}, {"base", {1, 2, 8}, -1}};
  return scenario;
}

// The homogeneous matrix of a frame by the words of the paper, and of what a row says.
Eigen::Matrix4d printed_matrix(const Sample& row, const Frame& frame) {
  const Vec3 a = testing::position(row, frame.nodes[0]), b = testing::position(row, frame.nodes[1]),
             c = testing::position(row, frame.nodes[2]), r = (a + b + c) / 3.0;
  const Vec3 x = (a - r) / (a - r).norm(), n = (c - r).cross(a - r), z = n / n.norm(), y = z.cross(x);
  Eigen::Matrix4d C = Eigen::Matrix4d::Identity();
  C.block<3, 1>(0, 0) = x, C.block<3, 1>(0, 1) = y, C.block<3, 1>(0, 2) = z, C.block<3, 1>(0, 3) = r;
  return C;
}

Eigen::Matrix4d row_matrix(const Sample& row, int frame) {
  const double* f = row.frames.data() + frame_columns * frame;
  Eigen::Matrix4d C = Eigen::Matrix4d::Identity();
  C.block<3, 3>(0, 0) = (Eigen::AngleAxisd(f[3], Vec3::UnitZ()) * Eigen::AngleAxisd(f[4], Vec3::UnitY()) *
                         Eigen::AngleAxisd(f[5], Vec3::UnitX()))
                            .toRotationMatrix();
  C.block<3, 1>(0, 3) = Vec3(f);
  return C;
}

TEST(Frames, RowsHoldThePosesOfTheNodes) {
  const Scenario scenario = spinning();
  const Motion motion = testing::run(scenario);
  ASSERT_EQ(motion.summary.status, RunStatus::done);
  double travel = 0.0;
  for (const Sample& row : motion.rows) {
    ASSERT_EQ(row.frames.size(), 12u);
    const Eigen::Matrix4d base = printed_matrix(row, scenario.model.frames[1]),
                          top = printed_matrix(row, scenario.model.frames[0]);
    ASSERT_NEAR((row_matrix(row, 1) - base).norm(), 0.0, 1e-13);
    ASSERT_NEAR((row_matrix(row, 0) - base.inverse() * top).norm(), 0.0, 1e-13);
    for (const int angle : {3, 4, 5, 9, 10, 11}) ASSERT_LE(std::abs(row.frames[angle]), angle % 3 == 1 ? pi / 2 : pi);
    travel = std::max(travel, (base - printed_matrix(motion.rows.front(), scenario.model.frames[1])).norm());
  }
  EXPECT_GT(travel, 1.0);
}

// A tetrahedron of six bars is one rigid body: it tumbles, but two frames on it keep their pose to each other.
TEST(Frames, OnOneRigidBodyTheRelativePoseIsConstant) {
  Scenario scenario = testing::empty_scenario(2.0, 0.05);
  Model& model = scenario.model;
  const Vec3 spin(3.0, -2.0, 1.0), centre(0.25, 0.25, 0.25);
  for (const Vec3& at : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0.9, 0), Vec3(0.1, 0, 1.2)})
    testing::add_node(model, at, 0.0, {}, Vec3(0.5, 0.0, 1.0) + spin.cross(at - centre));
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) testing::add_bar(model, a, b, 1.0);
  model.frames = {{"one", {0, 1, 2}, -1}, {"two", {1, 3, 2}, 0}, {"three", {3, 0, 1}, 1}};
  const Motion motion = testing::run(scenario);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  const Sample& first = motion.rows.front();
  double turned = 0.0;
  for (const Sample& row : motion.rows) {
    // Bars keep their lengths to 1e-12; angles follow from lengths with a factor of a few.
    for (int i = frame_columns; i < 3 * frame_columns; ++i) ASSERT_NEAR(row.frames[i], first.frames[i], 2e-11) << row.t;
    turned = std::max(turned, (row_matrix(row, 0) - row_matrix(first, 0)).block<3, 3>(0, 0).norm());
  }
  EXPECT_GT(turned, 2.0);
}

// Three masses of which one passes between the others: the triangle turns over through a line.
TEST(Frames, NodesThatPassThroughALineGiveNumbers) {
  Scenario scenario = testing::empty_scenario(2.0, 0.25);
  Model& model = scenario.model;
  testing::add_node(model, {1, 0, 0}, 1.0);
  testing::add_node(model, {0, 1, 0}, 1.0, {}, {0, -1, 0});
  testing::add_node(model, {-1, 0, 0}, 1.0);
  model.frames = {{"F", {0, 1, 2}, -1}};
  const Motion motion = testing::run(scenario, "rk4", 0.125);
  ASSERT_EQ(motion.rows.size(), 9u);
  for (const Sample& row : motion.rows)
    for (const double number : row.frames) ASSERT_TRUE(std::isfinite(number)) << row.t;
  ASSERT_NEAR(testing::position(motion.rows[4], 1).norm(), 0.0, 1e-15);  // at 1 s, by rounding
  // In the line the origin is right and the axes are those of the row before; after it z points down.
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(motion.rows[4].frames[k], 0.0, 1e-15);
  for (int k = 3; k < 6; ++k) EXPECT_EQ(motion.rows[4].frames[k], motion.rows[3].frames[k]);
  EXPECT_NEAR(motion.rows[3].frames[5], 0.0, 1e-15);
  EXPECT_NEAR(std::abs(motion.rows[5].frames[5]), pi, 1e-15);
}

TEST(Frames, RunH5KeepsThemWithTheirNames) {
  const ScratchFolder folder;
  const Scenario scenario = spinning(0.2);
  Motion motion;
  {
    OutputDir dir(folder.path());
    Hdf5Recorder recorder(dir);
    simulate(scenario, {&recorder, &motion});
  }
  const testing::ResultFile file(folder / "run.h5");
  EXPECT_EQ(file.shape("frames"), (std::vector<std::size_t>{21, 2, 6}));
  EXPECT_EQ(file.text("frames", "units"), "m, m, m, rad, rad, rad");
  EXPECT_EQ(file.texts("frames", "names"), (std::vector<std::string>{"top, \"T\"", "base"}));
  EXPECT_EQ(file.texts("frames", "columns"), (std::vector<std::string>{"x", "y", "z", "yaw", "pitch", "roll"}));
  EXPECT_EQ(file.texts("frames", "relative_to"), (std::vector<std::string>{"base", "world"}));
  const std::vector<double> stored = file.numbers("frames");
  const taut::Run result = read_run(folder / "run.h5");
  EXPECT_EQ(result.scenario, scenario);
  EXPECT_EQ(result.columns.frames, stored);
  for (std::size_t row = 0; row < 21; ++row) ASSERT_EQ(row_of(result, row).frames, motion.rows[row].frames);
  EXPECT_TRUE(read_run(folder / "run.h5", {"tensions"}).columns.frames.empty());
  // Without the data set the file is not whole.
  std::filesystem::copy_file(folder / "run.h5", folder / "part.h5");
  const hid_t id = H5Fopen((folder / "part.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(id, "frames", H5P_DEFAULT);
  H5Fclose(id);
  try {
    read_run(folder / "part.h5");
    ADD_FAILURE() << "read without its frames";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("has no data set \"frames\""), std::string::npos) << error.what();
  }
}

TEST(Frames, CsvHoldsThemToTheLastDigit) {
  const ScratchFolder folder;
  const Scenario scenario = spinning(0.2);
  Motion motion;
  {
    OutputDir dir(folder.path());
    CsvRecorder recorder(dir, scenario.model);
    simulate(scenario, {&recorder, &motion});
  }
  std::istringstream text(contents(folder / "frames.csv"));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line,
            "t,\"top, \"\"T\"\".x\",\"top, \"\"T\"\".y\",\"top, \"\"T\"\".z\",\"top, \"\"T\"\".yaw\",\"top, "
            "\"\"T\"\".pitch\",\"top, \"\"T\"\".roll\",base.x,base.y,base.z,base.yaw,base.pitch,base.roll");
  for (const Sample& row : motion.rows) {
    ASSERT_TRUE(std::getline(text, line));
    std::vector<double> numbers;
    for (const char *at = line.data(), *end = at + line.size(); at < end; ++at) {
      double number = 0.0;
      at = std::from_chars(at, end, number).ptr;
      numbers.push_back(number);
    }
    std::vector<double> expected{row.t};
    expected.insert(expected.end(), row.frames.begin(), row.frames.end());
    ASSERT_EQ(numbers, expected);
  }
  EXPECT_FALSE(std::getline(text, line));
}

TEST(Frames, WithoutAnyNothingIsWritten) {
  const ScratchFolder folder;
  Scenario scenario = spinning(0.02);
  scenario.model.frames.clear();
  {
    OutputDir dir(folder.path());
    Hdf5Recorder hdf5(dir);
    CsvRecorder csv(dir, scenario.model);
    simulate(scenario, {&hdf5, &csv});
  }
  EXPECT_EQ(testing::names_in(folder.path()),
            (std::vector<std::string>{"cables.csv", "energy.csv", "nodes.csv", "rods.csv", "run.h5"}));
  EXPECT_TRUE(read_run(folder / "run.h5").columns.frames.empty());
}

// Every run of a comparison has its frames on the page, to seven digits.
TEST(Frames, ThePageHasThemForEveryFormulation) {
  const ScratchFolder folder;
  Scenario scenario = spinning(0.3);
  scenario.simulation.formulation = "all";
  Motion motion;
  {
    OutputDir dir(folder.path());
    SceneRecorder scene(dir, "x", SceneRecorder::file_name, testing::stand_in_page);
    const Summary summary = simulate(scenario, {&scene, &motion});
    ASSERT_EQ(summary.status, RunStatus::done) << summary.reason;
  }
  const DecodedReport report(contents(folder / "report.html"));
  const auto& frames = report.document["structure"]["frames"];
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0], (nlohmann::json{{"name", "top, \"T\""}, {"nodes", {0, 3, 7}}, {"relative_to", 1}}));
  EXPECT_EQ(frames[1]["relative_to"], -1);
  ASSERT_GE(report.document["runs"].size(), 3u);
  for (const auto& run : report.document["runs"]) {
    const std::vector<double> numbers = report.numbers(run["frames"]);
    ASSERT_EQ(run["frames"]["shape"], (std::vector<std::size_t>{31, 2, 6}));
    for (std::size_t row = 0; row < 31; ++row)
      for (std::size_t i = 0; i < 12; ++i)
        ASSERT_NEAR(std::remainder(numbers[12 * row + i] - motion.rows[row].frames[i], 2 * pi), 0.0, 1e-6);
  }
}

TEST(Frames, AModelShowsThemAtTheStart) {
  Scenario scenario = spinning();
  std::string page;
  write_report(
      model_report(scenario, "x"), [&](std::string_view text) { page += text; }, testing::stand_in_page);
  const DecodedReport report(page);
  const std::vector<double> shown = report.numbers(report.document["runs"][0]["frames"]);
  const std::vector<double> still = still_run(scenario).columns.frames;
  ASSERT_EQ(shown.size(), still.size());
  const auto& table = report.document["tables"][1];
  EXPECT_EQ(table["title"], "Frames");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(table["rows"][i][0], i == 0 ? "top, \"T\" in base" : "base");
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(shown[6 * i + k], still[6 * i + k], 1e-6);
      std::istringstream cell(table["rows"][i][1 + k / 3].get<std::string>());
      double written = 0.0;
      for (std::size_t c = 0; c <= k % 3; ++c) cell >> written, cell.ignore(2, ' ');
      const double expected = still[6 * i + k] * (k < 3 ? 1.0 : 180.0 / pi);
      EXPECT_NEAR(written, expected, 6e-6 * std::abs(expected) + 1e-9);
    }
  }
}

// 9 rad/s about z for a second: more than a turn, which the file wraps and the plot does not.
TEST(Frames, PlotsAreInMetresAndInDegreesWithoutJumps) {
  const Scenario scenario = spinning();
  const Motion motion = testing::run(scenario);
  taut::Run result;
  result.scenario = scenario;
  for (const Sample& row : motion.rows) {
    result.t.push_back(row.t);
    result.columns.frames.insert(result.columns.frames.end(), row.frames.begin(), row.frames.end());
  }
  const Plot places = make_plot(result, plottable("frames"));
  ASSERT_EQ(places.curves.size(), 6u);
  EXPECT_EQ(places.curves[5].name, "base.z");
  EXPECT_EQ(places.curves[5].y[10], motion.rows[10].frames[8]);
  const Plot angles = make_plot(result, plottable("frame_angles"), "base");
  ASSERT_EQ(angles.curves.size(), 3u);
  EXPECT_EQ(angles.curves[0].name, "base.yaw");
  EXPECT_EQ(angles.y_label, "frame angle, degrees");
  const std::vector<double>& yaw = angles.curves[0].y;
  for (std::size_t row = 0; row < yaw.size(); ++row) {
    const double wrapped = motion.rows[row].frames[9] * 180.0 / pi;
    ASSERT_NEAR(std::remainder(yaw[row] - wrapped, 360.0), 0.0, 1e-9);
    if (row > 0) {
      ASSERT_LT(std::abs(yaw[row] - yaw[row - 1]), 180.0);
    }
  }
  EXPECT_GT(std::abs(yaw.back() - yaw.front()), 360.0);
  Scenario without = scenario;
  without.model.frames.clear();
  result.scenario = without;
  EXPECT_THROW(make_plot(result, plottable("frames")), InputError);
}

TEST(Frames, TheProgramTakesThemAllTheWay) {
  const ScratchFolder folder;
  testing::write_text(folder / "m.toml",
                      "[generate]\nkind = \"prism\"\nfixed = 1\n[nodes.b1]\nvelocity = [1, 0, 0]\n[[outputs]]\nframe = "
                      "\"top\"\nnodes = [\"b1\", \"b2\", \"b3\"]\nrelative_to = \"foot\"\n[[outputs]]\nframe = "
                      "\"foot\"\nnodes = [\"a1\", \"a2\", \"a3\"]\n");
  const auto taut = [&](std::vector<std::string> words) { return testing::run_program(words, folder.path()); };
  const testing::Outcome ran = taut({"run", "m.toml", "--csv", "--no-report", "--duration", "0.1", "-o", "out"});
  ASSERT_EQ(ran.exit_code, 0) << ran.error;
  EXPECT_TRUE(
      contents(folder / "out/frames.csv").starts_with("t,top.x,top.y,top.z,top.yaw,top.pitch,top.roll,foot.x,"));
  EXPECT_NE(ran.out.find("out/frames.csv"), std::string::npos) << ran.out;
  ASSERT_EQ(taut({"export", "out", "--to", "csv", "-o", "tables"}).exit_code, 0);
  EXPECT_EQ(contents(folder / "tables/frames.csv"), contents(folder / "out/frames.csv"));
  ASSERT_EQ(taut({"export", "m.toml", "--to", "csv", "-o", "start"}).exit_code, 0);
  EXPECT_TRUE(contents(folder / "out/frames.csv").starts_with(contents(folder / "start/frames.csv")));
  for (const char* what : {"frames", "frame_angles"})
    EXPECT_EQ(taut({"plot", "out", "--what", what, "-o", fmt::format("{}.svg", what)}).exit_code, 0);
  EXPECT_NE(contents(folder / "frame_angles.svg").find(">top.yaw</text>"), std::string::npos);
  const testing::Outcome refused = taut({"run", "m.toml", "--set", "outputs.top.relative_to=fooot"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.error.find("there is no frame \"fooot\" (did you mean \"foot\"?)"), std::string::npos)
      << refused.error;
}

}  // namespace
}  // namespace taut
