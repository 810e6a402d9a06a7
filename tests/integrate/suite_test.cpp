// What every integrator must do: reach its order, be exact where its order says so, end on time, put rows where they
// were asked for, keep constraints by the method asked for, and meet discontinuities in time.
#include "tests/integrate/suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "taut/base/stop.h"
#include "taut/integrate/integrator.h"
#include "taut/integrate/outputs.h"

namespace taut::testing {
namespace {

class IntegratorSuite : public ::testing::TestWithParam<Method> {};

// A new integrator is tested by a line in integrate_suite.h; without one this fails.
TEST(Integrators, EveryKindIsInTheSuite) {
  for (const IntegratorKind& kind : integrator_kinds())
    EXPECT_TRUE(std::any_of(methods().begin(), methods().end(), [&](const Method& m) { return m.name == kind.name; }))
        << kind.name;
}

// Two masses on a spring: relative motion L0 + A cos ωt + B sin ωt with ω² = k (1/m1 + 1/m2), centre in uniform motion.
struct TwoMasses {
  double m1 = 1.0, m2 = 3.0, k = 120.0, rest = 1.0, x = 1.2, rate = 0.5;

  Scenario scenario() const {
    Scenario s = empty_scenario(1.0, 0.02);
    add_node(s.model, {0, 0, 0}, m1, {}, {0.3, 0, 0});
    add_node(s.model, {x, 0, 0}, m2, {}, {0.3 + rate, 0, 0});
    add_cable(s.model, {0, 1}, spring_law(k), rest);
    return s;
  }

  // Largest error of both nodes over the rows.
  double error(const Motion& run) const {
    const double w = std::sqrt(k * (1.0 / m1 + 1.0 / m2)), centre = m2 * x / (m1 + m2),
                 drift = 0.3 + m2 * rate / (m1 + m2);
    double largest = 0.0;
    for (const Sample& row : run.rows) {
      const double apart = rest + (x - rest) * std::cos(w * row.t) + rate / w * std::sin(w * row.t);
      const double middle = centre + drift * row.t;
      largest = std::max({largest, std::abs(position(row, 0).x() - (middle - m2 / (m1 + m2) * apart)),
                          std::abs(position(row, 1).x() - (middle + m1 / (m1 + m2) * apart))});
    }
    return largest;
  }
};

TEST_P(IntegratorSuite, TwoMassOscillatorFollowsItsClosedForm) {
  const TwoMasses two;
  const Motion result = run(two.scenario(), GetParam());
  EXPECT_EQ(result.summary.status, RunStatus::done) << result.summary.reason;
  EXPECT_LT(two.error(result), GetParam().error);
}

// Errors of two runs, the second with half the step or a hundredth of the tolerance: the ratio shows the order.
void expect_order(const Method& method, const std::function<double(double accuracy)>& error, double coarse) {
  if (method.order > 0) {
    const double ratio = error(coarse) / error(0.5 * coarse);
    EXPECT_NEAR(std::log2(ratio), method.order, 0.15);
  } else {
    // The error follows the tolerance: by a factor of 100 within a factor of 6 either way.
    const double ratio = error(1e-6) / error(1e-8);
    EXPECT_GT(ratio, 16.0);
    EXPECT_LT(ratio, 600.0);
    EXPECT_LT(error(1e-8), 1e-5);
  }
}

TEST_P(IntegratorSuite, ReachesItsOrderOnTheOscillator) {
  const TwoMasses two;
  const auto error = [&](double accuracy) { return two.error(run(two.scenario(), GetParam().name, accuracy)); };
  expect_order(GetParam(), error, GetParam().order == 1 ? 1e-4 : 1e-2);
}

// A prism thrown with a spin: bars tumble, cables stay taut. Reference: rk4 with 1e-4, whose own error is 1e-12.
Scenario thrown_prism() {
  Scenario s = generated("prism");
  for (Node& node : s.model.nodes) node.velocity = Vec3(0.4, -0.2, 0.3) + Vec3(1.0, -2.0, 1.5).cross(node.position);
  s.model.nodes[3].velocity += Vec3(0.1, 0.2, -0.3);
  s.simulation.duration = 0.5;
  s.simulation.output_step = 0.5;
  return s;
}

TEST_P(IntegratorSuite, ReachesItsOrderOnASpinningPrism) {
  static const Motion reference = run(thrown_prism(), "rk4", 1e-4);
  const auto error = [&](double accuracy) {
    return distance(run(thrown_prism(), GetParam().name, accuracy).last(), reference.last());
  };
  expect_order(GetParam(), error, GetParam().order == 1 ? 2e-4 : 4e-3);
  EXPECT_LT(error(GetParam().accuracy), 10.0 * GetParam().error);
}

// The same for a class-k structure with a damped cable and velocity-dependent forces all along.
Scenario damped_chain() {
  Scenario s = empty_scenario(0.5, 0.5);
  s.model.gravity = {0, 0, -9.81};
  add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {1, 0, 0.1});
  add_node(s.model, {1.5, 0.8, 0});
  add_node(s.model, {2.2, 1.0, 0.5});
  for (int i = 0; i < 3; ++i) add_bar(s.model, i, i + 1, 1.0 + i);
  add_node(s.model, {1, 1, 3}, 0.0, all_fixed);
  add_cable(s.model, {4, 2}, linear_law(200.0, 6.0), 2.0);
  add_cable(s.model, {4, 3, 0}, linear_law(100.0, 3.0), 3.0);
  return s;
}

// However deep within a step it is heard; also through the C of SUNDIALS.
TEST_P(IntegratorSuite, IsStoppedWithinAStepAndCanBeginAgain) {
  const Scenario s = damped_chain();
  const Dynamics dynamics(s.model, "nodal", ConstraintMethod::projection, {});
  const auto end = [&](Integrator& integrator) {
    State state = dynamics.start();
    integrator.restart(state);
    Outputs none(1.0, 0.1);
    integrator.advance(state, 0.1, none);
    return state.y;
  };
  const auto integrator = make_integrator(GetParam().name, dynamics, {1e-3, 1e-8});
  {
    const std::atomic<bool> stop = true;
    const StopScope scope(&stop);
    EXPECT_THROW(end(*integrator), Stopped);
  }
  const auto fresh = make_integrator(GetParam().name, dynamics, {1e-3, 1e-8});
  EXPECT_LT((end(*integrator) - end(*fresh)).norm(), 1e-6);  // ten times the tolerance of the adaptive ones
}

TEST_P(IntegratorSuite, ReachesItsOrderOnADampedChain) {
  static const Motion reference = run(damped_chain(), "rk4", 1e-4);
  ASSERT_EQ(reference.summary.slack_events.size(), 0u);
  const auto error = [&](double accuracy) {
    return distance(run(damped_chain(), GetParam().name, accuracy).last(), reference.last());
  };
  expect_order(GetParam(), error, GetParam().order == 1 ? 2e-4 : 4e-3);
}

// Order 2 and above integrate a constant force exactly: x = x0 + v t + f t²/2m, to rounding; adaptive ones too, since
// every step is exact. A load that begins and ends adds two more parabolas.
TEST_P(IntegratorSuite, ConstantForceGivesExactParabolas) {
  Scenario s = empty_scenario(1.0, 0.1);
  add_node(s.model, {1, 2, 3}, 2.0, {}, {0.5, -1.0, 0.25});
  const Vec3 f(3.0, -4.0, 5.0), pulse(-8.0, 2.0, 1.0);
  add_load(s.model, 0, f);
  add_load(s.model, 0, pulse, 0.35, 0.6);
  // Few steps, so that rounding does not pile up.
  const Motion result = run(s, GetParam().name, GetParam().order > 1 ? 0.02 : GetParam().accuracy);
  ASSERT_EQ(result.rows.size(), 11u);
  // Backward differentiation starts at order 1 with small steps: within its tolerance only.
  const double tolerance = GetParam().order == 1 ? 1e-3 : GetParam().name == "cvode" ? 1e-8 : 2e-14;
  for (const Sample& row : result.rows) {
    const double since = std::max(0.0, row.t - 0.35), over = std::max(0.0, row.t - 0.6);
    const Vec3 x = Vec3(1, 2, 3) + row.t * Vec3(0.5, -1.0, 0.25) +
                   0.25 * (f * row.t * row.t + pulse * (since * since - over * over));
    const Vec3 v = Vec3(0.5, -1.0, 0.25) + 0.5 * (f * row.t + pulse * (since - over));
    EXPECT_LT((position(row, 0) - x).norm(), tolerance) << row.t;
    EXPECT_LT((velocity(row, 0) - v).norm(), GetParam().order == 1 ? 1e-11 : tolerance) << row.t;  // Euler's v is exact
  }
}

TEST_P(IntegratorSuite, RowsFallOnMultiplesAndOnTheEnd) {
  const auto times = [&](double duration, double output_step, double accuracy) {
    Scenario s = TwoMasses().scenario();
    s.simulation.duration = duration;
    s.simulation.output_step = output_step;
    const Motion result = run(s, GetParam().name, accuracy);
    std::vector<double> t;
    for (const Sample& row : result.rows) t.push_back(row.t);
    EXPECT_EQ(result.summary.simulated_s, duration);
    return t;
  };
  // Both sparse beside the steps and dense; 3 · 0.3 is not 0.9 in binary, and the row is at 0.9 all the same.
  for (double accuracy : {1e-2, 1e-4}) {
    EXPECT_EQ(times(1.0, 0.3, accuracy), (std::vector<double>{0.0, 0.3, 0.6, 0.9, 1.0}));
    EXPECT_EQ(times(0.3, 0.1, accuracy), (std::vector<double>{0.0, 0.1, 0.2, 0.3}));
    EXPECT_EQ(times(0.7, 0.1, accuracy).size(), 8u);
    EXPECT_EQ(times(0.7, 0.1, accuracy).back(), 0.7);
    EXPECT_EQ(times(0.25, 1.0, accuracy), (std::vector<double>{0.0, 0.25}));
    const std::vector<double> dense = times(0.5, 1e-3, accuracy);
    ASSERT_EQ(dense.size(), 501u);
    for (int i = 0; i < 501; ++i) EXPECT_EQ(dense[i], i / 1000.0);
  }
}

// Rows between the steps (continuous output) and rows on the steps tell the same motion, and neither changes it.
TEST_P(IntegratorSuite, DenseRowsAgreeWithSparseOnes) {
  Scenario s = thrown_prism();
  s.simulation.output_step = 0.125;
  const Motion sparse = run(s, GetParam());
  s.simulation.output_step = 0.125 / 64;
  const Motion dense = run(s, GetParam());
  ASSERT_EQ(dense.rows.size(), 4 * 64 + 1u);
  for (int i = 0; i <= 4; ++i) EXPECT_LT(distance(sparse.rows[i], dense.rows[64 * i]), 4.0 * GetParam().error);
  // Every dense row lies on the constraints.
  for (const Sample& row : dense.rows) EXPECT_LT(row.constraint_error, 3e-15);
}

TEST_P(IntegratorSuite, ConstraintMethodsDoWhatTheySay) {
  Scenario s = generated("double_pendulum");
  s.simulation.duration = 2.0;
  s.simulation.output_step = 0.01;
  const double accuracy = GetParam().order == 1 ? 1e-4 : GetParam().order > 1 ? 1e-2 : 1e-5;
  const auto error = [&](ConstraintMethod method) {
    s.simulation.constraints = method;
    return run(s, GetParam().name, accuracy).summary.max_bar_length_error;
  };
  const double projected = error(ConstraintMethod::projection), corrected = error(ConstraintMethod::baumgarte);
  const double none = error(ConstraintMethod::none);
  EXPECT_LT(projected, 1e-15);  // rounding: a few units in the last place of coordinates up to 2 m
  if (GetParam().exact_bars) {
    EXPECT_LT(none, 1e-15);
    EXPECT_LT(corrected, 1e-15);
  } else {
    EXPECT_GT(none, 1e-12);            // nothing holds the lengths but the accelerations
    EXPECT_LT(corrected, 0.7 * none);  // pulled back with 10 1/s
    EXPECT_GT(corrected, projected);
  }
}

// The rest length jumps at t = 0.43, between rows: a new oscillation from there, and the work of the jump is counted.
TEST_P(IntegratorSuite, StepOfARestLengthRestartsTheMotionAndCountsItsWork) {
  const double m = 2.0, k = 80.0, w = std::sqrt(k / m), at = 0.43;
  Scenario s = oscillator(m, k, 1.0, 1.1, 0.2);
  s.model.actuators.push_back({0, step_signal(1.0, 0.8, at)});
  const Motion result = run(s, GetParam());
  const double x1 = 1.0 + 0.1 * std::cos(w * at) + 0.2 / w * std::sin(w * at);
  const double v1 = -0.1 * w * std::sin(w * at) + 0.2 * std::cos(w * at);
  const double work_done = 0.5 * k * (std::pow(x1 - 0.8, 2) - std::pow(x1 - 1.0, 2));
  for (const Sample& row : result.rows) {
    const double t = row.t - at;
    const double x = t < 0 ? 1.0 + 0.1 * std::cos(w * row.t) + 0.2 / w * std::sin(w * row.t)
                           : 0.8 + (x1 - 0.8) * std::cos(w * t) + v1 / w * std::sin(w * t);
    EXPECT_NEAR(position(row, 1).x(), x, GetParam().error);
    EXPECT_NEAR(row.energy[work], t < 0 ? 0.0 : work_done, 20.0 * GetParam().error);
  }
}

// A jump on a row, and on the last one: rows show the state after it, the last one before; the balance stays.
TEST_P(IntegratorSuite, StepOnARowKeepsTheBalance) {
  for (double at : {0.3, 0.7, 1.0}) {
    Scenario s = oscillator(2.0, 80.0, 1.0, 1.1, 0.2);
    s.model.actuators.push_back({0, step_signal(1.0, 0.8, at)});
    const Motion result = run(s, GetParam());
    ASSERT_EQ(result.rows.size(), 11u);
    for (const Sample& row : result.rows)
      EXPECT_NEAR(row.energy[balance], result.rows[0].energy[balance], 40.0 * GetParam().error);
    if (at < 1.0) {
      const Sample& row = result.rows[static_cast<std::size_t>(std::lround(10 * at))];
      EXPECT_NEAR(row.tensions[0], 80.0 * (position(row, 1).x() - 0.8), 1e-9);
    } else {
      EXPECT_NEAR(result.last().tensions[0], 80.0 * (position(result.last(), 1).x() - 1.0), 1e-9);
    }
  }
}

// A rest length from a table: in each straight piece x - L0(t) oscillates freely with the rate shifted by the slope.
TEST_P(IntegratorSuite, TableOfRestLengthsIsFollowedPieceByPiece) {
  const double m = 1.0, k = 50.0, w = std::sqrt(k / m);
  Scenario s = oscillator(m, k, 1.0, 1.05, 0.0);
  Signal table;
  table.kind = SignalKind::table;
  table.times = {0.1, 0.37, 0.62};
  table.values = {1.0, 1.3, 0.9};
  s.model.actuators.push_back({0, table});
  const Motion result = run(s, GetParam());
  // March the closed form over the pieces.
  double from = 0.0, x = 1.05, v = 0.0;
  std::size_t piece = 0;
  const double ends[] = {0.1, 0.37, 0.62, 2.0}, slopes[] = {0.0, 0.3 / 0.27, -0.4 / 0.25, 0.0},
               starts[] = {1.0, 1.0, 1.3, 0.9};
  for (const Sample& row : result.rows) {
    const auto at = [&](double t) {
      const double off = x - starts[piece], speed = v - slopes[piece], c = std::cos(w * (t - from)),
                   d = std::sin(w * (t - from));
      return std::pair{starts[piece] + slopes[piece] * (t - from) + off * c + speed / w * d,
                       slopes[piece] - off * w * d + speed * c};
    };
    while (row.t > ends[piece]) {
      std::tie(x, v) = at(ends[piece]);
      from = ends[piece++];
    }
    EXPECT_NEAR(position(row, 1).x(), at(row.t).first, GetParam().error) << row.t;
  }
}

// A row and a discontinuity that differ in the last bit (0.1 · 3 and 0.3) must not make a step of 1e-17 s that spoils
// what follows: with and without the row the motion is the same.
TEST_P(IntegratorSuite, RowsNextToDiscontinuitiesChangeNothing) {
  Scenario s = damped_chain();
  s.simulation.duration = 1.0;
  add_load(s.model, 3, {5, 0, 3}, 0.3, 0.7);
  s.simulation.output_step = 1.0;
  const Motion sparse = run(s, GetParam());
  s.simulation.output_step = 0.1;
  const Motion dense = run(s, GetParam());
  EXPECT_LT(distance(sparse.last(), dense.last()), 10.0 * GetParam().error);
  EXPECT_LT(dense.summary.energy_drift, 20.0 * GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(Integrators, IntegratorSuite, ::testing::ValuesIn(methods()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace taut::testing
