// Models whose kernels for cards are compiled into the tests, one thread at a time (one_thread.h): the program that writes
// their sources and the test that runs them both take them from here.
#pragma once

#include <string>
#include <vector>

#include "taut/batch/cuda/source.h"
#include "taut/model/scenario.h"

namespace taut::testing {

struct KernelCase {
  std::string name;
  Scenario scenario;
  batch::Plan plan;
  batch::CardKernel kernel;  // its entry is taut_batch_NAME
  std::vector<int> varied;
};

std::vector<KernelCase> kernel_cases();

}  // namespace taut::testing
