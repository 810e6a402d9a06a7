// Results are whole or absent: files take their places together, failures leave nothing behind.
#include "taut/results/output_dir.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "taut/base/error.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/record_csv.h"
#include "taut/results/record_summary.h"
#include "tests/support/scratch_folder.h"

namespace taut {
namespace {

using testing::contents;
using testing::names_in;
using testing::ScratchFolder;
using testing::write_text;
using Names = std::vector<std::string>;

// No file may grow beyond `bytes` while in scope.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(OutputDir, FilesAppearTogetherWhenTheLastIsFinished) {
  const ScratchFolder folder;
  OutputDir dir(folder / "a/b");
  OutputFile one(dir, "one"), two(dir, "two");
  one.append("first ", 0.0);
  one.append("second", 0.0);
  two.append("2", 0.0);
  one.finish(1.0);
  EXPECT_FALSE(std::filesystem::exists(one.path()));
  EXPECT_TRUE(dir.written().empty());
  two.finish(1.0);
  EXPECT_EQ(names_in(folder / "a/b"), (Names{"one", "two"}));
  EXPECT_EQ(contents(one.path()), "first second");
  EXPECT_EQ(contents(two.path()), "2");
  EXPECT_EQ(dir.written().size(), 2u);
}

TEST(OutputDir, AnUnfinishedRunLeavesEarlierResultsAsTheyWere) {
  const ScratchFolder folder;
  write_text(folder / "one", "earlier");
  {
    OutputDir dir(folder.path());
    OutputFile one(dir, "one"), two(dir, "two");
    one.append("later", 0.0);
    one.finish(1.0);
    two.append("half of it", 0.0);
  }
  EXPECT_EQ(names_in(folder.path()), Names{"one"});
  EXPECT_EQ(contents(folder / "one"), "earlier");
}

TEST(OutputDir, AFileThatGoesUnfinishedHoldsBackTheOthers) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  auto one = std::make_unique<OutputFile>(dir, "one");
  OutputFile two(dir, "two");
  one.reset();
  EXPECT_THROW(two.finish(1.0), RunError);
  EXPECT_FALSE(std::filesystem::exists(folder / "two"));
}

TEST(OutputDir, FoldersMadeForNothingGoAgain) {
  const ScratchFolder folder;
  {
    OutputDir dir(folder / "a/b/c");
    OutputFile file(dir, "x");
    EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  }
  EXPECT_EQ(names_in(folder.path()), Names{});
  std::filesystem::create_directory(folder / "kept");
  { OutputDir dir(folder / "kept"); }
  EXPECT_EQ(names_in(folder.path()), Names{"kept"});
}

TEST(OutputDir, RefusesWhatCannotBeAFolder) {
  const ScratchFolder folder;
  write_text(folder / "file", "precious");
  EXPECT_THROW(OutputDir(folder / "file"), InputError);
  EXPECT_THROW(OutputDir(folder / "file/below"), InputError);
  EXPECT_THROW(OutputDir("/proc/nothing-can-be-made-here"), InputError);
  EXPECT_THROW(OutputDir(""), InputError);
  EXPECT_EQ(contents(folder / "file"), "precious");

  std::filesystem::create_directory(folder / "run.h5");
  OutputDir dir(folder.path());
  EXPECT_THROW(OutputFile(dir, "run.h5"), InputError);
  EXPECT_EQ(names_in(folder.path()), (Names{"file", "run.h5"}));
}

TEST(OutputDir, SweepsUpAfterAKilledRunButNotAfterALiveOne) {
  const ScratchFolder folder;
  write_text(folder / ".taut-part-1-0-run.h5", "left behind");
  OutputDir living(folder.path());
  OutputFile file(living, "run.h5");
  EXPECT_EQ(names_in(folder.path()).size(), 1u);
  { OutputDir second(folder.path()); }
  EXPECT_EQ(names_in(folder.path()).size(), 1u);
  file.append("whole", 0.0);
  file.finish(0.0);
  EXPECT_EQ(contents(folder / "run.h5"), "whole");
}

// Others sweep the folder all the while: between the making of a file and its lock, too.
TEST(OutputDir, FilesStayWhileOthersSweepTheFolder) {
  const ScratchFolder folder;
  OutputDir dir(folder.path());
  std::atomic<bool> stop{false};
  std::thread sweeper([&] {
    while (!stop) OutputDir other(folder.path());
  });
  int lost = 0;
  for (int i = 0; i < 3000; ++i) {
    OutputFile file(dir, "x");
    struct stat status {};
    ::fstat(file.descriptor(), &status);
    lost += status.st_nlink == 0;
  }
  stop = true;
  sweeper.join();
  EXPECT_EQ(lost, 0);
}

TEST(OutputDir, FilesHaveTheUsualPermissions) {
  const ScratchFolder folder;
  const mode_t mask = ::umask(027);
  OutputDir dir(folder.path());
  OutputFile file(dir, "x");
  file.finish(0.0);
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat((folder / "x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

// Room for 1 byte, for part of the head, of the rows, and for all but the last bytes: whatever is cut off, the message
// is clear, no file is left over, earlier results stay, and HDF5 goes on working in the same process.
class Full : public ::testing::TestWithParam<rlim_t> {};

TEST_P(Full, LeavesNothingHalfWritten) {
  const ScratchFolder folder;
  const Names results{"cables.csv", "energy.csv", "nodes.csv", "rods.csv", "run.h5", "summary.json"};
  for (const std::string& name : results) write_text(folder / name, "earlier " + name);

  Scenario scenario;
  scenario.model.nodes.resize(12);
  scenario.model.cables.resize(24);
  scenario.simulation.duration = 10.0;
  Sample sample;
  sample.nodes.assign(36, 0.1), sample.velocities.assign(36, 0.2);
  sample.tensions.assign(24, 0.3), sample.lengths.assign(24, 0.4), sample.rest_lengths.assign(24, 0.5);
  const auto record = [&] {
    OutputDir dir(folder.path());
    Hdf5Recorder hdf5(dir);
    CsvRecorder csv(dir, scenario.model);
    SummaryRecorder summary(dir);
    const std::vector<Recorder*> all{&hdf5, &csv, &summary};
    std::string message;
    try {
      for (Recorder* recorder : all) recorder->begin(scenario);
      for (int i = 0; i <= 1000; ++i)
        for (Recorder* recorder : all) recorder->sample(sample);
    } catch (const RunError& error) {
      message = error.what();
    }
    // A run that failed still finishes its recorders: each says why, none renames.
    for (Recorder* recorder : all) {
      try {
        recorder->finish({});
      } catch (const RunError& error) {
        if (message.empty()) message = error.what();
        EXPECT_EQ(message, error.what());
      }
    }
    EXPECT_EQ(dir.failure(), message);
    return message;
  };
  {
    const SizeLimit limit(GetParam());
    const std::string message = record();
    EXPECT_TRUE(message.starts_with("cannot write " + folder.path().string() + "/")) << message;
    EXPECT_TRUE(message.ends_with(": File too large")) << message;
  }
  EXPECT_EQ(names_in(folder.path()), results);
  for (const std::string& name : results) EXPECT_EQ(contents(folder / name), "earlier " + name);

  EXPECT_EQ(record(), "");
  EXPECT_EQ(names_in(folder.path()), results);
  EXPECT_GT(std::filesystem::file_size(folder / "run.h5"), 96u * 8u * 1001u);
}

INSTANTIATE_TEST_SUITE_P(Room, Full, ::testing::Values(1, 4000, 40000, 300000, 700000));

}  // namespace
}  // namespace taut
