// What may be written where, for every command; messages that cannot be written; pipes that nobody writes to.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <thread>

#include "taut/report/report.h"
#include "tests/apps/program.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A folder with swing.toml, net.toml and, in `run`, results of the first.
class CliOutputs : public ::testing::Test {
 protected:
  CliOutputs() {
    write_text(folder / "swing.toml", model_text("swing"));
    EXPECT_EQ(taut({"examples", "prism", "-o", "prism.toml"}).exit_code, 0);
    EXPECT_EQ(taut({"run", "swing.toml", "-o", "run", "--no-report", "--duration", "0.1"}).exit_code, 0);
    for (const char* name : {"swing.toml", "prism.toml", "run/run.h5"})
      kept.emplace_back(name, contents(folder / name));
  }
  Outcome taut(const Words& words, const std::function<void()>& in_child = {}) {
    return run_program(words, folder.path(), in_child);
  }
  // Exit 2 with these words, and nothing has changed.
  void refused(const Words& words, const std::string& why) {
    const Outcome outcome = taut(words);
    EXPECT_EQ(outcome.exit_code, 2) << ::testing::PrintToString(words) << outcome.error;
    EXPECT_NE(outcome.error.find(why), std::string::npos) << outcome.error;
    for (const auto& [name, text] : kept)
      EXPECT_EQ(contents(folder / name), text) << name << " after " << ::testing::PrintToString(words);
  }

  ScratchFolder folder;
  std::vector<std::pair<std::string, std::string>> kept;
};

TEST_F(CliOutputs, NoResultTakesThePlaceOfWhatTheCommandReads) {
  const std::string why = "it is a file that this command reads";
  refused({"form", "prism.toml", "-o", "prism.toml"}, why);
  refused({"form", "prism.toml", "--method", "newton", "--path", "loads", "--record", "./prism.toml"}, why);
  refused({"design", "prism.toml", "-o", "run/../prism.toml"}, why);
  fs::copy_file(folder / "prism.toml", folder / "model.json");
  kept.emplace_back("model.json", contents(folder / "model.json"));
  refused({"linearise", "model.json", "-o", "model.json"}, why);
  fs::create_directory(folder / "out");
  fs::copy_file(folder / "prism.toml", folder / "out/summary.json");
  kept.emplace_back("out/summary.json", contents(folder / "out/summary.json"));
  refused({"run", "out/summary.json", "-o", "out"}, why);
  fs::copy_file(folder / "prism.toml", folder / "out/shapes.csv");
  kept.emplace_back("out/shapes.csv", contents(folder / "out/shapes.csv"));
  refused({"modes", "out/shapes.csv", "-o", "out"}, why);
  fs::copy_file(folder / "run/run.h5", folder / "run.glb");
  kept.emplace_back("run.glb", contents(folder / "run.glb"));
  refused({"export", "run.glb", "--to", "gltf", "-o", "run.glb"}, why);
  // By a hard link too.
  fs::create_hard_link(folder / "prism.toml", folder / "twin.toml");
  refused({"form", "prism.toml", "-o", "twin.toml"}, why);
  if (!reports_possible()) return;
  refused({"view", "prism.toml", "-o", "prism.toml", "--no-open"}, why);
  refused({"view", "run", "-o", "run/run.h5", "--no-open"}, why);
}

TEST_F(CliOutputs, NoResultTakesThePlaceOfAnotherKind) {
  refused({"design", "prism.toml", "-o", "swing.toml"}, "it is a model file");
  refused({"form", "prism.toml", "-o", "run/run.h5"}, "it holds results (HDF5)");
  refused({"linearise", "prism.toml", "-o", "run/run.h5"}, "it holds a run");
  // Matrices take the place of matrices.
  for (int i = 0; i < 2; ++i) EXPECT_EQ(taut({"linearise", "prism.toml", "-o", "prism.h5"}).exit_code, 0);
  if (!reports_possible()) return;
  refused({"view", "prism.toml", "-o", "run/run.h5", "--no-open"}, "it holds results (HDF5)");
  refused({"view", "prism.toml", "-o", "swing.toml", "--no-open"}, "it is a model file");
}

TEST_F(CliOutputs, TwoResultsNeedTwoNames) {
  refused({"form", "prism.toml", "--method", "newton", "--path", "loads", "--record", "q", "-o", "run/../q"},
          "another result of this command goes there");
  EXPECT_FALSE(fs::exists(folder / "q"));
}

TEST_F(CliOutputs, LinksAndWhatTheyLeadToStay) {
  fs::create_symlink("swing.toml", folder / "link.toml");
  fs::create_symlink("nowhere", folder / "dangling");
  fs::create_directory(folder / "out");
  fs::create_symlink("../run/run.h5", folder / "out/run.h5");
  refused({"form", "prism.toml", "-o", "link.toml"}, "it is a link to swing.toml");
  refused({"examples", "prism", "-o", "dangling"}, "it is a link to nowhere");
  refused({"run", "prism.toml", "-o", "out"}, "it is a link to ../run/run.h5");
  if (reports_possible()) refused({"view", "prism.toml", "--no-open", "-o", "link.toml"}, "it is a link");
  for (const char* name : {"link.toml", "dangling", "out/run.h5"}) EXPECT_TRUE(fs::is_symlink(folder / name)) << name;
  // A folder behind a link is a folder like others.
  fs::create_directory_symlink("run", folder / "same");
  EXPECT_EQ(taut({"run", "swing.toml", "-o", "same", "--no-report", "--duration", "0.1"}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "same"));
}

TEST_F(CliOutputs, DevicesStay) {
  const fs::path null = folder / "null";
  if (::mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "cannot make a device here";
  fs::create_directory(folder / "out");
  fs::rename(null, folder / "out/report.html");
  if (reports_possible())
    refused({"view", "prism.toml", "--no-open", "-o", "out/report.html"}, "it is a device or a pipe");
  if (reports_possible()) refused({"run", "swing.toml", "-o", "out"}, "it is a device or a pipe");
  // Text is written into it.
  EXPECT_EQ(taut({"examples", "prism", "-o", "out/report.html"}).exit_code, 0);
  EXPECT_TRUE(fs::is_character_file(folder / "out/report.html"));
}

// Standard output that is a file goes on where it stands, and the link of the system stays.
TEST_F(CliOutputs, StandardOutputByNameMayBeAFile) {
  const Outcome outcome = taut({"design", "prism.toml", "-o", "/dev/stdout", "--json"},
                               [&] { ::dup2(::open("both.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO); });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  const std::string both = contents(folder / "both.txt");
  EXPECT_EQ(both.substr(0, 10), "name,kind,");
  EXPECT_NE(both.find("\n{"), std::string::npos);
  EXPECT_TRUE(fs::is_symlink("/dev/stdout"));
}

TEST_F(CliOutputs, AMessageThatCannotBeWrittenIsLostAndNothingElse) {
  const auto full = [] { ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO); };
  const auto closed = [] { ::close(STDERR_FILENO); };
  const auto unread = [] {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(126);
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
  };
  for (const std::function<void()>& deaf :
       {std::function<void()>(full), std::function<void()>(closed), std::function<void()>(unread)}) {
    EXPECT_EQ(taut({"check", "nothing.toml"}, deaf).exit_code, 2);
    EXPECT_EQ(taut({"run", "swing.toml", "--integrator", "nonsense"}, deaf).exit_code, 2);
    EXPECT_EQ(taut({}, deaf).exit_code, 2);
    EXPECT_EQ(taut({"export", "run", "--to", "csv", "-o", "csv"}, deaf).exit_code, 0);
    EXPECT_EQ(taut({"examples", "prism", "-o", "again.toml"}, deaf).exit_code, 0);
  }
  // A closed stream leaves its number to no file of results: they hold what they should.
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    taut({"run", "swing.toml", "-o", "deaf", "--no-report", "--duration", "0.1"}, [=] { ::close(stream); });
    EXPECT_EQ(contents(folder / "deaf/run.h5").substr(1, 3), "HDF") << stream;
    EXPECT_EQ(taut({"export", "deaf", "--to", "csv", "-o", "csv"}).exit_code, 0) << stream;
  }
}

// Whoever reads standard output may leave before its end (| head -1): by then the file is in its place.
TEST_F(CliOutputs, AReaderThatLeavesCostsNoFile) {
  EXPECT_EQ(taut({"examples", "net", "--set", "nx=20", "--set", "ny=20", "-o", "net.toml"}).exit_code, 0);
  for (const char* method : {"newton", "force_density", "relax"}) {
    const std::string file = std::string(method) + ".toml";
    const Outcome outcome = taut({"form", "net.toml", "--method", method, "--json", "-o", file}, [] {
      std::signal(SIGPIPE, SIG_DFL);
      int ends[2];
      if (::pipe(ends) != 0) ::_exit(126);
      ::close(ends[0]);
      ::dup2(ends[1], STDOUT_FILENO);
    });
    EXPECT_EQ(outcome.signal, SIGPIPE) << method << outcome.error;
    EXPECT_TRUE(fs::exists(folder / file)) << method;
  }
  for (const std::string& name : names_in(folder.path())) EXPECT_FALSE(name.starts_with(".taut-part-")) << name;
}

TEST_F(CliOutputs, APipeWithoutItsOtherEndIsAnError) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0666), 0);
  ASSERT_EQ(::mkfifo((folder / "pipe.html").c_str(), 0666), 0);
  const Outcome read = taut({"check", "pipe"});
  EXPECT_EQ(read.exit_code, 2);
  EXPECT_NE(read.error.find("is a pipe that nobody writes to"), std::string::npos) << read.error;
  EXPECT_EQ(taut({"view", "pipe.html", "--no-open"}).exit_code, 2);
  const Outcome written = taut({"examples", "prism", "-o", "pipe"});
  EXPECT_EQ(written.exit_code, 1);
  EXPECT_NE(written.error.find("nobody reads from this pipe"), std::string::npos) << written.error;

  // A writer that comes late and takes its time is waited for.
  Program program({program_path(), "check", "pipe"}, folder.path());
  std::thread writer([&] {
    ::usleep(300'000);
    const int end = ::open((folder / "pipe").c_str(), O_WRONLY);
    const std::string text = contents(folder / "prism.toml");
    const std::size_t half = text.size() / 2;
    EXPECT_EQ(::write(end, text.data(), half), static_cast<ssize_t>(half));
    ::usleep(300'000);
    EXPECT_EQ(::write(end, text.data() + half, text.size() - half), static_cast<ssize_t>(text.size() - half));
    ::close(end);
  });
  const Outcome late = program.wait();
  writer.join();
  EXPECT_EQ(late.exit_code, 0) << late.error;
}

// Refused with what they would mean: 5 s at 1e-300 s are 5e300 rows, at 1e-15 s 5e15 steps.
TEST_F(CliOutputs, RunsWithoutEndAreRefusedWithTheirRowsAndSteps) {
  refused({"run", "swing.toml", "--duration", "5", "--output-step", "1e-300"}, "5e+300 rows");
  refused({"run", "swing.toml", "--duration", "5", "--step", "1e-15"}, "5e+15 steps");
  refused({"run", "swing.toml", "--duration", "1e300"}, "rows");
  refused({"run", "swing.toml", "--set", "simulation.tolerance=1000"}, "wrong by 1000 m and m/s; expected 1 or less");
}

}  // namespace
}  // namespace taut::testing
