// A folder with models, in which studies are made and run.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "taut/base/error.h"
#include "taut/sweep/sweep.h"
#include "tests/sweep_support.h"

namespace taut::testing {

class Sweep : public ::testing::Test {
 protected:
  Sweep() {
    write_text(folder_ / "weight.toml", weight_model);
    write_text(folder_ / "prism.toml", prism_model);
  }
  // The table of a study.
  std::string table(const std::string& study, int threads = 2) {
    write_text(folder_ / "study.toml", study);
    SweepOptions options;
    options.folder = folder_ / ("out" + std::to_string(++count_));
    options.threads = threads;
    options.report = false;
    result_ = run_sweep(read_study((folder_ / "study.toml").string()), options);
    EXPECT_TRUE(result_.complete);
    return contents(options.folder / "table.csv");
  }
  std::string problem_of(const std::string& study) {
    try {
      table(study);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  const ScratchFolder folder_;
  SweepResult result_;
  int count_ = 0;
};

}  // namespace taut::testing
