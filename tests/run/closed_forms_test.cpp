// Motions with a closed form, from model to rows: NUMBERS N4, N5 and those of N7 that concern bars and cables.
#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "tests/integrate/suite.h"

namespace taut::testing {
namespace {

constexpr double pi = std::numbers::pi;

// Times at which a signal passes zero upwards, from values and rates at rows: the root of the cubic between two rows,
// whose error is (dt ω)⁴/384 of the amplitude.
std::vector<double> upward_zeros(const std::vector<Sample>& rows,
                                 const std::function<std::pair<double, double>(const Sample&)>& signal) {
  std::vector<double> times;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const auto [a, da] = signal(rows[i]);
    const auto [b, db] = signal(rows[i + 1]);
    if (!(a < 0.0 && b >= 0.0)) continue;
    const double h = rows[i + 1].t - rows[i].t;
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 60; ++k) {
      const double x = 0.5 * (low + high);
      const double y =
          a + x * (h * da + x * ((3.0 * (b - a) - 2.0 * h * da - h * db) + x * (h * da + h * db - 2.0 * (b - a))));
      (y < 0.0 ? low : high) = x;
    }
    times.push_back(rows[i].t + high * h);
  }
  return times;
}

// Mean time from one upward zero to the next.
double period_of(const Motion& motion, const std::function<std::pair<double, double>(const Sample&)>& signal) {
  const std::vector<double> zeros = upward_zeros(motion.rows, signal);
  EXPECT_GE(zeros.size(), 2u);
  return (zeros.back() - zeros.front()) / static_cast<double>(zeros.size() - 1);
}

// N5, all printed digits; and by the complete elliptic integral (arithmetic-geometric mean), which knows no table.
TEST(ClosedForms, N5PendulumPeriod) {
  Scenario s = generated("pendulum");
  s.simulation.duration = 12.0;
  s.simulation.output_step = 1e-3;
  const Motion motion = run(s, "dopri5", 1e-13);
  const double period = period_of(motion, [](const Sample& row) {
    return std::pair{position(row, 1).x(), velocity(row, 1).x()};
  });
  EXPECT_NEAR(period, 3.809741458753, 1.5e-12);
  double a = 1.0, b = std::cos(pi / 8);
  while (a - b > 1e-16) std::tie(a, b) = std::pair{0.5 * (a + b), std::sqrt(a * b)};
  EXPECT_NEAR(period, 2.0 * pi / a * std::sqrt(2.0 * 5.0 / (3.0 * 9.806)), 1.5e-12);
  EXPECT_LT(motion.summary.max_bar_length_error, 1e-15);
}

TEST(ClosedForms, N4DoublePendulum) {
  const double table[3][5] = {{1, -0.574315445391, -0.818634087481, -1.299063012556, -1.507648574910},
                              {3, 0.023379709117, -0.999726657243, 0.110274341722, -1.995944165031},
                              {5, 0.624664601626, -0.780893165213, 1.340314930813, -1.479351901527}};
  Scenario s = generated("double_pendulum");
  s.simulation.duration = 5.0;
  s.simulation.output_step = 1.0;
  const Motion motion = run(s, "dopri5", 1e-14);
  ASSERT_EQ(motion.rows.size(), 6u);
  for (const auto& line : table) {
    const Sample& row = motion.rows[static_cast<std::size_t>(line[0])];
    EXPECT_NEAR(position(row, 1).x(), line[1], 1e-12) << line[0];
    EXPECT_NEAR(position(row, 1).y(), line[2], 1e-12) << line[0];
    EXPECT_NEAR(position(row, 2).x(), line[3], 1e-12) << line[0];
    EXPECT_NEAR(position(row, 2).y(), line[4], 1e-12) << line[0];
  }
  EXPECT_LE(motion.summary.rhs, 50'000);
  EXPECT_LE(motion.summary.max_bar_length_error, 2e-15);
}

class EveryMethod : public ::testing::TestWithParam<Method> {};

// Masses m1, m2 on one cable over a fixed node, at the tension 2 g m1 m2/(m1 + m2) from the start: both move with
// a = g (m2 - m1)/(m1 + m2), and the tension stays.
TEST_P(EveryMethod, AtwoodOnOneFrictionlessCable) {
  const double m1 = 1.0, m2 = 1.5, g = 9.81, k = 1000.0, a = g * (m2 - m1) / (m1 + m2),
               tension = 2.0 * g * m1 * m2 / (m1 + m2);
  Scenario s = empty_scenario(0.5, 0.05);
  s.model.gravity = {0, 0, -g};
  add_node(s.model, {0, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {0, 0, -2}, m1);
  add_node(s.model, {0, 0, -1.5}, m2);
  add_cable(s.model, {1, 0, 2}, linear_law(k), 3.5 - tension / k);
  for (const Sample& row : run(s, GetParam()).rows) {
    EXPECT_NEAR(position(row, 1).z(), -2.0 + 0.5 * a * row.t * row.t, GetParam().error);
    EXPECT_NEAR(position(row, 2).z(), -1.5 - 0.5 * a * row.t * row.t, GetParam().error);
    EXPECT_NEAR(row.tensions[0], tension, 2.0 * k * GetParam().error);
  }
}

// A slender bar in torque-free rotation: its centre moves straight on, its ends on circles about it.
TEST_P(EveryMethod, SlenderBarInFreeRotation) {
  const double l = 1.4, w = 5.0;
  const Vec3 v(0.3, -0.2, 0.5), u = Vec3(1, 2, -1).normalized(), across = Vec3(1, -1, -1).normalized();
  for (double com : {0.5, 0.3}) {
    Scenario s = empty_scenario(1.0, 0.1);
    // The centre at the origin.
    add_node(s.model, -com * l * u, 0.0, {}, v - com * l * w * across);
    add_node(s.model, (1 - com) * l * u, 0.0, {}, v + (1 - com) * l * w * across);
    add_bar(s.model, 0, 1, 2.0);
    s.model.bars[0].com = com;
    const Motion motion = run(s, GetParam());
    for (const Sample& row : motion.rows) {
      const Vec3 along = std::cos(w * row.t) * u + std::sin(w * row.t) * across;
      EXPECT_LT((position(row, 0) - (v * row.t - com * l * along)).norm(), GetParam().error);
      EXPECT_LT((position(row, 1) - (v * row.t + (1 - com) * l * along)).norm(), GetParam().error);
    }
    EXPECT_LT(motion.summary.max_bar_length_error, 1e-15);
  }
}

// Two masses on a damped spring: the relative motion is L0 + e^(-δt)(A cos ωt + B sin ωt), δ = c/2μ, ω² = k/μ - δ².
TEST_P(EveryMethod, DampedTwoMassOscillator) {
  const double m1 = 1.0, m2 = 2.0, mu = m1 * m2 / (m1 + m2), k = 60.0, c = 1.5, x = 1.3;
  Scenario s = empty_scenario(1.0, 0.1);
  add_node(s.model, {0, 0, 0}, m1);
  add_node(s.model, {x, 0, 0}, m2);
  add_cable(s.model, {0, 1}, spring_law(k, c), 1.0);
  const double d = 0.5 * c / mu, w = std::sqrt(k / mu - d * d), a = x - 1.0, b = d * a / w;
  for (const Sample& row : run(s, GetParam()).rows) {
    const double fade = std::exp(-d * row.t), apart = 1.0 + fade * (a * std::cos(w * row.t) + b * std::sin(w * row.t));
    const double rate = fade * ((b * w - a * d) * std::cos(w * row.t) - (a * w + b * d) * std::sin(w * row.t));
    EXPECT_NEAR(position(row, 1).x() - position(row, 0).x(), apart, GetParam().error);
    // What is lost is what is missing: ½ k a² - ½ k e² - ½ μ ė².
    const double missing = 0.5 * k * a * a - 0.5 * k * (apart - 1) * (apart - 1) - 0.5 * mu * rate * rate;
    EXPECT_NEAR(row.energy[dissipated], missing, 20.0 * GetParam().error);
  }
}

INSTANTIATE_TEST_SUITE_P(ClosedForms, EveryMethod, ::testing::ValuesIn(methods()),
                         [](const auto& one) { return one.param.name; });

// A node between two taut cables of length l and tension T swings sideways with ω² = 2T/(l m); small swings, since the
// cables stretch with the square of the amplitude.
TEST(ClosedForms, LateralFrequencyOfATautNode) {
  const double m = 0.5, l = 0.8, tension = 12.0, w = std::sqrt(2.0 * tension / (l * m));
  Scenario s = empty_scenario(10.0 * pi / w, pi / w / 200);
  add_node(s.model, {-l, 0, 0}, 0.0, all_fixed);
  add_node(s.model, {0, 0, 0}, m, {}, {0, 1e-4 * w, 0});
  add_node(s.model, {l, 0, 0}, 0.0, all_fixed);
  for (int i : {0, 1}) add_cable(s.model, {i, i + 1}, linear_law(1000.0), l - tension / 1000.0);
  const Motion motion = run(s, "dopri5", 1e-12);
  const double period = period_of(motion, [](const Sample& row) {
    return std::pair{position(row, 1).y(), velocity(row, 1).y()};
  });
  // Amplitude a = 1e-4 m: ω rises by 3/16 (k l/T - 1)(a/l)² or so, here 2e-7.
  EXPECT_NEAR(2.0 * pi / period, w, 5e-7 * w);
}

// The prism's mechanism: the top turns by δ and rises by R² cos(π/n)/h δ without lengthening anything to first order.
// What brings it back is prestress alone: frequency ∝ √T.
TEST(ClosedForms, PrismMechanismFrequencyGrowsWithTheRootOfPrestress) {
  const auto frequency = [](int n, double tension) {
    const double radius = 0.5, height = 1.0, rate = 3e-6;
    Scenario s = generated(
        "prism", {{"bars", n}, {"radius", radius}, {"height", height}, {"pretension", tension}, {"stiffness", 1e5}});
    for (int i = 0; i < 2 * n; ++i) {
      const double side = i < n ? -0.5 : 0.5;
      Node& node = s.model.nodes[i];
      node.velocity =
          side * rate * Vec3(-node.position.y(), node.position.x(), radius * radius * std::cos(pi / n) / height);
    }
    s.simulation.duration = 15.0 / std::sqrt(tension);
    s.simulation.output_step = s.simulation.duration / 4000;
    const Motion motion = run(s, "dopri5", 1e-13);
    EXPECT_EQ(motion.summary.slack_events.size(), 0u);
    EXPECT_EQ(motion.summary.warnings.size(), 0u);  // the start stretches no bar
    // The twist between a bottom and a top node.
    const Vec3 start_a = s.model.nodes[0].position, start_b = s.model.nodes[n].position;
    const auto angle = [](const Vec3& from, const Vec3& x) {
      return std::atan2(from.x() * x.y() - from.y() * x.x(), from.x() * x.x() + from.y() * x.y());
    };
    const auto turn = [](const Vec3& x, const Vec3& v) {
      return (x.x() * v.y() - x.y() * v.x()) / (x.x() * x.x() + x.y() * x.y());
    };
    return 1.0 / period_of(motion, [&](const Sample& row) {
             return std::pair{angle(start_b, position(row, n)) - angle(start_a, position(row, 0)),
                              turn(position(row, n), velocity(row, n)) - turn(position(row, 0), velocity(row, 0))};
           });
  };
  for (int n : {3, 4}) {
    // Tensions 1e-5 of the stiffness times the length: other shapes mix in by that much.
    const double low = frequency(n, 0.25), high = frequency(n, 1.0);
    EXPECT_NEAR(high / low, 2.0, 2e-5) << n;
  }
}

// The six-bar's lowest mode, rods of each pair moving apart: √(8T/(m s))/2π with s the cable's length, 2.5726 Hz for
// the standard robot. The rods only translate, so the whole motion has this one coordinate.
TEST(ClosedForms, SixBarLowestFrequency) {
  Scenario s = generated("six_bar");
  for (Node& node : s.model.nodes)
    for (int axis = 0; axis < 3; ++axis)
      if (std::abs(std::abs(node.position[axis]) - 0.25) < 1e-12)
        node.velocity[axis] = std::copysign(1e-3, node.position[axis]);
  s.simulation.duration = 4.0;
  s.simulation.output_step = 1e-3;
  const Motion motion = run(s, "dopri5", 1e-12);
  EXPECT_EQ(motion.summary.warnings.size(), 0u);
  const double frequency = 1.0 / period_of(motion, [](const Sample& row) {
                             return std::pair{position(row, 0).y() - 0.25, velocity(row, 0).y()};
                           });
  const double expected = std::sqrt(8.0 * 20.0 / (1.0 * std::sqrt(3.0 / 8.0))) / (2.0 * pi);
  EXPECT_NEAR(expected, 2.5726, 5e-5);
  // Amplitude 6e-5 m of 0.25 m: the frequency moves with its square.
  EXPECT_NEAR(frequency, expected, 1e-6 * expected);
}

}  // namespace
}  // namespace taut::testing
