// Long work asks now and then whether it is still wanted. Who starts it gives a flag, set from outside (a signal, another
// thread); who works, however deep within, asks where a loop takes long, and throws Stopped.
#pragma once

#include <atomic>
#include <exception>

namespace taut {

// Not an error of what was computed: nothing tries again with a smaller step.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// The flag of this thread while in scope; null: nobody asks. Within the scope of another flag that one goes on to count.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* flag);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

// For loops: taken once before them.
const std::atomic<bool>* stop_flag();
inline bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }
// Throws Stopped.
void stop_if_asked();

}  // namespace taut
