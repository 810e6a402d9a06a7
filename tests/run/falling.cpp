#include "tests/run/falling.h"

#include <algorithm>

#include "tests/support/models.h"
#include "tests/support/support.h"

namespace taut::testing {

Scenario falling_robot(const std::string& formulation, const std::string& integrator, double step, double tolerance) {
  Scenario s = generated("six_bar");
  double low = 0.0;
  for (const Node& node : s.model.nodes) low = std::min(low, node.position.z());
  s.model.gravity = {0.0, 0.0, -9.81};
  s.model.ground = Ground{};
  s.model.ground->height = low - 0.002;
  s.model.ground->friction = 0.2;
  s.model.ground->slip_speed = 0.05;
  for (Cable& cable : s.model.cables) cable.law.damping = 2.0;
  add_actuator(s.model, 3, step_signal(s.model.cables[3].rest_length, 0.8 * s.model.cables[3].rest_length, 0.03));
  s.simulation.formulation = formulation;
  s.simulation.integrator = integrator;
  s.simulation.step = integrator == "euler" ? 0.1 * step : step;
  s.simulation.tolerance = tolerance;
  return s;
}

}  // namespace taut::testing
