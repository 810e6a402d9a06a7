// A Python function that commands inputs.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "python/src/bindings.h"
#include "taut/base/error.h"
#include "taut/base/text/suggest.h"
#include "taut/control/observation.h"
#include "taut/dynamics/dynamics.h"

namespace taut::python {

namespace {

// What the function is shown. Arrays are copies, made when they are asked for; nothing can be read after the call.
struct Seen {
  const Observation* now = nullptr;
  const Commands* commands = nullptr;
  const Model* model = nullptr;
  std::optional<py::array_t<double>> memory;

  const Observation& observation() const {
    if (now == nullptr) throw std::runtime_error("an observation can be read only while the control function runs");
    return *now;
  }
  py::array nodes(const double* x) const {
    return copy(x, {static_cast<py::ssize_t>(model->nodes.size()), 3}, {4 * sizeof(double), sizeof(double)});
  }
  py::array cables(const double* values) const {
    return copy(values, {static_cast<py::ssize_t>(model->cables.size())});
  }
  py::object contact() const {
    const double* force = observation().contact;
    return force != nullptr ? py::object(nodes(force)) : py::none();
  }
};

}  // namespace
}  // namespace taut::python

namespace pybind11::detail {
template <>
struct type_caster<taut::python::Seen> : MadeCaster<taut::python::Seen> {};
}  // namespace pybind11::detail

namespace taut::python {

struct PythonControl::Shared {
  py::object call;
  std::vector<std::string> inputs;
  Model model;
  py::object cause = py::none();

  std::size_t index(const std::string& name) const {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] == name) return i;
    throw InputError(fmt::format("there is no input \"{}\"{}", name, suggestion(name, {inputs.begin(), inputs.end()})));
  }

  // A number that is none stays where nothing was commanded yet, and is refused elsewhere.
  void set(Commands& commands, std::size_t input, double value, bool named) const {
    if (std::isnan(value) && (named || !std::isnan(commands[input])))
      throw InputError(fmt::format("the control function returned nan for \"{}\"", inputs[input]));
    commands[input] = value;
  }

  void take(const py::object& answer, Commands& commands) const {
    if (answer.is_none()) return;
    if (const std::optional<py::dict> named = by_name(answer)) {
      for (const auto& [name, value] : *named) {
        const std::string word = py::str(name);
        set(commands, index(word), real_number(value, fmt::format("the control function: \"{}\"", word)), true);
      }
      return;
    }
    const auto values = real_numbers(answer, "what the control function returned");
    if (values.ndim() != 1 || static_cast<std::size_t>(values.size()) != inputs.size())
      throw InputError(
          fmt::format("the control function returned {} for {} inputs: expected one number for each, a dict by "
                      "name, or None",
                      values.ndim() == 1 ? fmt::format("{} numbers", values.size())
                                         : fmt::format("an array of {} dimensions", values.ndim()),
                      inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) set(commands, i, values.data()[i], false);
  }

  void ask(const Observation& now, Commands& commands) {
    const auto seen = std::make_shared<Seen>(Seen{&now, &commands, &model, {}});
    const py::object shown = py::cast(seen);
    struct Close {
      Seen& seen;
      ~Close() { seen.now = nullptr, seen.commands = nullptr; }
    } const close{*seen};
    const py::object answer = call(shown);
    take(answer, commands);
    if (!seen->memory) return;
    const auto remembered = py::array_t<double, py::array::c_style>::ensure(*seen->memory);
    if (!remembered || !py::isinstance<py::array_t<double>>(*seen->memory) ||
        static_cast<std::size_t>(remembered.size()) != commands.memory.size())
      throw InputError(
          "the control function made something else of now.memory: write numbers into it, now.memory[:] = ...");
    std::copy_n(remembered.data(), commands.memory.size(), commands.memory.begin());
  }
};

PythonControl::PythonControl(py::object function, std::vector<std::string> inputs, const Model& model)
    : shared_(new Shared{std::move(function), std::move(inputs), model}, [](Shared* shared) {
        // The last owner may be an engine at work, without the interpreter lock.
        Released::wait_if_leaving();
        const py::gil_scoped_acquire lock;
        delete shared;
      }) {
  if (PyCallable_Check(shared_->call.ptr()) == 0)
    throw py::type_error("control: expected a function that takes an observation");
}

py::object PythonControl::cause() const { return shared_->cause; }

int PythonControl::show(visitproc visit, void* with) const {
  for (const py::object* held : {&shared_->call, &shared_->cause})
    if (const int found = held->ptr() != nullptr ? visit(held->ptr(), with) : 0; found != 0) return found;
  return 0;
}

void PythonControl::let_go() {
  // What goes may run code that asks for them: they are none by then.
  const py::object call = std::exchange(shared_->call, py::none()), cause = std::exchange(shared_->cause, py::none());
}

ControlFunction PythonControl::function() {
  return [shared = shared_](const Observation& now, Commands& commands) {
    Released::wait_if_leaving();
    const py::gil_scoped_acquire lock;
    try {
      shared->ask(now, commands);
      return;
    } catch (py::error_already_set& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) throw Stopped();
      shared->cause = error.value();
      const std::string text = error.what();  // behind the first line: where, which the cause knows too
      throw RunError(now.t, fmt::format("the control function raised {}", text.substr(0, text.find('\n'))));
    } catch (const std::exception& error) {
      throw RunError(now.t, error.what());
    }
  };
}

std::size_t memory_size(long long given) {
  constexpr long long most = 1'000'000;  // as for a process and in C
  if (given < 0 || given > most)
    throw InputError({Problem{{}, "memory", fmt::format("is {}, expected a whole number from 0 to {}", given, most)}});
  return static_cast<std::size_t>(given);
}

void bind_control(py::module_& m) {
  py::class_<Seen, std::shared_ptr<Seen>>(m, "Observation",
                                          "What a control function sees at one instant. Its arrays are copies; it can "
                                          "be read only while the function runs.")
      .def_property_readonly(
          "time", [](const Seen& s) { return s.observation().t; }, "time of the instant, s")
      .def_property_readonly(
          "nodes", [](const Seen& s) { return s.nodes(s.observation().x); }, "positions of the nodes, (N, 3), m")
      .def_property_readonly(
          "velocities", [](const Seen& s) { return s.nodes(s.observation().v); }, "of the nodes, (N, 3), m/s")
      .def_property_readonly(
          "lengths", [](const Seen& s) { return s.cables(s.observation().length); }, "of the cables, (C,), m")
      .def_property_readonly(
          "length_rates", [](const Seen& s) { return s.cables(s.observation().length_rate); },
          "of the lengths of the cables, (C,), m/s")
      .def_property_readonly(
          "tensions", [](const Seen& s) { return s.cables(s.observation().tension); }, "of the cables, (C,), N")
      .def_property_readonly(
          "rest_lengths", [](const Seen& s) { return s.cables(s.observation().rest); }, "of the cables, (C,), m")
      .def_property_readonly(
          "joints",
          [](const Seen& s) {
            const auto columns = static_cast<py::ssize_t>(joint_columns(*s.model).size());
            return copy(s.observation().joints, {s.observation().joints != nullptr ? columns : 0});
          },
          "positions and forces of joints and pulleys, as the columns of joints.csv: m, rad, N, N m")
      .def_property_readonly("contact_forces", &Seen::contact,
                             "of ground and collisions on the nodes, (N, 3), N; None where there is neither")
      .def_property_readonly("contact", &Seen::contact, "``contact_forces``")
      .def_property_readonly(
          "commands",
          [](const Seen& s) {
            s.observation();
            return copy(s.commands->inputs.data(), {static_cast<py::ssize_t>(s.commands->inputs.size())});
          },
          "what was commanded last, for each input, m, N m, N; NaN where nothing was yet")
      .def_property_readonly(
          "memory",
          [](Seen& s) {
            s.observation();
            if (!s.memory)
              s.memory = copy(s.commands->memory.data(), {static_cast<py::ssize_t>(s.commands->memory.size())});
            return *s.memory;
          },
          "numbers that the function may write: part of the state, kept by snapshots");
}

}  // namespace taut::python
