// The rows that a run hands out: multiples of the output step from 0 to the duration included.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "taut/formulation/state.h"

namespace taut {

class Outputs {
 public:
  using Emit = std::function<void(const State&)>;

  Outputs(double step, double duration, Emit emit, const std::atomic<bool>* stop = nullptr)
      : step_(step), duration_(duration), emit_(std::move(emit)), stop_(stop) {}

  // Time of the next row, infinity after the last. Rounding never makes two rows of the last one.
  double next() const {
    if (done_) return std::numeric_limits<double>::infinity();
    const double t = static_cast<double>(index_) * step_;
    return t < duration_ - 1e-9 * step_ ? t : duration_;
  }
  double step() const { return step_; }

  void emit(const State& state) {
    done_ = next() == duration_;
    ++index_;
    emit_(state);
  }

  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

 private:
  double step_, duration_;
  long index_ = 0;
  bool done_ = false;
  Emit emit_;
  const std::atomic<bool>* stop_;
};

}  // namespace taut
