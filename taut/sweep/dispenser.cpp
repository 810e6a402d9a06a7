#include "taut/sweep/dispenser.h"

#include <algorithm>

namespace taut {

std::vector<long> Dispenser::take(int workers) {
  constexpr double piece_s = 0.02;
  const std::lock_guard lock(lock_);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  // The pace so far; one run at first, to learn it.
  const double pace = static_cast<double>(handed_) / (std::max(elapsed, 1e-6) * workers);
  const long most = handed_ < 2L * workers ? 1 : static_cast<long>(std::clamp(piece_s * pace, 1.0, 1000.0));
  const long share = std::max(1L, (runs_ - next_) / (4L * workers));
  std::vector<long> piece;
  while (next_ < runs_ && static_cast<long>(piece.size()) < std::min(most, share)) {
    if (missing_(next_)) piece.push_back(next_);
    ++next_;
  }
  handed_ += static_cast<long>(piece.size());
  return piece;
}

void Dispenser::close() {
  const std::lock_guard lock(lock_);
  next_ = runs_;
}

}  // namespace taut
