// The module taut._taut: everything that needs C++. python/taut/ makes the classes of users from it.
#include "python/src/bindings.h"
#include "taut/base/version.h"

namespace taut::python {

namespace {

newfunc make_object = nullptr;

PyTypeObject* base_of_all() { return reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base); }

PyObject* make_derived(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (type != base_of_all()) return make_object(type, args, kwargs);
  PyErr_SetString(PyExc_TypeError, "cannot make, copy or pickle an object of this class in this way");
  return nullptr;
}

}  // namespace

void refuse_bare_objects() {
  if (base_of_all()->tp_new == make_derived) return;
  make_object = base_of_all()->tp_new;
  base_of_all()->tp_new = make_derived;
}

py::tuple reduced(const py::object& self, int) {
  return py::make_tuple(py::module_::import("copyreg").attr("__newobj__"), py::make_tuple(py::type::of(self)),
                        self.attr("__getstate__")());
}

}  // namespace taut::python

PYBIND11_MODULE(_taut, m) {
  using namespace taut::python;
  refuse_bare_objects();
  m.doc() = "The engine of taut, for the package taut.";
  m.attr("__version__") = taut::version();
  bind_errors(m);
  bind_draft(m);
  bind_control(m);
  bind_run(m);
  bind_simulation(m);
  bind_answers(m);
  bind_sweep(m);
  bind_batch(m);
}
