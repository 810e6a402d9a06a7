// Rows of a sweep on disk: what was put comes back, also after a crash in the middle of a row; rows of another sweep
// are not touched.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "taut/base/error.h"
#include "taut/sweep/table/rows_file.h"
#include "tests/support/scratch_folder.h"

namespace taut::testing {
namespace {

SweepRow row_of(long run) {
  SweepRow row;
  row.values = {static_cast<double>(run), std::sqrt(static_cast<double>(run)), run % 7 == 0 ? NAN : 1.0};
  if (run % 5 == 0) row.status = RowStatus::failed, row.reason = "reason of run " + std::to_string(run);
  return row;
}

void expect_row(const RowsFile& rows, long run) {
  SweepRow row;
  rows.get(run, row);
  const SweepRow expected = row_of(run);
  EXPECT_EQ(row.status, expected.status);
  EXPECT_EQ(row.reason, expected.reason);
  ASSERT_EQ(row.values.size(), 3U);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(row.values[i] == expected.values[i] || (std::isnan(row.values[i]) && std::isnan(expected.values[i])));
}

TEST(SweepRows, ComeBackAsTheyWere) {
  const ScratchFolder folder;
  constexpr long runs = 1000;
  {
    RowsFile rows(folder.path(), "sweep", runs, 3);
    EXPECT_EQ(rows.present(), 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&rows, t] {
        for (long run = t; run < runs; run += 8) rows.put(run, row_of(run));
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(rows.present(), runs / 2);
  }
  RowsFile rows(folder.path(), "sweep", runs, 3);
  EXPECT_EQ(rows.present(), runs / 2);
  for (long run = 0; run < runs; ++run) {
    ASSERT_EQ(rows.has(run), run % 8 < 4) << run;
    if (rows.has(run)) expect_row(rows, run);
  }
}

// A crash may leave any part of what was written last: whatever is cut off, the rows before it are whole, and a row
// that is not whole is not there.
TEST(SweepRows, ATornRowIsNotThere) {
  const ScratchFolder folder;
  { RowsFile(folder.path(), "sweep", 3, 3).put(0, row_of(0)); }
  const auto whole = std::filesystem::file_size(folder / "rows");
  { RowsFile(folder.path(), "sweep", 3, 3).put(1, row_of(1)); }
  const auto both = std::filesystem::file_size(folder / "rows");
  for (auto size = both - 1; size >= whole; --size) {
    std::filesystem::resize_file(folder / "rows", size);
    const RowsFile rows(folder.path(), "sweep", 3, 3);
    EXPECT_EQ(rows.present(), 1) << size;
    EXPECT_TRUE(rows.has(0));
    expect_row(rows, 0);
  }
}

TEST(SweepRows, ARowWithOneWrongByteIsNotThere) {
  const ScratchFolder folder;
  { RowsFile(folder.path(), "sweep", 1, 3).put(0, row_of(0)); }
  const auto size = static_cast<long>(std::filesystem::file_size(folder / "rows"));
  for (long at = size - 48; at < size; ++at) {  // the head of the slot and its values
    const int file = ::open((folder / "rows").c_str(), O_RDWR);
    char byte = 0;
    ASSERT_EQ(::pread(file, &byte, 1, at), 1);
    const char wrong = static_cast<char>(byte ^ 0x10);
    ASSERT_EQ(::pwrite(file, &wrong, 1, at), 1);
    EXPECT_EQ(RowsFile(folder.path(), "sweep", 1, 3).present(), 0) << at;
    ASSERT_EQ(::pwrite(file, &byte, 1, at), 1);
    ::close(file);
  }
  EXPECT_EQ(RowsFile(folder.path(), "sweep", 1, 3).present(), 1);
}

// A beginning that was cut off, by a full disk or a kill, is none: the rows begin anew.
TEST(SweepRows, ABeginningThatWasCutOff) {
  const std::string sweep(500, 's');
  for (const std::uintmax_t size : {0U, 10U, 48U, 100U, 400U}) {
    const ScratchFolder folder;
    { const RowsFile rows(folder.path(), sweep, 2, 3); }
    std::string bytes = contents(folder / "rows");
    // The sweep is written before the word that makes it one.
    std::fill_n(bytes.begin(), 48, '\0');
    write_text(folder / "rows", bytes.substr(0, size));
    RowsFile rows(folder.path(), sweep, 2, 3);
    EXPECT_EQ(rows.present(), 0);
    rows.put(1, row_of(1));
    expect_row(rows, 1);
  }
}

void expect_refused(const std::filesystem::path& folder, const std::string& sweep, const std::string& part) {
  try {
    RowsFile(folder, sweep, 2, 3);
    ADD_FAILURE() << "opened";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(SweepRows, WhatIsRefused) {
  const ScratchFolder folder;
  {
    const RowsFile open(folder.path(), "model = 1\nruns = 2\n", 2, 3);
    expect_refused(folder.path(), "model = 1\nruns = 2\n", "is being written by another taut sweep");
  }
  expect_refused(folder.path(), "model = 1\nruns = 3\n",
                 "has the rows of another sweep: take another folder with -o, or remove it. There: \"runs = 2\"; now: "
                 "\"runs = 3\"");
  write_text(folder / "rows", std::string(200, 'x'));
  expect_refused(folder.path(), "sweep", "is not a table of runs");
}

}  // namespace
}  // namespace taut::testing
