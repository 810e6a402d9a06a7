// Steps a six-bar robot: commands from outside, a snapshot to come back to, a controller as a function.
#include <taut/taut.h>

#include <cstdio>

int main() {
  taut::Scenario scenario = taut::generate(*taut::find_generator("six_bar"), {});
  taut::Simulation sim(scenario);
  std::printf("%zu inputs, the first is %s\n", sim.inputs().size(), sim.inputs().front().c_str());

  // From outside: a tenth shorter within 0.1 s.
  const double rest = sim.rest_lengths()[0];
  sim.command(sim.inputs().front(), 0.9 * rest, 0.1);
  sim.advance(0.1);
  const taut::Snapshot here = sim.snapshot();
  sim.advance(0.4);
  const double after = sim.nodes()(2, 0);

  // Back, and the same again: to the last bit.
  sim.restore(here);
  sim.advance(0.4);
  if (sim.nodes()(2, 0) != after) return 1;

  // From inside, 100 times per second: cable 1 is to pull with 50 N. The integral lives in the state.
  sim.reset();
  const auto hold = [rest](const taut::Observation& now, taut::Commands& commands) {
    const double error = 50.0 - now.tension[1];
    commands.memory[0] += error / 100.0;
    commands[1] = rest - 2e-5 * error - 1e-2 * commands.memory[0];
  };
  sim.control(100.0, hold, {.speed = 0.5, .memory = 1});
  sim.advance(2.0);
  std::printf("t = %g s: %.2f N in %s\n", sim.time(), sim.tensions()[1], sim.inputs()[1].c_str());
  return 0;
}
