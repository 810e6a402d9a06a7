// Motions of cables with friction against closed forms, the balance of energy, and one motion from every formulation
// and integrator.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "taut/form/relax.h"
#include "taut/integrate/choose.h"
#include "taut/modes/linearise.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

constexpr double pi = std::numbers::pi, g = 9.81;

// T₂/T₁ over two quarter turns, at the part s of full friction.
double ratio_over_both(const SlidingFriction& friction, double s) {
  if (friction.kind == SlidingKind::capstan) return std::exp(friction.coefficient * pi * s);
  const double x = friction.coefficient * s * std::sin(0.25 * pi);
  return std::pow((1.0 + x) / (1.0 - x), 2);
}

// Two dumbbells hang on one cable over two fixed nodes; the heavier one is on the right. The cable starts with the
// tension of the steady motion whose ratio over both nodes is `ratio`, at the speed `v`.
Scenario atwood(double light, double heavy, const SlidingFriction& friction, double ratio, double v, double EA) {
  Scenario s = empty_scenario(0.4, 0.05);
  Model& m = s.model;
  m.gravity = {0, 0, -g};
  const Axes vertical = {true, true, false};
  for (const auto& [x, speed] : {std::pair{-0.5, v}, {0.5, -v}}) {
    const int top = add_node(m, {x, 0, -1.0}, 0.0, vertical, {0, 0, speed});
    const int low = add_node(m, {x, 0, -1.4}, 0.0, vertical, {0, 0, speed});
    Bar& bar = m.bars[add_bar(m, top, low, x < 0.0 ? light : heavy)];
    bar.inertia = bar.mass * 0.16 / 4.0;
  }
  add_node(m, {-0.5, 0, 0}, 0.0, all_fixed);
  add_node(m, {0.5, 0, 0}, 0.0, all_fixed);
  const double a = g * (heavy - light * ratio) / (heavy + light * ratio), t2 = heavy * (g - a), t1 = t2 / ratio;
  CableLaw law = linear_law(EA);
  law.by_EA = true;
  Cable& cable = m.cables[add_cable(m, {0, 4, 5, 2}, law, 0.0)];
  cable.rest_length = 3.0 / (1.0 + (t1 + std::sqrt(t1 * t2) + t2) / 3.0 / EA);
  cable.friction = friction;
  return s;
}

// Atwood's machine with friction: T₂ = T₁ R at speeds far above w₀, so a = g (m₂ - m₁ R)/(m₂ + m₁ R).
TEST(Sliding, AtwoodAcceleratesByTheClosedForm) {
  for (SlidingKind kind : {SlidingKind::capstan, SlidingKind::coulomb}) {
    const SlidingFriction friction{kind, 0.15, 1e-3};
    const double ratio = ratio_over_both(friction, 1.0), light = 1.0, heavy = 2.5, v = 0.2, EA = 1e7;
    const double a = g * (heavy - light * ratio) / (heavy + light * ratio);
    for (const char* formulation : {"nodal", "minimal", "quaternion", "point_mass"}) {
      Scenario s = atwood(light, heavy, friction, ratio, v, EA);
      s.simulation.formulation = formulation;
      const Motion motion = run(s, "dopri5", 1e-10);
      EXPECT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
      // The mean tension changes as the pieces do, and with it the stretch: by less than T l/EA.
      const double stretch = heavy * g * 3.0 / EA;
      for (const Sample& row : motion.rows) {
        const double drop = v * row.t + 0.5 * a * row.t * row.t;
        EXPECT_NEAR(position(row, 2).z(), -1.0 - drop, stretch) << formulation << " " << row.t;
        EXPECT_NEAR(position(row, 0).z(), -1.0 + drop, stretch) << formulation << " " << row.t;
      }
      // What friction took: the difference of the tensions over the length that slid.
      const double t2 = heavy * (g - a), slid = v * 0.4 + 0.5 * a * 0.16;
      EXPECT_NEAR(motion.last().energy[dissipated], (t2 - t2 / ratio) * slid, 1e-4 * t2 * slid) << formulation;
      EXPECT_LT(motion.summary.energy_drift, 1e-8) << formulation;
    }
  }
}

// Below the limit nothing sticks, it creeps: the ratio of the weights is reached at w₀ artanh(s).
TEST(Sliding, BelowTheLimitMassesCreep) {
  for (SlidingKind kind : {SlidingKind::capstan, SlidingKind::coulomb})
    for (double part : {0.2, 0.9}) {
      const SlidingFriction friction{kind, 0.3, 1e-3};
      const double weights = ratio_over_both(friction, part), EA = 1e7;
      Scenario s = atwood(1.0, weights, friction, weights, 0.0, EA);
      s.model.cables[0].law.damping = 2e3;  // the stretch of the start settles
      s.simulation.duration = 0.5;
      const Motion motion = run(s, "cvode", 1e-11);
      EXPECT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
      const double creep = 1e-3 * std::atanh(part);
      // The mean tension changes while it creeps: a stretch of about T v/EA per second.
      EXPECT_NEAR(velocity(motion.last(), 0).z(), creep, 1e-5 * creep);
      EXPECT_NEAR(velocity(motion.last(), 2).z(), -creep, 1e-5 * creep);
      EXPECT_LT(motion.summary.energy_drift, 1e-6);
    }
}

// A prism in motion, with cables that slide through its nodes: open, closed, actuated; damped ones too.
Scenario sliding_prism(double slip_speed = 0.05) {
  Scenario s = generated("prism", {{"damping", 0.5}});
  Random random(3);
  for (Node& node : s.model.nodes) node.velocity = node.fixed[0] ? Vec3(Vec3::Zero()) : Vec3(random.vector(0.5));
  for (Bar& bar : s.model.bars) bar.inertia = bar.mass * std::pow(start_length(s.model, bar), 2) / 4.0;
  const std::vector<std::vector<int>> paths = {{0, 4, 2, 3}, {1, 5, 3, 1}, {2, 3, 1}};
  for (const std::vector<int>& path : paths) {
    Cable& cable = s.model.cables[add_cable(s.model, path, linear_law(80.0, 0.3), 1.0)];
    cable.rest_length = 0.8 * start_length(s.model, cable);
    cable.friction = {path.size() == 3 ? SlidingKind::coulomb : SlidingKind::capstan, 0.3, slip_speed};
  }
  Signal sine;
  sine.kind = SignalKind::sine;
  sine.mean = s.model.cables.back().rest_length;
  sine.amplitude = 0.1 * sine.mean;
  sine.period = 0.4;
  s.model.actuators.push_back({static_cast<int>(s.model.cables.size()) - 1, sine});
  s.simulation.duration = 0.5;
  s.simulation.output_step = 0.05;
  return s;
}

// Energy = work + dissipation to the accuracy of the integrator, in every formulation, which all give one motion.
TEST(Sliding, EnergyBalancesInEveryFormulation) {
  Scenario s = sliding_prism();
  const Motion reference = run(s, "dopri5", 1e-12);
  EXPECT_LT(reference.summary.energy_drift, 1e-10);
  EXPECT_GT(reference.last().energy[dissipated], 0.01);
  for (std::size_t i = 1; i < reference.rows.size(); ++i)
    EXPECT_GT(reference.rows[i].energy[dissipated], reference.rows[i - 1].energy[dissipated]);
  for (const char* formulation : {"minimal", "quaternion", "point_mass"}) {
    s.simulation.formulation = formulation;
    const Motion other = run(s, "dopri5", 1e-11);
    EXPECT_LT(other.summary.energy_drift, 1e-9) << formulation;
    EXPECT_LT(distance(other.last(), reference.last()), 1e-8) << formulation;
  }
  s.simulation.formulation = "nodal";
  const Motion implicit = run(s, "cvode", 1e-10);
  EXPECT_LT(implicit.summary.energy_drift, 1e-7);
  EXPECT_LT(distance(implicit.last(), reference.last()), 1e-6);
  // It is friction that makes the difference.
  for (Cable& cable : s.model.cables) cable.friction = {};
  EXPECT_GT(distance(run(s, "dopri5", 1e-10).last(), reference.last()), 1e-3);
}

// Leapfrog sees extrapolated velocities, and stays of second order.
TEST(Sliding, LeapfrogKeepsItsOrder) {
  const Scenario s = sliding_prism(0.5);
  const Motion reference = run(s, "dopri5", 1e-12);
  const Motion coarse = run(s, "symplectic", 1e-3), fine = run(s, "symplectic", 5e-4);
  const double error = distance(coarse.last(), reference.last()), half = distance(fine.last(), reference.last());
  EXPECT_LT(half, 1e-5);
  EXPECT_NEAR(std::log2(error / half), 2.0, 0.2);
  EXPECT_NEAR(std::log2(coarse.summary.energy_drift / fine.summary.energy_drift), 2.0, 0.4);
}

// Near rest friction is a damper of μ θ T/w₀: auto takes the implicit method for it even when the start is fast, and
// fixed steps are warned of.
TEST(Sliding, StiffFrictionIsSeenBeforeItActs) {
  Scenario s = sliding_prism(1e-5);
  s.model.actuators.clear();
  s.simulation.duration = 0.01;
  s.simulation.output_step = 0.01;
  s.simulation.integrator = "auto";
  EXPECT_EQ(run(s).summary.integrator, "cvode");
  const auto warned = [&](double step) {
    const std::vector<std::string> warnings = run(s, "symplectic", step).summary.warnings;
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const std::string& w) { return w.find("friction.slip_speed") != std::string::npos; });
  };
  EXPECT_TRUE(warned(1e-3));
  for (Cable& cable : s.model.cables) cable.friction.slip_speed = 10.0;
  EXPECT_FALSE(warned(1e-4));
}

// Nothing slides at rest: the equilibrium and its stability are those without friction.
TEST(Sliding, EquilibriumKnowsNoFriction) {
  Scenario s = sliding_prism();
  for (Node& node : s.model.nodes) node.velocity.setZero();
  const RelaxResult with = relax(s.model);
  for (Cable& cable : s.model.cables) cable.friction = {};
  const RelaxResult without = relax(s.model);
  ASSERT_TRUE(with.converged) << with.reason;
  ASSERT_TRUE(without.converged);
  EXPECT_EQ(with.stable, without.stable);
  for (std::size_t i = 0; i < s.model.nodes.size(); ++i)
    EXPECT_EQ(with.model.nodes[i].position, without.model.nodes[i].position);
}

// The linear model in motion, by states and by rest lengths, against differences of the motion, and at rest: a damper.
TEST(Sliding, LinearModelsHaveFriction) {
  Scenario s = sliding_prism(0.3);
  s.model.actuators.clear();
  for (const char* name : {"nodal", "minimal", "quaternion"}) {
    const Dynamics dynamics(s.model, name, ConstraintMethod::baumgarte);
    const State state = dynamics.start();
    const LinearModel linear = linearise(dynamics, state);
    const std::vector<std::string> names = dynamics.formulation().facts().state_names;
    std::vector<int> kept;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty()) kept.push_back(static_cast<int>(i));
    const auto rates = [&](const Dynamics& d, const Eigen::VectorXd& y) {
      Terms terms = d.make_terms();
      Eigen::VectorXd rate = Eigen::VectorXd::Zero(d.size()), part(kept.size());
      d.rhs(0.0, y.data(), rate.data(), terms);
      for (std::size_t i = 0; i < kept.size(); ++i) part[static_cast<long>(i)] = rate[kept[i]];
      return part;
    };
    constexpr double epsilon = 1e-6;
    for (std::size_t j = 0; j < kept.size(); ++j) {
      Eigen::VectorXd above = state.y, below = state.y;
      above[kept[j]] += epsilon;
      below[kept[j]] -= epsilon;
      const Eigen::VectorXd column = (rates(dynamics, above) - rates(dynamics, below)) / (2.0 * epsilon);
      EXPECT_LT((column - linear.A.col(static_cast<long>(j))).cwiseAbs().maxCoeff(),
                1e-8 * linear.A.cwiseAbs().maxCoeff())
          << name << " " << linear.states[j];
    }
    for (std::size_t j = 0; j < s.model.cables.size(); ++j) {
      Model longer = s.model, shorter = s.model;
      longer.cables[j].rest_length += epsilon;
      shorter.cables[j].rest_length -= epsilon;
      const Dynamics a(longer, name, ConstraintMethod::baumgarte), b(shorter, name, ConstraintMethod::baumgarte);
      const Eigen::VectorXd column = (rates(a, state.y) - rates(b, state.y)) / (2.0 * epsilon);
      EXPECT_LT((column - linear.B.col(static_cast<long>(j))).cwiseAbs().maxCoeff(),
                1e-7 * linear.B.cwiseAbs().maxCoeff())
          << name << " " << linear.inputs[j];
    }
  }
  // Two equal masses hang at rest over a node; along the cable they move as one, held by μ θ T/w₀ alone.
  Model m;
  m.gravity = {0, 0, -g};
  add_node(m, {-1, 0, -1}, 2.0, {true, true, false});
  add_node(m, {-1, 0, 0}, 0.0, all_fixed);
  add_node(m, {1, 0, 0}, 0.0, all_fixed);
  add_node(m, {1, 0, -1}, 2.0, {true, true, false});
  m.cables[add_cable(m, {0, 1, 2, 3}, linear_law(1e4), 4.0 - 2.0 * g / 1e4)].friction = {SlidingKind::capstan, 0.2,
                                                                                         0.1};
  const Dynamics dynamics(m, "nodal", ConstraintMethod::projection);
  const LinearModel linear = linearise(dynamics, dynamics.start());
  // T₂ - T₁ = T μ π v/w₀ slows 4 kg.
  double nearest = 1e9;
  for (const auto& value : linear.eigenvalues)
    nearest = std::min(nearest, std::abs(value + 2.0 * g * 0.2 * pi / 0.1 / 4.0));
  EXPECT_LT(nearest, 1e-9);
}

}  // namespace
}  // namespace taut::testing
