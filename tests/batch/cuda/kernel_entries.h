// The kernels of kernel_cases.h, compiled for the processor.
#pragma once

#include <string>
#include <vector>

#include "taut/batch/kernel/room.h"

namespace taut::testing {

struct KernelEntry {
  std::string name;
  void (*run)(batch::Crossing job, const double* heights, long robots);
  std::vector<double> numbers;  // of the model, to the last bit as they are in the source
};
extern const std::vector<KernelEntry> kernel_entries;

}  // namespace taut::testing
