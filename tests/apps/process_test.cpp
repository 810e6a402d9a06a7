// A controller that is another program, under the command line: a failed run keeps its results and exits 1, signals end
// both programs, a sweep has one for each run, and no command but those that compute motions starts it.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"
#include "tests/support/complaint.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

// hoist.toml with policy.py beside it, whose first line of work is a mark.
void write_hoist(const ScratchFolder& folder, const std::string& policy, const std::string& keys = "") {
  write_text(folder / "policy.py",
             "import json, os, signal, sys, time\nopen('pid', 'a').write(str(os.getpid()) + '\\n')\n"
             "header = json.loads(sys.stdin.readline())\n"
             "def answer(value): print(json.dumps(value), flush=True)\n" +
                 policy);
  write_text(folder / "hoist.toml", model_text("hoist") +
                                        "[[controllers]]\nkind = \"process\"\nrate = 8\n"
                                        "command = [\"python3\", \"-S\", \"policy.py\"]\n" +
                                        keys);
}

std::vector<pid_t> processes(const ScratchFolder& folder) {
  std::vector<pid_t> all;
  std::ifstream numbers(folder / "pid");
  for (pid_t id = 0; numbers >> id;) all.push_back(id);
  return all;
}

// What is left of a process that nobody has collected yet counts as gone.
bool gone(pid_t id) {
  std::ifstream stat(fmt::format("/proc/{}/stat", id));
  std::string text;
  return !std::getline(stat, text) || text.find(") Z ") != std::string::npos;
}

TEST(ProcessCommand, AFailedRunKeepsItsResults) {
  const ScratchFolder folder;
  write_hoist(folder, R"(
for line in sys.stdin:
    if json.loads(line)["time"] == 0.5: raise RuntimeError("the load is lost")
    answer([0.96])
)");
  // From another folder: the program runs beside the model.
  std::filesystem::create_directory(folder / "elsewhere");
  const Outcome outcome =
      run_program({"run", "../hoist.toml", "-o", "out", "--output-step", "0.125"}, folder / "elsewhere");
  EXPECT_EQ(outcome.exit_code, 1);
  expect_says(outcome.error,
              "../hoist.toml: failed at t = 0.5 s: controller process: \"python3 -S policy.py\" ended "
              "with exit status 1 instead of an answer at t = 0.5 s; its last words:\n"
              "    Traceback (most recent call last):\n");
  expect_says(outcome.error, "\n    RuntimeError: the load is lost\n");
  EXPECT_EQ(names_in(folder / "elsewhere/out"), run_files());
  const auto summary = nlohmann::json::parse(contents(folder / "elsewhere/out/summary.json"));
  EXPECT_EQ(summary["status"], "failed");
  EXPECT_EQ(summary["simulated_s"], 0.5);
  expect_says(summary["reason"], "RuntimeError: the load is lost");
}

TEST(ProcessCommand, ARunGoesOnFromAnother) {
  const ScratchFolder folder;
  write_hoist(folder, R"(
for line in sys.stdin:
    now = json.loads(line)
    sum = now["memory"][0] + 0.1 * (1.2 - now["nodes"][1][2])
    answer({"commands": [0.97 - 0.3 * sum], "memory": [sum]})
)",
              "memory = 1\n");
  const std::vector<std::string> options = {"--integrator", "rk4", "--step", "1e-3", "--output-step", "0.1", "--csv"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = run_program(words, folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  };
  run({"run", "hoist.toml", "-o", "whole"});
  run({"run", "hoist.toml", "-o", "half", "--duration", "0.5"});
  run({"run", "hoist.toml", "-o", "rest", "--from", "half"});
  const auto last_line = [&](const std::string& file) {
    const std::string text = contents(folder / file);
    return text.substr(text.rfind('\n', text.size() - 2));
  };
  for (const char* table : {"/nodes.csv", "/cables.csv", "/energy.csv"})
    EXPECT_EQ(last_line(std::string("whole") + table), last_line(std::string("rest") + table)) << table;
}

// It thinks for ever, at its first instant or later, and hears no SIGTERM.
class ProcessInterrupt : public ::testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(ProcessInterrupt, EndsBothPrograms) {
  const auto [when, times] = GetParam();
  const ScratchFolder folder;
  write_hoist(
      folder,
      fmt::format("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nfor line in sys.stdin:\n"
                  "    if json.loads(line)['time'] >= {}:\n        open('thinks', 'w')\n        time.sleep(1000)\n"
                  "    answer({{}})\n",
                  when),
      "time_limit = 900\n");
  Program program({program_path(), "run", "hoist.toml", "-o", "out"}, folder.path());
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder / "thinks") || !program.running(); }));
  program.send(SIGINT);
  if (times > 1) {
    ::usleep(250'000);  // later than what counts as one
    program.send(SIGINT);
  }
  ASSERT_TRUE(eventually([&] { return !program.running(); }));
  const Outcome outcome = program.wait();
  EXPECT_TRUE(outcome.exit_code == 1 || (times > 1 && outcome.signal == SIGINT)) << outcome.error;
  expect_says(outcome.error, times > 1 ? "" : "interrupted");
  ASSERT_EQ(processes(folder).size(), 1U);
  EXPECT_TRUE(eventually([&] { return gone(processes(folder).front()); }));
}

INSTANTIATE_TEST_SUITE_P(Instants, ProcessInterrupt,
                         ::testing::Values(std::pair("0.0", 1), std::pair("0.5", 1), std::pair("0.5", 2)),
                         [](const auto& test) {
                           return fmt::format("{}{}", test.param.first[2] == '0' ? "First" : "Later",
                                              test.param.second > 1 ? "Twice" : "");
                         });

TEST(ProcessCommand, NothingButARunStartsIt) {
  const ScratchFolder folder;
  write_hoist(folder, "for line in sys.stdin: answer({})\n");
  const std::vector<std::vector<std::string>> others = {{"check", "hoist.toml"},
                                                        {"statics", "hoist.toml"},
                                                        {"modes", "hoist.toml"},
                                                        {"linearise", "hoist.toml"},
                                                        {"form", "hoist.toml", "--method", "relax", "-o", "stood.toml"},
                                                        {"design", "hoist.toml"},
                                                        {"view", "hoist.toml", "-o", "hoist.html", "--no-open"},
                                                        {"export", "hoist.toml", "-o", "hoist.vtp"},
                                                        {"run", "hoist.toml", "-o", "none", "--duration", "-1"}};
  for (const auto& words : others) {
    const Outcome outcome = run_program(words, folder.path());
    EXPECT_FALSE(std::filesystem::exists(folder / "pid")) << words.front() << outcome.error;
  }
  EXPECT_EQ(run_program({"check", "hoist.toml"}, folder.path()).exit_code, 0);
  EXPECT_EQ(run_program({"run", "hoist.toml", "-o", "out", "--no-report"}, folder.path()).exit_code, 0);
  EXPECT_EQ(processes(folder).size(), 1U);
  // The file that another command wrote runs the same program.
  if (std::filesystem::exists(folder / "stood.toml")) {
    std::filesystem::create_directory(folder / "other");
    std::filesystem::rename(folder / "stood.toml", folder / "other/stood.toml");
    EXPECT_EQ(run_program({"run", "other/stood.toml", "--no-report"}, folder.path()).exit_code, 0);
    EXPECT_EQ(processes(folder).size(), 2U);
  }
  for (const char* command : {"check", "statics", "modes", "linearise"})
    run_program({command, "hoist.toml", "--from", "out@0.5"}, folder.path());
  EXPECT_EQ(processes(folder).size(), 2U);
}

TEST(ProcessCommand, EachRunOfASweepHasItsOwn) {
  const ScratchFolder folder;
  write_hoist(folder, R"(
for line in sys.stdin:
    if json.loads(line)["tensions"][0] > 70: sys.exit("too heavy")
    answer([0.9])
)");
  write_text(folder / "sweep.toml", R"toml(model = "hoist.toml"
[[parameters]]
name = "mass"
key = "nodes.load.mass"
values = [1.0, 2.0, 3.0, 4.0, 40.0]
[[record]]
name = "height"
value = "last(nodes.load.z)"
)toml");
  const Outcome outcome = run_program({"sweep", "sweep.toml", "-o", "out"}, folder.path());
  const std::string table = contents(folder / "out/table.csv");
  EXPECT_EQ(processes(folder).size(), 5U) << outcome.error << outcome.out << table;
  for (const pid_t id : processes(folder)) EXPECT_TRUE(gone(id));
  expect_says(table, "too heavy");
}

}  // namespace
}  // namespace taut::testing
