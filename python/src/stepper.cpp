#include "python/src/stepper.h"

#include <algorithm>

namespace taut::python {

namespace {

std::size_t place(Quantity quantity) { return static_cast<std::size_t>(quantity); }

std::pair<const double*, std::size_t> numbers_of(const Sample& sample, Quantity quantity) {
  const auto list = [](const std::vector<double>& numbers) { return std::pair(numbers.data(), numbers.size()); };
  switch (quantity) {
    case Quantity::nodes:
      return list(sample.nodes);
    case Quantity::velocities:
      return list(sample.velocities);
    case Quantity::tensions:
      return list(sample.tensions);
    case Quantity::lengths:
      return list(sample.lengths);
    case Quantity::rest_lengths:
      return list(sample.rest_lengths);
    case Quantity::bar_forces:
      return list(sample.bar_forces);
    case Quantity::energy:
      return {sample.energy.data(), sample.energy.size()};
    case Quantity::contact_forces:
      return list(sample.contact_forces);
    case Quantity::joints:
      break;
  }
  return list(sample.joints);
}

void look(Stepper& s) {
  if (s.looked) return;
  const Sample& sample = s.simulation.sample();
  for (std::size_t i = 0; i < quantities; ++i) {
    const auto [from, size] = numbers_of(sample, static_cast<Quantity>(i));
    if (!s.memory[i]) s.memory[i] = std::make_shared<std::vector<double>>(size);
    std::copy_n(from, size, s.memory[i]->begin());
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

py::object read(Stepper& s, Quantity quantity) {
  const Use use(s);
  look(s);
  py::object& array = s.arrays[place(quantity)];
  const std::shared_ptr<std::vector<double>>& numbers = s.memory[place(quantity)];
  if (quantity == Quantity::contact_forces && numbers->empty()) return py::none();
  const bool vectors =
      quantity == Quantity::nodes || quantity == Quantity::velocities || quantity == Quantity::contact_forces;
  if (!array || !is_as_made(array, vectors, numbers->size())) {
    const auto size = static_cast<py::ssize_t>(numbers->size());
    array =
        vectors ? view(numbers->data(), {size / 3, 3}, keep(numbers)) : view(numbers->data(), {size}, keep(numbers));
  }
  return array;
}

// The stepper of an object; null while there is none: it was never made, or its memory is not there yet.
Stepper* made(PyObject* self) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(self);
  if (instance->simple_layout) return instance->get_value_and_holder().value_ptr<Stepper>();
  if (instance->nonsimple.values_and_holders == nullptr) return nullptr;
  const auto place = instance->get_value_and_holder(py::detail::get_type_info(typeid(Stepper)), false);
  return place.inst != nullptr ? place.value_ptr<Stepper>() : nullptr;
}

// As a function of pybind11 would answer.
template <class Work>
PyObject* answer(PyObject* self, const Work& work) noexcept {
  try {
    Stepper* const s = made(self);
    if (s == nullptr) throw py::type_error(never_made);
    return work(*s).release().ptr();
  } catch (...) {
    raise_in_python(std::current_exception());
    return nullptr;
  }
}

PyObject* get_time(PyObject* self, void*) {
  return answer(self, [](Stepper& s) { return py::float_(s.simulation.time()); });
}

template <Quantity quantity>
PyObject* get(PyObject* self, void*) {
  return answer(self, [](Stepper& s) { return read(s, quantity); });
}

PyGetSetDef attributes[] = {  // NOLINT(cppcoreguidelines-avoid-c-arrays): as Python wants it
    {"time", get_time, nullptr, "Where the motion stands, s; 0 at the start.", nullptr},
    {"nodes", get<Quantity::nodes>, nullptr,
     "Positions of the nodes, (N, 3), m; a read-only view that reading brings up to date.", nullptr},
    {"velocities", get<Quantity::velocities>, nullptr, "Velocities of the nodes, (N, 3), m/s; a view likewise.",
     nullptr},
    {"tensions", get<Quantity::tensions>, nullptr, "Tensions of the cables, (C,), N, 0 where slack; a view likewise.",
     nullptr},
    {"lengths", get<Quantity::lengths>, nullptr, "Lengths of the cables, (C,), m; a view likewise.", nullptr},
    {"rest_lengths", get<Quantity::rest_lengths>, nullptr, "Rest lengths of the cables, (C,), m; a view likewise.",
     nullptr},
    {"bar_forces", get<Quantity::bar_forces>, nullptr,
     "Forces of the bars, (B,), N, tension positive; a view likewise.", nullptr},
    {"_energy_row", get<Quantity::energy>, nullptr, "J, in the order of energy_names.", nullptr},
    {"contact_forces", get<Quantity::contact_forces>, nullptr,
     "Forces of ground and collisions on the nodes, (N, 3), N; None where there is neither; a view likewise.", nullptr},
    {"joints", get<Quantity::joints>, nullptr,
     "Positions and forces of joints and pulleys, as joint_names; a view likewise.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// A control function often holds its simulation: as a method of whoever made it, say.
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

}  // namespace

void prepare_stepper(PyHeapTypeObject* heap) {
  PyTypeObject& type = heap->ht_type;
  type.tp_getset = attributes;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
}

}  // namespace taut::python
