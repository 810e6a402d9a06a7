// Bars whose length is driven: closed forms of single bars, formulation against formulation, a rigid bar against a stiff
// elastic one, the balance of energy, constraints, and what cannot be.
#include <gtest/gtest.h>

#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/formulation/formulation.h"
#include "tests/support/complaint.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

const std::vector<std::string> of_rods = {"nodal", "minimal", "quaternion"};

Scenario in(Scenario scenario, const std::string& formulation) {
  scenario.simulation.formulation = formulation;
  return scenario;
}

double largest_balance(const Motion& motion) {
  double largest = 0.0;
  for (const Sample& row : motion.rows)
    largest = std::max(largest, std::abs(row.energy[balance] - motion.rows.front().energy[balance]));
  return largest;
}

double largest_error(const Motion& motion) {
  double largest = 0.0;
  for (const Sample& row : motion.rows) largest = std::max(largest, row.constraint_error);
  return largest;
}

// A bar of 2 kg along x, its centre of mass at 0.3 of its length and off-thin, that turns and shortens from 1 m to 0.6 m.
constexpr double spin = 3.0, drawn = 1.0;
Scenario spinning_bar(const Signal& length) {
  Scenario s = empty_scenario(1.0, 0.05);
  const double to_a = 0.3 * drawn, to_b = 0.7 * drawn;
  const int a = add_node(s.model, {-to_a, 0, 0}, 0.0, {}, {0, -to_a * spin, 0});
  const int b = add_node(s.model, {to_b, 0, 0}, 0.0, {}, {0, to_b * spin, 0});
  taut::add_bar(s.model, a, b, {.mass = 2.0, .com = 0.3, .inertia = 0.2});
  drive_length(s.model, 0, length);
  return s;
}

// The angle of ω0 ∫ (L0/L)² dt, by Simpson's rule.
double turned(const Signal& length, double t) {
  const int n = 4000;
  double sum = 0.0;
  for (int i = 0; i <= n; ++i) {
    const double L = value(length, t * i / n) / drawn;
    sum += (i == 0 || i == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) / (L * L);
  }
  return spin * sum * t / (3.0 * n);
}

TEST(DrivenBars, SpinKeepsTheAngularMomentumOfAFreeBar) {
  const Signal length = ramp_signal(drawn, 0.6, 0.1, 0.9);
  for (const std::string& formulation : of_rods)
    for (const auto& [integrator, accuracy, error] :
         {std::tuple{"dopri5", 1e-11, 1e-8}, {"cvode", 1e-10, 1e-6}, {"rk4", 1e-3, 1e-9}, {"symplectic", 1e-4, 1e-5}}) {
      SCOPED_TRACE(formulation + " " + integrator);
      const Motion motion = run(in(spinning_bar(length), formulation), integrator, accuracy);
      ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
      EXPECT_TRUE(motion.summary.warnings.empty());
      for (const Sample& row : motion.rows) {
        const double L = value(length, row.t), angle = turned(length, row.t);
        const Vec3 u(std::cos(angle), std::sin(angle), 0.0), across(-u.y(), u.x(), 0.0);
        const double omega = spin * drawn * drawn / (L * L), rate = taut::rate(length, row.t);
        EXPECT_LT((position(row, 0) + 0.3 * L * u).norm(), error);
        EXPECT_LT((position(row, 1) - 0.7 * L * u).norm(), error);
        EXPECT_LT((velocity(row, 1) - 0.7 * (rate * u + L * omega * across)).norm(), 30 * error);
        // J scales with L²; the stretching moves, too.
        const double J = 0.2 * L * L, kinetic_energy = 0.5 * J * omega * omega + 0.5 * 0.2 * rate * rate;
        EXPECT_NEAR(row.energy[kinetic], kinetic_energy, 30 * error);
        EXPECT_NEAR(row.bar_lengths[0], L, 1e-13);
        EXPECT_EQ(row.bar_rest_lengths[0], L);
      }
      EXPECT_LT(largest_error(motion), 1e-13);
      EXPECT_LT(largest_balance(motion), 30 * error);
    }
}

// A uniform bar at rest in space that is stretched: its ends go by L̇/2, the force is -m L̈/12.
TEST(DrivenBars, StretchingAFreeBarTakesAForceAndWork) {
  const Signal length = sine_signal(1.0, 0.2, 1.0);  // moves from the start on
  Scenario s = empty_scenario(1.0, 0.05);
  const int a = add_node(s.model, {0, 0, -0.5}, 0.0), b = add_node(s.model, {0, 0, 0.5}, 0.0);
  add_bar(s.model, a, b, 3.0);
  drive_length(s.model, 0, length);
  for (const std::string& formulation : of_rods) {
    SCOPED_TRACE(formulation);
    const Motion motion = run(in(s, formulation), "dopri5", 1e-11);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    EXPECT_TRUE(motion.summary.warnings.empty());
    const double first = 3.0 / 24.0 * std::pow(rate(length, 0.0), 2);
    for (const Sample& row : motion.rows) {
      const double speed = rate(length, row.t);
      EXPECT_NEAR(row.bar_forces[0], -3.0 * second_rate(length, row.t) / 12.0, 1e-11);
      EXPECT_NEAR(row.energy[kinetic], 3.0 * speed * speed / 24.0, 1e-12);
      EXPECT_NEAR(row.energy[work], 3.0 * speed * speed / 24.0 - first, 1e-9);
      EXPECT_NEAR(velocity(row, b).z(), 0.5 * speed, 1e-12);
    }
  }
}

// A uniform bar that hangs from a fixed node: N = m g/2 - m L̈/3, and the support carries m g - m L̈/2.
TEST(DrivenBars, HangingBarHasTheForceOfItsWeightAndMotion) {
  const Signal length = ramp_signal(1.0, 1.5, 0.1, 0.6);
  Scenario s = empty_scenario(0.8, 0.05);
  s.model.gravity = {0, 0, -10};
  const int a = add_node(s.model, {0, 0, 0}, 0.0, all_fixed), b = add_node(s.model, {0, 0, -1}, 0.0);
  add_bar(s.model, a, b, 3.0);
  drive_length(s.model, 0, length);
  for (const std::string& formulation : of_rods) {
    SCOPED_TRACE(formulation);
    const Motion motion = run(in(s, formulation), "dopri5", 1e-11);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    for (const Sample& row : motion.rows) {
      const double second = second_rate(length, row.t);
      EXPECT_NEAR(row.bar_forces[0], 15.0 - second, 1e-10);
      EXPECT_NEAR(row.support_forces[2], 30.0 - 1.5 * second, 1e-10);
      EXPECT_NEAR(position(row, b).z(), -value(length, row.t), 1e-12);
    }
    EXPECT_LT(largest_balance(motion), 1e-9);
  }
}

// A pendulum that is reeled in while it swings, held along some axes; with an odd bar whose ends have masses.
TEST(DrivenBars, HeldBarsMoveAlikeInEveryFormulation) {
  for (const Axes& fixed : {all_fixed, Axes{true, false, true}}) {
    Scenario s = empty_scenario(1.0, 0.1);
    s.model.gravity = {0, 0, -9.81};
    const int a = add_node(s.model, {0, 0, 0}, 0.2, fixed), b = add_node(s.model, {0.6, 0.3, -0.8}, 0.4);
    taut::add_bar(s.model, a, b, {.mass = 1.0, .com = 0.4});
    const double L = start_length(s.model, s.model.bars[0]);
    drive_length(s.model, 0, sine_signal(L, 0.2, 0.7));
    s.model.nodes[b].velocity = {0.0, 0.4, 0.0};
    const Motion nodal = run(in(s, "nodal"), "dopri5", 1e-12);
    EXPECT_LT(largest_balance(nodal), 1e-9);
    for (const char* other : {"minimal", "quaternion"}) {
      SCOPED_TRACE(other);
      const Motion motion = run(in(s, other), "dopri5", 1e-12);
      ASSERT_EQ(motion.rows.size(), nodal.rows.size()) << motion.summary.reason;
      for (std::size_t i = 0; i < nodal.rows.size(); ++i) {
        EXPECT_LT(distance(motion.rows[i], nodal.rows[i]), 1e-9) << i;
        EXPECT_NEAR(motion.rows[i].bar_forces[0], nodal.rows[i].bar_forces[0], 1e-8);
        for (std::size_t k = 0; k < nodal.rows[i].support_forces.size(); ++k)
          EXPECT_NEAR(motion.rows[i].support_forces[k], nodal.rows[i].support_forces[k], 1e-8);
      }
      EXPECT_LT(largest_balance(motion), 1e-9);
      EXPECT_LT(largest_error(motion), 1e-13);
    }
  }
}

// Every bar by a sine of its own, from rest or not, some spinning.
Scenario driven(const std::string& kind, double ramp) {
  Scenario s = generated(kind);
  s.model.gravity = {0, 0, -9.81};
  for (Cable& cable : s.model.cables) cable.law.damping = 0.5;
  for (std::size_t i = 0; i < s.model.bars.size(); ++i) {
    Signal signal = sine_signal(start_length(s.model, s.model.bars[i]), 0.0, 0.3 + 0.05 * static_cast<double>(i));
    signal.amplitude = 0.06 * signal.mean;
    signal.ramp = ramp;
    drive_length(s.model, static_cast<int>(i), signal);
  }
  s.model.nodes.back().velocity = {0.3, -0.2, 0.1};
  s.simulation.duration = 0.5;
  s.simulation.output_step = 0.05;
  return s;
}

TEST(DrivenBars, StructuresMoveAlikeInEveryFormulation) {
  for (const char* kind : {"six_bar", "prism"})
    for (const double ramp : {0.0, 0.3}) {
      SCOPED_TRACE(kind);
      const Scenario s = driven(kind, ramp);
      const Motion nodal = run(in(s, "nodal"), "dopri5", 1e-11);
      ASSERT_EQ(nodal.summary.status, RunStatus::done) << nodal.summary.reason;
      EXPECT_GT(std::abs(nodal.last().energy[work]), 1e-3);
      const double scale = std::abs(nodal.last().energy[work]) + nodal.last().energy[kinetic];
      EXPECT_LT(largest_balance(nodal), 1e-7 * (1.0 + scale));
      for (const char* other : {"minimal", "quaternion"}) {
        SCOPED_TRACE(other);
        const Motion motion = run(in(s, other), "dopri5", 1e-11);
        ASSERT_EQ(motion.rows.size(), nodal.rows.size()) << motion.summary.reason;
        for (std::size_t i = 0; i < nodal.rows.size(); ++i) {
          EXPECT_LT(distance(motion.rows[i], nodal.rows[i]), 1e-7) << i;
          for (std::size_t k = 0; k < s.model.bars.size(); ++k)
            EXPECT_NEAR(motion.rows[i].bar_forces[k], nodal.rows[i].bar_forces[k], 1e-4) << i;
          EXPECT_NEAR(motion.rows[i].energy[work], nodal.rows[i].energy[work], 1e-7 * (1.0 + scale));
        }
        EXPECT_LT(largest_balance(motion), 1e-7 * (1.0 + scale));
        EXPECT_LT(largest_error(motion), 1e-12);
      }
    }
}

// Dumbbells are what point_mass makes of bars.
TEST(DrivenBars, PointMassMovesDumbbells) {
  Scenario s = driven("six_bar", 0.0);
  for (Bar& bar : s.model.bars) bar.inertia = 0.25 * bar.mass * bar.rest_length * bar.rest_length;
  const Motion nodal = run(in(s, "nodal"), "dopri5", 1e-11), lumped = run(in(s, "point_mass"), "dopri5", 1e-11),
               angles = run(in(s, "minimal"), "dopri5", 1e-11);
  EXPECT_LT(distance(nodal.last(), lumped.last()), 1e-8);
  EXPECT_LT(distance(nodal.last(), angles.last()), 1e-7);
}

TEST(DrivenBars, EveryIntegratorConvergesToTheSameMotion) {
  for (const std::string& formulation : of_rods) {
    // Cables that also push: nothing switches, and each method has its order.
    Scenario s = in(driven("prism", 0.0), formulation);
    for (Cable& cable : s.model.cables) cable.law.kind = LawKind::spring;
    const Motion exact = run(s, "dopri5", 1e-12);
    for (const auto& [integrator, accuracy, error] :
         {std::tuple{"cvode", 1e-9, 1e-5}, {"rk4", 2e-4, 1e-7}, {"symplectic", 2e-4, 2e-4}, {"euler", 1e-5, 2e-2}}) {
      SCOPED_TRACE(formulation + " " + integrator);
      const Motion motion = run(s, integrator, accuracy);
      ASSERT_EQ(motion.rows.size(), exact.rows.size()) << motion.summary.reason;
      EXPECT_LT(distance(motion.last(), exact.last()), error);
      EXPECT_NEAR(motion.last().energy[work], exact.last().energy[work],
                  100 * error * (1.0 + std::abs(exact.last().energy[work])));
      EXPECT_LT(largest_error(motion), 1e-12);
    }
    // Of order 2: a quarter of the error at half the step, in the motion and in the work.
    const Motion coarse = run(s, "symplectic", 4e-4), fine = run(s, "symplectic", 2e-4);
    EXPECT_LT(distance(fine.last(), exact.last()), 0.3 * distance(coarse.last(), exact.last()));
    EXPECT_LT(std::abs(fine.last().energy[work] - exact.last().energy[work]),
              0.35 * std::abs(coarse.last().energy[work] - exact.last().energy[work]));
  }
}

// Bars that share nodes, with drift correction: against elastic bars of 10⁸ N whose rest length is driven alike.
TEST(DrivenBars, RigidBarsAreTheLimitOfStiffOnes) {
  const auto tripod = [](double EA) {
    Scenario s = empty_scenario(1.0, 0.1);
    s.model.gravity = {0, 0, -9.81};
    const int top = add_node(s.model, {0.1, 0.0, 1.0}, 1.0);
    const Vec3 feet[] = {{1, 0, 0}, {-0.5, 0.8, 0}, {-0.5, -0.8, 0}};
    for (int i = 0; i < 3; ++i) {
      const int foot = add_node(s.model, feet[i], 0.0, all_fixed);
      taut::add_bar(s.model, foot, top, {.mass = 0.5, .EA = EA});
      const double L = start_length(s.model, s.model.bars.back());
      drive_length(s.model, i, ramp_signal(L, (i == 0 ? 1.2 : 0.9) * L, 0.1, 0.9));
    }
    return s;
  };
  const Motion rigid = run(tripod(0.0), "dopri5", 1e-11), stiff = run(tripod(1e8), "cvode", 1e-9);
  ASSERT_EQ(stiff.summary.status, RunStatus::done) << stiff.summary.reason;
  for (std::size_t i = 0; i < rigid.rows.size(); ++i) EXPECT_LT(distance(rigid.rows[i], stiff.rows[i]), 2e-6) << i;
  EXPECT_LT(largest_balance(rigid), 1e-9);
  EXPECT_NEAR(rigid.last().energy[work], stiff.last().energy[work], 1e-4);
  EXPECT_LT(largest_balance(stiff), 1e-3);
  EXPECT_NEAR(stiff.last().bar_rest_lengths[0], 1.2 * rigid.rows.front().bar_lengths[0], 1e-12);
  // Drift correction follows the length, too.
  Scenario corrected = tripod(0.0);
  corrected.simulation.constraints = ConstraintMethod::baumgarte;
  const Motion drifting = run(corrected, "rk4", 1e-3);
  EXPECT_LT(distance(rigid.last(), drifting.last()), 1e-8);
  EXPECT_LT(largest_error(drifting), 1e-8);
}

// A drive that stops at once is an impact, whose work is the drive's.
TEST(DrivenBars, SuddenStopIsWorkOfTheDrive) {
  Scenario s = driven("prism", 0.0);
  s.model.bar_drives.resize(1);
  const double L = start_length(s.model, s.model.bars[0]);
  s.model.bar_drives[0].length = {
      .kind = SignalKind::hermite, .times = {0.1, 0.3}, .values = {L, 1.1 * L}, .slopes = {0.0, 1.0}};
  const Motion nodal = run(in(s, "nodal"), "dopri5", 1e-11), minimal = run(in(s, "minimal"), "dopri5", 1e-11);
  ASSERT_EQ(minimal.summary.status, RunStatus::done) << minimal.summary.reason;
  for (std::size_t i = 0; i < nodal.rows.size(); ++i) EXPECT_LT(distance(nodal.rows[i], minimal.rows[i]), 1e-7) << i;
  EXPECT_LT(largest_balance(nodal), 1e-7);
  EXPECT_LT(largest_balance(minimal), 1e-7);
  for (const auto& [integrator, accuracy, error] :
       {std::tuple{"cvode", 1e-9, 1e-5}, {"rk4", 2e-4, 1e-5}, {"symplectic", 1e-4, 1e-4}}) {
    SCOPED_TRACE(integrator);
    const Motion other = run(in(s, "nodal"), integrator, accuracy);
    EXPECT_LT(distance(nodal.last(), other.last()), error);
    EXPECT_NEAR(nodal.last().energy[work], other.last().energy[work], 10 * error);
  }
}

TEST(DrivenBars, SpinAboutTheAxisStays) {
  Scenario s = spinning_bar(sine_signal(drawn, 0.2, 0.8));
  s.model.bars[0].axial_inertia = 0.05;
  s.model.bars[0].spin = 8.0;
  const Motion motion = run(in(s, "quaternion"), "dopri5", 1e-11);
  ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
  EXPECT_LT(largest_balance(motion), 1e-8);
  // H = J ω_across + J_a ω_axis u stays, and so does ω_axis: q = (c, p), v = (ċ, ω).
  const auto angular = [](const Sample& row) {
    const Vec3 u = (position(row, 1) - position(row, 0)).normalized(), omega(row.coordinates.data() + 7 + 3);
    const double J = 0.2 * row.bar_lengths[0] * row.bar_lengths[0];
    return Vec3(J * (omega - omega.dot(u) * u) + 0.05 * omega.dot(u) * u);
  };
  for (const Sample& row : motion.rows) EXPECT_LT((angular(row) - angular(motion.rows.front())).norm(), 1e-8);
}

TEST(DrivenBars, ALengthThatFallsToZeroEndsTheRun) {
  for (const std::string& formulation : of_rods) {
    Scenario s = empty_scenario(1.0, 0.1);
    const int a = add_node(s.model, {0, 0, 0}, 0.0), b = add_node(s.model, {1, 0, 0}, 0.0);
    add_bar(s.model, a, b, 1.0);
    drive_length(s.model, 0, ramp_signal(1.0, -0.2, 0.0, 1.0));
    const Motion motion = run(in(s, formulation));
    EXPECT_EQ(motion.summary.status, RunStatus::failed);
    expect_says(motion.summary.reason, "the length of bar \"n1-n2\" is driven to");
  }
}

// At rest an elastic bar has the rest length that its actuator gives it at t = 0, a rigid one the drawn length.
TEST(DrivenBars, StaticsSeeTheLengthsAtTheStart) {
  Model driven, plain;
  for (Model* model : {&driven, &plain}) {
    const int a = add_node(*model, {0, 0, 0}, 1.0, all_fixed), b = add_node(*model, {1, 0, 0}, 1.0),
              c = add_node(*model, {2, 0, 0}, 1.0);
    taut::add_bar(*model, a, b, {.EA = 1e3, .rest_length = model == &plain ? 0.99 : 0.9});
    add_bar(*model, b, c, 1.0);
  }
  drive_length(driven, 0, ramp_signal(0.99, 1.1, 0.0, 1.0));
  drive_length(driven, 1, ramp_signal(1.0, 1.1, 0.0, 1.0));
  const Balance with = start_balance(driven), without = start_balance(plain);
  EXPECT_NEAR(with.bar_force[0], 1e3 * 0.01 / 0.99, 1e-9);
  EXPECT_EQ(with.bar_force, without.bar_force);
  EXPECT_EQ(with.imbalance, without.imbalance);
}

TEST(DrivenBars, RefusalsNameTheReason) {
  Model square;
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}) add_node(square, x, 1.0);
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}}) add_bar(square, a, b, 1.0);
  drive_length(square, 0, constant_signal(1.0));
  expect_says(complaint([&] { make_formulation("nodal", square); }),
              "the length of bar \"n1-n2\" is driven, but other bars or fixed nodes hold its ends at a fixed distance");
  Model bar;
  add_node(bar, {0, 0, 0}, 1.0), add_node(bar, {1, 0, 0}, 1.0);
  add_bar(bar, 0, 1, 1.0);
  drive_length(bar, 0, constant_signal(1.0));
  expect_says(complaint([&] { make_formulation("multibody", bar); }),
              "formulation multibody: the length of bar \"n1-n2\" is driven, but its bars are rigid bodies");
  const auto names = equivalent_formulations(bar);
  EXPECT_EQ(std::count(names.begin(), names.end(), "multibody"), 0);
  EXPECT_EQ(std::count(names.begin(), names.end(), "minimal"), 1);
}

}  // namespace
}  // namespace taut::testing
