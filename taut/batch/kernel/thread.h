// One robot on one thread of a card. The source that cuda/source.h makes for a model includes this, and so do the tests, one
// thread at a time. S and N here are types that hold no tables: their functions are constants, so that arrays have fixed
// sizes and the compiler keeps them in registers where they fit.
#pragma once

#include "taut/batch/kernel/crossing.h"

// Constants of the model; where loops are unrolled, none of them is left in the program.
#ifdef __CUDACC__
#define TAUT_TABLE __constant__ const
#else
#define TAUT_TABLE constexpr
#endif

namespace taut::batch {

constexpr int at_least_one(int n) { return n > 0 ? n : 1; }

// `past`: 4 lengths per slot, TAUT_PAST_STRIDE apart; null: the thread has its own.
template <class R, class S, class N>
TAUT_KERNEL void robot_on_thread(const S& s, const N& n, Crossing job, long at, R* past) {
  constexpr int n3 = 3 * S::nodes();
  constexpr bool looks_back = S::sees_velocities(), turns = S::group_nodes() > 0;
  R x[n3], v[n3], f[n3], before[looks_back ? n3 : 1];
  R own_past[S::past_is_own() ? at_least_one(4 * S::slots()) : 1];
  R rest[at_least_one(S::drives())], rest_rate[at_least_one(S::drives())], command[at_least_one(3 * S::drives())];
  R group[turns ? n3 + 5 * S::rows() + S::factor_entries() + press_numbers(S{}) : 1];
  R spare[S::jumps() ? 2 * n3 + 4 * S::slots() : 1];
  Room<R> room{x, v, f, before, S::past_is_own() ? own_past : past, rest, rest_rate, command, group, spare, nullptr};
  job.steps.h = S::step();
  job.steps.commands = S::commands();
  if constexpr (S::for_tensions()) {
    R tension[at_least_one(S::slots())];
    cross_tensions<R>(s, n, job, room, command, tension, at);
  } else {
    if (job.done[at] != 0) return;
    job.tension = nullptr;
    cross_steps<R>(s, n, job, room, command, at);
  }
}

}  // namespace taut::batch
