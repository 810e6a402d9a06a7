#include <fmt/format.h>

#include "apps/taut/form_methods.h"
#include "apps/taut/terminal.h"

namespace taut {

ProgressLine::ProgressLine() : live_(is_terminal(stderr)) {}

ProgressLine::~ProgressLine() {
  if (drawn_) message("\r\033[K");
}

bool ProgressLine::due() {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now < next_) return false;
  next_ = now + std::chrono::milliseconds(100);
  return drawn_ = true;
}

void ProgressLine::operator()(long steps, double residual) {
  if (!due()) return;
  message("\r  {} steps, largest net force {:.1e} of the mean member force\033[K", steps, residual);
}

void ProgressLine::path(long points, double factor) {
  if (!due()) return;
  message("\r  {} points of the path, at {:.4g}\033[K", points, factor);
}

}  // namespace taut
