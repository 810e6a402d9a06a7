// What the generated source of a kernel needs to be compiled for the processor: the words of CUDA, with one thread that
// the caller moves over blocks and threads.
#pragma once

#define __global__
#define __launch_bounds__(...)
#define __shared__

struct OneThread {
  unsigned x;
};
extern OneThread blockIdx, threadIdx;
extern "C" double shared_memory[];
