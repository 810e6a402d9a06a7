// The rows that a run hands out: the start, multiples of the output step after it, and the end.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "taut/formulation/state.h"
#include "taut/integrate/multiples.h"

namespace taut {

class Outputs {
 public:
  using Emit = std::function<void(const State&)>;

  // Landmarks (ascending) are times that count exactly: a row that differs from one by rounding falls on it. The first row
  // is at `start`.
  Outputs(double step, double duration, Emit emit, const std::atomic<bool>* stop = nullptr,
          std::vector<double> landmarks = {}, double start = 0.0)
      : step_(step),
        duration_(duration),
        multiples_(step),
        index_(std::lround(std::floor(start / step + 1e-9))),
        next_(start),
        emit_(std::move(emit)),
        stop_(stop),
        landmarks_(std::move(landmarks)) {}

  // No rows at all, for a part of a run that would have them a step apart.
  Outputs(double step, double duration, const std::atomic<bool>* stop = nullptr) : Outputs(step, duration, {}, stop) {
    next_ = std::numeric_limits<double>::infinity();
  }

  // Time of the next row, infinity after the last.
  double next() const { return next_; }
  double step() const { return step_; }
  double duration() const { return duration_; }

  void emit(const State& state) {
    ++index_;
    if (next_ == duration_) {
      next_ = std::numeric_limits<double>::infinity();
    } else {
      next_ = multiples_(index_);
      const double near = 1e-9 * step_;
      const auto mark = std::lower_bound(landmarks_.begin(), landmarks_.end(), next_ - near);
      if (mark != landmarks_.end() && *mark <= next_ + near) next_ = *mark;
      if (next_ > duration_ - near) next_ = duration_;
    }
    emit_(state);
  }

  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  double step_, duration_;
  Multiples multiples_;
  long index_;
  double next_;
  Emit emit_;
  const std::atomic<bool>* stop_;
  std::vector<double> landmarks_;
};

}  // namespace taut
