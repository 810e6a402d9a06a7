// Errors of taut as exceptions of taut._errors, and long calls that Ctrl-C ends.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "python/src/bindings.h"
#include "taut/base/error.h"

namespace taut::python {

namespace {

// Of the long call that the main thread is in; null: none.
std::atomic<std::atomic<bool>*> asked{nullptr};
struct sigaction before {};

void on_interrupt(int signal) {
  if (std::atomic<bool>* flag = asked.load()) flag->store(true);
  if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler != SIG_IGN && before.sa_handler != SIG_DFL)
    before.sa_handler(signal);
}

// Threads that work without the interpreter lock, and whether the interpreter is about to end.
std::atomic<int> outside{0};
std::atomic<bool> is_leaving{false};
std::mutex stops_lock;
std::vector<std::atomic<bool>*> stops;  // of long calls
std::thread::id last_thread;            // the one that ends the interpreter, and goes on

[[noreturn]] void wait_for_the_end() {
  --outside;
  while (true) ::pause();
}

// Python calls it at the end, before threads that want the interpreter lock are ended within: that would be in the middle
// of our functions, which the process does not survive. They stop soon, and then wait or are back in Python.
void leave() {
  constexpr int most_waits = 1000;  // of a millisecond; a control function may be at work
  {
    const std::lock_guard lock(stops_lock);
    last_thread = std::this_thread::get_id();
    is_leaving = true;
    for (std::atomic<bool>* stop : stops) *stop = true;
  }
  const py::gil_scoped_release released;
  for (int i = 0; i < most_waits && outside > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool in_main_thread() { return ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid)); }

py::module_ errors() { return py::module_::import("taut._errors"); }

// Names of files may be in it, which need not be UTF-8: as Python has them.
py::object words(std::string_view text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape"));
}

py::object input_error(const InputError& error) {
  py::list places;
  for (const Problem& problem : error.problems())
    places.append(errors().attr("Place")(words(problem.place.file), problem.place.line, problem.place.column,
                                         words(problem.key), words(problem.message)));
  return errors().attr("InputError")(words(error.what()), py::tuple(places));
}

void set_error(const py::object& exception) { PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr()); }

}  // namespace

Released::Released() {
  ++outside;
  thread_ = PyEval_SaveThread();
}

Released::~Released() {
  wait_if_leaving();
  PyEval_RestoreThread(thread_);
  --outside;
}

bool Released::leaving() { return is_leaving && std::this_thread::get_id() != last_thread; }

void Released::wait_if_leaving() {
  if (leaving()) wait_for_the_end();
}

LongCall::LongCall(bool heeds_interrupt) {
  watches_ = heeds_interrupt && in_main_thread() && asked.load() == nullptr;
  if (watches_) {
    asked = &stop_;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, nullptr, &before);
    if (before.sa_handler == SIG_IGN || before.sa_handler == SIG_DFL || (before.sa_flags & SA_SIGINFO) != 0) {
      asked = nullptr;
      watches_ = false;
    } else {
      ::sigaction(SIGINT, &action, nullptr);
      // A key that was pressed before that has been heard by Python's handler, which waits to speak.
      if (PyErr_CheckSignals() != 0) {
        ::sigaction(SIGINT, &before, nullptr);
        asked = nullptr;
        throw py::error_already_set();
      }
    }
  }
  scope_ = std::make_unique<StopScope>(&stop_);
  released_.emplace();
  const std::lock_guard lock(stops_lock);
  stops.push_back(&stop_);
  if (Released::leaving()) stop_ = true;
}

LongCall::~LongCall() {
  come_back();
  scope_.reset();
  if (!watches_) return;
  ::sigaction(SIGINT, &before, nullptr);
  asked = nullptr;
}

void LongCall::come_back() {
  if (!released_) return;
  {
    const std::lock_guard lock(stops_lock);
    std::erase(stops, &stop_);
  }
  released_.reset();
}

bool LongCall::finish() {
  come_back();
  if (!stop_) return false;
  if (PyErr_CheckSignals() != 0) {
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw py::error_already_set();
    PyErr_Clear();
  }
  return true;
}

void raise_run_error(const std::string& message, double time, py::object run, py::object cause, bool interrupted) {
  const py::object exception =
      errors().attr(interrupted ? "Interrupted" : "RunError")(words(message), time, std::move(run));
  if (!cause.is_none()) exception.attr("__cause__") = cause;
  set_error(exception);
  throw py::error_already_set();
}

namespace {

// Throws on what it does not know.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(std::move(thrown));
  } catch (const InputError& error) {
    set_error(input_error(error));
  } catch (const RunError& error) {
    set_error(errors().attr("RunError")(words(error.what()), error.time(), py::none()));
  } catch (const std::filesystem::filesystem_error& error) {
    set_error(input_error(InputError(error.what())));
  } catch (const Stopped&) {
    set_error(errors().attr("Interrupted")("interrupted", 0.0, py::none()));
  }
}

}  // namespace

void raise_in_python(std::exception_ptr thrown) noexcept {
  try {
    translate(std::move(thrown));
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "something unknown was thrown");
  }
}

void bind_errors(py::module_&) {
  py::module_::import("atexit").attr("register")(py::cpp_function(leave));
  py::register_exception_translator(translate);
}

}  // namespace taut::python
