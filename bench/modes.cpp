// bench-modes: the lowest 20 modes of structures of 240 to 10 000 nodes, free and held, and all modes of small ones:
// where the dense computation and the sparse one meet.
#include "taut/modes/modes.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "bench/timing.h"
#include "taut/generators/generators.h"
#include "taut/modes/lowest_modes.h"

namespace taut::bench {
namespace {

struct Case {
  const char* kind;
  Parameters parameters;
};

void measure(const Case& c, const ModeOptions& options, const char* how) {
  const Model model = generate(*find_generator(c.kind), c.parameters).model;
  const double start = core_seconds();
  const ModalAnalysis modes = find_modes(model, options);
  const double seconds = core_seconds() - start;
  fmt::print("{:<16} {:>6} nodes {:>6} freedoms  {:<7} {:8.3f} s   highest of {:>2} {:10.5g} Hz, {} zeros{}\n", c.kind,
             model.nodes.size(), modes.freedoms, how, seconds, modes.count(),
             modes.count() > 0 ? frequency(modes.square[modes.count() - 1]) : 0.0,
             (modes.square.array() == 0.0).count(), modes.complete ? "" : ", NOT CONFIRMED");
}

void run(int count) {
  fmt::print("The lowest {} modes as `taut modes` finds them (aim: 10 000 nodes within 10 s)\n", count);
  for (const Case& c : {Case{"tower", {{"stages", 1667.0}}}, Case{"tower", {{"stages", 1667.0}, {"fixed", 1.0}}},
                        Case{"class2_tower", {{"stages", 3333.0}, {"fixed", 1.0}}},
                        Case{"net", {{"nx", 100.0}, {"ny", 100.0}}}, Case{"cable_net", {{"nx", 100.0}, {"ny", 100.0}}},
                        Case{"geodesic_sphere", {{"frequency", 5.0}, {"pretension", 20.0}}}})
    measure(c, {.count = count}, "");
  fmt::print("The same both ways, where either will do\n");
  for (const double stages : {20.0, 30.0, 40.0, 55.0, 80.0})
    for (const bool dense : {true, false})
      measure({"tower", {{"stages", stages}}}, {.count = count, .dense_up_to = dense ? most_freedoms : 0},
              dense ? "dense" : "sparse");
}

}  // namespace
}  // namespace taut::bench

int main(int argc, char** argv) {
  int count = 20;
  CLI::App app("The lowest modes of structures of up to 10 000 nodes");
  app.add_option("--count", count, "how many");
  CLI11_PARSE(app, argc, argv);
  try {
    taut::bench::run(count);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-modes: {}\n", error.what());
    return 1;
  }
}
