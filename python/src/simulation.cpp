#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "python/src/stepper.h"
#include "taut/base/error.h"
#include "taut/model/joint_spec.h"
#include "taut/modes/linearise.h"
#include "taut/results/columns.h"
#include "taut/results/record_summary.h"
#include "taut/run/snapshot_bytes.h"

namespace taut::python {

namespace {

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
  // The signatures that help() shows are in the first line of each text, as Python has them.
  py::options options;
  options.disable_function_signatures();
  py::class_<Snapshot>(m, "Snapshot", "All that a simulation is at one time. A value: it can be kept, copied, pickled.")
      .def_property_readonly(
          "time", [](const Snapshot& s) { return s.state.t; }, "The time of the simulation at which it was taken, s.")
      .def("__copy__", [](const Snapshot& s) { return Snapshot(s); })
      .def("__deepcopy__", [](const Snapshot& s, const py::dict&) { return Snapshot(s); })
      .def("__reduce_ex__", reduced)
      .def(py::pickle([](const Snapshot& s) { return py::bytes(bytes_of(s)); },
                      [](const py::bytes& bytes) { return snapshot_of(bytes); }));

  py::class_<Stepper>(m, "Stepper", py::custom_type_setup(prepare_stepper))
      .def(py::init([](const Draft& draft, const py::dict& settings) {
        Scenario scenario = draft.with(settings_of(settings));
        LongCall call;
        return std::make_unique<Stepper>(std::move(scenario));
      }))
      .def_property_readonly(
          "inputs", [](const Stepper& s) { return py::tuple(py::cast(s.simulation.inputs())); },
          "Names of what can be commanded, in the order of command(values): rest lengths of cables (m), torques of "
          "joints (N m, "
          "N).")
      .def("command", command, py::arg("values") = py::none(), py::kw_only(), py::arg("over") = 0.0,
           R"(command(self, values=None, *, over=0.0, **named)
--

Set inputs: rest lengths (m) and torques (N m, N). They stay until they are commanded again.

sim.command(values) takes a number for each of `inputs`, (len(inputs),), sim.command(name=value) or a dict some of them. A rest length
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
