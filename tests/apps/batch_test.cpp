// taut batch against taut run, and everything that it refuses.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"
#include "tests/results/read_hdf5.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/sweep/support.h"

namespace taut::testing {
namespace {

using Words = std::vector<std::string>;

class CliBatch : public ::testing::Test {
 protected:
  CliBatch() {
    write_text(folder_ / "prism.toml",
               "[generate]\nkind = \"prism\"\ndamping = 2.0\nfixed = 1\n"
               "[[loads]]\nnode = \"b1\"\nforce = [20, 0, 0]\nto = 0.1\n"
               "[simulation]\nduration = 1.5\noutput_step = 0.5\n");
  }
  Outcome batch(Words more) const {
    more.insert(more.begin(), {"batch", "prism.toml"});
    return run_program(more, folder_.path());
  }
  nlohmann::json json(Words more) const {
    more.insert(more.end(), {"--json"});
    const Outcome outcome = batch(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return nlohmann::json::parse(outcome.out);
  }
  std::vector<double> end(const char* name, const char* column) const {
    return testing::column(contents(folder_ / name / "end.csv"), column);
  }
  const ScratchFolder folder_;
};

const Words vary = {"--vary", "cables.*.stiffness=500:1500", "--vary", "bars.*.mass=log:0.5:2", "--seed", "7"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The route through the model file: each robot's values by --set, rows that end where the calls of the batch end.
TEST_F(CliBatch, EndsWhereTautRunEnds) {
  const nlohmann::json told = json(with({"--robots", "19", "--steps", "1500", "-o", "out"}, vary));
  EXPECT_EQ(told["robots"], 19);
  EXPECT_EQ(told["steps"], 1500);
  EXPECT_EQ(told["device"], "cpu");
  EXPECT_EQ(told["precision"], "double");
  EXPECT_EQ(told["status"], "done");
  EXPECT_EQ(told["diverged"], 0);
  EXPECT_EQ(told["simulated_s"], 1.5);
  EXPECT_GT(told["seconds"], 0.0);
  EXPECT_NEAR(told["robot_steps_per_second"].get<double>() * told["seconds"].get<double>(), 19.0 * 1500.0, 1e-6);
  // Rounding of positions of about 1 m, through 1500 steps of a damped motion.
  EXPECT_LT(told["largest_bar_length_error"], 1e-14);
  EXPECT_LT(told["largest_difference_to_run"], 1e-12);
  EXPECT_EQ(told["compared"].size(), 8U);

  const std::vector<double> k = end("out", "cables.*.stiffness"), m = end("out", "bars.*.mass");
  for (const int robot : {0, 7, 18}) {
    const auto i = static_cast<std::size_t>(robot);
    const Outcome run = run_program(
        {"run", "prism.toml", "-o", "run", "--no-report", "--integrator", "symplectic", "--formulation", "nodal",
         "--set", fmt::format("cables.*.stiffness={:.17g}", k[i]), "--set", fmt::format("bars.*.mass={:.17g}", m[i])},
        folder_.path());
    ASSERT_EQ(run.exit_code, 0) << run.error;
    const ResultFile file(folder_ / "run" / "run.h5");
    const std::vector<double> x = file.numbers("nodes"), v = file.numbers("velocities");
    const std::vector<std::string> names = file.texts("nodes", "names");
    const std::size_t last = x.size() - 3 * names.size();
    for (std::size_t node = 0; node < names.size(); ++node)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        // The leapfrog begins anew at other times: that shifts the motion by the square of the step at most.
        const std::string name(1, "xyz"[axis]);
        EXPECT_NEAR(end("out", (names[node] + "." + name).c_str())[i], x[last + 3 * node + axis], 1e-6);
        EXPECT_NEAR(end("out", (names[node] + ".v" + name).c_str())[i], v[last + 3 * node + axis], 1e-4);
      }
  }
}

TEST_F(CliBatch, TheTwoTablesAgree) {
  batch(with({"--robots", "5", "--steps", "100", "-o", "out"}, vary));
  EXPECT_EQ(names_in(folder_ / "out"), (Words{"end.csv", "end.h5", "summary.json"}));
  const ResultFile file(folder_ / "out" / "end.h5");
  const std::vector<std::string> names = file.texts("nodes", "names");
  EXPECT_EQ(file.shape("nodes"), (std::vector<std::size_t>{5, names.size(), 3}));
  EXPECT_EQ(file.texts("velocities", "names"), names);
  EXPECT_EQ(file.text("nodes", "units"), "m");
  EXPECT_EQ(file.text("velocities", "units"), "m/s");
  EXPECT_EQ(file.texts("varied", "names"), (Words{"cables.*.stiffness", "bars.*.mass"}));
  const std::vector<double> x = file.numbers("nodes"), v = file.numbers("velocities"), varied = file.numbers("varied");
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t node = 0; node < names.size(); ++node) {
      EXPECT_EQ(x[3 * (i * names.size() + node) + 2], end("out", (names[node] + ".z").c_str())[i]);
      EXPECT_EQ(v[3 * (i * names.size() + node) + 1], end("out", (names[node] + ".vy").c_str())[i]);
    }
    EXPECT_EQ(varied[2 * i], end("out", "cables.*.stiffness")[i]);
    EXPECT_EQ(varied[2 * i + 1], end("out", "bars.*.mass")[i]);
    EXPECT_EQ(file.numbers("t")[i], 0.1);
    EXPECT_EQ(end("out", "robot")[i], static_cast<double>(i));
  }
  EXPECT_EQ(file.numbers("done"), std::vector<double>(5, 0.0));
}

TEST_F(CliBatch, DrawsBelongToTheRobotAndTheSeed) {
  batch(with({"--robots", "400", "--steps", "1", "-o", "many"}, vary));
  batch(with({"--robots", "40", "--steps", "1", "-o", "few", "--threads", "1"}, vary));
  batch({"--robots", "40", "--steps", "1", "-o", "other", "--vary", "cables.*.stiffness=500:1500", "--seed", "8"});
  const std::vector<double> many = end("many", "cables.*.stiffness"), few = end("few", "cables.*.stiffness");
  EXPECT_EQ(few, std::vector<double>(many.begin(), many.begin() + 40));
  EXPECT_NE(few, end("other", "cables.*.stiffness"));
  EXPECT_EQ(end("few", "b1.x"), [&] {
    const std::vector<double> x = end("many", "b1.x");
    return std::vector<double>(x.begin(), x.begin() + 40);
  }()) << "nor do robots depend on how many there are";
  // Means of 400 draws, within five standard deviations of what they should be.
  double mean = 0.0, log_mean = 0.0;
  const std::vector<double> masses = end("many", "bars.*.mass");
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_TRUE(many[i] > 500.0 && many[i] < 1500.0 && masses[i] > 0.5 && masses[i] < 2.0);
    mean += many[i] / 400.0, log_mean += std::log(masses[i]) / 400.0;
  }
  EXPECT_NEAR(mean, 1000.0, 5.0 * 1000.0 / std::sqrt(12.0 * 400.0));
  EXPECT_NEAR(log_mean, 0.0, 5.0 * 2.0 * std::log(2.0) / std::sqrt(12.0 * 400.0));
}

TEST_F(CliBatch, SinglePrecisionIsNearAndSaysHowNear) {
  const nlohmann::json told = json({"--robots", "4", "--steps", "200", "--precision", "single"});
  EXPECT_EQ(told["precision"], "single");
  EXPECT_GT(told["largest_difference_to_run"], 1e-9);
  EXPECT_LT(told["largest_difference_to_run"], 1e-4);
  EXPECT_LT(told["largest_bar_length_error"], 1e-5);
}

TEST_F(CliBatch, DivergedRobotsAreCountedAndWarnedOf) {
  const Outcome outcome = batch({"--robots", "3", "--steps", "500", "--step", "0.5", "--json", "-o", "out"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("above the limit of stability"), std::string::npos) << outcome.error;
  const nlohmann::json told = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(told["diverged"], 3);
  EXPECT_TRUE(told["largest_difference_to_run"].is_null());
  EXPECT_NE(contents(folder_ / "out" / "end.csv").find(",diverged\n"), std::string::npos);
  for (const double x : ResultFile(folder_ / "out" / "end.h5").numbers("nodes")) EXPECT_TRUE(std::isfinite(x));
}

TEST_F(CliBatch, RefusesWhatCannotBe) {
  write_text(folder_ / "file", "x");
  const Words enough = {"--robots", "4", "--steps", "10"};
  const std::vector<std::pair<Words, std::string>> all = {
      {{"--robots", "0", "--steps", "10"}, "--robots: expected a whole number from 1"},
      {{"--robots", "-4", "--steps", "10"}, "--robots"},
      {{"--robots", "4", "--steps", "0"}, "--steps"},
      {{"--robots", "4"}, "--steps is required"},
      {{"--robots", "1000000000000000", "--steps", "10"}, " fit into the "},
      {with(enough, {"--step", "0"}), "--step"},
      {with(enough, {"--device", "gpu"}), "--device"},
      {with(enough, {"--precision", "half"}), "--precision"},
      {with(enough, {"--threads", "0"}), "--threads"},
      {with(enough, {"--vary", "x"}), "expected KEY=LOW:HIGH"},
      {with(enough, {"--vary", "cables.*.stiffness=1"}), "expected KEY=LOW:HIGH"},
      {with(enough, {"--vary", "cables.*.stiffness=a:b"}), "expected KEY=LOW:HIGH"},
      {with(enough, {"--vary", "cables.*.stiffness=2:1"}), "must be smaller"},
      {with(enough, {"--vary", "cables.*.stiffness=log:0:1"}), "low"},
      {with(enough, {"--vary", "cables.*.stiffness=1:2", "--vary", "cables.*.stiffness=3:4"}), "varies already"},
      {with(enough, {"--vary", "cables.*.stifness=1:2"}), "did you mean \"stiffness\""},
      {with(enough, {"--vary", "cables.*.stiffness=-2:-1"}), "robot 0: is negative"},
      {with(enough, {"--vary", "nodes.b1.at=1:2"}), "expected three numbers"},
      {with(enough, {"--vary", "cables.*.stiffness=nan:1"}), "must be finite"},
      {with(enough, {"--vary", "simulation.step=1e-4:1e-3"}), "simulation.step cannot differ from robot to robot"},
      {with(enough, {"--set", "cables.*.yield=5"}),
       "a batch cannot take cables that yield; leave yield out (and 8 more)\n"},
      {with(enough, {"--set", "cables.*.stifness=1"}), "did you mean \"stiffness\""},
      {with(enough, {"--set", "stiffness"}), "--set"},
      {with(enough, {"--set", "simulation.settle=true"}), "prism.toml: simulation.settle"},
      {with(enough, {"-o", ""}), "--output"},
      {with(enough, {"-o", "file"}), "file"},
  };
  for (const auto& [words, why] : all) {
    const Outcome outcome =
        batch(with(words, words.back() == "file" || words.back().empty() ? Words{} : Words{"-o", "out"}));
    EXPECT_EQ(outcome.exit_code, 2) << ::testing::PrintToString(words) << outcome.out << outcome.error;
    EXPECT_NE(outcome.error.find(why), std::string::npos) << ::testing::PrintToString(words) << outcome.error;
    EXPECT_EQ(names_in(folder_.path()), (Words{"file", "prism.toml"})) << ::testing::PrintToString(words);
  }
  write_text(folder_ / "strut.toml", "model = \"" TAUT_SOURCE_DIR "/models/single_strut.toml\"\n");
  const Outcome joints = run_program({"batch", "strut.toml", "--robots", "2", "--steps", "2"}, folder_.path());
  EXPECT_EQ(joints.exit_code, 2);
  EXPECT_NE(joints.error.find("a batch cannot take joints"), std::string::npos) << joints.error;
}

// 12 lanes of the last pack hold no robot and never move: what they read of the load must be there.
TEST_F(CliBatch, GoesOnForLongWithLanesThatHoldNoRobot) {
  const Outcome outcome = batch({"--robots", "4", "--steps", "100000", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["steps"], 100000);
}

// The first calls are kept, whole: the states are those of a batch of so many steps.
TEST_F(CliBatch, InterruptedItKeepsTheStatesOfThen) {
  Program program({program_path(), "batch", "prism.toml", "--robots", "8", "--steps", "1000000000", "-o", "out"},
                  folder_.path());
  ASSERT_TRUE(
      eventually([&] { return !names_in(folder_.path()).empty() && std::filesystem::exists(folder_ / "out"); }));
  ::usleep(500'000);
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.error;
  EXPECT_NE(outcome.error.find("interrupted after "), std::string::npos) << outcome.error;
  const nlohmann::json told = nlohmann::json::parse(contents(folder_ / "out" / "summary.json"));
  EXPECT_EQ(told["status"], "interrupted");
  const long steps = told["steps"];
  EXPECT_GT(steps, 0);
  EXPECT_EQ(steps % 1000, 0);
  EXPECT_NEAR(end("out", "t")[3], 1e-3 * static_cast<double>(steps), 1e-6);
  if (steps > 2'000'000) return;
  batch({"--robots", "8", "--steps", std::to_string(steps), "-o", "again"});
  EXPECT_EQ(contents(folder_ / "again" / "end.csv"), contents(folder_ / "out" / "end.csv"));
}

TEST_F(CliBatch, AFullDiskLeavesNothing) {
  const Outcome outcome =
      run_program({"batch", "prism.toml", "--robots", "100", "--steps", "10", "-o", "out"}, folder_.path(), [] {
        const rlimit limit{8'000, 8'000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
      });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.error.find("cannot write out/end.csv"), std::string::npos) << outcome.error;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace taut::testing
