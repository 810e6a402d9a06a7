#include <fmt/format.h>

#include "apps/taut/form_methods.h"
#include "apps/taut/terminal.h"

namespace taut {

ProgressLine::ProgressLine() : live_(is_terminal(stderr)) {}

ProgressLine::~ProgressLine() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::operator()(long steps, double residual) {
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  fmt::print(stderr, "\r  {} steps, largest net force {:.1e} of the mean member force\033[K", steps, residual);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace taut
