// Jansen's leg in motion against the drawing: every joint of every row where the law of cosines puts it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "taut/base/error.h"
#include "tests/support/columns.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using std::numbers::pi;
using Plane = std::complex<double>;  // x + i z

// The third corner of a triangle with sides r at p and s at q: turn r by the angle that the law of cosines gives.
Plane corner(Plane p, double r, Plane q, double s, int side) {
  const double d = std::abs(q - p), angle = std::acos((r * r + d * d - s * s) / (2.0 * r * d));
  return p + std::polar(r, std::arg(q - p) + side * angle);
}

// pin, top, bottom, left, knee, foot of the published linkage of one unit, crank at the angle θ.
std::vector<Plane> drawing(double theta) {
  const Plane pivot(-38.0, -7.8), pin = std::polar(15.0, theta);
  const Plane top = corner(pivot, 41.5, pin, 50.0, 1), bottom = corner(pivot, 39.3, pin, 61.9, -1);
  const Plane left = corner(top, 55.8, pivot, 40.1, -1), knee = corner(bottom, 36.7, left, 39.4, 1);
  return {pin, top, bottom, left, knee, corner(bottom, 49.0, knee, 65.7, 1)};
}

// Four turns: where the joints are, and how fast the foot moves against differences of the drawing.
TEST(GeneratorJansen, EveryRowIsTheDrawing) {
  Scenario scenario = generated("jansen", {{"turns", 4}, {"crank_angle", 70}, {"period", 1.5}});
  scenario.simulation.output_step = 0.05;
  const Motion motion = run(scenario);
  ASSERT_EQ(motion.summary.status, RunStatus::done);
  ASSERT_EQ(motion.rows.size(), 121u);
  const double speed = 2.0 * pi / 1.5;
  for (const Sample& row : motion.rows) {
    const double theta = 70.0 * pi / 180.0 + speed * row.t;
    const std::vector<Plane> at = drawing(theta);
    for (size_t i = 0; i < at.size(); ++i) {
      const Vec3 expected(0.01 * at[i].real(), 0.0, 0.01 * at[i].imag());
      EXPECT_NEAR((position(row, static_cast<int>(i) + 2) - expected).norm(), 0.0, 1e-9) << row.t << " " << i;
    }
    const double h = 1e-5;
    const Plane rate = 0.01 * speed * (drawing(theta + h).back() - drawing(theta - h).back()) / (2.0 * h);
    const Vec3 v = velocity(row, 7);
    // Differences of second order with h = 1e-5 are good to 1e-9.
    EXPECT_NEAR(std::abs(Plane(v.x(), v.z()) - rate), 0.0, 1e-7) << row.t;
  }
  EXPECT_LT(motion.summary.energy_drift, 1e-6);
}

// What makes it walk: while the foot is down it moves straight back, and up it comes forward above the ground.
TEST(GeneratorJansen, FootPathIsFlatBelow) {
  double lowest = 1e9, highest = -1e9, left = 1e9, right = -1e9;
  int flat = 0;
  for (int i = 0; i < 360; ++i) {
    const Plane foot = drawing(i * pi / 180.0).back();
    lowest = std::min(lowest, foot.imag());
    highest = std::max(highest, foot.imag());
    left = std::min(left, foot.real());
    right = std::max(right, foot.real());
  }
  for (int i = 0; i < 360; ++i) flat += drawing(i * pi / 180.0).back().imag() < lowest + 0.02 * (right - left);
  // At least a third of the turn within two hundredths of the stride of the ground.
  EXPECT_GT(flat, 120);
  EXPECT_GT(highest - lowest, 0.2 * (right - left));
}

// The driver's torque is the rate of energy over the crank's speed (principle of virtual power), without friction.
TEST(GeneratorJansen, TorqueIsThePowerOverTheSpeed) {
  Scenario scenario = generated("jansen", {{"turns", 1}});
  scenario.simulation.output_step = 0.002;
  scenario.simulation.tolerance = 1e-10;
  const Motion motion = run(scenario);
  double largest = 0.0, worst = 0.0;
  for (size_t i = 1; i + 1 < motion.rows.size(); ++i) {
    const auto energy = [&](size_t n) { return motion.rows[n].energy[kinetic] + motion.rows[n].energy[gravity]; };
    const double torque = joint_value(scenario, motion.rows[i], "drive.torque");
    largest = std::max(largest, std::abs(torque));
    worst = std::max(worst, std::abs((energy(i + 1) - energy(i - 1)) / 0.004 / pi - torque));
  }
  // Central differences 2 ms apart err by h²/6 of the third rate: 1e-4 of a course with harmonics up to about ten.
  EXPECT_GT(largest, 0.05);
  EXPECT_LT(worst, 1e-3 * largest);
}

// A turn from where it began is the same shape and, at constant speed, the same motion.
TEST(GeneratorJansen, IsPeriodic) {
  const Motion motion = run(generated("jansen"));
  EXPECT_LT(distance(motion.rows[0], motion.rows[100]), 1e-10);
  EXPECT_LT(distance(motion.rows[37], motion.rows[237]), 1e-10);
}

TEST(GeneratorJansen, LinksThatDoNotReachAreRefusedByName) {
  const auto key_of = [](const Parameters& numbers) -> std::string {
    try {
      generated("jansen", numbers);
    } catch (const InputError& error) {
      return error.problems()[0].key;
    }
    return "";
  };
  EXPECT_EQ(key_of({{"m", 100}}), "j");
  EXPECT_EQ(key_of({{"k", 10}}), "k");
  EXPECT_EQ(key_of({{"e", 200}}), "d");
  EXPECT_EQ(key_of({{"f", 1}}), "f");
  EXPECT_EQ(key_of({{"h", 10}}), "h");
  EXPECT_EQ(key_of({{"turns", 0}}), "turns");
  EXPECT_EQ(key_of({{"crank_angle", 725}}), "");
}

}  // namespace
}  // namespace taut::testing
