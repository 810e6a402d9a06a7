// What is behind taut.Simulation.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "python/src/bindings.h"
#include "taut/run/simulation.h"

namespace taut::python {

// What users read while they step.
enum class Quantity { nodes, velocities, tensions, lengths, rest_lengths, bar_forces, energy, contact_forces, joints };
inline constexpr std::size_t quantities = 9;

struct Stepper {
  Simulation simulation;
  std::optional<PythonControl> control;
  // Of each quantity, shared with the arrays: it never moves, so that these stay valid, and is brought up to date when it
  // is read.
  std::array<std::shared_ptr<std::vector<double>>, quantities> memory;
  std::array<py::object, quantities> arrays;  // made when first read
  RunRecorder recorder;
  std::atomic<bool> busy{false};
  double pace = INFINITY;  // s of the last call of advance() per s of motion; infinite: not known
  bool looked = false;     // memory is of the present state

  explicit Stepper(Scenario scenario) : simulation(std::move(scenario)) { recorder.begin(simulation.scenario()); }
};

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

// Gives the class its time and arrays, as attributes that are read without an allocation (a function of pybind11 makes
// lists of its arguments), and lets Python's collector of cycles see through it.
void prepare_stepper(PyHeapTypeObject* type);

}  // namespace taut::python

namespace pybind11::detail {
template <>
struct type_caster<taut::python::Stepper> : MadeCaster<taut::python::Stepper> {};
}  // namespace pybind11::detail
