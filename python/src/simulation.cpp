#include "taut/run/simulation.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "python/src/bindings.h"
#include "taut/base/error.h"
#include "taut/model/joint_spec.h"
#include "taut/modes/linearise.h"
#include "taut/results/columns.h"
#include "taut/results/record_summary.h"
#include "taut/run/snapshot_bytes.h"

namespace taut::python {

namespace {

// What users read while they step. Each has memory of its own that never moves, so that arrays stay valid; it is brought
// up to date when it is read.
enum Quantity {
  nodes,
  velocities,
  tensions,
  lengths,
  rest_lengths,
  bar_forces,
  energy,
  contact_forces,
  joints,
  quantities
};

const std::vector<double>& of(const Sample& sample, Quantity quantity) {
  switch (quantity) {
    case nodes:
      return sample.nodes;
    case velocities:
      return sample.velocities;
    case tensions:
      return sample.tensions;
    case lengths:
      return sample.lengths;
    case rest_lengths:
      return sample.rest_lengths;
    case bar_forces:
      return sample.bar_forces;
    case contact_forces:
      return sample.contact_forces;
    default:
      return sample.joints;
  }
}

struct Stepper {
  Simulation simulation;
  std::optional<PythonControl> control;
  std::array<std::shared_ptr<std::vector<double>>, quantities> memory;  // shared with the arrays
  std::array<py::object, quantities> arrays;                            // made when first read
  RunRecorder recorder;
  std::atomic<bool> busy{false};
  double pace = INFINITY;  // s of the last call of advance() per s of motion; infinite: not known
  bool looked = false;     // memory is of the present state

  explicit Stepper(Scenario scenario) : simulation(std::move(scenario)) { recorder.begin(simulation.scenario()); }
};

}  // namespace
}  // namespace taut::python

namespace pybind11::detail {
template <>
struct type_caster<taut::python::Stepper> : MadeCaster<taut::python::Stepper> {};
}  // namespace pybind11::detail

namespace taut::python {

namespace {

// One thread at a time.
class Use {
 public:
  explicit Use(Stepper& s) : stepper_(s) {
    if (s.busy.exchange(true))
      throw std::runtime_error(
          "this Simulation is at work already, in another thread or above its own control function: give each thread "
          "a Simulation of its own");
  }
  ~Use() { stepper_.busy = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  Stepper& stepper_;
};

void look(Stepper& s) {
  if (s.looked) return;
  const Sample& sample = s.simulation.sample();
  const auto take = [&](Quantity quantity, const double* from, std::size_t size) {
    auto& to = s.memory[quantity];
    if (!to) to = std::make_shared<std::vector<double>>(size);
    std::copy_n(from, size, to->begin());
  };
  for (int i = 0; i < quantities; ++i) {
    const auto quantity = static_cast<Quantity>(i);
    if (quantity == energy)
      take(energy, sample.energy.data(), sample.energy.size());
    else
      take(quantity, of(sample, quantity).data(), of(sample, quantity).size());
  }
  s.looked = true;
}

// Keeps the memory of an array, not its simulation: that one holds the array, which would be a ring.
py::capsule keep(const std::shared_ptr<std::vector<double>>& memory) {
  return py::capsule(new std::shared_ptr<std::vector<double>>(memory),
                     [](void* kept) { delete static_cast<std::shared_ptr<std::vector<double>>*>(kept); });
}

// Whoever has it may have given it another shape or type in place.
bool is_as_made(const py::object& array, bool vectors, std::size_t size) {
  constexpr int doubles = 12;  // NPY_DOUBLE
  const auto* proxy = py::detail::array_proxy(array.ptr());
  const auto first = static_cast<py::ssize_t>(vectors ? size / 3 : size);
  return proxy->nd == (vectors ? 2 : 1) && proxy->dimensions[0] == first &&
         py::detail::array_descriptor_proxy(proxy->descr)->type_num == doubles;
}

template <Quantity quantity>
py::object read(const py::object& self) {
  auto& s = self.cast<Stepper&>();
  const Use use(s);
  look(s);
  py::object& array = s.arrays[quantity];
  if (quantity == contact_forces && s.memory[quantity]->empty()) return py::none();
  constexpr bool vectors = quantity == nodes || quantity == velocities || quantity == contact_forces;
  const std::shared_ptr<std::vector<double>>& numbers = s.memory[quantity];
  if (!array || !is_as_made(array, vectors, numbers->size())) {
    const auto size = static_cast<py::ssize_t>(numbers->size());
    array =
        vectors ? view(numbers->data(), {size / 3, 3}, keep(numbers)) : view(numbers->data(), {size}, keep(numbers));
  }
  return array;
}

// What a call made of the simulation cannot be read from the arrays of before.
struct Change {
  explicit Change(Stepper& s) : use(s) { s.looked = false; }
  Use use;
};

void command_all(Stepper& s, const py::object& given, double over) {
  const std::size_t inputs = s.simulation.inputs().size();
  const auto values = real_numbers(given, "command");
  if (values.ndim() != 1 || static_cast<std::size_t>(values.size()) != inputs)
    throw InputError(fmt::format("command: got {} for {} inputs: expected one number for each, or values by name",
                                 values.ndim() == 1 ? fmt::format("{} numbers", values.size())
                                                    : fmt::format("an array of {} dimensions", values.ndim()),
                                 inputs));
  s.simulation.command_all({values.data(), inputs}, over);
}

// sim.command(values, over=0.0) or sim.command(name=value, ...): the hot path of who controls by hand.
void command(Stepper& s, const py::object& given, const py::object& within, const py::kwargs& named) {
  const double over = real_number(within, "over");
  const Change change(s);
  if (!given.is_none() && !named.empty())
    throw py::type_error("command: expected values for all inputs, or values by name, not both");
  const std::optional<py::dict> words = given.is_none() ? std::optional<py::dict>(named) : by_name(given);
  if (!words) return command_all(s, given, over);
  const py::dict& values = *words;
  if (given.is_none() && values.empty()) throw py::type_error("command: expected values, or name=value");
  std::vector<std::size_t> inputs;
  std::vector<double> numbers;
  for (const auto& [name, value] : values) {
    const std::string word = py::str(name);
    inputs.push_back(s.simulation.input(word));
    numbers.push_back(real_number(value, fmt::format("command: \"{}\"", word)));
  }
  s.simulation.command_some(inputs, numbers, over);
}

void record_row(Stepper& s) {
  const Use use(s);
  s.recorder.rewind(s.simulation.time());
  s.simulation.record(s.recorder);
}

py::object recorded(Stepper& s) {
  Summary summary = s.simulation.summary();
  if (s.recorder.run.rows() > 0) {
    summary.start_s = s.recorder.run.t.front();
    summary.simulated_s = s.recorder.run.t.back();
  }
  s.recorder.finish(summary);
  return wrap(std::make_shared<Run>(s.recorder.run));
}

py::object recorded_run(Stepper& s) {
  const Use use(s);
  return recorded(s);
}

// The rows of another simulation, of which this one is a copy.
void keep_rows(Stepper& s, const py::object& run) {
  const Use use(s);
  s.recorder.run = rows_of(run);
}

// For an error: what was recorded, if anything was.
py::object so_far(Stepper& s) { return s.recorder.run.rows() > 0 ? recorded(s) : py::none(); }

// Python's collector of cycles sees through a simulation: its control function often holds it (a method of whoever made
// it, say). One that was never made holds nothing.
Stepper* made(PyObject* self) {
  return reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().value_ptr<Stepper>();
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const Stepper* s = made(self);
  return s != nullptr && s->control ? s->control->show(visit, arg) : 0;
}

int clear(PyObject* self) {
  Stepper* s = made(self);
  if (s != nullptr && s->control) s->control->let_go();
  return 0;
}

void collect_cycles(PyHeapTypeObject* heap) {
  PyTypeObject& type = heap->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
}

// Times a call.
class Clock {
 public:
  Clock(Stepper& s, double dt) : stepper_(s), dt_(dt), began_(std::chrono::steady_clock::now()) {}
  ~Clock() {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    if (dt_ > 0.0) stepper_.pace = taken.count() / dt_;
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

 private:
  Stepper& stepper_;
  double dt_;
  std::chrono::steady_clock::time_point began_;
};

// Whether it was interrupted.
bool go(Stepper& s, double dt) {
  // What is over before another thread could wake up, or a key be pressed, is done at once. How long a program at the end
  // of a pipe, or a function, thinks is not known.
  constexpr double short_wall = 5e-6, wake_wall = 1e-4;  // s
  const bool asks = s.control || !s.simulation.scenario().model.controllers.empty();
  const double expected = asks ? INFINITY : dt * s.pace;
  const Clock clock(s, dt);
  if (expected < short_wall) {
    s.simulation.advance(dt);
    return false;
  }
  if (expected < wake_wall) {
    const Released released;
    s.simulation.advance(dt);
    return false;
  }
  LongCall call;
  bool stopped = false;
  try {
    s.simulation.advance(dt);
  } catch (const Stopped&) {
    stopped = true;
  }
  return call.finish() || stopped;
}

void advance(Stepper& s, const py::object& time) {
  const double dt = real_number(time, "advance");
  const Change change(s);
  bool interrupted = false;
  try {
    interrupted = go(s, dt);
  } catch (const RunError& error) {
    raise_run_error(error.what(), error.time(), so_far(s), s.control ? s.control->cause() : py::none(), false);
  }
  if (interrupted)
    raise_run_error(fmt::format("interrupted at t = {:g} s", s.simulation.time()), s.simulation.time(), so_far(s),
                    py::none(), true);
}

void control(Stepper& s, const py::object& function, double rate, double speed, long long memory) {
  const Change change(s);
  PythonControl python(function, s.simulation.inputs(), s.simulation.scenario().model);
  s.simulation.control(rate, python.function(), {speed, memory_size(memory)});
  s.control = std::move(python);
}

py::array matrix(const Eigen::MatrixXd& m) {
  need_numpy();
  py::array_t<double> array({m.rows(), m.cols()});
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) *array.mutable_data(i, j) = m(i, j);
  return array;
}

py::tuple linear(Stepper& s, const py::object& discrete, const std::string& method) {
  const Change change(s);
  LinearModel model;
  std::optional<DiscreteModel> held;
  const std::optional<double> h = discrete.is_none() ? std::nullopt : std::optional(real_number(discrete, "discrete"));
  if (h && !(*h > 0.0 && std::isfinite(*h)))
    throw InputError(fmt::format("discrete: is {} s, expected a step above 0", *h));
  const auto how =
      method == "exact"       ? Discretisation::exact
      : method == "trapezoid" ? Discretisation::trapezoid
      : method == "euler"
          ? Discretisation::euler
          : throw InputError(fmt::format("method: \"{}\" is not known: expected exact, trapezoid or euler", method));
  {
    const Released released;
    model = linearise(s.simulation.dynamics(), s.simulation.state());
    if (h) held = discretise(model, how, *h);
  }
  return py::make_tuple(matrix(held ? held->Ad : model.A), matrix(held ? held->Bd : model.B), model.states,
                        model.inputs);
}

}  // namespace

void bind_simulation(py::module_& m) {
  py::options options;
  options
      .disable_function_signatures();  // those that help() shows are in the first line of each text, as Python has them
  py::class_<Snapshot>(m, "Snapshot", "All that a simulation is at one time. A value: it can be kept, copied, pickled.")
      .def_property_readonly(
          "time", [](const Snapshot& s) { return s.state.t; }, "s")
      .def("__copy__", [](const Snapshot& s) { return Snapshot(s); })
      .def("__deepcopy__", [](const Snapshot& s, const py::dict&) { return Snapshot(s); })
      .def("__reduce_ex__", reduced)
      .def(py::pickle([](const Snapshot& s) { return py::bytes(bytes_of(s)); },
                      [](const py::bytes& bytes) { return snapshot_of(bytes); }));

  py::class_<Stepper>(m, "Stepper", py::custom_type_setup(collect_cycles))
      .def(py::init([](const Draft& draft, const py::dict& settings) {
        Scenario scenario = draft.with(settings_of(settings));
        LongCall call;
        return std::make_unique<Stepper>(std::move(scenario));
      }))
      .def_property_readonly(
          "inputs", [](const Stepper& s) { return py::tuple(py::cast(s.simulation.inputs())); },
          "Names of what can be commanded: rest lengths of cables (m), torques of joints (N m, N).")
      .def_property_readonly(
          "time", [](const Stepper& s) { return s.simulation.time(); }, "s")
      .def_property_readonly("nodes", read<nodes>,
                             "Positions of the nodes, (N, 3), m; a view that reading brings up to date.")
      .def_property_readonly("velocities", read<velocities>, "Of the nodes, (N, 3), m/s; a view likewise.")
      .def_property_readonly("tensions", read<tensions>, "Of the cables, (C,), N; a view likewise.")
      .def_property_readonly("lengths", read<lengths>, "Of the cables, (C,), m; a view likewise.")
      .def_property_readonly("rest_lengths", read<rest_lengths>, "Of the cables, (C,), m; a view likewise.")
      .def_property_readonly("bar_forces", read<bar_forces>, "(B,), N, tension positive; a view likewise.")
      .def_property_readonly("_energy_row", read<energy>, "J, in the order of energy_names.")
      .def_property_readonly(
          "contact_forces", read<contact_forces>,
          "Of ground and collisions on the nodes, (N, 3), N; None where there is neither; a view likewise.")
      .def_property_readonly("joints", read<joints>,
                             "Positions and forces of joints and pulleys, as joint_names; a view likewise.")
      .def("command", command, py::arg("values") = py::none(), py::kw_only(), py::arg("over") = 0.0,
           R"(command(self, values=None, *, over=0.0, **named)
--

Set inputs: rest lengths (m) and torques (N m, N).

sim.command(values) takes a number for each of `inputs`, sim.command(name=value) or a dict some of them. A rest length
jumps there, or moves there at constant speed within `over` (s). Raises InputError, and then none is set.)")
      .def("advance", advance, py::arg("dt"),
           R"(advance(self, dt)
--

Go on by dt > 0, s, with the model's integrator, contacts and controllers.

Raises RunError where the motion cannot go on; the simulation is then as it was before the call. Ctrl-C raises
Interrupted; the simulation then stands where it had come to.)")
      .def("_control_by", control)
      .def(
          "snapshot",
          [](Stepper& s) {
            const Use use(s);
            return s.simulation.snapshot();
          },
          "snapshot(self)\n--\n\nAll that the simulation is now, as a value.")
      .def(
          "restore",
          [](Stepper& s, const py::object& snapshot) {
            if (!py::isinstance<Snapshot>(snapshot))
              throw py::type_error(fmt::format("restore: expected what snapshot() gave, got {}",
                                               std::string(py::str(py::type::of(snapshot).attr("__name__")))));
            const Change change(s);
            s.simulation.restore(snapshot.cast<const Snapshot&>());
          },
          py::arg("snapshot"),
          "restore(self, snapshot)\n--\n\nBack to a snapshot of a simulation of the same model; it goes on to the "
          "same last bit.")
      .def(
          "reset",
          [](Stepper& s) {
            const Change change(s);
            s.simulation.reset();
          },
          "reset(self)\n--\n\nBack to t = 0.")
      .def("_linear", linear)
      .def("_draft", [](const Stepper& s) { return Draft::from_scenario(s.simulation.scenario()); })
      .def("_joint_columns", [](const Stepper& s) { return joint_columns(s.simulation.scenario().model); })
      .def("_record_row", record_row)
      .def("_recorded_run", recorded_run)
      .def("_keep_rows", keep_rows)
      .def("_event_list",
           [](Stepper& s) {
             const Use use(s);
             return events_list(s.simulation.events());
           })
      .def("_summary_text", [](Stepper& s) {
        const Use use(s);
        return summary_json(s.simulation.summary(), s.simulation.scenario().model);
      });
}

}  // namespace taut::python
