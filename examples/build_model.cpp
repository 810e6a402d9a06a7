// Builds a model part by part, checks it, writes it as a file and lets it swing: a bar on two cables.
#include <taut/taut.h>

#include <cstdio>

int main() {
  taut::Scenario scenario;
  taut::Model& m = scenario.model;
  m.name = "swing";
  const int left = taut::add_node(m, "left", {-0.5, 0, 1}), right = taut::add_node(m, "right", {0.5, 0, 1});
  const int a = taut::add_node(m, "a", {-0.4, 0.2, 0}), b = taut::add_node(m, "b", {0.4, 0.2, 0});
  taut::add_support(m, left);
  taut::add_support(m, right);
  taut::add_bar(m, a, b, {.mass = 1.0});
  taut::add_cable(m, {left, a}, {.stiffness = 5000, .tension = 4.9, .damping = 5});
  const int rope = taut::add_cable(m, {right, b}, {.stiffness = 5000, .tension = 4.9, .damping = 5});
  // The right rope is wound in by 5 cm within the first second.
  const double rest = m.cables[rope].rest_length;
  taut::add_actuator(m, rope, taut::ramp_signal(rest, rest - 0.05, 0.0, 1.0));
  taut::validate(m);

  scenario.simulation.duration = 2.0;
  const taut::Run run = taut::simulate(scenario);
  const taut::Points end = run.nodes(run.rows() - 1);
  std::printf("%s\n%s: %s, a at %.3f m, b at %.3f m\n", taut::to_toml(scenario).c_str(), m.name.c_str(),
              name(run.summary.status), end(2, a), end(2, b));
  return run.summary.status == taut::RunStatus::done && end(2, b) > end(2, a) ? 0 : 1;
}
