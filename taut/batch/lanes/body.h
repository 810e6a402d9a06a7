// The robots of a batch in packs, for the vector unit that the including file is compiled for (TAUT_LANES names it).
#pragma once

#include <stdlib.h>

#include "taut/batch/kernel/crossing.h"
#include "taut/batch/lanes/job.h"
#include "taut/batch/lanes/lanes.h"

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

// One pack: in, through the steps, out.
template <class T, class R>
struct Traveller {
  const LanesJob& job;
  const Shape& s;
  Room<R> room{};
  R *numbers, *command, *tension;

  explicit Traveller(const LanesJob& asked, Scratch<R>& scratch) : job(asked), s(*asked.shape) {
    const int n3 = 3 * s.nodes();
    room.x = scratch.take(n3), room.v = scratch.take(n3), room.f = scratch.take(n3), room.before = scratch.take(n3);
    room.past = scratch.take(4L * s.slots());
    room.rest = scratch.take(s.drives()), room.rest_rate = scratch.take(s.drives());
    command = scratch.take(3L * s.drives());
    room.group = scratch.take(group_size(s));
    room.spare = scratch.take(spare_size(s));
    numbers = scratch.take(job.number_count);
    tension = scratch.take(s.slots());
    for (int k = 0; k < job.number_count; ++k) numbers[k] = R(job.numbers[k]);
  }
  static long group_size(const Shape& s) {
    return 3L * s.nodes() + 5L * s.rows() + s.factor_entries() + press_numbers(s);
  }
  static long spare_size(const Shape& s) { return s.jumps() ? 6L * s.nodes() + 4L * s.slots() : 0; }
  static long size(const LanesJob& job) {
    const Shape& s = *job.shape;
    return 12L * s.nodes() + 5L * s.slots() + 5L * s.drives() + group_size(s) + spare_size(s) + job.number_count;
  }

  void run(long at) {
    bool all_done = true;
    for (int j = 0; j < lane_count<R>; ++j) all_done = all_done && job.done[at + j] != 0;
    if (all_done && job.tension == nullptr) return;
    for (int k = 0; k < job.varied_count; ++k)
      load_lanes(numbers[job.varied[k]], job.varied_values + k * job.stride + at);
    const PackNumbers<R> n{numbers};
    if (job.tension != nullptr)
      cross_tensions<T>(s, n, job, room, command, tension, at);
    else
      cross_steps<T>(s, n, job, room, command, at);
  }
};

template <class T, class R>
void cross(const LanesJob& job, long first, long last) {
  Scratch<R> scratch(Traveller<T, R>::size(job));
  Traveller<T, R> traveller(job, scratch);
  for (long at = first; at < last; at += lane_count<R>) traveller.run(at);
}

}  // namespace taut::batch::TAUT_LANES
