// The last error of each thread.
#include <filesystem>
#include <new>
#include <vector>

#include "taut/base/error.h"
#include "taut/base/stop.h"
#include "taut/base/version.h"
#include "taut/c/handles.h"

namespace taut::c {

namespace {

constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

class LastError {
 public:
  const taut_error& shown() const { return shown_; }

  void set(int status, std::string message, double time = no_time, std::vector<Problem> problems = {}) noexcept {
    shown_ = {status, no_memory, time, 0, nullptr};
    try {
      message_ = std::move(message);
      problems_ = std::move(problems);
      listed_.clear();
      for (const Problem& p : problems_)
        listed_.push_back({p.place.file.c_str(), p.place.line, p.place.column, p.key.c_str(), p.message.c_str()});
      shown_ = {status, message_.c_str(), time, static_cast<std::int64_t>(listed_.size()), listed_.data()};
    } catch (...) {
      shown_ = {status, no_memory, time, 0, nullptr};
    }
  }

 private:
  static constexpr const char* no_memory = "out of memory while an error was reported";

  std::string message_;
  std::vector<Problem> problems_;
  std::vector<taut_problem> listed_;
  taut_error shown_ = {TAUT_OK, "", no_time, 0, nullptr};
};

thread_local LastError last;

void note() {
  try {
    throw;
  } catch (const InputError& error) {
    last.set(TAUT_INPUT_ERROR, error.what(), no_time, error.problems());
  } catch (const StoppedAt& stopped) {
    last.set(TAUT_STOPPED, stopped.what(), stopped.time());
  } catch (const RunError& error) {
    last.set(TAUT_RUN_ERROR, error.what(), error.time());
  } catch (const Stopped&) {
    last.set(TAUT_STOPPED, "stopped");
  } catch (const Misuse& error) {
    last.set(TAUT_MISUSE, error.what());
  } catch (const Busy&) {
    last.set(TAUT_BUSY,
             "another thread, or a function further up, is using this handle: give each thread a handle of its own");
  } catch (const std::filesystem::filesystem_error& error) {
    last.set(TAUT_INPUT_ERROR, error.what());  // a name that no file can have, say
  } catch (const std::bad_alloc&) {
    last.set(TAUT_INTERNAL, "there is not enough memory");
  } catch (const std::exception& error) {
    last.set(TAUT_INTERNAL, error.what());
  } catch (...) {
    last.set(TAUT_INTERNAL, "something unknown was thrown");
  }
}

}  // namespace

int note_error() noexcept {
  try {
    note();
  } catch (...) {
    last.set(TAUT_INTERNAL, {});
  }
  return last.shown().status;
}

std::size_t require_count(std::int64_t count, const void* list, const char* what) {
  if (count < 0) throw Misuse(std::string(what) + ": " + std::to_string(count) + " is no count");
  if (count > 0 && list == nullptr) throw Misuse(std::string(what) + " is NULL");
  return static_cast<std::size_t>(count);
}

std::size_t require_index(std::int64_t index, std::size_t count, const char* what) {
  if (index < 0 || static_cast<std::uint64_t>(index) >= count)
    throw Misuse(std::string(what) + " " + std::to_string(index) + ": there are " + std::to_string(count) +
                 ", counted from 0");
  return static_cast<std::size_t>(index);
}

}  // namespace taut::c

extern "C" {

const char* taut_version(void) { return taut::version(); }
int taut_c_version(void) { return TAUT_C_VERSION; }
const taut_error* taut_last_error(void) { return &taut::c::last.shown(); }
const char* taut_error_message(void) { return taut::c::last.shown().message; }

}  // extern "C"
