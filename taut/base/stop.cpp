#include "taut/base/stop.h"

namespace taut {
namespace {

thread_local const std::atomic<bool>* wanted = nullptr;

}  // namespace

StopScope::StopScope(const std::atomic<bool>* flag) : before_(wanted) {
  if (wanted == nullptr) wanted = flag;
}
StopScope::~StopScope() { wanted = before_; }

const std::atomic<bool>* stop_flag() { return wanted; }

void stop_if_asked() {
  if (is_set(wanted)) throw Stopped();
}

}  // namespace taut
