// The robots of a batch in packs, for the vector unit that the including file is compiled for (TAUT_LANES names it).
#pragma once

#include <stdlib.h>

#include "taut/batch/kernel.h"
#include "taut/batch/lanes.h"
#include "taut/batch/lanes_job.h"

namespace taut::batch::TAUT_LANES {

template <class R>
struct PackNumbers {
  const R* at;
  TAUT_KERNEL R operator()(int k) const { return at[k]; }
};

// Scratch of a thread: one block, on the boundary of a cache line.
template <class R>
class Scratch {
 public:
  explicit Scratch(long packs) : block_(static_cast<R*>(aligned_alloc(64, bytes(packs)))), next_(block_) {
    for (long k = 0; k < packs; ++k) block_[k] = R(0.0);
  }
  ~Scratch() { free(block_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  R* take(long packs) {
    R* const at = next_;
    next_ += packs;
    return at;
  }

 private:
  static unsigned long bytes(long packs) { return (static_cast<unsigned long>(packs) * sizeof(R) + 127) / 64 * 64; }
  R *block_, *next_;
};

template <class R>
TAUT_KERNEL bool lane_is_number(const R& a, int k) {
  const double value = lane(a, k);
  return value - value == 0.0;
}

// One pack: in, through the steps, out.
template <class T, class R>
struct Crossing {
  const LanesJob& job;
  const Shape& s;
  Room<R> room{};
  R *numbers, *command, *tension;

  explicit Crossing(const LanesJob& asked, Scratch<R>& scratch) : job(asked), s(*asked.shape) {
    const int n3 = 3 * s.nodes();
    room.x = scratch.take(n3), room.v = scratch.take(n3), room.f = scratch.take(n3), room.before = scratch.take(n3);
    room.past = scratch.take(4L * s.slots());
    room.rest = scratch.take(s.drives()), room.rest_rate = scratch.take(s.drives());
    command = scratch.take(3L * s.drives());
    room.command = command;
    room.group = scratch.take(group_size(s));
    room.spare = scratch.take(spare_size(s));
    numbers = scratch.take(job.number_count);
    tension = scratch.take(s.slots());
    for (int k = 0; k < job.number_count; ++k) numbers[k] = R(job.numbers[k]);
  }
  static long group_size(const Shape& s) { return 3L * s.nodes() + 5L * s.rows() + s.factor_entries(); }
  static long spare_size(const Shape& s) { return s.jumps() ? 6L * s.nodes() + 4L * s.slots() : 0; }
  static long size(const LanesJob& job) {
    const Shape& s = *job.shape;
    return 12L * s.nodes() + 5L * s.slots() + 5L * s.drives() + group_size(s) + spare_size(s) + job.number_count;
  }

  void load(R* to, const void* from, int rows, long at) const {
    const T* const source = static_cast<const T*>(from) + at;
    for (int k = 0; k < rows; ++k) load_lanes(to[k], source + k * job.stride);
  }

  // From where each rest length goes, how fast, and for how many steps.
  void load_commands(long at) const {
    const double h = job.steps.h, speed = job.winding.speed;
    const R zero(0.0), all_steps(static_cast<double>(job.steps.count));
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

  void store_commands(long at) const {
    const R all_steps(static_cast<double>(job.steps.count));
    for (int d = 0; d < s.drives(); ++d) {
      const R* const c = command + 3 * d;
      R now;
      load_lanes(now, job.rest + d * job.stride + at);
      const R then = c[0] + c[1] * (R(job.steps.h) * smaller(all_steps, c[2]));
      store_lanes(select(c[2] < R(0.0), room.rest[d], then), job.rest + d * job.stride + at);
    }
  }

  void run(long at) {
    bool all_done = true;
    for (int j = 0; j < lane_count<R>; ++j) all_done = all_done && job.done[at + j] != 0;
    if (all_done && job.tension == nullptr) return;
    load(room.x, job.x, 3 * s.nodes(), at);
    load(room.v, job.v, 3 * s.nodes(), at);
    if (job.steps.commands) load_commands(at);
    for (int k = 0; k < job.varied_count; ++k)
      load_lanes(numbers[job.varied[k]], job.varied_values + k * job.stride + at);
    room.time = job.time + at;
    const PackNumbers<R> n{numbers};
    if (job.tension != nullptr) {
      tensions(s, n, job.steps, room, tension);
      T* const to = static_cast<T*>(job.tension) + at;
      for (int k = 0; k < s.slots(); ++k) store_lanes(tension[k], to + k * job.stride);
      return;
    }
    advance(s, n, job.steps, room);
    put_back(at);
    if (job.steps.commands) store_commands(at);
  }

  // A robot that is done stays where it is; so does one whose motion is no number any more.
  void put_back(long at) const {
    T* const x = static_cast<T*>(job.x) + at;
    T* const v = static_cast<T*>(job.v) + at;
    for (int j = 0; j < lane_count<R>; ++j) {
      if (job.done[at + j] != 0) continue;
      bool good = true;
      for (int k = 0; k < 3 * s.nodes(); ++k)
        good = good && lane_is_number(room.x[k], j) && lane_is_number(room.v[k], j);
      if (!good) {
        job.done[at + j] = 1;
        continue;
      }
      for (int k = 0; k < 3 * s.nodes(); ++k) {
        x[k * job.stride + j] = static_cast<T>(lane(room.x[k], j));
        v[k * job.stride + j] = static_cast<T>(lane(room.v[k], j));
      }
    }
  }
};

template <class T, class R>
void cross(const LanesJob& job, long first, long last) {
  Scratch<R> scratch(Crossing<T, R>::size(job));
  Crossing<T, R> crossing(job, scratch);
  for (long at = first; at < last; at += lane_count<R>) crossing.run(at);
}

}  // namespace taut::batch::TAUT_LANES
