// What the functions of taut_c.h share: the handles, and how every function answers. Nothing is thrown across: what a
// function throws inside becomes its status and the last error of the thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "taut/file/draft.h"
#include "taut/run/simulate.h"
#include "taut/run/simulation.h"
#include "taut/taut_c.h"

// One thread at a time is `busy` with it; `stop` is set from anywhere.
struct taut_model {
  taut::Draft draft;
  std::string text{}, name{};  // as last handed out
  std::atomic<bool> busy{false}, stop{false};
};

struct taut_simulation {
  explicit taut_simulation(taut::Scenario scenario) : simulation(std::move(scenario)) {}
  taut::Simulation simulation;
  std::atomic<bool> busy{false}, stop{false};
};

// These never change, so that threads may share them.
struct taut_snapshot {
  taut::Snapshot snapshot;
};

struct taut_run {
  taut::Run run;
  std::string summary;
};

namespace taut::c {

class Misuse : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

class Busy : public std::exception {};

class StoppedAt : public RunError {
 public:
  using RunError::RunError;
};

// Makes the exception that is being handled the last error of this thread; returns its status.
int note_error() noexcept;

template <class Work>
int answer(Work&& work) noexcept {
  try {
    work();
    return TAUT_OK;
  } catch (...) {
    return note_error();
  }
}

template <class Value, class Work>
Value value_or(Value otherwise, Work&& work) noexcept {
  try {
    return work();
  } catch (...) {
    note_error();
    return otherwise;
  }
}

// Throws Misuse: NULL.
template <class T>
T& require(T* pointer, const char* what) {
  if (pointer == nullptr) throw Misuse(std::string(what) + " is NULL");
  return *pointer;
}
// Throws Misuse: less than 0, or numbers that are nowhere.
std::size_t require_count(std::int64_t count, const void* list, const char* what);
// Throws Misuse: not one of `count`.
std::size_t require_index(std::int64_t index, std::size_t count, const char* what);

// One thread at a time; throws Busy.
class Use {
 public:
  template <class Handle>
  Use(Handle* handle, const char* what) : busy_(require(handle, what).busy) {
    if (busy_.exchange(true, std::memory_order_acquire)) throw Busy();
  }
  ~Use() { busy_.store(false, std::memory_order_release); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::atomic<bool>& busy_;
};

// Frees what nobody is busy with; else that is the last error, and it stays.
template <class Handle>
void release(Handle* handle) noexcept {
  if (handle == nullptr) return;
  const bool idle = answer([&] {
                      if (handle->busy.exchange(true, std::memory_order_acquire)) throw Busy();
                    }) == TAUT_OK;
  if (idle) delete handle;
}

// The caller's pointer to a new handle: NULL until there is one. Throws Misuse.
template <class Handle>
Handle*& cleared(Handle** place, const char* what) {
  require(place, what) = nullptr;
  return *place;
}

// A copy of `count` numbers or bytes for the caller. Throws Misuse where his room is too small.
template <class T>
void hand_out(const T* from, std::size_t count, T* to, std::int64_t size, std::int64_t* counted, const char* what) {
  if (counted != nullptr) *counted = static_cast<std::int64_t>(count);
  const std::size_t room = require_count(size, to, what);
  if (to == nullptr) return;
  if (count > room)
    throw Misuse(std::string(what) + ": there are " + std::to_string(count) + ", and room for " + std::to_string(room));
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

// The function of a controller. Throws Misuse, or InputError for numbers that cannot be.
ControlFunction control_function(const taut_controller& controller);
ControlOptions control_options(const taut_controller& controller);

}  // namespace taut::c
