// Ctrl-C keeps what was computed; a second one ends the program at once; the progress bar on a terminal.
#include <fcntl.h>
#include <fmt/format.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/apps/program.h"
#include "tests/results/read_hdf5.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

using Names = std::vector<std::string>;

// A run that takes hours, a row after every thousand steps.
std::vector<std::string> long_run() {
  return {program_path(), "run",  "swing.toml", "-o",  "out",           "--integrator", "rk4",
          "--step",       "1e-4", "--duration", "1e6", "--output-step", "0.1"};
}

// The run has opened its files, and has had half a second to get on.
bool under_way(Program& program, const std::filesystem::path& folder) {
  std::error_code error;
  const auto opened = [&] {
    return std::filesystem::directory_iterator(folder, error) != std::filesystem::directory_iterator();
  };
  const bool answer = eventually([&] { return opened() || !program.running(); });
  ::usleep(500'000);
  return answer && program.running();
}

// It has been waiting for something, not computing, for a fifth of a second.
bool held_up(const Program& program) {
  for (int i = 0; i < 100; ++i) {
    const std::string status = contents("/proc/" + std::to_string(program.id()) + "/stat");
    if (status.substr(status.rfind(')') + 2, 1) != "S") return false;
    ::usleep(2000);
  }
  return true;
}

class Interrupt : public ::testing::TestWithParam<int> {};

TEST_P(Interrupt, KeepsWhatWasComputed) {
  const ScratchFolder folder;
  write_text(folder / "swing.toml", model_text("swing"));
  Program program(long_run(), folder.path());
  ASSERT_TRUE(under_way(program, folder / "out")) << program.wait().error;
  EXPECT_FALSE(std::filesystem::exists(folder / "out/run.h5"));
  program.send(GetParam());
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.error;
  EXPECT_NE(outcome.error.find("interrupted"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.out.find("interrupted"), std::string::npos) << outcome.out;

  EXPECT_EQ(names_in(folder / "out"), run_files());
  const auto json = nlohmann::json::parse(contents(folder / "out/summary.json"));
  EXPECT_EQ(json["status"], "interrupted");
  EXPECT_FALSE(json["reason"].get<std::string>().empty());
  const ResultFile file(folder / "out/run.h5");
  EXPECT_EQ(file.text("/", "status"), "interrupted");
  const std::vector<double> t = file.numbers("t"), x = file.numbers("nodes");
  ASSERT_GE(t.size(), 2u);
  EXPECT_EQ(file.shape("energy")[0], t.size());
  EXPECT_EQ(t.back(), json["simulated_s"].get<double>());
  for (std::size_t i = 0; i < t.size(); ++i) {
    ASSERT_NEAR(t[i], 0.1 * static_cast<double>(i), 1e-9);
    ASSERT_NEAR(std::hypot(x[9 * i + 3], x[9 * i + 4], x[9 * i + 5]), 1.0, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(Interrupted, AlsoWhereTheShellStartedItInTheBackground) {
  // A shell without job control starts background commands with SIGINT ignored; asked for by name it still counts.
  const ScratchFolder folder;
  write_text(folder / "swing.toml", model_text("swing"));
  Program program(long_run(), folder.path(), [] { std::signal(SIGINT, SIG_IGN); });
  ASSERT_TRUE(under_way(program, folder / "out")) << program.wait().error;
  program.send(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 1);
  EXPECT_EQ(names_in(folder / "out"), run_files());
}

// A study writes at its end: stopped before, once or twice, it leaves no folder behind.
TEST_P(Interrupt, OfAStudyLeavesNothing) {
  for (const int times : {1, 2}) {
    const ScratchFolder folder;
    Program program({program_path(), "reproduce", "stacked", "-o", "study"}, folder.path());
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder / "study") || !program.running(); }));
    ::usleep(100'000);
    for (int i = 0; i < times; ++i) program.send(GetParam());
    EXPECT_NE(program.wait().exit_code, 0);
    EXPECT_EQ(names_in(folder.path()), Names{}) << times;
  }
  // A folder that was there before stays.
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "study");
  Program program({program_path(), "reproduce", "stacked", "-o", "study"}, folder.path());
  ::usleep(300'000);
  program.send(GetParam());
  program.send(GetParam());
  EXPECT_NE(program.wait().exit_code, 0);
  EXPECT_EQ(names_in(folder.path()), Names{"study"});
}

// A terminal of 80 columns whose other end the test holds.
class Terminal {
 public:
  Terminal() {
    winsize size{};
    size.ws_row = 24, size.ws_col = 80;
    if (::openpty(&master_, &slave_, nullptr, nullptr, &size) != 0)
      master_ = slave_ = -1;
    else
      ::fcntl(master_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    ::close(master_);
    ::close(slave_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool works() const { return master_ >= 0; }  // false where the machine has no pseudo-terminals
  int slave() const { return slave_; }
  const std::string& text() {
    char block[4096];
    for (ssize_t n; (n = ::read(master_, block, sizeof block)) > 0;) text_.append(block, static_cast<std::size_t>(n));
    return text_;
  }

 private:
  int master_ = -1, slave_ = -1;
  std::string text_;
};

void show_progress_on(const Terminal& terminal, const char* locale) {
  ::dup2(terminal.slave(), STDERR_FILENO);
  ::setenv("TERM", "xterm", 1);
  ::setenv("LC_ALL", locale, 1);
}

TEST(Interrupted, TwiceEndsAtOnceAndTheNextRunSweepsUp) {
  const ScratchFolder folder;
  write_text(folder / "swing.toml", model_text("swing"));
  // A terminal that takes no text holds the program up at its first progress line: it cannot answer the first signal.
  Terminal terminal;
  if (!terminal.works()) GTEST_SKIP() << "no pseudo-terminals here";
  ::tcflow(terminal.slave(), TCOOFF);
  Program program(long_run(), folder.path(), [&] { show_progress_on(terminal, "C"); });
  ASSERT_TRUE(under_way(program, folder / "out") && eventually([&] { return held_up(program); }));
  program.send(SIGINT);
  ::usleep(300'000);
  ASSERT_TRUE(program.running());
  program.send(SIGINT);
  EXPECT_TRUE(eventually([&] { return !program.running(); }));
  EXPECT_EQ(program.wait().signal, SIGINT);

  for (const std::string& name : names_in(folder / "out")) EXPECT_TRUE(name.starts_with(".taut-part-")) << name;
  EXPECT_FALSE(names_in(folder / "out").empty());
  EXPECT_EQ(run_program({"run", "swing.toml", "-o", "out"}, folder.path()).exit_code, 0);
  EXPECT_EQ(names_in(folder / "out"), run_files());
}

// Ten thousand nodes, each with bars to two others anywhere: eliminating their constraints takes minutes.
std::string tangle() {
  const int nodes = 10'000;
  std::string text = "[nodes]\n";
  for (int i = 0; i < nodes; ++i)
    text += fmt::format("n{} = {{ at = [{}, {}, {}], mass = 1 }}\n", i, i * 37 % 101, i * 61 % 103, i * 17 % 107 + i);
  for (int i = 0; i < nodes; ++i)
    for (const long step : {7919L, 104'729L})
      if (const long other = (i * step + 13) % nodes; other != i)
        text += fmt::format("[[bars]]\nnodes = [\"n{}\", \"n{}\"]\nmass = 1\n", i, other);
  return text;
}

// Before the first row there is nothing to keep, and nobody waits for the end of a preparation.
TEST(InterruptBeforeTheFirstRow, EndsAtOnceAndLeavesNothing) {
  const ScratchFolder folder;
  write_text(folder / "tangle.toml", tangle());
  Program program({program_path(), "run", "tangle.toml", "-o", "out"}, folder.path());
  ASSERT_TRUE(under_way(program, folder / "out")) << program.wait().error;
  program.send(SIGINT);
  ASSERT_TRUE(eventually([&] { return !program.running(); }));
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.error, "interrupted before the first row: there is nothing to keep\n");
  EXPECT_EQ(names_in(folder.path()), Names{"tangle.toml"});
}

// Seconds of processor time that it has used so far.
double computed_s(const Program& program) {
  const std::string status = contents("/proc/" + std::to_string(program.id()) + "/stat");
  std::istringstream words(status.substr(status.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) words >> skipped;
  long user = 0, system = 0;
  words >> user >> system;
  return static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

bool computes(Program& program) {
  return eventually([&] { return !program.running() || computed_s(program) > 0.5; }) && program.running();
}

// What computes in one go, for minutes here, has nothing to keep before its end.
class InterruptAtOnce : public ::testing::TestWithParam<Names> {};

TEST_P(InterruptAtOnce, LeavesNothing) {
  const ScratchFolder folder;
  write_text(folder / "tangle.toml", tangle());
  Names words = GetParam();
  words.insert(words.begin(), program_path());
  Program program(words, folder.path());
  ASSERT_TRUE(computes(program)) << program.wait().error;
  program.send(SIGINT);
  ASSERT_TRUE(eventually([&] { return !program.running(); }));
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.error, "interrupted; nothing was written\n");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(names_in(folder.path()), Names{"tangle.toml"});
}

INSTANTIATE_TEST_SUITE_P(Commands, InterruptAtOnce,
                         ::testing::Values(Names{"check", "tangle.toml"}, Names{"statics", "tangle.toml", "--json"},
                                           Names{"modes", "tangle.toml", "-o", "modes"}, Names{"form", "tangle.toml"},
                                           Names{"design", "tangle.toml", "-o", "members.csv"},
                                           Names{"linearise", "tangle.toml", "-o", "matrices.h5"}),
                         [](const auto& command) { return command.param.front(); });

// Runs that are being prepared end too; the folder stays, for the same command to go on.
TEST(InterruptASweep, WhileItsFirstRunsArePrepared) {
  for (const bool condition : {false, true}) {
    const ScratchFolder folder;
    write_text(folder / "tangle.toml", tangle());
    write_text(folder / "sweep.toml", std::string("model = \"tangle.toml\"\n") +
                                          (condition ? "stop = \"t > 0.005\"\n" : "") +
                                          "[[parameters]]\nkey = \"simulation.duration\"\nvalues = [0.01, 0.02]\n"
                                          "[[record]]\nname = \"e\"\nvalue = \"max(energy.kinetic)\"\n");
    Program program({program_path(), "sweep", "sweep.toml", "-o", "out", "--keep-runs"}, folder.path());
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder / "out/.rows/rows") || !program.running(); }));
    ASSERT_TRUE(computes(program)) << program.wait().error;
    program.send(SIGINT);
    ASSERT_TRUE(eventually([&] { return !program.running(); }));
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.error,
              "sweep.toml: interrupted: 0 of 2 runs are done and kept in out; the same command goes on from there\n");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "out"))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".taut-part-")) << entry.path();
  }
}

// While nothing else is shown, what it does and for how long.
TEST(Progress, SaysWhatGoesOnBeforeTheResult) {
  const ScratchFolder folder;
  write_text(folder / "tangle.toml", tangle());
  Terminal terminal;
  if (!terminal.works()) GTEST_SKIP() << "no pseudo-terminals here";
  Program program({program_path(), "statics", "tangle.toml"}, folder.path(), [&] { show_progress_on(terminal, "C"); });
  ASSERT_TRUE(eventually([&] {
    return terminal.text().find("\r  judging tangle.toml, 1 s\033[K") != std::string::npos;
  })) << terminal.text();
  program.send(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 1);
  EXPECT_TRUE(terminal.text().ends_with("s\033[K\r\033[Kinterrupted; nothing was written\r\n")) << terminal.text();
}

// Rows come every hundred steps, far too fast to read: the line shows a few of them.
TEST(Progress, ShowsTimeLeftOnATerminalAndGoesAway) {
  for (const char* locale : {"C", "C.UTF-8"}) {
    const ScratchFolder folder;
    write_text(folder / "swing.toml", model_text("swing"));
    Terminal terminal;
    if (!terminal.works()) GTEST_SKIP() << "no pseudo-terminals here";
    std::vector<std::string> command = long_run();
    command.back() = "0.01";
    Program program(command, folder.path(), [&] { show_progress_on(terminal, locale); });
    const auto lines = [&] {
      const std::string text = terminal.text();
      std::size_t count = 0;
      for (std::size_t at = 0; (at = text.find(" left\033[K", at)) != std::string::npos; ++at) ++count;
      return count;
    };
    ASSERT_TRUE(eventually([&] { return lines() >= 4; })) << terminal.text();
    program.send(SIGINT);
    EXPECT_EQ(program.wait().exit_code, 1);

    const std::string text = terminal.text();
    EXPECT_NE(text.find("of 1e+06 s, "), std::string::npos) << text;
    EXPECT_EQ(text.find("░") != std::string::npos, std::string(locale) == "C.UTF-8") << text;
    EXPECT_LT(lines(), ResultFile(folder / "out/run.h5").numbers("t").size());
    // The last act is to wipe the line.
    EXPECT_NE(text.find("left\033[K\r\033[Kswing.toml: "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace taut::testing
