// bench-stacked: the stacked manipulator of Fadeyev et al. (2019). What accuracy costs over nine actuated seconds, by
// every integrator and for each reading of the damping; and the time of an implicit step over the number of stages.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "taut/base/error.h"
#include "taut/file/read/read_toml.h"
#include "taut/generators/generators.h"
#include "taut/integrate/choose.h"
#include "taut/integrate/integrator.h"

namespace taut::bench {
namespace {

constexpr double duration = 9.0, row_step = 0.1;

struct Course {
  std::vector<Eigen::VectorXd> rows;  // coordinates, every 0.1 s
  double seconds = 0.0;               // of processor time
  long steps = 0, rhs = 0;
};

std::optional<Course> course(const Dynamics& dynamics, const std::string& method, double setting) {
  try {
    Course result;
    State state = dynamics.start();
    const auto integrator = make_integrator(method, dynamics, {.step = setting, .tolerance = setting});
    Outputs outputs(row_step, duration, [&](const State& s) { result.rows.push_back(s.y.head(s.nq)); });
    outputs.emit(state);
    const double start = core_seconds();
    std::vector<double> ends = dynamics.breakpoints(duration);
    ends.push_back(duration);
    for (double end : ends) {
      integrator->restart(state);
      integrator->advance(state, end, outputs);
      if (outputs.next() == end) outputs.emit(state);
    }
    result.seconds = core_seconds() - start;
    result.steps = integrator->log.counts.steps;
    result.rhs = integrator->log.counts.rhs;
    return result;
  } catch (const RunError&) {
    return std::nullopt;
  }
}

double difference(const Course& a, const Course& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < std::min(a.rows.size(), b.rows.size()); ++k)
    largest = std::max(largest, (a.rows[k] - b.rows[k]).lpNorm<Eigen::Infinity>());
  return largest;
}

void work_precision(const Model& shipped, double damping, double most) {
  Model model = shipped;
  for (Cable& cable : model.cables) cable.law.damping = damping;
  const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
  const std::string chosen(choose_integrator(dynamics).integrator);
  const auto reference = course(dynamics, chosen == "cvode" ? "cvode" : "dopri5", chosen == "cvode" ? 1e-11 : 1e-12);
  if (!reference) throw std::runtime_error("the reference failed");
  fmt::print("\ndamping {:g} N s/m, {} s; auto takes {}\n", damping, duration, chosen);
  fmt::print("  {:<12}{:>10}{:>12}{:>12}{:>10}{:>10}\n", "integrator", "setting", "error, m", "seconds", "steps",
             "rhs");
  for (const IntegratorKind& kind : integrator_kinds()) {
    const bool adaptive = kind.name == "dopri5" || kind.name == "cvode";
    for (double setting = adaptive ? 1e-5 : 1e-3; setting >= 1e-10; setting *= 0.1) {
      // The fastest damping alone asks for steps that no explicit method can afford.
      if (kind.name != "cvode" && damping > 1e3 && (adaptive || setting > 1e-6)) break;
      const auto run = course(dynamics, std::string(kind.name), setting);
      if (!run || !std::isfinite(difference(*run, *reference)) || difference(*run, *reference) > 0.1) continue;
      const double error = difference(*run, *reference);
      fmt::print("  {:<12}{:>10.0e}{:>12.1e}{:>12.4f}{:>10}{:>10}\n", kind.name, setting, error, run->seconds,
                 run->steps, run->rhs);
      std::fflush(stdout);
      if (run->seconds > most || error < 1e-11) break;
    }
  }
}

void scaling() {
  fmt::print("\ncvode at 1e-6, towers of stages in slight motion\n");
  double least = INFINITY, largest = 0.0;
  for (int stages : {10, 30, 100, 300, 1000}) {
    Model model =
        generate(*find_generator("stacked"), {{"stages", static_cast<double>(stages)}, {"gravity", 0.0}}).model;
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0.0, 1e-3);
    for (Node& node : model.nodes)
      if (node.fixed == Axes{}) node.velocity = {normal(random), normal(random), normal(random)};
    const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
    double best = INFINITY;
    for (int repeat = 0; repeat < 2; ++repeat) {
      State state = dynamics.start();
      Terms terms = dynamics.make_terms();
      dynamics.formulation().project(state.q(), state.v(), terms);
      const auto integrator = make_integrator("cvode", dynamics, {.tolerance = 1e-6});
      Outputs outputs(0.2, 0.2, [](const State&) {});
      outputs.emit(state);
      const double start = core_seconds();
      integrator->restart(state);
      integrator->advance(state, 0.2, outputs);
      best = std::min(best, 1e6 * (core_seconds() - start) / static_cast<double>(integrator->log.counts.steps));
    }
    const double cost = best / static_cast<double>(stages);
    least = std::min(least, cost);
    largest = std::max(largest, cost);
    fmt::print("  {:>5} stages {:>6} bars  {:8.3f} us per stage and step\n", stages, model.bars.size(), cost);
    std::fflush(stdout);
  }
  fmt::print("  largest / least {:.2f}   (aim: at most 1.5)\n", largest / least);
}

}  // namespace
}  // namespace taut::bench

int main(int argc, char** argv) {
  std::string file = "models/stacked.toml";
  double most = 3.0;
  CLI::App app("The stacked manipulator: error against time by every integrator, and time per step over its stages");
  app.add_option("FILE", file, "The manipulator [models/stacked.toml]");
  app.add_option("--most", most, "Stop refining a method once a run takes longer than this, s [3]");
  CLI11_PARSE(app, argc, argv);
  try {
    taut::bench::scaling();
    const taut::Model model = taut::read_scenario(file).model;
    for (double damping : {20e3, 20.0, 0.0}) taut::bench::work_precision(model, damping, most);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-stacked: {}\n", error.what());
    return 1;
  }
}
