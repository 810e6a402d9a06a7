// An outside check of whole motions: the same structures in MuJoCo, Simbody and Bullet, and in a second derivation of
// the equations (bench/peers/reference.h), against `simulate`. Compiled where the packages are present (peers.cmake).
#ifdef TAUT_HAVE_PEERS

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/peers/cases.h"
#include "bench/peers/peer.h"
#include "bench/peers/reference.h"
#include "taut/run/simulate.h"

namespace taut {
namespace {

constexpr double duration = 0.5;  // s

class LastRow : public Recorder {
 public:
  void begin(const Scenario&) override {}
  void sample(const Sample& sample) override { x_ = sample.nodes; }
  void finish(const Summary&) override {}

  std::vector<Vec3> nodes() const {
    std::vector<Vec3> result;
    for (std::size_t i = 0; i < x_.size(); i += 3) result.emplace_back(x_[i], x_[i + 1], x_[i + 2]);
    return result;
  }

 private:
  std::vector<double> x_;
};

std::vector<Vec3> taut_motion(const Model& model) {
  Scenario scenario{model, {}};
  scenario.simulation.integrator = "dopri5";
  scenario.simulation.tolerance = 1e-12;
  scenario.simulation.duration = scenario.simulation.output_step = duration;
  LastRow last;
  const Summary summary = simulate(scenario, {&last});
  EXPECT_EQ(summary.status, RunStatus::done) << summary.reason;
  return last.nodes();
}

struct PeerRun {
  bench::Peer peer;
  std::string method;
  double effort;
};

std::vector<Vec3> motion(const Model& model, const PeerRun& run) {
  const auto session = run.peer.open(model, run.method, run.effort, duration);
  session->run();
  return session->nodes();
}

class Peers : public testing::TestWithParam<std::string> {
 protected:
  Model model() const {
    for (const bench::Case& test : bench::cases()) {
      if (test.key == GetParam()) return test.model;
    }
    throw std::runtime_error("no case " + GetParam());
  }

  // Within `tolerance` of taut; and the check can see something, because the structure moves by far more.
  void expect_same(const PeerRun& run, double tolerance) const {
    const Model structure = model();
    const std::vector<Vec3> ours = taut_motion(structure), theirs = motion(structure, run);
    EXPECT_LT(bench::largest_distance(ours, theirs), tolerance) << run.peer.name << ", " << run.method;
    std::vector<Vec3> start;
    for (const Node& node : structure.nodes) start.push_back(node.position);
    EXPECT_GT(bench::largest_distance(start, ours), 1e-2);
  }
};

// The second derivation, converged to 1e-11 m.
TEST_P(Peers, DirectorsAgree) {
  const Model structure = model();
  const bench::Reference reference = bench::reference_motion(structure, duration, 1e-11);
  EXPECT_GT(reference.least_tension, 0.0);
  EXPECT_LT(bench::largest_distance(taut_motion(structure), reference.nodes), 2e-11);
}

// Fourth order at 0.1 ms: what is left is MuJoCo's own error of some 1e-10 m on rotating bodies.
#ifdef TAUT_HAVE_MUJOCO
TEST_P(Peers, MujocoTendonsAgree) { expect_same({bench::mujoco_tendons(), "rk4", 5000}, 1e-9); }
TEST_P(Peers, MujocoCallbackAgrees) { expect_same({bench::mujoco_callback(), "rk4", 5000}, 1e-9); }
#endif

#ifdef TAUT_HAVE_SIMBODY
TEST_P(Peers, SimbodyAgrees) { expect_same({bench::simbody(), "rk-merson", 1e11}, 1e-9); }
#endif

// At most second order, at 10 µs.
#ifdef TAUT_HAVE_BULLET
TEST_P(Peers, BulletAgrees) { expect_same({bench::bullet(), "discrete world, leapfrog", 50000}, 1e-8); }
#endif

INSTANTIATE_TEST_SUITE_P(Structures, Peers, testing::Values("prism", "six-bar", "six-bar-damped"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace taut

#endif
