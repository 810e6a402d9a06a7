// What the tests of all integrators know about each: its order, and how to ask it for an accuracy.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/support.h"

namespace taut::testing {

struct Method {
  std::string name;
  int order;        // fixed-step methods; 0: adaptive
  double accuracy;  // step or tolerance at which `error` is met
  double error;     // m, on smooth motions of size 1 m, rate 10 1/s, over 1 s
  bool exact_bars;  // keeps bar lengths by itself, whatever the constraint method
  bool locates;     // slack switches located, not interpolated
};

inline void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }

// Steps for an error well under the tolerances of the tests; the errors are those of the order with a factor to spare.
inline const std::vector<Method>& methods() {
  static const std::vector<Method> list = {{"euler", 1, 1e-5, 5e-3, false, false},
                                           {"rk4", 4, 1e-3, 1e-8, false, false},
                                           {"dopri5", 0, 1e-11, 1e-8, false, true},
                                           {"symplectic", 2, 1e-4, 5e-6, true, false},
                                           {"cvode", 0, 1e-10, 1e-6, false, true}};
  return list;
}

inline Motion run(const Scenario& scenario, const Method& method) {
  return run(scenario, method.name, method.accuracy);
}

// A mass on a two-sided spring from a fixed node, along x; without damping x = L0 + A cos ωt + B sin ωt.
inline Scenario oscillator(double mass, double stiffness, double rest_length, double x, double rate,
                           double damping = 0.0) {
  Scenario scenario = empty_scenario();
  add_node(scenario.model, {0, 0, 0}, 0.0, all_fixed);
  add_node(scenario.model, {x, 0, 0}, mass, {}, {rate, 0, 0});
  add_cable(scenario.model, {0, 1}, spring_law(stiffness, damping), rest_length);
  return scenario;
}

}  // namespace taut::testing
