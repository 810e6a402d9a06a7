#include "taut/sweep/dispenser.h"

#include <algorithm>

namespace taut {

std::vector<long> Dispenser::take(int workers) {
  const bool side_by_side = batch_ > 0;
  constexpr long lanes = 16;
  const double piece_s = side_by_side ? 1.5 : 0.02;
  const long first = side_by_side ? std::min(4 * lanes, batch_) : 1;
  const std::lock_guard lock(lock_);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  // The pace so far; few at first, to learn it.
  const double pace = static_cast<double>(handed_) / (std::max(elapsed, 1e-6) * workers);
  const double at_most = side_by_side ? static_cast<double>(batch_) : 1000.0;
  long most = handed_ < 2L * first * workers ? first : static_cast<long>(std::clamp(piece_s * pace, 1.0, at_most));
  long share = std::max(1L, (runs_ - next_) / (4L * workers));
  if (side_by_side) {
    most = std::clamp(most / lanes * lanes, lanes, batch_);
    share = (share + lanes - 1) / lanes * lanes;
  }
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
