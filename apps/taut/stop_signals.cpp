#include "apps/taut/stop_signals.h"

#include <csignal>

namespace taut {

namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");
constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

extern "C" void ask_to_stop(int) {
  asked.store(true);
  for (const int signal : stop_signals) std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_asked() { return asked; }

StopSignals::StopSignals() {
  for (const int signal : stop_signals)
    if (std::signal(signal, ask_to_stop) == SIG_IGN && signal == SIGHUP) std::signal(signal, SIG_IGN);
}

StopSignals::~StopSignals() {
  for (const int signal : stop_signals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace taut
