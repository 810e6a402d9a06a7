// The generated pendulums are those of NUMBERS N4 and N5: their own numbers, put into textbook equations that know
// nothing of taut, give the printed tables.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "taut/generators/generators.h"

namespace taut {
namespace {

Model make(const std::string& kind, const Parameters& parameters = {}) {
  return generate(*find_generator(kind), parameters).model;
}

// Angle of a rod from straight down, towards +x.
double angle_of(const Model& model, int bar) {
  const Vec3 along = model.nodes[model.bars[bar].b].position - model.nodes[model.bars[bar].a].position;
  return std::atan2(along.x(), -along.y());
}

// Double pendulum of two rods (length l, mass m, inertia J about the centre), by Lagrange:
//   (J + m l²/4 + m l²) φ̈₁ + (m l²/2) cos(φ₁-φ₂) φ̈₂ + (m l²/2) sin(φ₁-φ₂) φ̇₂² + (3/2) m g l sin φ₁ = 0
//   (J + m l²/4) φ̈₂ + (m l²/2) cos(φ₁-φ₂) φ̈₁ - (m l²/2) sin(φ₁-φ₂) φ̇₁² + (1/2) m g l sin φ₂ = 0
struct DoublePendulum {
  double l, m, inertia, g;
  using State = std::array<double, 4>;  // φ₁, φ₂, φ̇₁, φ̇₂

  State rate(const State& s) const {
    const double end = inertia + 0.25 * m * l * l, c = 0.5 * m * l * l * std::cos(s[0] - s[1]);
    const double swing = 0.5 * m * l * l * std::sin(s[0] - s[1]);
    const double b1 = -swing * s[3] * s[3] - 1.5 * m * g * l * std::sin(s[0]);
    const double b2 = swing * s[2] * s[2] - 0.5 * m * g * l * std::sin(s[1]);
    const double a11 = end + m * l * l, determinant = a11 * end - c * c;
    return {s[2], s[3], (end * b1 - c * b2) / determinant, (a11 * b2 - c * b1) / determinant};
  }

  static State moved(const State& s, const State& r, double h) {
    return {s[0] + h * r[0], s[1] + h * r[1], s[2] + h * r[2], s[3] + h * r[3]};
  }

  // Classical Runge-Kutta.
  State advance(State s, double time, int steps) const {
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
      const State k1 = rate(s), k2 = rate(moved(s, k1, h / 2)), k3 = rate(moved(s, k2, h / 2));
      const State k4 = rate(moved(s, k3, h));
      for (int j = 0; j < 4; ++j) s[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    return s;
  }
};

TEST(GeneratorPendulum, N4DoublePendulumReproducesTheTable) {
  const Model model = make("double_pendulum");
  ASSERT_EQ(model.bars.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_DOUBLE_EQ(model.bars[i].mass, 1.0);
    EXPECT_DOUBLE_EQ(model.bars[i].rest_length, 1.0);
    EXPECT_DOUBLE_EQ(model.bars[i].inertia, 1.0 / 12.0);
    EXPECT_DOUBLE_EQ(std::abs(angle_of(model, i)), std::numbers::pi / 4);
  }
  EXPECT_EQ(model.gravity, Vec3(0.0, -9.8, 0.0));
  EXPECT_EQ(model.nodes[0].fixed, (Axes{true, true, true}));
  EXPECT_EQ(model.nodes[2].fixed, (Axes{false, false, true}));

  const DoublePendulum pendulum{model.bars[0].rest_length, model.bars[0].mass, model.bars[0].inertia,
                                -model.gravity.y()};
  const double table[3][5] = {{1, -0.574315445391, -0.818634087481, -1.299063012556, -1.507648574910},
                              {3, 0.023379709117, -0.999726657243, 0.110274341722, -1.995944165031},
                              {5, 0.624664601626, -0.780893165213, 1.340314930813, -1.479351901527}};
  DoublePendulum::State state = {angle_of(model, 0), angle_of(model, 1), 0.0, 0.0};
  double t = 0.0;
  for (const auto& row : table) {
    state = pendulum.advance(state, row[0] - t, static_cast<int>((row[0] - t) * 10000));
    t = row[0];
    const double x2 = std::sin(state[0]), y2 = -std::cos(state[0]);
    // The table is printed to 1e-12.
    EXPECT_NEAR(x2, row[1], 1e-12) << t;
    EXPECT_NEAR(y2, row[2], 1e-12) << t;
    EXPECT_NEAR(x2 + std::sin(state[1]), row[3], 1e-12) << t;
    EXPECT_NEAR(y2 - std::cos(state[1]), row[4], 1e-12) << t;
  }
}

// Period 4 K(sin(φ₀/2)) √(I / (m g l/2)), I = J + m l²/4 about the pin.
TEST(GeneratorPendulum, N5PendulumHasThePrintedPeriod) {
  const Model model = make("pendulum");
  ASSERT_EQ(model.bars.size(), 1u);
  const Bar& rod = model.bars[0];
  EXPECT_EQ(model.nodes[rod.a].fixed, (Axes{true, true, true}));
  const double l = rod.rest_length, about_pin = rod.inertia + rod.mass * l * l / 4;
  const double slow = std::sqrt(about_pin / (rod.mass * -model.gravity.y() * l / 2));
  const double period = 4 * std::comp_ellint_1(std::sin(angle_of(model, 0) / 2)) * slow;
  EXPECT_DOUBLE_EQ(l, 5.0);
  EXPECT_NEAR(period, 3.809741458753, 5e-13);
}

TEST(GeneratorPendulum, AngleAndLengthAreTaken) {
  const Model model = make("double_pendulum", {{"angle", -30}, {"length", 2}, {"gravity", 0}});
  EXPECT_NEAR((model.nodes[2].position - 4.0 * Vec3(-0.5, -std::sqrt(0.75), 0)).norm(), 0.0, 1e-15);
  EXPECT_EQ(model.gravity, Vec3::Zero());
}

}  // namespace
}  // namespace taut
