// taut sweep as a program: the same bytes whoever computes, nothing lost by kills, Ctrl-C and full disks.
#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/apps/program.h"
#include "tests/results/read_hdf5.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/sweep/support.h"

namespace taut {
namespace {

using testing::contents;
using testing::eventually;
using testing::Outcome;
using testing::Program;
using testing::program_path;
using testing::run_program;
using testing::ScratchFolder;
using testing::write_text;

const char* const sweep_file = R"toml(
model = "prism.toml"
design = "sobol"
runs = 300
parameters = [
  { name = "k", key = "cables.*.stiffness", log_range = [50.0, 5000.0] },
  { name = "m", key = "bars.*.mass", random = { distribution = "normal", mean = 1, std = 0.4 } },
]
[[record]]
name = "slack"
value = "count(slack_events)"
[[record]]
name = "top"
value = "max(nodes.*.z)"
)toml";

class CliSweep : public ::testing::Test {
 protected:
  CliSweep() {
    write_text(folder_ / "prism.toml", testing::model_text("prism"));
    write_text(folder_ / "sweep.toml", sweep_file);
  }
  Outcome sweep(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"sweep", "sweep.toml"});
    return run_program(more, folder_.path());
  }
  std::string csv(const char* name) const { return contents(folder_ / name / "table.csv"); }
  std::string hdf5(const char* name) const { return contents(folder_ / name / "table.h5"); }
  // Rows that are there, by the size of the file: slots are written where they belong.
  bool begun(const char* name) const {
    std::error_code error;
    return std::filesystem::file_size(folder_ / name / ".rows" / "rows", error) > 4000 && !error;
  }
  const ScratchFolder folder_;
};

TEST_F(CliSweep, OneThreadAndEightGiveTheSameBytes) {
  const Outcome one = sweep({"--threads", "1", "-o", "one"}), eight = sweep({"--threads", "8", "-o", "eight"});
  EXPECT_EQ(one.exit_code, 0) << one.error;
  EXPECT_EQ(eight.exit_code, 0) << eight.error;
  EXPECT_EQ(testing::column(csv("one"), "k").size(), 300U);
  EXPECT_EQ(csv("one"), csv("eight"));
  EXPECT_EQ(hdf5("one"), hdf5("eight"));
  EXPECT_NE(one.out.find("300 runs"), std::string::npos) << one.out;
  // The second time there is nothing left to do, and the result is the same.
  const std::string before = csv("one");
  const Outcome again = sweep({"--threads", "1", "-o", "one"});
  EXPECT_NE(again.out.find("; 0 computed now"), std::string::npos) << again.out;
  EXPECT_EQ(csv("one"), before);
}

TEST_F(CliSweep, TheTwoTablesAgree) {
  EXPECT_EQ(sweep({"-o", "out"}).exit_code, 0);
  const testing::ResultFile file((folder_ / "out" / "table.h5").string());
  for (const char* name : {"k", "m", "slack", "top"}) {
    const std::vector<double> text = testing::column(csv("out"), name), binary = file.numbers(name);
    ASSERT_EQ(text.size(), binary.size());
    for (std::size_t i = 0; i < text.size(); ++i)
      EXPECT_TRUE(text[i] == binary[i] || (std::isnan(text[i]) && std::isnan(binary[i]))) << name << i;
  }
}

const char* const batch_file = R"toml(
model = "prism.toml"
design = "sobol"
runs = 300
set = ["simulation.integrator=\"symplectic\"", "simulation.duration=0.2"]
parameters = [
  { name = "k", key = "cables.*.stiffness", log_range = [50.0, 5000.0] },
  { name = "m", key = "bars.*.mass", random = { distribution = "normal", mean = 1, std = 0.4 } },
]
[[record]]
name = "pull"
value = "max(cables.*.tension)"
[[record]]
name = "top"
value = "max(nodes.*.z)"
)toml";

// Batches of other sizes, on threads and on ranks; masses below 0 are refused in between.
TEST_F(CliSweep, BatchesGiveTheSameBytesOnThreadsAndRanks) {
  write_text(folder_ / "sweep.toml", batch_file);
  const Outcome one = sweep({"--threads", "1", "-o", "one", "--json"}),
                three = sweep({"--threads", "3", "-o", "three"});
  ASSERT_EQ(one.exit_code, 0) << one.error;
  const nlohmann::json told = nlohmann::json::parse(one.out);
  EXPECT_EQ(told["engine"], "batch");
  EXPECT_TRUE(told["engine_reason"].is_null());
  EXPECT_EQ(told["status"], "done");
  EXPECT_EQ(told["computed"], 300);
  EXPECT_GT(told["refused"], 0);
  EXPECT_EQ(told["table"], "one/table.csv");
  EXPECT_NE(three.out.find("engine  batch\n"), std::string::npos) << three.out;
  EXPECT_EQ(csv("three"), csv("one"));
  EXPECT_EQ(hdf5("three"), hdf5("one"));
  const Outcome four = Program({"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", program_path(), "sweep",
                                "sweep.toml", "-o", "four", "--engine", "batch"},
                               folder_.path(), [] { ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1); })
                           .wait();
  EXPECT_EQ(four.exit_code, 0) << four.error;
  EXPECT_EQ(csv("four"), csv("one"));
  EXPECT_EQ(hdf5("four"), hdf5("one"));

  // Run by run: the same words, and numbers to rounding.
  const Outcome run = sweep({"--engine", "run", "-o", "run"});
  EXPECT_NE(run.out.find("engine  run\n"), std::string::npos) << run.out;
  const auto rows = testing::cells(csv("run")), others = testing::cells(csv("one"));
  ASSERT_EQ(rows.size(), others.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][5], others[i][5]);
    EXPECT_EQ(rows[i][6], others[i][6]);
    if (rows[i][5] != "done") continue;
    for (const std::size_t c : {3U, 4U})
      EXPECT_NEAR(std::stod(rows[i][c]), std::stod(others[i][c]), 1e-9 * (1.0 + std::abs(std::stod(rows[i][c])))) << i;
  }

  // What a batch cannot do is said before anything is run; "auto" says why it did not take one.
  const Outcome kept = sweep({"--engine", "batch", "--keep-runs", "-o", "kept"});
  EXPECT_EQ(kept.exit_code, 2);
  EXPECT_NE(kept.error.find("engine: a batch cannot make these runs: whole runs are kept"), std::string::npos)
      << kept.error;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "kept"));
  write_text(folder_ / "sweep.toml", sweep_file);
  const Outcome fell_back = sweep({"-o", "back", "--json"});
  EXPECT_EQ(nlohmann::json::parse(fell_back.out)["engine"], "run");
  EXPECT_NE(fell_back.out.find("\"engine_reason\": \"simulation.integrator is"), std::string::npos) << fell_back.out;
}

TEST_F(CliSweep, RanksGiveTheSameBytes) {
  EXPECT_EQ(sweep({"-o", "serial"}).exit_code, 0);
  const auto ranks = [&](const char* name, const std::vector<std::string>& more) {
    // Each rank leaves its exit code in a file.
    const char* const noted = "\"$@\"; code=$?; echo $code > exit.$OMPI_COMM_WORLD_RANK; exit $code";
    std::vector<std::string> words = {
        "mpirun", "--allow-run-as-root", "--oversubscribe", "-n",         "4",  "sh", "-c", noted,
        "rank",   program_path(),        "sweep",           "sweep.toml", "-o", name};
    words.insert(words.end(), more.begin(), more.end());
    // What MPI itself does not free is not ours to judge.
    return Program(words, folder_.path(), [] { ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1); }).wait();
  };
  const Outcome four = ranks("four", {});
  EXPECT_EQ(four.exit_code, 0) << four.error;
  EXPECT_EQ(four.out.find("300 runs"), four.out.rfind("300 runs")) << "said by one rank alone: " << four.out;
  EXPECT_EQ(csv("four"), csv("serial"));
  EXPECT_EQ(hdf5("four"), hdf5("serial"));
  const Outcome threads = ranks("threads", {"--threads", "2"});
  EXPECT_EQ(threads.exit_code, 0) << threads.error;
  EXPECT_EQ(csv("threads"), csv("serial"));
  // What is wrong is said once, and no rank waits for another. Only the rank that says it exits with an error: the
  // launcher kills the others at the first such exit.
  write_text(folder_ / "sweep.toml", "model = \"prism.toml\"\n[[parameters]]\nkey = \"cables.*.stif\"\nvalues = [1]\n");
  for (const char* rank : {"exit.0", "exit.1", "exit.2", "exit.3"}) std::filesystem::remove(folder_ / rank);
  const Outcome wrong = ranks("wrong", {});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.error.find("is not a known key"), std::string::npos) << wrong.error;
  EXPECT_EQ(wrong.error.find("is not a known key"), wrong.error.rfind("is not a known key")) << wrong.error;
  EXPECT_EQ(contents(folder_ / "exit.0"), "2\n");
  // A helper may be ended by the launcher once the first rank has spoken, but has no error of its own.
  for (const char* helper : {"exit.1", "exit.2", "exit.3"}) {
    if (!std::filesystem::exists(folder_ / helper)) continue;
    EXPECT_NE(contents(folder_ / helper), "1\n") << helper;
    EXPECT_NE(contents(folder_ / helper), "2\n") << helper;
  }
}

TEST_F(CliSweep, KilledFiveTimesItEndsTheSame) {
  EXPECT_EQ(sweep({"-o", "whole"}).exit_code, 0);
  std::mt19937 random(7);
  for (int kill = 0; kill < 5; ++kill) {
    Program program({program_path(), "sweep", "sweep.toml", "-o", "killed", "--threads", "2"}, folder_.path());
    EXPECT_TRUE(eventually([&] { return begun("killed") || !program.running(); }));
    ::usleep(std::uniform_int_distribution<useconds_t>(0, 20'000)(random));
    program.send(SIGKILL);
    program.wait();
  }
  const Outcome last = sweep({"-o", "killed"});
  EXPECT_EQ(last.exit_code, 0) << last.error;
  EXPECT_EQ(csv("killed"), csv("whole"));
  EXPECT_EQ(hdf5("killed"), hdf5("whole"));
}

// The first Ctrl-C ends with exit 1 and a word on how to go on; no table is left, which could be taken for a whole one.
TEST_F(CliSweep, InterruptedItGoesOnLater) {
  write_text(folder_ / "sweep.toml", std::string(sweep_file) + "[[record]]\nname = \"end\"\nvalue = \"simulated_s\"\n");
  write_text(folder_ / "prism.toml",
             testing::model_text("prism") + "step = 1e-5\nintegrator = \"rk4\"\n");  // a minute in all
  Program program({program_path(), "sweep", "sweep.toml", "-o", "out"}, folder_.path());
  EXPECT_TRUE(eventually([&] { return begun("out") || !program.running(); }));
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_NE(outcome.error.find("of 300 runs are done and kept in out; the same command goes on from there"),
            std::string::npos)
      << outcome.error;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / "table.csv"));
}

TEST_F(CliSweep, AFullDiskLosesNothing) {
  EXPECT_EQ(sweep({"-o", "whole"}).exit_code, 0);
  const auto small = [] {
    const rlimit limit{8'000, 8'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Outcome full = run_program({"sweep", "sweep.toml", "-o", "full"}, folder_.path(), small);
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.error.find("cannot write the rows in full/.rows"), std::string::npos) << full.error;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "full" / "table.csv"));
  const Outcome later = sweep({"-o", "full"});
  EXPECT_EQ(later.exit_code, 0) << later.error;
  EXPECT_EQ(later.out.find("; 300 computed now"), std::string::npos) << "rows that were there are kept: " << later.out;
  EXPECT_EQ(csv("full"), csv("whole"));
}

TEST_F(CliSweep, KeepsWholeRuns) {
  write_text(folder_ / "sweep.toml",
             "model = \"prism.toml\"\n[[parameters]]\nkey = \"cables.*.stiffness\"\nvalues = [100, 200, 300]\n"
             "[[record]]\nname = \"top\"\nvalue = \"max(nodes.b1.z)\"\n");
  EXPECT_EQ(sweep({"-o", "out"}).exit_code, 0);
  // Rows without their runs are computed again when the runs are wanted.
  const std::string before = csv("out");
  const Outcome kept = sweep({"-o", "out", "--keep-runs"});
  EXPECT_NE(kept.out.find("; 3 computed now"), std::string::npos) << kept.out;
  EXPECT_EQ(csv("out"), before);
  const std::vector<double> top = testing::column(before, "top");
  for (int run = 0; run < 3; ++run) {
    const auto folder = folder_ / "out" / "runs" / ("00000" + std::to_string(run));
    EXPECT_EQ(testing::names_in(folder), testing::run_files());
    double largest = -1.0;
    const std::vector<double> nodes = testing::ResultFile((folder / "run.h5").string()).numbers("nodes");
    for (std::size_t i = 3 * 3 + 2; i < nodes.size(); i += 18) largest = std::max(largest, nodes[i]);
    EXPECT_EQ(largest, top[static_cast<std::size_t>(run)]);
  }
}

TEST_F(CliSweep, RowsOfAnotherSweepAreNotTouched) {
  EXPECT_EQ(sweep({"-o", "out"}).exit_code, 0);
  const std::string before = csv("out");
  write_text(folder_ / "sweep.toml", std::string(sweep_file) + "# another\n");
  const Outcome other = sweep({"-o", "out"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.error.find("has the rows of another sweep"), std::string::npos) << other.error;
  // Also when it is the model that has changed.
  write_text(folder_ / "sweep.toml", sweep_file);
  std::string model = testing::model_text("prism");
  model.replace(model.find("0.83"), 4, "0.84");
  write_text(folder_ / "prism.toml", model);
  const Outcome changed = sweep({"-o", "out"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_NE(changed.error.find("now: \"rest_length = 0.84\""), std::string::npos) << changed.error;
  EXPECT_EQ(csv("out"), before);
  // And when what changed does nothing in the first run.
  write_text(folder_ / "prism.toml", "[generate]\nkind = \"tower\"\nstages = 1\noverlap = 0.3\n");
  write_text(folder_ / "sweep.toml",
             "model = \"prism.toml\"\n[[parameters]]\nkey = \"generate.stages\"\nvalues = [1, 2]\n");
  EXPECT_EQ(sweep({"-o", "tower"}).exit_code, 0);
  write_text(folder_ / "prism.toml", "[generate]\nkind = \"tower\"\nstages = 1\noverlap = 0.4\n");
  EXPECT_EQ(sweep({"-o", "tower"}).exit_code, 2);
  // A table whose rows are gone may be anybody's.
  std::filesystem::remove_all(folder_ / "out" / ".rows");
  const Outcome without = sweep({"-o", "out"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.error.find("out/table.csv is there without the rows"), std::string::npos) << without.error;
  EXPECT_EQ(csv("out"), before);
  // A file where the folder should be.
  write_text(folder_ / "file", "x");
  EXPECT_EQ(sweep({"-o", "file"}).exit_code, 2);
}

}  // namespace
}  // namespace taut
