// `taut run` as a user meets it: files, table, exit codes, messages.
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/apps/program.h"
#include "tests/results/read_hdf5.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

using Names = std::vector<std::string>;

// A folder with the model file swing.toml.
class CliRun : public ::testing::Test {
 protected:
  CliRun() { write_text(folder / "swing.toml", model_text("swing")); }
  Outcome run(std::vector<std::string> more, const std::function<void()>& in_child = {}) {
    more.insert(more.begin(), {"run", "swing.toml"});
    return run_program(more, folder.path(), in_child);
  }
  nlohmann::json summary(const std::string& name) {
    return nlohmann::json::parse(contents(folder / name / "summary.json"));
  }

  ScratchFolder folder;
};

TEST_F(CliRun, WritesResultsAndTable) {
  const Outcome outcome = run({});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");  // no progress bar in a pipe
  EXPECT_EQ(names_in(folder.path()), (Names{"swing-run", "swing.toml"}));
  EXPECT_EQ(names_in(folder / "swing-run"), run_files());

  const ResultFile file(folder / "swing-run/run.h5");
  EXPECT_EQ(file.texts("nodes", "names"), (Names{"a", "b", "c"}));
  EXPECT_EQ(file.text("/", "model"), "swing");
  const std::vector<double> t = file.numbers("t"), x = file.numbers("nodes");
  ASSERT_EQ(t.size(), 101u);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(t[i], 0.01 * static_cast<double>(i), 1e-15);
  // The bar keeps its length of 1 m about the hinge.
  for (std::size_t i = 0; i < t.size(); ++i)
    EXPECT_NEAR(std::hypot(x[9 * i + 3], x[9 * i + 4], x[9 * i + 5]), 1.0, 1e-12);

  const auto json = summary("swing-run");
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["simulated_s"], 1.0);
  EXPECT_GT(json["steps"].get<long>(), 0);
  for (const char* line : {"status", "formulation", "integrator", "steps", "rejected steps", "rhs calls", "wall time",
                           "real-time factor", "bar-length error", "kinetic", "balance", "largest drift",
                           "slack events", "warnings", "swing-run/run.h5", "swing-run/summary.json"})
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "\n" << outcome.out;
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos);
}

TEST_F(CliRun, CsvHoldsTheNumbersOfTheHdf5File) {
  ASSERT_EQ(run({"--csv", "--no-report", "-o", "deep/er"}).exit_code, 0);
  EXPECT_EQ(names_in(folder / "deep/er"),
            (Names{"cables.csv", "energy.csv", "nodes.csv", "rods.csv", "run.h5", "summary.json"}));
  const ResultFile file(folder / "deep/er/run.h5");
  const std::vector<double> t = file.numbers("t"), x = file.numbers("nodes");
  std::istringstream lines(contents(folder / "deep/er/nodes.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "t,a.x,a.y,a.z,b.x,b.y,b.z,c.x,c.y,c.z");
  for (std::size_t row = 0; row < t.size(); ++row) {
    std::string expected = fmt::format("{:.17g}", t[row]);
    for (std::size_t i = 0; i < 9; ++i) expected += fmt::format(",{:.17g}", x[9 * row + i]);
    ASSERT_TRUE(std::getline(lines, line));
    ASSERT_EQ(line, expected);
  }
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_TRUE(contents(folder / "deep/er/cables.csv").starts_with("t,c-b.tension,c-b.length\n"));
}

TEST_F(CliRun, OptionsWinOverSetWhichWinsOverTheFile) {
  const auto end = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"-o", "out"});
    const Outcome outcome = run(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    return summary("out")["simulated_s"].get<double>();
  };
  EXPECT_EQ(end({"--set", "simulation.duration=0.25"}), 0.25);
  EXPECT_EQ(end({"--duration", "0.5"}), 0.5);
  EXPECT_EQ(end({"--set", "simulation.duration=0.25", "--duration", "0.5", "--set", "environment.gravity=[0, 0, -1]"}),
            0.5);
  EXPECT_EQ(end({"--duration", "0.5", "--output-step", "0.25", "--integrator", "rk4", "--step", "0.005", "--tolerance",
                 "1e-9", "--formulation", "nodal", "--constraints", "projection"}),
            0.5);
  EXPECT_EQ(summary("out")["integrator"], "rk4");
  EXPECT_EQ(summary("out")["steps"], 100);
  EXPECT_EQ(ResultFile(folder / "out/run.h5").numbers("t"), (std::vector<double>{0.0, 0.25, 0.5}));
}

TEST_F(CliRun, ReportsEveryProblemOfABadFile) {
  write_text(folder / "swing.toml",
             "colour = 1\n[nodes]\na = [0, 0]\nb = [1, 0, 0]\n[[bars]]\nnodes = [\"a\", \"bb\"]\nmass = -1\n");
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  std::istringstream lines(outcome.error);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(std::regex_match(line, std::regex(R"(swing\.toml:\d+:\d+: [^:]+: .+)"))) << line;
  EXPECT_GE(count, 3) << outcome.error;
  EXPECT_EQ(names_in(folder.path()), Names{"swing.toml"});
}

TEST_F(CliRun, BadValuesOfOptionsLeaveNoFolderBehind) {
  const std::vector<std::vector<std::string>> bad{{"--integrator", "magic"},
                                                  {"--formulation", "magic"},
                                                  {"--constraints", "magic"},
                                                  {"--step", "-1"},
                                                  {"--duration", "nan"},
                                                  {"--tolerance", "0"},
                                                  {"--output-step", "0"},
                                                  {"--set", "nodes"},
                                                  {"--set", "no.such.key=1"},
                                                  {"--step", "fast"},
                                                  {"--colour"},
                                                  {"other.toml"}};
  for (const auto& options : bad) {
    const Outcome outcome = run(options);
    EXPECT_EQ(outcome.exit_code, 2) << options[0] << " " << options.back();
    EXPECT_NE(outcome.error, "") << options[0];
    EXPECT_EQ(names_in(folder.path()), Names{"swing.toml"}) << options[0];
  }
}

TEST_F(CliRun, SpeaksOfOptionsAsTheyWereTyped) {
  EXPECT_EQ(run({"--step", "-1"}).error.find("--step -1: simulation.step: "), 0u);
  EXPECT_EQ(run({"--set", "simulation.step=-1"}).error.find("--set simulation.step=-1: simulation.step: "), 0u);
}

TEST_F(CliRun, UnwritableOutputIsFoundBeforeTheRun) {
  write_text(folder / "file", "precious");
  std::filesystem::create_directories(folder / "taken/run.h5");
  for (const char* place : {"file", "file/below", "/proc/none", "taken"}) {
    const Outcome outcome = run({"-o", place, "--duration", "1e5"});
    EXPECT_EQ(outcome.exit_code, 2) << place;
    EXPECT_NE(outcome.error.find(fmt::format("cannot write {}", place)), std::string::npos) << outcome.error;
  }
  EXPECT_EQ(contents(folder / "file"), "precious");
  EXPECT_EQ(names_in(folder / "taken"), Names{"run.h5"});
}

TEST_F(CliRun, AReadOnlyFolderIsFoundBeforeTheRun) {
  // Root may write anywhere: as root the child becomes nobody.
  std::filesystem::create_directory(folder / "locked");
  for (const auto& place : {folder / "locked", folder.path()})
    std::filesystem::permissions(place, std::filesystem::perms(0555));
  const auto drop_root = [] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(77);
  };
  const Outcome inside = run({"-o", "locked", "--duration", "1e5"}, drop_root);
  const Outcome below = run({"-o", "locked/new", "--duration", "1e5"}, drop_root);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  if (inside.exit_code == 77 || inside.exit_code == 127) GTEST_SKIP() << "cannot run as another user here";
  EXPECT_EQ(inside.exit_code, 2);
  EXPECT_EQ(inside.error, "cannot write locked/run.h5: Permission denied\n");
  EXPECT_EQ(below.exit_code, 2);
  EXPECT_EQ(below.error, "cannot write locked/new: Permission denied\n");
  EXPECT_EQ(names_in(folder / "locked"), Names{});
}

TEST_F(CliRun, AFileOverTheSizeLimitFailsCleanly) {
  ASSERT_EQ(run({"--csv", "-o", "out"}).exit_code, 0);
  const std::string before = contents(folder / "out/run.h5"), table = contents(folder / "out/nodes.csv");
  const Names names = names_in(folder / "out");
  const Outcome outcome = run({"--csv", "-o", "out", "--output-step", "1e-4"}, [] {
    const rlimit limit{60'000, 60'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(std::regex_match(outcome.error, std::regex("cannot write out/[a-z0-9.]+: File too large\n")))
      << outcome.error;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(names_in(folder / "out"), names);
  EXPECT_TRUE(contents(folder / "out/run.h5") == before);
  EXPECT_TRUE(contents(folder / "out/nodes.csv") == table);
}

TEST_F(CliRun, AFullDiskFailsCleanly) {
  // A disk of 256 kB that only this child sees.
  std::filesystem::create_directory(folder / "disk");
  const std::string disk = folder / "disk";
  const std::string script = fmt::format(
      "{0} run swing.toml -o disk/out --no-report >/dev/null; echo $?; before=$(cat disk/out/* | cksum);"
      "{0} run swing.toml -o disk/out --no-report --output-step 1e-4; echo $?; ls -A disk/out;"
      "test \"$before\" = \"$(cat disk/out/* | cksum)\" && echo the same",
      program_path());
  Program program({"/bin/sh", "-c", script}, folder.path(), [&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0)
      ::_exit(77);
  });
  const Outcome outcome = program.wait();
  if (outcome.exit_code == 77) GTEST_SKIP() << "cannot mount a small disk here";
  EXPECT_EQ(outcome.out, "0\n1\nrun.h5\nsummary.json\nthe same\n");
  EXPECT_EQ(outcome.error, "cannot write disk/out/run.h5: No space left on device\n");
}

// On a disk with room for run.h5 and summary.json but not for the page or all tables, the run is kept whole. Tables grow
// while run.h5 does: where they fill the disk, they make room for it. What linearise writes is whole or absent.
TEST_F(CliRun, APageThatDoesNotFitOnTheDiskLeavesTheRun) {
  std::filesystem::create_directory(folder / "disk");
  const std::string disk = folder / "disk";
  const std::string script = fmt::format(
      "{0} run swing.toml -o whole --no-report >/dev/null && {0} export whole --to csv -o here 2>/dev/null;"
      "{0} run swing.toml -o disk/out >table; echo $?; ls -A disk/out; grep -c 'status  *done' table;"
      "{0} export disk/out --to csv -o there 2>/dev/null; cmp here/nodes.csv there/nodes.csv && echo the same;"
      "{0} run swing.toml -o disk/tables --csv --no-report --output-step 2e-3 >table 2>lost; echo $?;"
      "grep -c 'No space left' lost >/dev/null && ls disk/tables/run.h5 disk/tables/summary.json;"
      "head -c 1M /dev/zero >disk/filling 2>/dev/null;"
      "for name in ab ab.h5 ab.json; do {0} linearise swing.toml -o disk/$name 2>/dev/null >table; echo $?; done; ls "
      "disk",
      program_path());
  Program program({"/bin/sh", "-c", script}, folder.path(), [&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=320k") != 0)
      ::_exit(77);
  });
  const Outcome outcome = program.wait();
  if (outcome.exit_code == 77) GTEST_SKIP() << "cannot mount a small disk here";
  EXPECT_EQ(outcome.out,
            "1\nrun.h5\nsummary.json\n1\nthe same\n1\ndisk/tables/run.h5\ndisk/tables/summary.json\n1\n1\n1\n"
            "filling\nout\ntables\n");
  EXPECT_EQ(outcome.error,
            "cannot write disk/out/report.html: No space left on device\n"
            "disk/out/run.h5 holds the whole run: `taut view disk/out` makes the page from it, `taut export disk/out "
            "--to csv` the tables\n");
}

TEST_F(CliRun, TextThatCannotBePrintedIsAFailure) {
  const Outcome outcome = run({}, [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.error.find("No space left on device"), std::string::npos) << outcome.error;
}

TEST_F(CliRun, NamesTablesOfAnEarlierRun) {
  ASSERT_EQ(run({"--csv", "-o", "out"}).exit_code, 0);
  const Outcome outcome = run({"-o", "out", "--duration", "0.1"});
  EXPECT_NE(outcome.out.find("of an earlier run out/nodes.csv"), std::string::npos) << outcome.out;
}

TEST(Cli, HelpIsEnoughToWorkWith) {
  const ScratchFolder folder;
  const Outcome all = run_program({"--help"}, folder.path()), run = run_program({"run", "--help"}, folder.path());
  EXPECT_EQ(all.exit_code, 0);
  for (const char* command : {"run", "check", "examples", "--version"})
    EXPECT_NE(all.out.find(command), std::string::npos);
  EXPECT_EQ(run.exit_code, 0);
  for (const char* option :
       {"FILE", "-o,--output", "--formulation", "--integrator", "--step", "--tolerance", "--duration", "--output-step",
        "--constraints", "--set", "--csv", "--no-report", "dopri5", "0.01", "Ctrl-C"})
    EXPECT_NE(run.out.find(option), std::string::npos) << option;
  for (const std::string& page : {all.out, run.out}) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
  EXPECT_TRUE(
      std::regex_match(run_program({"--version"}, folder.path()).out, std::regex("taut [0-9]+\\.[0-9]+\\.[0-9]+\n")));
}

TEST(Cli, WrongUseIsBadInput) {
  const ScratchFolder folder;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"run"},
                                                    {"walk"},
                                                    {"--fast"},
                                                    {"run", "missing.toml"},
                                                    {"run", "."},
                                                    {"run", ""}}) {
    const Outcome outcome = run_program(arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.error, "");
    EXPECT_EQ(names_in(folder.path()), Names{});
  }
}

}  // namespace
}  // namespace taut::testing
