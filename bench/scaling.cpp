// bench-scaling: time per bar and step for towers of 10 to 10 000 bars, class 1 and class 2, by one integrator, and time
// per bar to generate them.
// Cost proportional to the size shows as a constant.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "bench/timing.h"
#include "taut/generators/generators.h"
#include "taut/integrate/integrator.h"

namespace taut::bench {
namespace {

constexpr double most_spread = 1.5;  // what taut asks of itself

// Least time of several runs, µs per bar and step.
double microseconds(const Model& model, const std::string& method) {
  const double step = 1e-4;  // s
  const long steps = std::max<long>(4, 100'000 / static_cast<long>(model.bars.size()));
  const double duration = step * static_cast<double>(steps);
  const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
  double least = INFINITY;
  for (int repeat = 0; repeat < 9; ++repeat) {
    State state = dynamics.start();
    const auto integrator = make_integrator(method, dynamics, {.step = step});
    Outputs outputs(duration, duration, [](const State&) {});
    outputs.emit(state);
    integrator->restart(state);
    const double start = core_seconds();
    integrator->advance(state, duration, outputs);
    const double seconds = core_seconds() - start;
    least = std::min(least, 1e6 * seconds / static_cast<double>(integrator->log.counts.steps));
  }
  return least / static_cast<double>(model.bars.size());
}

void run(const std::string& method) {
  for (const char* kind : {"tower", "class2_tower"}) {
    double least = INFINITY, most = 0.0;
    for (const int stages : {4, 10, 33, 100, 333, 1000, 3333}) {
      const Parameters parameters = {{"stages", static_cast<double>(stages)}, {"damping", 1.0}};
      const double begin = core_seconds();
      const Model model = generate(*find_generator(kind), parameters).model;
      const double made = core_seconds() - begin;
      const double cost = microseconds(model, method);
      least = std::min(least, cost);
      most = std::max(most, cost);
      fmt::print("{:<13} {:>6} bars {:>7} cables  {} {:8.4f} us per bar and step, made in {:6.2f} us per bar\n", kind,
                 model.bars.size(), model.cables.size(), method, cost,
                 1e6 * made / static_cast<double>(model.bars.size()));
    }
    fmt::print("{:<13} largest / least {:.2f}   (aim: at most {})\n", kind, most / least, most_spread);
  }
}

}  // namespace
}  // namespace taut::bench

int main(int argc, char** argv) {
  std::string method = "rk4";
  CLI::App app("Time per bar and step for towers of 10 to 10 000 bars, class 1 and class 2");
  app.add_option("--integrator", method, "a fixed-step integrator");
  CLI11_PARSE(app, argc, argv);
  try {
    taut::bench::run(method);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-scaling: {}\n", error.what());
    return 1;
  }
}
