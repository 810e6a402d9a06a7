// bench-rhs: one right-hand side of the standard six-bar, damped, by taut, beside the floor (floor.h) and beside one
// step of MuJoCo's model with tendons. Ratios of least times, measured in turn.
#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <functional>
#include <vector>

#include "bench/floor.h"
#include "bench/peers/cases.h"
#include "bench/peers/peer.h"
#include "bench/timing.h"
#include "taut/dynamics/dynamics.h"

namespace taut::bench {
namespace {

constexpr double most_over_floor = 2.5, most_over_mujoco = 0.1;  // what taut asks of itself

struct Contender {
  std::string name;
  std::function<double()> measure;  // µs of one evaluation or step
  double least = INFINITY;
};

// µs of one call of work(), over `calls` of them.
template <class Work>
double microseconds(int calls, Work work) {
  const double start = core_seconds();
  for (int i = 0; i < calls; ++i) work();
  return 1e6 * (core_seconds() - start) / calls;
}

Model damped_six_bar() {
  for (const Case& test : cases()) {
    if (test.key == "six-bar-damped") return test.model;
  }
  throw std::runtime_error("no such case");
}

int run() {
  const Model model = damped_six_bar();
  constexpr int calls = 20'000, rounds = 40;

  // taut and the floor must say the same before their times mean anything.
  const Dynamics dynamics(model, "nodal", ConstraintMethod::projection);
  const State state = dynamics.start();
  Terms terms = dynamics.make_terms();
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(dynamics.size());
  const SixBarFloor floor(model);
  Eigen::VectorXd x(36), v(36), acceleration(36), taut_acceleration(36);
  for (int i = 0; i < 12; ++i) {
    x.segment<3>(3 * i) = model.nodes[i].position;
    v.segment<3>(3 * i) = model.nodes[i].velocity;
  }
  floor.rhs(x.data(), v.data(), acceleration.data());
  dynamics.rhs(0.0, state.y.data(), rate.data(), terms);
  const int stride = dynamics.formulation().facts().nv / 12;
  for (int i = 0; i < 12; ++i) {
    taut_acceleration.segment<3>(3 * i) = rate.segment<3>(dynamics.formulation().facts().nq + stride * i);
  }
  const double difference = (acceleration - taut_acceleration).cwiseAbs().maxCoeff();
  fmt::print("largest acceleration {:.3g} m/s2, taut against the floor {:.1e} m/s2\n",
             acceleration.cwiseAbs().maxCoeff(), difference);
  if (!(difference < 1e-10)) return 1;

  std::vector<Contender> contenders;
  contenders.push_back(
      {"floor", [&] { return microseconds(calls, [&] { floor.rhs(x.data(), v.data(), acceleration.data()); }); }});
  contenders.push_back({"taut rhs", [&] {
                          return microseconds(calls, [&] { dynamics.rhs(0.0, state.y.data(), rate.data(), terms); });
                        }});
#ifdef TAUT_HAVE_MUJOCO
  const auto mujoco = mujoco_tendons().open(model, "euler", 1000, 1.0);
  contenders.push_back({"MuJoCo step, tendons", [&] { return 1e6 * mujoco->run() / 1000; }});
#endif
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) contender.least = std::min(contender.least, contender.measure());
  }
  for (const Contender& contender : contenders) fmt::print("{:<22} {:8.3f} us\n", contender.name, contender.least);
  const double over_floor = contenders[1].least / contenders[0].least;
  fmt::print("taut / floor           {:8.3f}   (aim: at most {})\n", over_floor, most_over_floor);
  if (contenders.size() > 2) {
    const double over_mujoco = contenders[1].least / contenders[2].least;
    fmt::print("taut / MuJoCo step     {:8.3f}   (aim: at most {})\n", over_mujoco, most_over_mujoco);
  }
  return 0;
}

}  // namespace
}  // namespace taut::bench

int main() { return taut::bench::run(); }
