// What the parts of the kernel share: the call, the working memory of a robot, words of laws.
#pragma once

#include "taut/base/number.h"

// Before every loop whose bounds the shape knows; CUDA unrolls there.
#ifndef TAUT_UNROLL
#define TAUT_UNROLL
#endif

// What is large and called in several places.
#ifndef TAUT_KERNEL_PART
#ifdef __CUDACC__
#define TAUT_KERNEL_PART TAUT_KERNEL
#else
#define TAUT_KERNEL_PART inline __attribute__((noinline))
#endif
#endif

// What few robots need at a time: a call costs less than its place in every step.
#ifndef TAUT_KERNEL_RARE
#ifdef __CUDACC__
#define TAUT_KERNEL_RARE __device__ __noinline__
#else
#define TAUT_KERNEL_RARE inline __attribute__((noinline))
#endif
#endif

// How far the remembered lengths of one robot are apart: on a card the threads of a block share their memory.
#ifndef TAUT_PAST_STRIDE
#define TAUT_PAST_STRIDE 1
#endif

namespace taut::batch {

enum Law { law_linear, law_softplus, law_spring, law_table };
enum PressLaw { press_linear, press_smooth, press_hunt_crossley, press_rigid };

// l̇ of a step from the lengths at the last steps (forces/cables.h, RateMemory), or from the velocities.
enum class Rates { velocities, memory };

// What one call asks of every robot.
struct Steps {
  double h = 0.0;  // s
  int count = 0;
  bool commands = false;  // rest lengths come from Room::command
  // Signals on the grid of times k h, from k = first on: per time a row of `drives` pairs (L0, L̇0), then a 0 or 1 for each
  // load; as they are before and after what happens at that time. `jumps` says where that differs.
  const double *before = nullptr, *after = nullptr;
  const unsigned char* jumps = nullptr;
  int first = 0, row = 0;
};

// Working memory of one robot (pack): arrays of 3 numbers per node, 4 lengths per slot, 3 per driven cable.
template <class R>
struct Room {
  R *x, *v, *f;         // m, m/s at half steps, N
  R* before;            // the half-step velocities one step earlier, where forces depend on velocities
  R* past;              // lengths of the last four steps
  R *rest, *rest_rate;  // of driven slots, at the present instant
  const R* command;     // per driven slot: from, m; rate, m/s; steps that it takes, below 0: its signal drives it
  R* group;             // scratch of coupled bars (kernel/group.h)
  R* spare;             // where signals jump: velocities, forces and lengths of lanes that do not begin anew
  const int* time;      // per lane: steps since its t = 0
};

// How rest lengths go to what is commanded: at once, at no more than `speed`, or evenly over the call.
struct Winding {
  bool evenly = false;
  double speed = 0.0;  // m/s; 0: no limit
};

// The arrays of a batch, of its precision where the type is void.
struct Crossing {
  const double* varied_values = nullptr;  // numbers that differ from robot to robot
  void *x = nullptr, *v = nullptr;        // 3 numbers per node
  double* rest = nullptr;                 // per driven cable, m: now
  const double* target = nullptr;         // commanded; not a number: its signal drives it
  Winding winding;
  int* time = nullptr;  // steps since each robot's t = 0
  unsigned char* done =
      nullptr;              // 0: goes on. Set to 1 where a motion is no number any more; the robot is then as before
  void* tension = nullptr;  // per slot; null: advance, else fill this
  Steps steps;
  long stride = 0;
};

template <class R>
TAUT_KERNEL R& past_of(const Room<R>& room, int phase, int slots, int slot) {
  return room.past[((phase & 3) * slots + slot) * TAUT_PAST_STRIDE];
}

// Weights of l_n, l_{n-1}, ... (forces/cables.h, RateMemory): the first three steps have their own.
TAUT_KERNEL void rate_weights(int step, double h, double* w) {
  const double a = step == 1 ? 0.0 : step == 2 ? 1.5 : step == 3 ? 1.25 : 1.1;
  const double b = step == 2 ? -0.5 : step == 3 ? 0.0 : 0.2;
  const double c = step == 2 ? 0.0 : step == 3 ? -0.25 : -0.2;
  const double d = step <= 3 ? 0.0 : -0.1;
  if (step == 1) {
    w[0] = 2.0 / h, w[1] = -2.0 / h, w[2] = -1.0, w[3] = 0.0, w[4] = 0.0;
    return;
  }
  w[0] = a / h, w[1] = (b - a) / h, w[2] = (c - b) / h, w[3] = (d - c) / h, w[4] = -d / h;
}

// The velocity that forces see: at the row itself, or extrapolated to the end of the step.
template <Rates rates, class R>
TAUT_KERNEL R seen_velocity(const Room<R>& room, int k) {
  if constexpr (rates == Rates::velocities) return room.v[k];
  return R(1.5) * room.v[k] - R(0.5) * room.before[k];
}

}  // namespace taut::batch
