// bench-batch: robot steps per second of a batch, by the lanes of the processor, by a hand-written loop beside them, and by a
// card; the time until the first step is done; and eight robots beside the scalar kernel. It needs no library of ours, so
// that it runs on a machine with a card that has none.
#include "taut/batch/batch.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <stdexcept>

#include "bench/lane_probe.h"
#include "bench/timing.h"
#include "taut/generators/generators.h"

namespace taut::bench {
namespace {

struct Asked {
  std::string device = "cpu", model = "six_bar", precision = "both", unit, ground = "none";
  long robots = 0;
  int steps = 100, threads = 0, bars = 30;
  double seconds = 1.0;  // of measurement for each row
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Robots of a model, each with a motion of its own: it drifts and spins, or stands on the ground after it has slid.
struct Flock {
  std::vector<double> places, velocities;
  Flock(const Model& model, long robots) {
    for (long i = 0; i < robots; ++i) {
      const double phase = static_cast<double>(i % 4093);
      const Vec3 drift(0.1 * std::sin(phase), 0.1 * std::cos(phase), 0.0);
      const Vec3 spin = model.ground ? Vec3(Vec3::Zero()) : Vec3(std::sin(0.3 * phase), std::cos(0.7 * phase), 0.5);
      for (const Node& node : model.nodes) {
        const Vec3 velocity = drift + spin.cross(node.position);
        places.insert(places.end(), node.position.data(), node.position.data() + 3);
        velocities.insert(velocities.end(), velocity.data(), velocity.data() + 3);
      }
    }
  }
};

Batch make(const Scenario& scenario, long robots, const BatchOptions& options) {
  Batch batch(scenario, robots, options);
  const Flock flock(scenario.model, robots);
  batch.place(flock.places, flock.velocities);
  return batch;
}

// Robot steps per second: the best of calls of `steps` steps. One thread of the processor is measured by its own clock.
double rate(Batch& batch, const Asked& asked) {
  const bool alone = asked.device == "cpu" && batch.threads() == 1;
  const auto clock = [&] { return alone ? core_seconds() : now(); };
  batch.step(asked.ground == "none" ? asked.steps : 20'000);  // on the ground: until they stand on a face
  double least = INFINITY;
  const double end = now() + asked.seconds;
  for (int repeat = 0; repeat < 3 || now() < end; ++repeat) {
    const double begin = clock();
    batch.step(asked.steps);
    least = std::min(least, clock() - begin);
  }
  return static_cast<double>(batch.robots()) * asked.steps / least;
}

// The largest difference of the first eight robots' places from those of the scalar kernel in double, of their size.
double difference(const Scenario& scenario, const BatchOptions& options, int steps) {
  BatchOptions plain;
  plain.step = options.step;
  plain.unit = "scalar";
  constexpr long robots = 8;
  Batch one = make(scenario, robots, options), other = make(scenario, robots, plain);
  one.step(steps);
  other.step(steps);
  double worst = 0.0, size = 0.0;
  for (long i = 0; i < robots; ++i) {
    const std::vector<double> a = one.nodes_of(i), b = other.nodes_of(i);
    for (std::size_t k = 0; k < a.size(); ++k) {
      worst = std::max(worst, std::abs(a[k] - b[k]));
      size = std::max(size, std::abs(b[k]));
    }
  }
  return worst / size;
}

void row(const Scenario& scenario, const Asked& asked, Precision precision) {
  BatchOptions options;
  options.device = asked.device == "cuda" ? BatchDevice::cuda : BatchDevice::cpu;
  options.precision = precision;
  options.unit = asked.unit;
  options.threads = asked.threads;
  const double begin = now();
  double start_up = 0.0;
  {
    Batch first(scenario, 1, options);
    first.step(1);
    start_up = now() - begin;
  }
  Batch batch = make(scenario, asked.robots, options);
  const double robot_steps = rate(batch, asked);
  fmt::print("{:28} {:7} {:9} {:6} {:12.3g} {:9.3f} s {:10.1e} {:10.1e}\n", batch.device(),
             precision == Precision::single_precision ? "single" : "double", asked.robots, asked.steps, robot_steps,
             start_up, difference(scenario, options, 1), difference(scenario, options, 100));
  std::fflush(stdout);
}

Scenario model_of(const Asked& asked) {
  const Generator* const generator = find_generator(asked.model);
  if (generator == nullptr) throw std::invalid_argument(asked.model + " is no generator: taut examples lists them");
  Scenario scenario = asked.model == "six_bar"
                          ? generate(*generator, {{"damping", asked.ground == "none" ? 2.0 : 20.0}})
                          : generate(*generator, {});
  scenario.model.gravity = Vec3(0.0, 0.0, -9.81);
  if (asked.ground != "none") {
    Ground& ground = scenario.model.ground.emplace();
    ground.law = asked.ground == "rigid" ? PressKind::rigid : PressKind::linear;
    ground.stiffness = 1e4, ground.damping = 1e2, ground.friction = 0.8, ground.slip_speed = 0.03;
    ground.height = INFINITY;
    for (const Node& node : scenario.model.nodes) ground.height = std::min(ground.height, node.position.z() - 1e-6);
  }
  scenario.simulation.formulation = "nodal";
  scenario.simulation.integrator = "symplectic";
  return scenario;
}

void run(Asked asked) {
  const Scenario scenario = model_of(asked);
  if (asked.robots == 0) asked.robots = asked.device == "cuda" ? 1L << 20 : 4096;
  fmt::print("{}: {} bars, {} cables\n", asked.model, scenario.model.bars.size(), scenario.model.cables.size());
  fmt::print("{:28} {:7} {:>9} {:>6} {:>12} {:>11} {:>10} {:>10}\n", "", "", "robots", "steps", "robot steps/s",
             "start-up", "off, 1", "off, 100");
  if (asked.device == "cpu" && asked.model == "six_bar" && asked.ground == "none")
    probe_rows(scenario.model, asked.seconds);
  for (const Precision precision : {Precision::double_precision, Precision::single_precision})
    if (asked.precision == "both" || (asked.precision == "single") == (precision == Precision::single_precision))
      row(scenario, asked, precision);
}

}  // namespace
}  // namespace taut::bench

int main(int argc, char** argv) {
  try {
    taut::bench::Asked asked;
    CLI::App app("Robot steps per second of a batch");
    app.add_option("--device", asked.device)->check(CLI::IsMember({"cpu", "cuda"}));
    app.add_option("--model", asked.model, "a generator")->capture_default_str();
    app.add_option("--ground", asked.ground, "that they stand on")->check(CLI::IsMember({"none", "rigid", "linear"}));
    app.add_option("--precision", asked.precision)->check(CLI::IsMember({"double", "single", "both"}));
    app.add_option("--unit", asked.unit, "of the processor: avx512, avx2, narrow, scalar");
    app.add_option("--robots", asked.robots);
    app.add_option("--steps", asked.steps, "per call")->capture_default_str();
    app.add_option("--threads", asked.threads);
    app.add_option("--seconds", asked.seconds, "of measurement for each row")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    taut::bench::run(asked);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-batch: {}\n", error.what());
    return 2;
  }
}
