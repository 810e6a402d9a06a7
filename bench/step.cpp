// One step of the six-bar and a round trip of command and advance, in C++: what bench/python.py compares itself with.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <vector>

#include "taut/generators/generators.h"
#include "taut/run/simulation.h"

namespace {

double best(int count, const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 7; ++repeat) {
    const std::clock_t began = std::clock();
    for (int i = 0; i < count; ++i) work();
    least = std::min(least, static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC / count);
  }
  return least;
}

}  // namespace

int main() {
  taut::Scenario scenario = taut::generate(*taut::find_generator("six_bar"), {});
  scenario.simulation.integrator = "symplectic";
  scenario.simulation.step = 1e-3;
  taut::Simulation sim(scenario);
  const std::vector<double> lengths(sim.rest_lengths().begin(), sim.rest_lengths().end());
  std::printf("step_us %g\n", 1e6 * best(20'000, [&] { sim.advance(1e-3); }));
  std::printf("trip_us %g\n", 1e6 * best(5'000, [&] {
                sim.command_all(lengths);
                sim.advance(0.01);
              }));
}
