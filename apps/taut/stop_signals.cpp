#include "apps/taut/stop_signals.h"

#include <csignal>
#include <ctime>

#include "taut/control/controllers/child.h"

namespace taut {

namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");
constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<long long> first_ns{0};
constexpr long long together_ns = 200'000'000;

extern "C" void ask_to_stop(int signal) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const long long ns = 1'000'000'000LL * now.tv_sec + now.tv_nsec;
  if (!asked.exchange(true)) first_ns = ns;
  if (ns - first_ns < together_ns) return;
  end_children();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
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
