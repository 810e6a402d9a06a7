// Cables that switch at one instant. A structure with a symmetry that starts symmetrically moves symmetrically, so that
// all cables of an orbit (those that the symmetry maps onto each other) go slack and taut together, six in a 3-prism and
// twenty-four in a six-bar. Rounding alone tells them apart.
//
// Rounding means: positions of 1 m are rounded by 1e-16 m in each of some hundred steps, and cables close at about
// 1 m/s: 1e-14 s, and as much again for what the motion amplifies. 1e-13 s in all. Angles (minimal, multibody) differ
// from rod to rod, and so does the error that the tolerance leaves in them: there an orbit is together because methods
// take switches that are closer than that error as one.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

// Per cable: which orbit. Cables of one orbit are as long, and their ends as far from the middle.
std::vector<int> orbits(const Model& model) {
  Vec3 middle = Vec3::Zero();
  for (const Node& node : model.nodes) middle += node.position / static_cast<double>(model.nodes.size());
  std::map<std::vector<long>, int> known;
  std::vector<int> result;
  for (const Cable& cable : model.cables) {
    double a = (model.nodes[cable.path[0]].position - middle).norm();
    double b = (model.nodes[cable.path[1]].position - middle).norm();
    if (a > b) std::swap(a, b);
    const auto rounded = [](double x) { return std::lround(1e8 * x); };
    const std::vector<long> key = {rounded(a), rounded(b), rounded(start_length(model, cable))};
    result.push_back(known.emplace(key, static_cast<int>(known.size())).first->second);
  }
  return result;
}

struct Structure {
  std::string kind;
  int size = 0;         // bars of a prism, stages of a tower
  double scale = 0.01;  // of stiffness, damping and mass alike, which leaves the motion as it is
  double damping = 0.0;

  // Out of balance: the orbits have rest lengths of their own, as shares of what they are. The masses of a rod are at
  // its ends, which is what point_mass takes it for. Turned, so that no coordinate is special, and thrown.
  Scenario scenario() const {
    Parameters parameters;
    if (kind == "prism") parameters = {{"bars", 1.0 * size}, {"radius", 0.5}};
    if (kind == "tower") parameters = {{"stages", 1.0 * size}};
    Scenario s = generated(kind, parameters);
    Model& model = s.model;
    // The six-bar's parallel rods are moved together.
    if (kind == "six_bar")
      for (Node& node : model.nodes)
        for (int axis = 0; axis < 3; ++axis)
          if (std::abs(std::abs(node.position[axis]) - 0.25) < 1e-9) node.position[axis] *= 0.5;
    const std::vector<int> orbit = orbits(model);
    const double shares[] = {0.6, 0.97, 0.8, 1.03, 0.7};
    for (std::size_t i = 0; i < orbit.size(); ++i) {
      Cable& cable = model.cables[i];
      cable.rest_length = (kind == "six_bar" ? 0.97 : shares[orbit[i] % 5]) * start_length(model, cable);
      cable.law = linear_law(100.0 * scale, damping * scale);
    }
    for (Bar& bar : model.bars) {
      bar.mass = scale;
      bar.inertia = 0.25 * bar.mass * std::pow(start_length(model, bar), 2);
    }
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.0, Vec3(0.48, 0.6, 0.64)).toRotationMatrix();
    for (Node& node : model.nodes) {
      node.position = turn * node.position;
      node.velocity = Vec3(0.4, -0.2, 0.3);
    }
    s.simulation.duration = s.simulation.output_step = 0.5;
    return s;
  }

  std::string name() const { return kind + (size > 0 ? std::to_string(size) : "") + (damping > 0.0 ? "_damped" : ""); }
};

void PrintTo(const Structure& structure, std::ostream* out) { *out << structure.name(); }

std::vector<Structure> structures() {
  std::vector<Structure> list = {
      {"six_bar"}, {"tower", 2}, {"tower", 3}, {"six_bar", 0, 0.01, 0.5}, {"tower", 2, 0.01, 0.5}};
  for (int n = 3; n <= 8; ++n) list.push_back({"prism", n});
  for (int n : {3, 5}) list.push_back({"prism", n, 0.01, 0.5});
  return list;
}

Motion run_in(Scenario scenario, const char* formulation, const char* integrator, double tolerance) {
  scenario.simulation.formulation = formulation;
  Motion motion = run(scenario, integrator, tolerance);
  EXPECT_EQ(motion.summary.status, RunStatus::done) << formulation << " " << tolerance << ": " << motion.summary.reason;
  return motion;
}

// The largest time between the first and the last switch of an orbit; infinity where some cable has more switches than
// another of its orbit.
double spread(const Model& model, const Motion& motion) {
  const std::vector<int> orbit = orbits(model);
  std::vector<std::vector<double>> times(orbit.size());
  for (const SlackEvent& event : motion.summary.slack_events) times[event.cable].push_back(event.time);
  double largest = 0.0;
  for (std::size_t i = 0; i < orbit.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (orbit[i] != orbit[j]) continue;
      if (times[i].size() != times[j].size()) return INFINITY;
      for (std::size_t k = 0; k < times[i].size(); ++k)
        largest = std::max(largest, std::abs(times[i][k] - times[j][k]));
    }
  return largest;
}

class Simultaneous : public ::testing::TestWithParam<Structure> {};

// At every tolerance in every formulation: orbits switch together, and the end comes closer to that of another
// formulation at the tightest tolerance with every decade, until rounding ends it.
TEST_P(Simultaneous, OrbitsSwitchTogetherAndEndsConverge) {
  const Scenario s = GetParam().scenario();
  const std::vector<int> orbit = orbits(s.model);
  ASSERT_LT(*std::max_element(orbit.begin(), orbit.end()) + 1, static_cast<int>(orbit.size()) / 2);
  const Motion quaternion = run_in(s, "quaternion", "dopri5", 1e-13), nodal = run_in(s, "nodal", "dopri5", 1e-13);
  ASSERT_GE(nodal.summary.slack_events.size(), 6u);
  for (const std::string formulation : {"nodal", "minimal", "quaternion", "point_mass", "multibody"}) {
    const Sample& reference = (formulation == "quaternion" ? nodal : quaternion).last();
    double before = INFINITY;
    for (double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
      SCOPED_TRACE(formulation + " at " + std::to_string(std::log10(tolerance)));
      const Motion motion = run_in(s, formulation.c_str(), "dopri5", tolerance);
      EXPECT_EQ(motion.summary.slack_events.size(), nodal.summary.slack_events.size());
      EXPECT_LT(spread(s.model, motion), 1e-13);
      const double error = distance(motion.last(), reference);
      EXPECT_LT(error, std::max(before, 2e-13));
      EXPECT_LT(error, 2.0 * tolerance + 2e-13);
      before = error;
    }
  }
}

// Backward differentiation notes switches with a dead band of 1e-12 of a length on the far side, the same for all. The
// angles of minimal carry its whole error, which is many times the tolerance and another in each rod: there an orbit is
// as close together as the motion is right.
TEST_P(Simultaneous, CvodeSwitchesOrbitsTogether) {
  const Scenario s = GetParam().scenario();
  const Motion reference = run_in(s, "nodal", "dopri5", 1e-13);
  for (const std::string formulation : {"nodal", "minimal", "quaternion", "multibody"})
    for (double tolerance : {1e-6, 1e-9, 1e-12}) {
      const Motion motion = run_in(s, formulation.c_str(), "cvode", tolerance);
      EXPECT_EQ(motion.summary.slack_events.size(), reference.summary.slack_events.size());
      const double error = 1000.0 * tolerance;  // some hundred steps, each within its tolerance
      EXPECT_LT(distance(motion.last(), reference.last()), error) << formulation << " " << tolerance;
      EXPECT_LT(spread(s.model, motion), formulation == "minimal" ? error : 1e-13) << formulation << " " << tolerance;
    }
}

INSTANTIATE_TEST_SUITE_P(Structures, Simultaneous, ::testing::ValuesIn(structures()),
                         [](const auto& test) { return test.param.name(); });

// Stiffness over mass is all that the motion knows: in other units of force every switch is where it was. A stopping
// rule in newtons would not see that.
TEST(SimultaneousSwitches, DoNotDependOnTheUnitOfForce) {
  std::vector<double> expected;
  for (double scale : {1.0, 1e-9, 1e-4, 1e4, 1e9}) {
    const Scenario s = Structure{"prism", 3, scale}.scenario();
    for (double tolerance : {1e-7, 1e-10}) {
      const Motion motion = run_in(s, "nodal", "dopri5", tolerance);
      EXPECT_LT(spread(s.model, motion), 1e-13) << scale;
      std::vector<double> times;
      for (const SlackEvent& event : motion.summary.slack_events) times.push_back(event.time);
      if (expected.empty()) expected = times;
      ASSERT_EQ(times.size(), expected.size());
      for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 2e-7) << scale;
    }
  }
}

// A 3-prism let go from an unbalanced start (10 N/m, all rest lengths 0.2 m, no damping) folds, and six cables go slack
// at once. The time is that of rk4 with steps of 1e-5 s, whose error is 1e-13 s.
TEST(SimultaneousSwitches, OfAFoldingPrismAreOnTime) {
  Scenario s = generated("prism", {{"radius", 0.5}});
  for (Cable& cable : s.model.cables) {
    cable.rest_length = 0.2;
    cable.law = linear_law(10.0);
  }
  for (Node& node : s.model.nodes) node.velocity = {0.4, -0.2, 0.3};
  s.simulation.duration = s.simulation.output_step = 1.0;
  for (const char* formulation : {"nodal", "minimal", "quaternion", "multibody"})
    for (double tolerance : {1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
      const Motion motion = run_in(s, formulation, "dopri5", tolerance);
      const auto& events = motion.summary.slack_events;
      ASSERT_EQ(events.size(), 24u) << formulation << " " << tolerance;
      for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(events[i].time, 0.246550975870, 2.0 * tolerance + 1e-12) << formulation << " " << tolerance;
        EXPECT_FALSE(events[i].taut);
      }
    }
}

// Yielding is not stepped onto: what a member keeps follows after each step, and when it began is read off the step.
// All of an orbit yield at one instant.
TEST(SimultaneousSwitches, OrbitsYieldTogether) {
  Scenario s = Structure{"prism", 5}.scenario();
  for (Cable& cable : s.model.cables) cable.law.yield = 0.15, cable.law.hardening = 0.1;
  const std::vector<int> orbit = orbits(s.model);
  std::map<int, double> reference;
  for (const char* formulation : {"nodal", "quaternion", "point_mass"})
    for (double tolerance : {1e-12, 1e-9, 1e-6}) {
      const Motion motion = run_in(s, formulation, "dopri5", tolerance);
      ASSERT_GE(motion.summary.yielded.size(), 5u);
      std::map<int, std::vector<double>> times;
      for (const YieldedMember& member : motion.summary.yielded)
        for (std::size_t i = 0; i < orbit.size(); ++i)
          if (s.model.cables[i].name == member.member) times[orbit[i]].push_back(member.time);
      for (const auto& [which, list] : times) {
        EXPECT_EQ(static_cast<long>(list.size()), std::count(orbit.begin(), orbit.end(), which));
        const auto [first, last] = std::minmax_element(list.begin(), list.end());
        EXPECT_LT(*last - *first, 1e-13) << formulation << " " << tolerance;
        EXPECT_NEAR(*first, reference.emplace(which, *first).first->second, 100.0 * tolerance + 1e-9);
      }
    }
}

// The ground has no switch either: its force is continuous, and the error of a step shows the kink. Six bars that stand
// on three feet bounce as one mass on three springs: falls of √(2H/g), contacts of (2/ω)(π - atan(ω v/g)).
TEST(SimultaneousSwitches, FeetThatStrikeTogetherBounceTogether) {
  const double g = 9.81, H = 0.1, k = 1e4, m = 3.0, v = std::sqrt(2.0 * g * H), w = std::sqrt(3.0 * k / m);
  Scenario s = empty_scenario(2.0 * v / g + 2.0 / w * (M_PI - std::atan(w * v / g)));
  s.simulation.output_step = s.simulation.duration;
  s.model.gravity = {0, 0, -g};
  s.model.ground.emplace();
  s.model.ground->stiffness = k;
  s.model.ground->damping = s.model.ground->friction = 0.0;
  for (int i = 0; i < 3; ++i)
    add_node(s.model, {std::cos(0.3 + 2.0 * M_PI / 3.0 * i), std::sin(0.3 + 2.0 * M_PI / 3.0 * i), H}, 0.0);
  add_node(s.model, {0, 0, H + 1.0}, 0.0);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < a; ++b) add_bar(s.model, a, b, 0.5);
  for (const char* formulation : {"nodal", "multibody"}) {
    double before = INFINITY;
    for (double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      const Sample last = run_in(s, formulation, "dopri5", tolerance).last();
      for (int foot = 0; foot < 3; ++foot) EXPECT_NEAR(position(last, foot).z(), position(last, 0).z(), 1e-12);
      const double error = std::abs(position(last, 0).z() - H);
      EXPECT_LT(error, before) << formulation << " " << tolerance;
      EXPECT_LT(error, 1000.0 * tolerance) << formulation << " " << tolerance;
      before = error;
    }
  }
}

// Far away positions are rounded to 2e-12 m, and the orbits are no closer together than that.
TEST(SimultaneousSwitches, FarFromTheOriginAreAsCloseAsRoundingLetsThem) {
  Scenario s = Structure{"prism", 4}.scenario();
  for (Node& node : s.model.nodes) node.position += Vec3(1e4, -2e4, 1e4);
  const Motion motion = run_in(s, "nodal", "dopri5", 1e-9);
  EXPECT_LT(spread(s.model, motion), 1e-9);
  EXPECT_LT(motion.summary.energy_drift, 1e-8);
}

}  // namespace
}  // namespace taut::testing
