// The module taut._taut: everything that needs C++. python/taut/ makes the classes of users from it.
#include "python/src/bindings.h"
#include "taut/base/version.h"

PYBIND11_MODULE(_taut, m) {
  using namespace taut::python;
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
