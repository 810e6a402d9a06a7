// The rows that a run hands out: multiples of the output step from 0 to the duration included.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "taut/formulation/state.h"

namespace taut {

class Outputs {
 public:
  using Emit = std::function<void(const State&)>;

  // Landmarks (ascending) are times that count exactly: a row that differs from one by rounding falls on it.
  Outputs(double step, double duration, Emit emit, const std::atomic<bool>* stop = nullptr,
          std::vector<double> landmarks = {})
      : step_(step), duration_(duration), emit_(std::move(emit)), stop_(stop), landmarks_(std::move(landmarks)) {}

  // Time of the next row, infinity after the last.
  double next() const { return next_; }
  double step() const { return step_; }
  double duration() const { return duration_; }

  void emit(const State& state) {
    ++index_;
    if (next_ == duration_) {
      next_ = std::numeric_limits<double>::infinity();
    } else {
      next_ = static_cast<double>(index_) * step_;
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
  long index_ = 0;
  double next_ = 0.0;
  Emit emit_;
  const std::atomic<bool>* stop_;
  std::vector<double> landmarks_;
};

}  // namespace taut
