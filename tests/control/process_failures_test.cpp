// A controller that is another program, and everything that can go wrong with it: the run fails at that time, keeps the
// rows up to then and says what the program said; and nothing of it is left.
#include <sys/stat.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "taut/base/error.h"
#include "taut/run/simulation.h"
#include "tests/apps/program.h"
#include "tests/control/process_support.h"
#include "tests/support/complaint.h"

namespace taut::testing {
namespace {

struct Case {
  const char* name;
  const char* act;                 // at t = 0.5 s
  std::vector<std::string> words;  // of the reason
  const char* keys = "";
  std::size_t rows = 5;  // at 0, 0.125, ..., 0.5 s
};

class ProcessFails : public ::testing::TestWithParam<Case> {};

TEST_P(ProcessFails, WithItsWordsAndTheRowsUpToThen) {
  const Case& c = GetParam();
  const Policy policy(fmt::format(R"(
def act():
    {}
for line in sys.stdin:
    now = json.loads(line)
    if now["time"] == 0.5: act()
    else: answer([0.97])
)",
                                  c.act));
  const Motion motion = run(policy.of("hoist", std::string("rate = 8\n") + c.keys, {"simulation.output_step=0.125"}));
  EXPECT_EQ(motion.summary.status, RunStatus::failed);
  const std::string& reason = motion.summary.reason;
  EXPECT_TRUE(reason.starts_with("controller process: \"python3 -S policy.py\" ")) << reason;
  for (const std::string& words : c.words) expect_says(reason, words);
  EXPECT_NO_THROW(nlohmann::json(reason).dump());  // it goes into files: valid UTF-8
  EXPECT_LT(reason.size(), 6000U);
  EXPECT_EQ(motion.rows.size(), c.rows);
  EXPECT_EQ(motion.last().t, 0.125 * static_cast<double>(c.rows - 1));
  expect_says(reason, fmt::format(" at t = {:g} s", motion.last().t));
  policy.expect_gone(1);
}

INSTANTIATE_TEST_SUITE_P(
    Answers, ProcessFails,
    ::testing::Values(
        Case{"NotJson", "print('hello', flush=True)", {"answered \"hello\", which is not JSON (at byte 1)"}},
        Case{"EmptyLine", "print(flush=True)", {"answered \"\", which is not JSON"}},
        Case{"HalfALine", "print('[0.9', flush=True)", {"answered \"[0.9\", which is not JSON (at byte 5)"}},
        Case{"TwoValues", "print('[0.9] [0.9]', flush=True)", {"which is not JSON (at byte 7)"}},
        Case{"NaN", "answer([float('nan')])", {"answered \"[NaN]\"", "JSON: that has no NaN"}},
        Case{"Infinity", "answer([float('inf')])", {"answered \"[Infinity]\"", "no Infinity"}},
        Case{
            "TooLarge", "print('[1e999]', flush=True)", {"answered \"[1e999]\", which has a number that is too large"}},
        Case{"TooMany", "answer([0.9, 0.8])", {"answered 2 commands, expected 1: rope"}},
        Case{"TooFew", "answer([])", {"answered 0 commands, expected 1: rope"}},
        Case{"AWord", "answer(['long'])", {"answered \"\\\"long\\\"\" for \"rope\": expected a number or null"}},
        Case{"ATruth", "answer([True])", {"answered \"true\" for \"rope\""}},
        Case{"AList", "answer([[0.9]])", {"answered \"[0.9]\" for \"rope\""}},
        Case{"UnknownName",
             "answer({'commands': {'rop': 1}})",
             {"answered a command for \"rop\", which is not an input (did you mean \"rope\"?)"}},
        Case{"UnknownKey",
             "answer({'command': [0.9]})",
             {"\"command\" is not known: expected one of commands, memory, note (did you mean \"commands\"?)"}},
        Case{"Nothing", "answer(None)", {"answered \"null\": expected a list of 1 command, or an object"}},
        Case{"OneNumber", "answer(0.9)", {"answered \"0.9\": expected a list of 1 command"}},
        Case{"CommandsAsText", "answer({'commands': 'all'})", {"for \"commands\": expected a list of numbers"}},
        Case{"MemoryUnasked", "answer({'memory': [1.0]})", {"answered \"[1.0]\" for \"memory\": expected a list of 0"}},
        Case{"MemoryTooShort",
             "answer({'memory': [1]})",
             {"for \"memory\": expected a list of 2 numbers"},
             "memory = 2"},
        Case{"MemoryOfWords", "answer({'memory': [1, None]})", {"\"null\" in \"memory\""}, "memory = 2"},
        Case{"NoteAsNumber", "answer({'note': 3})", {"answered \"3\" for \"note\": expected a text"}},
        Case{"NoRestLength",
             "answer([-0.5])",
             {"answered -0.5 m for the rest length of \"rope\": expected more than 0"}},
        Case{"Deep", "print('[' * 100000 + ']' * 100000, flush=True)", {"more than 3 levels of brackets"}},
        Case{"DeepObjects", "print('{\"commands\": ' * 9 + '1' + '}' * 9, flush=True)", {"more than 3 levels"}},
        Case{"Binary",
             "sys.stdout.buffer.write(bytes(range(256)) + b'\\n'); sys.stdout.buffer.flush()",
             {"answered \"\\x00\\x01", "not JSON"}},
        Case{"NoText",
             "sys.stdout.buffer.write(b'{\"note\": \"\\xff\\xfe\"}\\n'); sys.stdout.buffer.flush()",
             {"not JSON"}},
        Case{"EndlessLine",
             "sys.stdout.write('[' + '0' * 10_000_000); sys.stdout.flush()",
             {"answered a line of more than 1048640 bytes: \"[0000"}},
        Case{"LongLine", "print('[' + ' ' * 3_000_000 + '0.9]', flush=True)", {"a line of more than 1048640 bytes"}},
        Case{"Flood", "print('[0.97]\\n' * 100000, flush=True)", {"wrote \"[0.97]", "without being asked"}, "", 6},
        Case{"TwoLines", "print('[0.97]\\n[0.97]', flush=True)", {"wrote \"[0.97]", "without being asked"}, "", 6}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Ends, ProcessFails,
    ::testing::Values(
        Case{"Exit",
             "print('no more', file=sys.stderr); sys.exit(3)",
             {"ended with exit status 3 instead of an answer", "; its last words:\n    no more"}},
        Case{"ExitZero", "sys.exit(0)", {"ended with exit status 0 instead of an answer"}},
        Case{"Traceback",
             "now['angle']",
             {"ended with exit status 1 instead of an answer", "\n    Traceback (most recent call last):\n",
              "\n    KeyError: 'angle'"}},
        Case{"ManyWords",
             "[print(i, 'words' * 200, file=sys.stderr) for i in range(3000)]; sys.exit(1)",
             {"\n    2999 wordswords", "…"}},
        Case{"WordsWithoutText",
             "sys.stderr.buffer.write(bytes(range(256)) * 9); sys.stderr.flush(); sys.exit(1)",
             {"exit status 1", "last words"}},
        Case{"Killed", "os.kill(os.getpid(), 9)", {"ended with signal 9 (Killed) instead of an answer"}},
        Case{"Crashed", "os.kill(os.getpid(), 11)", {"ended with signal 11 (Segmentation fault)"}},
        Case{"HalfAnAnswer", "sys.stdout.write('[0.9'); sys.stdout.flush(); sys.exit(0)", {"ended with exit status 0"}},
        Case{"ClosedOutput", "os.close(1); time.sleep(1000)", {"closed its input or output and went on"}},
        Case{"ClosedInput", "os.close(0); answer([0.97]); time.sleep(1000)", {"closed its input or output"}, "", 6},
        Case{"Slow",
             "print('thinking', file=sys.stderr, flush=True); time.sleep(1000)",
             {"took longer than its time_limit of 2 s", "\n    thinking"},
             "time_limit = 2"},
        Case{"Stopped", "os.kill(os.getpid(), 19)", {"took longer than its time_limit of 2 s"}, "time_limit = 2"},
        Case{"AnswersThenEnds",
             "answer([0.97]); sys.exit(7)",
             {"ended with exit status 7 instead of an answer"},
             "",
             6}),
    [](const auto& test) { return test.param.name; });

// --- It cannot be started.

void expect_no_start(const Policy& policy, const std::string& keys, const std::vector<std::string>& words) {
  const Motion motion = run(policy.of("hoist", keys));
  EXPECT_EQ(motion.summary.status, RunStatus::failed);
  for (const std::string& part : words) expect_says(motion.summary.reason, part);
  EXPECT_EQ(motion.rows.size(), 1U);
  policy.expect_gone(0);
}

TEST(ProcessStart, SaysWhyThereIsNone) {
  const Policy policy("");
  expect_no_start(
      policy, "command = \"no-such-program\"",
      {"controller process: \"no-such-program\" cannot be started: there is no such program in PATH at t = 0 s"});
  expect_no_start(policy, "command = [\"policy.py\"]", {"one that lies in its folder is called \"./policy.py\""});
  expect_no_start(policy, "command = [\"./policy.py\"]", {"cannot be started: Permission denied"});
  expect_no_start(policy, "command = [\"./none.py\"]", {"cannot be started: No such file or directory"});
  ::chmod((policy.folder() / "policy.py").c_str(), 0755);
  expect_no_start(policy, "command = [\"./policy.py\"]", {"Exec format error", "#!/usr/bin/env python3"});
  Scenario s = policy.of("hoist");
  s.model.controllers[0].steer.folder += "/none";
  const Motion motion = run(s);
  expect_says(motion.summary.reason, "its folder \"" + s.model.controllers[0].steer.folder + "\" does not exist");
}

TEST(ProcessStart, InTheMiddleOfARun) {
  const Policy policy("");
  const Motion motion =
      run(policy.of("hoist", "command = \"no-such-program\"\nstart = 0.5", {"simulation.output_step=0.125"}));
  EXPECT_EQ(motion.summary.status, RunStatus::failed);
  EXPECT_EQ(motion.rows.size(), 5U);
  EXPECT_EQ(motion.last().t, 0.5);
}

// --- Its end.

TEST(ProcessEnd, AProgramThatEndsBadlyAfterTheRunIsAWarning) {
  const Policy policy("for line in sys.stdin: answer({})\nprint('bye', file=sys.stderr)\nsys.exit(4)\n");
  const Motion motion = run(policy.of("hoist", "rate = 8"));
  EXPECT_EQ(motion.summary.status, RunStatus::done);
  ASSERT_EQ(motion.summary.warnings.size(), 1U);
  EXPECT_EQ(motion.summary.warnings[0],
            "controller process ended with exit status 4 after the run; its last words:\n    bye");
  policy.expect_gone(1);
}

// Answers that come an instant late are noticed as soon as a line waits that nobody asked for, and at the end at the latest.
TEST(ProcessEnd, AnAnswerToTheHeaderIsNoticed) {
  const Policy policy("answer([0.97])\nfor line in sys.stdin: answer([0.97])\n");
  const Motion motion = run(policy.of("hoist", "rate = 8"));
  if (motion.summary.status == RunStatus::done) {
    ASSERT_EQ(motion.summary.warnings.size(), 1U);
    expect_says(motion.summary.warnings[0], "controller process wrote more than a line for each instant");
  } else {
    expect_says(motion.summary.reason,
                "without being asked: it answers each instant by one line, and the header by none");
  }
}

TEST(ProcessEnd, HasTimeForIt) {
  const Policy policy("for line in sys.stdin: answer({})\ntime.sleep(0.5)\nopen('saved', 'w')\n");
  const Motion motion = run(policy.of("hoist", "rate = 8"));
  EXPECT_EQ(motion.summary.warnings, std::vector<std::string>{});
  EXPECT_TRUE(std::filesystem::exists(policy.folder() / "saved"));
}

// One that hears neither the end of its input nor SIGTERM, and one that it has started.
TEST(ProcessEnd, NothingIsLeftOfOneThatWillNotEnd) {
  const Policy policy(R"(
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
other = subprocess.Popen(["sleep", "1000"])
with open("other", "w") as f: f.write(str(other.pid))
for line in sys.stdin: answer({})
time.sleep(1000)
)");
  const Motion motion = run(policy.of("hoist", "rate = 8\ntime_limit = 2"));
  EXPECT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  ASSERT_EQ(motion.summary.warnings.size(), 1U);
  expect_says(motion.summary.warnings[0], "did not end by itself within 2 s after the run, and was ended");
  policy.expect_gone(1);
  // Whoever adopted the other one collects it.
  ASSERT_EQ(policy.processes("other").size(), 1U);
  const pid_t other = policy.processes("other").front();
  EXPECT_TRUE(eventually([&] {
    const std::filesystem::path status = fmt::format("/proc/{}/stat", other);
    return !std::filesystem::exists(status) || contents(status).find(") Z ") != std::string::npos;
  }));
}

TEST(ProcessEnd, WhatItStartsEndsWithIt) {
  const Policy policy(R"(
import subprocess
other = subprocess.Popen(["sleep", "1000"])
with open("other", "w") as f: f.write(str(other.pid))
for line in sys.stdin: answer({})
)");
  const Motion motion = run(policy.of("hoist", "rate = 8"));
  EXPECT_EQ(motion.summary.warnings, std::vector<std::string>{});
  policy.expect_gone(1);
  const pid_t other = policy.processes("other").at(0);
  EXPECT_TRUE(eventually([&] {
    const std::filesystem::path status = fmt::format("/proc/{}/stat", other);
    return !std::filesystem::exists(status) || contents(status).find(") Z ") != std::string::npos;
  }));
}

TEST(ProcessEnd, AStopWhileItThinksInterruptsTheRun) {
  const Policy policy(R"(
for line in sys.stdin:
    if json.loads(line)["time"] >= 0.5:
        open("thinks", "w")
        time.sleep(1000)
    answer({})
)");
  std::atomic<bool> stop = false;
  RunHooks hooks;
  hooks.stop = &stop;
  Motion motion;
  std::thread other([&] {
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(policy.folder() / "thinks"); }));
    stop = true;
  });
  motion.summary = simulate(policy.of("hoist", "rate = 8\ntime_limit = 900"), {&motion}, hooks);
  other.join();
  EXPECT_EQ(motion.summary.status, RunStatus::interrupted);
  EXPECT_EQ(motion.summary.reason, "interrupted at t = 0.5 s");
  policy.expect_gone(1);
}

// An advance that fails leaves the simulation as it was; the next one starts the program anew, and no answer of before
// counts.
TEST(ProcessEnd, ASimulationGoesOnWithANewProcess) {
  const Policy policy(R"(
for line in sys.stdin:
    if json.loads(line)["time"] >= 0.5 and not os.path.exists("failed"):
        open("failed", "w")
        print("[0.1]\nnonsense", flush=True)
        time.sleep(1000)
    answer({"commands": [0.97 - 0.2 * json.loads(line)["time"]]})
)");
  const Scenario scenario = policy.of("hoist", "rate = 8");
  Simulation sim(scenario), other(scenario);
  sim.advance(0.5);
  const Eigen::VectorXd before = sim.state().y;
  EXPECT_THROW(sim.advance(0.25), RunError);
  EXPECT_EQ(sim.state().y, before);
  EXPECT_EQ(sim.time(), 0.5);
  sim.advance(0.25);
  other.advance(0.5);
  other.advance(0.25);
  EXPECT_EQ(sim.state().y, other.state().y);
  EXPECT_EQ(policy.processes().size(), 3U);
}

}  // namespace
}  // namespace taut::testing
