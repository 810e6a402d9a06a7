// What the parts of the Python module share.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <exception>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taut/base/stop.h"
#include "taut/control/commands.h"
#include "taut/file/draft.h"
#include "taut/results/run.h"
#include "taut/run/recorded_state.h"
#include "taut/run/simulation.h"

namespace taut::python {

namespace py = pybind11;

// Values of model files as None-free Python objects, and back: bool, int, float, str, list, dict, anything with
// tolist(). Throws InputError that names `key` where there is no such value.
py::object to_python(const Value& value);
Value to_value(py::handle object, const std::string& key);
Table to_table(const py::dict& items, const std::string& key);
// A tree of results: dict, list, str, float, int, bool, None.
py::object to_python(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(py::handle object, const std::string& key);

// A real number; a list of them: an array of any real kind and order, or a sequence. Throws TypeError that begins with
// `what`.
double real_number(py::handle given, const std::string& what);
// A dict, or the dict of another mapping; nothing where it is none, as arrays and sequences.
std::optional<py::dict> by_name(const py::object& given);
py::array_t<double, py::array::c_style> real_numbers(py::handle given, const std::string& what);

// Loads numpy. Before the first array of any kind is made or looked for: pybind11 does it with a lock that other threads
// would wait for while they hold the interpreter lock, which loading needs.
void need_numpy();

// A read-only array on memory that `owner` keeps.
py::array view(const double* data, std::vector<py::ssize_t> shape, py::handle owner);
py::array copy(const double* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides = {});

// While in scope this thread works without the interpreter lock. When the interpreter ends meanwhile (a daemon thread at
// work when the script is over), the thread does not come back: it waits for the end of the process.
class Released {
 public:
  Released();
  ~Released();
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  // Before such a thread takes the interpreter lock in between.
  static void wait_if_leaving();
  static bool leaving();

 private:
  PyThreadState* thread_ = nullptr;
};

// While in scope: this thread works without the interpreter lock, and in the main thread Ctrl-C sets a flag that the
// work heeds. Afterwards `finish()` lets Python's own handler speak: it returns whether the work was interrupted, and
// throws where that handler raised anything but KeyboardInterrupt.
class LongCall {
 public:
  explicit LongCall(bool heeds_interrupt = true);
  ~LongCall();
  LongCall(const LongCall&) = delete;
  LongCall& operator=(const LongCall&) = delete;
  const std::atomic<bool>* flag() const { return &stop_; }
  void stop() { stop_ = true; }  // from inside, as Ctrl-C does
  bool finish();

 private:
  void come_back();

  std::atomic<bool> stop_{false};
  bool watches_ = false;
  std::unique_ptr<StopScope> scope_;
  std::optional<Released> released_;
};

// A Python function as a controller. KeyboardInterrupt ends the run as Stopped, whatever else it raises as a RunError;
// cause() is the exception then.
class PythonControl {
 public:
  PythonControl(py::object function, std::vector<std::string> inputs, const Model& model);
  ControlFunction function();
  py::object cause() const;
  // For Python's collector of cycles: what is held here, which may hold the simulation in turn; and letting go of it.
  int show(visitproc visit, void* with) const;
  void let_go();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// taut.RunError, or taut.Interrupted, with the run so far and the exception that caused it.
[[noreturn]] void raise_run_error(const std::string& message, double time, py::object run, py::object cause,
                                  bool interrupted);

// As taut.Run; and what is in one.
py::object wrap(std::shared_ptr<const Run> run);
const Run& rows_of(const py::object& run);
// (time, kind, name, what) of each.
py::list events_list(const std::vector<Event>& events);

// What something starts from in place of the start of the model: a run, or a run and a time, or a text "run.h5@1.25";
// nothing for None. Throws InputError where it is not of the same model.
std::optional<RecordedState> start_of(const py::object& source, const Scenario& scenario);

// Settings by key path that a run or a simulation gets beside its model's, each named as the caller typed it.
std::vector<Draft::Setting> settings_of(const py::dict& given);

// Pickles of an object that has __getstate__ and __setstate__, by every protocol. pybind11 knows those from 2 on, and
// before that Python would make an object of pybind11's own base, at which the process ends.
py::tuple reduced(const py::object& self, int protocol);
// ... which only those that derive from it may be.
void refuse_bare_objects();

// Makes what was thrown the exception of Python, for functions that pybind11 does not call.
void raise_in_python(std::exception_ptr thrown) noexcept;

void bind_errors(py::module_& m);
void bind_draft(py::module_& m);
void bind_run(py::module_& m);
void bind_simulation(py::module_& m);
void bind_control(py::module_& m);
void bind_answers(py::module_& m);
void bind_sweep(py::module_& m);
void bind_batch(py::module_& m);

// How many numbers a control function may remember. Throws InputError.
std::size_t memory_size(long long given);

}  // namespace taut::python

// Objects that were never made (a subclass looks at itself before it has called super().__init__(), or only __new__ was
// called) are refused; pybind11 would hand out memory with nothing in it.
namespace taut::python {

inline constexpr const char* never_made =
    "this object was never made: call super().__init__(...) before anything of it is used";

}  // namespace taut::python

namespace pybind11::detail {

template <class T>
struct MadeCaster : type_caster_base<T> {
  bool load(handle src, bool convert) { return this->template load_impl<MadeCaster>(src, convert); }
  void load_value(value_and_holder&& held) {
    if (held.value_ptr() == nullptr) throw type_error(taut::python::never_made);
    type_caster_generic::load_value(std::move(held));
  }
};

template <>
struct type_caster<taut::Draft> : MadeCaster<taut::Draft> {};
template <>
struct type_caster<taut::Snapshot> : MadeCaster<taut::Snapshot> {};

}  // namespace pybind11::detail
