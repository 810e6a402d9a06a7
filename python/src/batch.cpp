#include "taut/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "python/src/bindings.h"
#include "python/src/dlpack.h"
#include "taut/base/error.h"

namespace taut::python {

namespace {

struct Robots {
  Batch batch;
  std::atomic<bool> busy{false};

  Robots(const Draft& draft, long count, const BatchOptions& options) : batch(draft, count, options) {}
};

}  // namespace
}  // namespace taut::python

namespace pybind11::detail {
template <>
struct type_caster<taut::python::Robots> : MadeCaster<taut::python::Robots> {};
template <>
struct type_caster<taut::python::DlpackArray> : MadeCaster<taut::python::DlpackArray> {};
}  // namespace pybind11::detail

namespace taut::python {

namespace {

// One thread at a time.
class UseOfRobots {
 public:
  explicit UseOfRobots(Robots& r) : robots_(r) {
    if (r.busy.exchange(true))
      throw std::runtime_error("this Batch is at work already, in another thread: give each thread a Batch of its own");
  }
  ~UseOfRobots() { robots_.busy = false; }
  UseOfRobots(const UseOfRobots&) = delete;
  UseOfRobots& operator=(const UseOfRobots&) = delete;

 private:
  Robots& robots_;
};

std::size_t size_of(const BatchArray& of) { return of.precision == Precision::single_precision ? 4 : 8; }

// (robots, numbers) or (robots, numbers / 3, 3), and how many numbers lie between neighbours along each.
struct Layout {
  std::vector<py::ssize_t> shape, steps;
};

Layout layout_of(const BatchArray& of, bool vectors) {
  if (vectors) return {{of.robots, of.numbers / 3, 3}, {1, 3 * of.stride, of.stride}};
  return {{of.robots, of.numbers}, {1, of.stride}};
}

// On the processor a read-only view, on the card an object that other libraries take by DLPack.
py::object shown(const BatchArray& of, bool vectors, const py::object& owner) {
  const Layout layout = layout_of(of, vectors);
  if (of.on_card)
    return py::cast(
        std::make_unique<DlpackArray>(DlpackArray{of.data, true, size_of(of), layout.shape, layout.steps, owner}));
  std::vector<py::ssize_t> strides;
  for (const py::ssize_t step : layout.steps) strides.push_back(step * static_cast<py::ssize_t>(size_of(of)));
  const py::dtype kind = size_of(of) == 4 ? py::dtype::of<float>() : py::dtype::of<double>();
  py::array array(kind, layout.shape, strides, of.data, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

BatchArray array_named(const Batch& batch, const std::string& name) {
  if (name == "tensions") return batch.tensions();
  return name == "velocities" ? batch.velocities() : batch.nodes();
}

template <int which>
py::object read_array(const py::object& self) {
  constexpr std::array<const char*, 3> names = {"nodes", "velocities", "tensions"};
  auto& r = self.cast<Robots&>();
  const UseOfRobots use(r);
  BatchArray of;
  {
    const py::gil_scoped_release released;
    of = array_named(r.batch, names[which]);
  }
  return shown(of, which < 2, self);
}

// The same by DLPack wherever it lies.
py::object exchange(const py::object& self, const std::string& name) {
  auto& r = self.cast<Robots&>();
  const UseOfRobots use(r);
  const BatchArray of = array_named(r.batch, name);
  const Layout layout = layout_of(of, name != "tensions");
  return py::cast(
      std::make_unique<DlpackArray>(DlpackArray{of.data, of.on_card, size_of(of), layout.shape, layout.steps, self}));
}

// A copy in memory of the processor, in order.
py::array copied(Robots& r, const std::string& name) {
  const UseOfRobots use(r);
  const BatchArray of = array_named(r.batch, name);
  const std::vector<double> all = r.batch.copy(of);
  const Layout layout = layout_of(of, name != "tensions");
  return py::array_t<double>(layout.shape, all.data());
}

py::array done_codes(const py::object& self) {
  const auto& r = self.cast<Robots&>();
  py::array_t<unsigned char> array({static_cast<py::ssize_t>(r.batch.robots())}, r.batch.done().data(), self);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::array times(const Robots& r) {
  py::array_t<double> array(static_cast<py::ssize_t>(r.batch.robots()));
  for (py::ssize_t i = 0; i < array.size(); ++i) *array.mutable_data(i) = r.batch.time(i);
  return array;
}

std::string shape_text(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", array.shape(i));
  return text + (array.ndim() == 1 ? ",)" : ")");
}

using Reals = py::array_t<double, py::array::c_style>;

Reals reals_of(const py::object& given, const std::string& what) {
  const auto array = py::array::ensure(given);
  if (!array || std::string_view("fiu").find(array.dtype().kind()) == std::string_view::npos) {
    PyErr_Clear();
    throw py::type_error(what + ": expected real numbers");
  }
  return py::array_t<double, py::array::c_style | py::array::forcecast>(array);
}

bool has_shape(const py::array& array, std::vector<py::ssize_t> shape) {
  return array.ndim() == static_cast<py::ssize_t>(shape.size()) &&
         std::equal(shape.begin(), shape.end(), array.shape());
}

std::span<const double> numbers_in(const Reals& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

void set_values(Robots& r, const py::dict& given) {
  const UseOfRobots use(r);
  const py::ssize_t n = r.batch.robots();
  std::vector<Reals> arrays;
  std::vector<BatchValues> values;
  for (const auto& [key, value] : given) {
    const std::string path = py::str(key);
    arrays.push_back(reals_of(py::reinterpret_borrow<py::object>(value), path));
    const Reals& array = arrays.back();
    const bool fits = array.ndim() == 0 || has_shape(array, {n}) || has_shape(array, {1}) || has_shape(array, {3}) ||
                      has_shape(array, {n, 3});
    if (!fits)
      throw InputError(fmt::format("{}: has shape {}; expected one number, ({},), or for a vector (3,) or ({}, 3)",
                                   path, shape_text(array), n, n));
    values.push_back({path, numbers_in(array)});
  }
  bool interrupted = false;
  {
    LongCall call;
    try {
      r.batch.set(values);
    } catch (const Stopped&) {
    }
    interrupted = call.finish();
  }
  if (interrupted) raise_run_error("interrupted while values were set", 0.0, py::none(), py::none(), true);
}

void reset(Robots& r, const py::object& mask) {
  const UseOfRobots use(r);
  if (mask.is_none()) return r.batch.reset();
  const auto array = py::array::ensure(mask);
  if (!array) throw py::error_already_set();
  const char kind = array.dtype().kind();
  if ((kind != 'b' && !(kind == 'u' && array.itemsize() == 1)) || !has_shape(array, {r.batch.robots()}))
    throw InputError(fmt::format("mask: has shape {} and type {}; expected ({},) truth values, or `done`",
                                 shape_text(array), std::string(py::str(array.dtype())), r.batch.robots()));
  const auto bytes = py::array_t<unsigned char, py::array::c_style | py::array::forcecast>(array);
  r.batch.reset({bytes.data(), static_cast<std::size_t>(bytes.size())});
}

void step(Robots& r, const py::object& commands, int steps, bool evenly) {
  const UseOfRobots use(r);
  if (commands.is_none()) {
    if (evenly) throw InputError("evenly: is for commands, and there are none");
    const py::gil_scoped_release released;
    r.batch.step(steps);
    return;
  }
  const Reals values = reals_of(commands, "commands");
  const auto n = static_cast<py::ssize_t>(r.batch.robots()), inputs = static_cast<py::ssize_t>(r.batch.inputs().size());
  if (!has_shape(values, {n, inputs}))
    throw InputError(
        fmt::format("commands: have shape {}; expected ({}, {}): a row for each robot, a number for each of "
                    "its inputs",
                    shape_text(values), n, inputs));
  const py::gil_scoped_release released;
  r.batch.step(numbers_in(values), steps, evenly);
}

void place(Robots& r, const py::object& nodes, const py::object& velocities) {
  const UseOfRobots use(r);
  const auto n = static_cast<py::ssize_t>(r.batch.robots()), count = static_cast<py::ssize_t>(r.batch.node_count());
  const auto all = [&](const py::object& given, const char* what) {
    const Reals array = reals_of(given, what);
    if (!has_shape(array, {n, count, 3}) && !has_shape(array, {count, 3}))
      throw InputError(fmt::format("{}: have shape {}; expected ({}, {}, 3), or ({}, 3) for all robots", what,
                                   shape_text(array), n, count, count));
    std::vector<double> list;
    list.reserve(static_cast<std::size_t>(n * count * 3));
    for (py::ssize_t i = 0; i < (array.ndim() == 3 ? 1 : n); ++i)
      list.insert(list.end(), array.data(), array.data() + array.size());
    return list;
  };
  const std::vector<double> x = all(nodes, "nodes");
  const std::vector<double> v =
      velocities.is_none() ? std::vector<double>(x.size(), 0.0) : all(velocities, "velocities");
  r.batch.place(x, v);
}

BatchOptions options_of(const Draft& draft, const py::dict& given) {
  BatchOptions options;
  options.step = draft.scenario().simulation.step;
  const auto take = [&](const char* key, auto& to) {
    if (given.contains(key)) to = given[key].cast<std::decay_t<decltype(to)>>();
  };
  take("step", options.step);
  take("threads", options.threads);
  take("unit", options.unit);
  take("speed", options.speed);
  take("fallen", options.fallen);
  take("bounds", options.bounds);
  std::string device = "cpu", precision = "double";
  take("device", device);
  take("precision", precision);
  if (device != "cpu" && device != "cuda")
    throw InputError(fmt::format("device: is \"{}\"; expected cpu or cuda", device));
  if (precision != "double" && precision != "single")
    throw InputError(fmt::format("precision: is \"{}\"; expected double or single", precision));
  if (device == "cuda") options.device = BatchDevice::cuda;
  if (precision == "single") options.precision = Precision::single_precision;
  return options;
}

}  // namespace

void bind_batch(py::module_& m) {
  py::class_<DlpackArray>(m, "CardArray", "An array on a card, (robots, ...): other libraries take it without a copy.")
      .def("__dlpack__", dlpack_capsule, py::kw_only(), py::arg("stream") = py::none())
      .def("__dlpack_device__", [](const DlpackArray& a) { return py::make_tuple(dlpack_kind(a), 0); })
      .def_property_readonly(
          "shape", [](const DlpackArray& a) { return py::tuple(py::cast(a.shape)); }, "As of a numpy array.")
      .def_property_readonly(
          "dtype", [](const DlpackArray& a) { return a.size == 4 ? "float32" : "float64"; }, "float64 or float32.");

  py::class_<Robots>(m, "Robots")
      .def(py::init([](const Draft& draft, long robots, const py::dict& given) {
        const BatchOptions options = options_of(draft, given);
        return std::make_unique<Robots>(draft, robots, options);
      }))
      .def("__len__", [](const Robots& r) { return r.batch.robots(); })
      .def_property_readonly(
          "inputs", [](const Robots& r) { return py::tuple(py::cast(r.batch.inputs())); },
          "Names of what can be commanded: the cables that have actuators, or else every cable.")
      .def_property_readonly(
          "device", [](const Robots& r) { return r.batch.device(); }, "What computes, in words.")
      .def_property_readonly(
          "threads", [](const Robots& r) { return r.batch.threads(); }, "Threads of the processor.")
      .def_property_readonly(
          "step_size", [](const Robots& r) { return r.batch.options().step; }, "s.")
      .def_property_readonly(
          "warnings", [](const Robots& r) { return r.batch.warnings(); },
          "What may spoil the motion: a step above the limit of stability, a signal that jumps between steps.")
      .def_property_readonly("nodes", read_array<0>,
                             "Positions, (n, N, 3), m: a view of the present state; on the card an object with DLPack.")
      .def_property_readonly("velocities", read_array<1>, "Of the nodes, (n, N, 3), m/s; likewise.")
      .def_property_readonly("tensions", read_array<2>, "Of the cables, (n, C), N; reading it brings it up to date.")
      .def_property_readonly(
          "done", done_codes,
          "(n,) of uint8: 0 goes on, 1 diverged, 2 fallen, 3 outside (`done_names`); a view. A robot "
          "that is done stays as it is until it is reset.")
      .def_property_readonly("time", times, "Of each robot since its start, (n,), s; a copy.")
      .def_property_readonly(
          "largest_bar_length_error",
          [](Robots& r) {
            const UseOfRobots use(r);
            return r.batch.largest_bar_length_error();
          },
          "The largest relative error of a rigid bar's length, over all robots that go on.")
      .def("_set_values", set_values)
      .def("_step", step)
      .def("_copied", copied)
      .def("_exchange", exchange)
      .def("_draft_of", [](const Robots& r, long robot) { return Draft::from_scenario(r.batch.scenario(robot)); })
      .def("reset", reset, py::arg("mask") = py::none(),
           R"(Back to the start: all robots, or those where the mask, (n,), is true; `done` is one.)")
      .def("place", place, py::arg("nodes"), py::arg("velocities") = py::none(),
           R"(Other starts: positions (n, N, 3) or (N, 3), m, and velocities likewise, m/s, 0 where absent.

The robots then stand there, at t = 0, and `reset` leads back there. Bars keep the lengths of the model. Raises
InputError where they do not fit, and changes nothing then.)")
      .def(
          "snapshot",
          [](Robots& r) {
            const UseOfRobots use(r);
            const BatchSnapshot snapshot = r.batch.snapshot();
            return py::bytes(reinterpret_cast<const char*>(snapshot.bytes.data()), snapshot.bytes.size());
          },
          "All robots as they are now, as bytes that can be kept and pickled.")
      .def(
          "restore",
          [](Robots& r, const py::bytes& snapshot) {
            const UseOfRobots use(r);
            const std::string_view bytes = snapshot;
            r.batch.restore({{bytes.begin(), bytes.end()}});
          },
          py::arg("snapshot"),
          "Back to a snapshot of this batch, or of one of the same model and size; it goes on to the same last bit.");
}

}  // namespace taut::python
