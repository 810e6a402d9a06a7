// A folder with models, in which sweeps are made and run.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "taut/base/error.h"
#include "taut/sweep/sweep.h"
#include "tests/support/complaint.h"
#include "tests/support/models.h"
#include "tests/support/scratch_folder.h"
#include "tests/sweep/support.h"

namespace taut::testing {

class Sweep : public ::testing::Test {
 protected:
  Sweep() {
    write_text(folder_ / "weight.toml", model_text("weight"));
    write_text(folder_ / "prism.toml", model_text("prism"));
  }
  // The table of a sweep.
  std::string table(const std::string& sweep, int threads = 2) {
    write_text(folder_ / "sweep.toml", sweep);
    SweepOptions options;
    options.folder = folder_ / ("out" + std::to_string(++count_));
    options.threads = threads;
    options.report = false;
    result_ = run_sweep(read_sweep_file((folder_ / "sweep.toml").string()), options);
    EXPECT_TRUE(result_.complete);
    return contents(options.folder / "table.csv");
  }
  std::string problem_of(const std::string& sweep) {
    return complaint([&] { table(sweep); });
  }
  const ScratchFolder folder_;
  SweepResult result_;
  int count_ = 0;
};

}  // namespace taut::testing
