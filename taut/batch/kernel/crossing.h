// What a robot (pack) reads from the arrays of a batch before its steps and writes to them afterwards: one source for lanes
// and card. Robots lie side by side: number k of robot i is at k * stride + i, so that neighbours are one load.
#pragma once

#include "taut/batch/kernel.h"

namespace taut::batch {

template <class R>
TAUT_KERNEL bool lane_is_number(const R& a, int k) {
  const double value = lane(a, k);
  return value - value == 0.0;
}

template <class T, class R>
TAUT_KERNEL void load_rows(R* to, const void* from, int rows, long stride, long at) {
  const T* const source = static_cast<const T*>(from) + at;
  TAUT_UNROLL
  for (int k = 0; k < rows; ++k) load_lanes(to[k], source + k * stride);
}

// From where each rest length goes, how fast, and for how many steps.
template <class R, class S>
TAUT_KERNEL void load_commands(const S& s, const Crossing& job, R* command, long at) {
  const double h = job.steps.h, speed = job.winding.speed;
  const R zero(0.0), all_steps(static_cast<double>(job.steps.count));
  TAUT_UNROLL
  for (int d = 0; d < s.drives(); ++d) {
    R now, target;
    load_lanes(now, job.rest + d * job.stride + at);
    load_lanes(target, job.target + d * job.stride + at);
    const R gap = target - now;
    R *const from = command + 3 * d, *const rate = from + 1, *const count = from + 2;
    if (job.tension != nullptr) {
      *from = now, *rate = zero, *count = zero;
    } else if (job.winding.evenly) {
      *from = now, *rate = gap / R(h * job.steps.count), *count = all_steps;
      if (speed > 0.0) *rate = larger(smaller(*rate, R(speed)), R(-speed));
    } else if (speed > 0.0) {
      *from = now, *rate = select(gap < zero, R(-speed), R(speed)), *count = magnitude(gap) / R(speed * h);
    } else {
      *from = target, *rate = zero, *count = zero;
    }
    *count = select(target == target, *count, R(-1.0));
  }
}

template <class R, class S>
TAUT_KERNEL void store_commands(const S& s, const Crossing& job, const Room<R>& room, long at) {
  const R all_steps(static_cast<double>(job.steps.count));
  TAUT_UNROLL
  for (int d = 0; d < s.drives(); ++d) {
    const R* const c = room.command + 3 * d;
    R now;
    load_lanes(now, job.rest + d * job.stride + at);
    const R then = c[0] + c[1] * (R(job.steps.h) * smaller(all_steps, c[2]));
    store_lanes(select(c[2] < R(0.0), room.rest[d], then), job.rest + d * job.stride + at);
  }
}

// A robot that is done stays where it is; so does one whose motion is no number any more.
template <class T, class R, class S>
TAUT_KERNEL void put_back(const S& s, const Crossing& job, const Room<R>& room, long at) {
  T* const x = static_cast<T*>(job.x) + at;
  T* const v = static_cast<T*>(job.v) + at;
  for (int j = 0; j < lane_count<R>; ++j) {
    if (job.done[at + j] != 0) continue;
    bool good = true;
    TAUT_UNROLL
    for (int k = 0; k < 3 * s.nodes(); ++k) good = good && lane_is_number(room.x[k], j) && lane_is_number(room.v[k], j);
    if (!good) {
      job.done[at + j] = 1;
      continue;
    }
    job.time[at + j] += job.steps.count;
    TAUT_UNROLL
    for (int k = 0; k < 3 * s.nodes(); ++k) {
      x[k * job.stride + j] = static_cast<T>(lane(room.x[k], j));
      v[k * job.stride + j] = static_cast<T>(lane(room.v[k], j));
    }
  }
}

template <class T, class R, class S>
TAUT_KERNEL void take_in(const S& s, const Crossing& job, Room<R>& room, R* command, long at) {
  load_rows<T>(room.x, job.x, 3 * s.nodes(), job.stride, at);
  load_rows<T>(room.v, job.v, 3 * s.nodes(), job.stride, at);
  room.command = command;
  if (job.steps.commands) load_commands(s, job, command, at);
  room.time = job.time + at;
}

// From the arrays through the steps and back. `command` holds three numbers per drive.
template <class T, class R, class S, class N>
TAUT_KERNEL void cross_steps(const S& s, const N& n, const Crossing& job, Room<R>& room, R* command, long at) {
  take_in<T>(s, job, room, command, at);
  advance(s, n, job.steps, room);
  put_back<T>(s, job, room, at);
  if (job.steps.commands) store_commands(s, job, room, at);
}

// From the arrays to the tensions; `tension` holds a number per slot.
template <class T, class R, class S, class N>
TAUT_KERNEL void cross_tensions(const S& s, const N& n, const Crossing& job, Room<R>& room, R* command, R* tension,
                                long at) {
  take_in<T>(s, job, room, command, at);
  tensions(s, n, job.steps, room, tension);
  T* const to = static_cast<T*>(job.tension) + at;
  TAUT_UNROLL
  for (int k = 0; k < s.slots(); ++k) store_lanes(tension[k], to + k * job.stride);
}

}  // namespace taut::batch
