// bench-machines: what one evaluation of a machine costs. The machines of Lieskovský (2022) beside Simbody with the
// same bodies, joints and loops; and chains of 10 to 1000 bodies, where a cost proportional to the size shows as a
// constant. Least times of many rounds, in which everything is measured in turn.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/chain.h"
#include "bench/peers/machine_plan.h"
#include "bench/timing.h"
#include "taut/formulation/multibody/from_model.h"
#include "taut/generators/generators.h"
#include "taut/integrate/integrator.h"
#ifdef TAUT_HAVE_SIMBODY
#include "bench/peers/simbody_machine.h"
#endif

namespace taut::bench {
namespace {

constexpr double most_of_simbody = 0.2, most_spread = 1.5;  // what taut asks of itself
constexpr int rounds = 30;

// Least core time of one call, µs. A round takes a few milliseconds.
struct Contender {
  std::function<double(int)> seconds;  // of so many calls
  int calls = 1;
  double least = INFINITY;

  explicit Contender(std::function<double(int)> of_calls) : seconds(std::move(of_calls)) {
    seconds(1);
    while (seconds(calls) < 2e-3) calls *= 2;
  }
  void measure() { least = std::min(least, 1e6 * seconds(calls) / calls); }
};

template <class Work>
double seconds_of(int calls, Work work) {
  const double start = core_seconds();
  for (int i = 0; i < calls; ++i) work();
  return core_seconds() - start;
}

void measure(std::vector<Contender>& contenders) {
  for (int round = 0; round < rounds; ++round)
    for (Contender& contender : contenders) contender.measure();
}

// A machine as such: imposed motions, links and loops, weight, accelerations, rates of the coordinates.
struct Evaluation {
  multibody::System system;
  multibody::SystemTerms terms;
  std::vector<double> q_rate, v_rate;

  explicit Evaluation(const multibody::Machine& machine)
      : system(machine), terms(make_terms(system)), q_rate(system.tree.nq), v_rate(system.tree.nv) {}
  void operator()() {
    drive(system, 0.0, terms);
    place(system, system.q.data(), system.v.data(), terms);
    set_weight(system.tree, terms.tree);
    accelerate(system, system.q.data(), system.v.data(), {}, terms, v_rate.data());
    coordinate_rates(system.tree, system.q.data(), system.v.data(), q_rate.data());
  }
};

// The right-hand side that a run of the model evaluates.
struct RightHandSide {
  Dynamics dynamics;
  State state;
  Terms terms;
  Eigen::VectorXd rate;

  explicit RightHandSide(const Model& model)
      : dynamics(model, "multibody", ConstraintMethod::projection),
        state(dynamics.start()),
        terms(dynamics.make_terms()),
        rate(dynamics.size()) {}
  void operator()() { dynamics.rhs(0.0, state.y.data(), rate.data(), terms); }
};

#ifdef TAUT_HAVE_SIMBODY
// Largest difference of the bodies' accelerations, relative to the largest of them.
double disagreement(Evaluation& ours, const SimbodyMachine& theirs) {
  ours();
  const std::vector<BodyMotion> a = body_motions(ours.system, ours.terms), b = theirs.start();
  double most = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max({most, (a[i].acceleration - b[i].acceleration).norm(), (a[i].turn_rate - b[i].turn_rate).norm()});
    size = std::max({size, a[i].acceleration.norm(), a[i].turn_rate.norm()});
  }
  return most / size;
}
#endif

void bench_kind(const char* kind) {
  const Model model = generate(*find_generator(kind), {}).model;
  RightHandSide shipped(model);
  Evaluation ours(with_small_masses(machine_of(model).machine));
  const multibody::System& system = ours.system;
  fmt::print("\n{}: {} bodies, {} velocities, {} rows of loops\n", kind, system.tree.links.size(), system.tree.nv,
             system.loops.rows);
  std::vector<Contender> contenders;
  contenders.emplace_back([&](int calls) { return seconds_of(calls, [&] { shipped(); }); });
  contenders.emplace_back([&](int calls) { return seconds_of(calls, [&] { ours(); }); });
#ifdef TAUT_HAVE_SIMBODY
  const SimbodyMachine theirs(plan_of(system));
  fmt::print("  accelerations of taut and Simbody differ by {:.1e} of the largest\n", disagreement(ours, theirs));
  contenders.emplace_back([&](int calls) { return theirs.evaluate(calls); });
#endif
  measure(contenders);
  fmt::print("  {:<42}{:9.3f} us\n", "taut, right-hand side of the model", contenders[0].least);
  fmt::print("  {:<42}{:9.3f} us\n", "taut, cables and blocks with small masses", contenders[1].least);
  if (contenders.size() < 3) return;
  fmt::print("  {:<42}{:9.3f} us\n", "Simbody, the same", contenders[2].least);
  fmt::print("  taut / Simbody {:.3f}, the model as it is {:.3f}   (aim: at most {})\n",
             contenders[1].least / contenders[2].least, contenders[0].least / contenders[2].least, most_of_simbody);
}

// Core seconds of so many Runge-Kutta steps from the start.
double step_seconds(const Dynamics& dynamics, int steps) {
  const double step = 1e-5, duration = step * steps;
  State state = dynamics.start();
  const auto integrator = make_integrator("rk4", dynamics, {.step = step});
  Outputs outputs(duration, duration, [](const State&) {});
  outputs.emit(state);
  integrator->restart(state);
  const double start = core_seconds();
  integrator->advance(state, duration, outputs);
  return (core_seconds() - start) * steps / static_cast<double>(integrator->log.counts.steps);
}

void chains(const char* title, JointType type) {
  const std::vector<int> sizes = {10, 30, 100, 300, 1000};
  std::vector<std::unique_ptr<Model>> models;
  std::vector<std::unique_ptr<RightHandSide>> sides;
  std::vector<Contender> contenders;
  for (const int size : sizes) {
    models.push_back(std::make_unique<Model>(chain(size, type)));
    sides.push_back(std::make_unique<RightHandSide>(*models.back()));
    RightHandSide& side = *sides.back();
    contenders.emplace_back([&side](int calls) { return seconds_of(calls, [&] { side(); }); });
    contenders.emplace_back([&side](int calls) { return step_seconds(side.dynamics, calls); });
  }
#ifdef TAUT_HAVE_SIMBODY
  std::vector<std::unique_ptr<SimbodyMachine>> peers;
  for (const auto& model : models) {
    peers.push_back(std::make_unique<SimbodyMachine>(plan_of(multibody::System(machine_of(*model).machine))));
    contenders.emplace_back([&peer = *peers.back()](int calls) { return peer.evaluate(calls); });
  }
#endif
  measure(contenders);
  fmt::print("\nchains on {}, us per body\n  {:>6}{:>14}{:>12}{:>22}\n", title, "bodies", "evaluation", "rk4 step",
             "Simbody, evaluation");
  std::vector<double> least(2, INFINITY), most(2, 0.0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    double cost[2];
    for (int k = 0; k < 2; ++k) {
      cost[k] = contenders[2 * i + k].least / sizes[i];
      least[k] = std::min(least[k], cost[k]);
      most[k] = std::max(most[k], cost[k]);
    }
    const std::size_t peer = 2 * sizes.size() + i;
    const std::string theirs =
        peer < contenders.size() ? fmt::format("{:.3f}", contenders[peer].least / sizes[i]) : "-";
    fmt::print("  {:>6}{:>14.4f}{:>12.4f}{:>22}\n", sizes[i], cost[0], cost[1], theirs);
  }
  fmt::print("  largest / least: evaluation {:.2f}, step {:.2f}   (aim: at most {})\n", most[0] / least[0],
             most[1] / least[1], most_spread);
}

}  // namespace
}  // namespace taut::bench

int main() {
  try {
#ifdef TAUT_HAVE_SIMBODY
    fmt::print("Simbody with its asserts {}\n", taut::bench::SimbodyMachine::asserts() ? "on" : "off");
#endif
    taut::bench::bench_kind("single_strut");
    taut::bench::bench_kind("tensegrity_manipulator");
    taut::bench::chains("hinges", taut::JointType::revolute);
    taut::bench::chains("ball joints", taut::JointType::spherical);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-machines: {}\n", error.what());
    return 1;
  }
}
