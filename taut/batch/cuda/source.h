// The kernel of one model as CUDA source: the kernel's headers, and the model's shape and numbers as constants.
//
//   struct CardShape    every name of batch/shape.h as a constexpr function; height fields stay in memory
//   struct CardNumbers  operator()(k): the constant, or the robot's own where it is varied
//   taut_batch          one thread per robot: Crossing in, heights, robots
//
// Small models are unrolled: state in registers, remembered lengths in the memory that a block shares, no table left.
// Large ones keep loops and tables, with the state in memory of the thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taut/batch/plan/plan.h"

namespace taut::batch {

struct CardKernel {
  bool single = false;    // R is float
  bool tensions = false;  // fills Crossing::tension instead of advancing
  double step = 1e-3;     // s
  int block = 128;        // threads
  int blocks = 2;         // at once on a multiprocessor
  bool unrolled = true;
  bool shares_past = true;  // remembered lengths in shared memory
  std::string entry = "taut_batch";

  bool operator==(const CardKernel&) const = default;
};

// How a model is best compiled for cards with that much shared memory for one block, bytes.
CardKernel choose_kernel(const Plan& plan, bool single, double step, bool tensions, int shared_memory);

// Bytes of shared memory that a block asks for.
int shared_bytes(const Plan& plan, const CardKernel& kernel);

// Memory of one thread that coupled bars take, bytes; a card gives most_of_thread at most.
inline constexpr long most_of_thread = 400'000;
long thread_bytes(const Plan& plan, const CardKernel& kernel);

// `varied`: places in Plan::numbers that differ from robot to robot, in the order of their rows.
std::string kernel_source(const Plan& plan, const std::vector<int>& varied, const CardKernel& kernel);

struct KernelHeader {
  std::string_view name, text;  // as an #include names it
};
const std::vector<KernelHeader>& kernel_headers();

}  // namespace taut::batch
