// bench-sweep: 4096 short runs of a six-bar, one by one and as batches: the ratio. And many short runs of a three-bar prism. How much of the time is spent inside the integrator, what a second
// thread gives, and whether memory grows with the number of runs. The ratio of threads means something only on two idle
// processors.
#include "taut/sweep/sweep.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/timing.h"
#include "taut/generators/generators.h"

namespace taut::bench {
namespace {

// What taut asks of itself.
constexpr double least_inside = 0.9, least_speed_up = 1.9, most_growth_mb = 16.0;

double peak_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

SweepFile sweep_of(long runs) {
  Scenario scenario = generate(*find_generator("prism"), {});
  scenario.model.nodes.front().position *= 1.1;  // out of balance, so that something moves
  for (Bar& bar : scenario.model.bars) bar.rest_length = start_length(scenario.model, bar);
  scenario.simulation.duration = 1.0;
  SweepFile sweep;
  sweep.file = sweep.model = "prism.toml";
  sweep.scenario = std::move(scenario);
  sweep.text = fmt::format("{} runs", runs);
  sweep.design = SweepDesign::sobol;
  sweep.draws = runs;
  SweepParameter stiffness;
  stiffness.name = "k";
  stiffness.keys = {"cables.*.stiffness"};
  stiffness.kind = ParameterKind::drawn;
  stiffness.distribution.kind = DistributionKind::log_uniform;
  stiffness.distribution.low = 500.0;
  stiffness.distribution.high = 5000.0;
  sweep.parameters = {stiffness};
  sweep.records = {{"slack", "count(slack_events)", {}}, {"inside", "wall_s", {}}};
  return sweep;
}

struct Measured {
  double seconds, inside;  // of all threads
};

Measured measure(long runs, int threads, const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  SweepOptions options;
  options.folder = folder;
  options.threads = threads;
  options.report = false;
  const SweepResult result = run_sweep(sweep_of(runs), options);
  Measured measured{result.seconds, 0.0};
  std::ifstream table(folder / "table.csv");
  std::string line;
  std::getline(table, line);
  // run,k,slack,inside,status,reason
  while (std::getline(table, line)) {
    std::size_t at = 0;
    for (int comma = 0; comma < 3; ++comma) at = line.find(',', at) + 1;
    measured.inside += std::atof(line.c_str() + at);
  }
  std::filesystem::remove_all(folder);
  return measured;
}

// Six-bars with other stiffness and damping: flying, or let fall onto hard ground.
struct Fall {
  bool ground;
  double duration, output_step;  // s
};

SweepFile six_bars(long runs, const Fall& fall) {
  Scenario scenario = generate(*find_generator("six_bar"), {{"damping", 10.0}});
  scenario.model.gravity = Vec3(0.0, 0.0, -9.81);
  if (fall.ground) {
    scenario.model.ground.emplace();
    scenario.model.ground->law = PressKind::rigid;
    scenario.model.ground->height = -0.6;
    scenario.model.ground->friction = 0.5;
  }
  for (Node& node : scenario.model.nodes) node.velocity = Vec3(0.4, 0.2, 0.1).cross(node.position);
  scenario.simulation.integrator = "symplectic";
  scenario.simulation.duration = fall.duration;
  scenario.simulation.output_step = fall.output_step;
  SweepFile sweep = sweep_of(runs);
  sweep.scenario = std::move(scenario);
  SweepParameter damping = sweep.parameters.front();
  damping.name = "c";
  damping.keys = {"cables.*.damping"};
  damping.distribution.low = 1.0;
  damping.distribution.high = 20.0;
  sweep.parameters.push_back(damping);
  sweep.records = {{"pull", "max(cables.*.tension)", {}}, {"z", "last(average(nodes.*.z))", {}}};
  return sweep;
}

double seconds_of(SweepFile sweep, SweepEngine engine) {
  sweep.engine = engine;
  SweepOptions options;
  options.threads = 1;  // this one
  const double begin = core_seconds();
  run_sweep(std::move(sweep), options);
  return core_seconds() - begin;
}

// In turn, the least of each, in time of this thread.
void compare_engines() {
  constexpr long runs = 4096;
  fmt::print("six-bar, steps of 1 ms, {} runs, one thread\n", runs);
  for (const Fall& fall : {Fall{false, 0.2, 0.01}, Fall{false, 0.2, 0.1}, Fall{false, 1.0, 0.1}, Fall{true, 0.2, 0.01},
                           Fall{true, 0.2, 0.1}, Fall{true, 1.0, 0.1}}) {
    double run = INFINITY, batch = INFINITY;
    for (int repeat = 0; repeat < 3; ++repeat) {
      run = std::min(run, seconds_of(six_bars(runs, fall), SweepEngine::run));
      batch = std::min(batch, seconds_of(six_bars(runs, fall), SweepEngine::batch));
    }
    fmt::print("  {:14} {:3} s, a row every {:3.0f} ms   {:6.2f} s by run {:6.2f} s by batch   {:4.1f} times as fast\n",
               fall.ground ? "on hard ground" : "flying", fall.duration, 1e3 * fall.output_step, run, batch,
               run / batch);
  }
}

}  // namespace
}  // namespace taut::bench

int main(int argc, char** argv) {
  using namespace taut::bench;
  if (argc > 1 && std::string(argv[1]) == "engines") {
    compare_engines();
    return 0;
  }
  const long runs = argc > 1 ? std::max(1000L, std::atol(argv[1])) : 20'000;
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("bench-sweep-{}", ::getpid());
  const Measured few = measure(runs / 10, 1, folder);
  const double before = peak_mb();
  const Measured one = measure(runs, 1, folder), two = measure(runs, 2, folder);
  const double growth = peak_mb() - before, inside = one.inside / one.seconds, speed_up = one.seconds / two.seconds;
  fmt::print("three-bar prism, 1 s each, {} runs\n", runs);
  fmt::print("  one thread    {:8.2f} s, {:.0f} us a run ({:.0f} us of {} runs)\n", one.seconds,
             1e6 * one.seconds / static_cast<double>(runs), 1e6 * few.seconds / static_cast<double>(runs / 10),
             runs / 10);
  fmt::print("  in the integrator {:6.1f} %   {}\n", 100.0 * inside, inside >= least_inside ? "" : "too little");
  fmt::print("  two threads   {:8.2f} s, {:.2f} times as fast   {}\n", two.seconds, speed_up,
             speed_up >= least_speed_up ? "" : "too slow, or the processors are not idle");
  fmt::print("  memory grows by {:.1f} MB from {} to {} runs   {}\n", growth, runs / 10, runs,
             growth <= most_growth_mb ? "" : "too much");
  return inside >= least_inside && speed_up >= least_speed_up && growth <= most_growth_mb ? 0 : 1;
}
