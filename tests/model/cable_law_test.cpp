// Cable laws: slope against differences of the tension, tension against differences of the energy and energy
// against quadrature of the tension, inverse against the law itself.
#include "taut/model/laws/cable_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace taut {
namespace {

CableLaw make(LawKind kind, double stiffness, bool by_EA = false) {
  CableLaw law;
  law.kind = kind;
  law.stiffness = stiffness;
  law.by_EA = by_EA;
  law.damping = 3.0;
  law.beta = 0.02;
  return law;
}

CableLaw table(std::vector<double> strain, std::vector<double> force) {
  CableLaw law = make(LawKind::table, 0.0);
  law.strain = std::move(strain);
  law.force = std::move(force);
  return law;
}

std::vector<CableLaw> all_laws() {
  return {make(LawKind::linear, 40.0),
          make(LawKind::linear, 40.0, true),
          make(LawKind::softplus, 40.0),
          make(LawKind::softplus, 40.0, true),
          make(LawKind::spring, 40.0),
          make(LawKind::spring, 40.0, true),
          table({0.0, 0.1, 0.3}, {0.0, 5.0, 7.0}),
          table({-0.1, 0.05, 0.2}, {-2.0, 4.0, 9.0}),
          table({0.02, 0.1}, {3.0, 5.0})};
}

// Elongations away from every kink of the laws above at rest length 0.7.
const std::vector<double> elongations = {-0.31, -0.043, -0.011, 0.009, 0.029, 0.046, 0.1, 0.19, 0.4};
constexpr double rest = 0.7;

double central(const std::function<double(double)>& f, double x, double h) { return (f(x + h) - f(x - h)) / (2.0 * h); }

// Composite Simpson over n pieces.
double integral(const std::function<double(double)>& f, double a, double b, int n) {
  double sum = f(a) + f(b);
  for (int i = 1; i < 2 * n; ++i) sum += (i % 2 ? 4.0 : 2.0) * f(a + (b - a) * i / (2.0 * n));
  return sum * (b - a) / (6.0 * n);
}

TEST(CableLaw, SlopeIsTheDerivativeOfTheTension) {
  for (const CableLaw& law : all_laws()) {
    for (const double e : elongations) {
      const double difference = central([&](double x) { return elastic_tension(law, x, rest); }, e, 1e-5);
      // Softplus bends most: T is of the order k/β² = 1e5 in its third derivative, so h²/6 of it is 2e-6.
      EXPECT_NEAR(elastic_slope(law, e, rest), difference, 5e-6) << name(law.kind) << " e = " << e;
    }
  }
}

TEST(CableLaw, TensionIsTheDerivativeOfTheEnergy) {
  for (const CableLaw& law : all_laws()) {
    EXPECT_EQ(elastic_energy(law, 0.0, rest), 0.0);
    for (const double e : elongations) {
      const double difference = central([&](double x) { return elastic_energy(law, x, rest); }, e, 2e-6);
      // h²/6 of the second derivative of T, k/(2 β) = 1400 N/m² for softplus: 1e-9.
      EXPECT_NEAR(elastic_tension(law, e, rest), difference, 1e-8) << name(law.kind) << " e = " << e;
    }
  }
}

TEST(CableLaw, EnergyIsTheIntegralOfTheTension) {
  for (const CableLaw& law : all_laws()) {
    for (const double e : elongations) {
      const double area = integral([&](double x) { return elastic_tension(law, x, rest); }, 0.0, e, 20000);
      // Simpson over a kink inside one of 20000 pieces of 2e-5 m: slope 60 N/m · h² = 2e-8 J at most.
      EXPECT_NEAR(elastic_energy(law, e, rest), area, 2e-8) << name(law.kind) << " e = " << e;
    }
  }
}

TEST(CableLaw, EnergyByRestLengthAgainstDifferences) {
  for (const CableLaw& law : all_laws()) {
    for (const double e : elongations) {
      const double difference = central([&](double length) { return elastic_energy(law, e, length); }, rest, 1e-5);
      EXPECT_NEAR(energy_by_rest_length(law, e, rest), difference, 1e-8) << name(law.kind) << " e = " << e;
    }
  }
  EXPECT_EQ(energy_by_rest_length(make(LawKind::linear, 40.0), 0.1, rest), 0.0);
}

TEST(CableLaw, LinearPullsOnlyWhileStretchedAndNeverPushes) {
  CableLaw law = make(LawKind::linear, 40.0);
  EXPECT_EQ(tension(law, 0.1, 0.0, rest), 4.0);
  EXPECT_EQ(tension(law, 0.1, 0.5, rest), 5.5);
  EXPECT_EQ(tension(law, 0.1, -2.0, rest), 0.0);  // 4 - 6 would push
  EXPECT_EQ(tension(law, -0.1, 9.0, rest), 0.0);
  EXPECT_EQ(tension(law, 0.0, 9.0, rest), 0.0);
  law.clip = false;
  EXPECT_DOUBLE_EQ(tension(law, 0.1, -2.0, rest), -2.0);  // a fused multiply-add keeps more digits of 40 · 0.1
  EXPECT_EQ(tension(law, -0.1, 9.0, rest), 0.0);
  law.by_EA = true;
  EXPECT_EQ(tension(law, 0.1, 0.0, 0.5), 40.0 / 0.5 * 0.1);
}

TEST(CableLaw, SpringPullsAndPushes) {
  const CableLaw law = make(LawKind::spring, 40.0);
  EXPECT_EQ(tension(law, -0.1, 0.5, rest), -4.0 + 1.5);
  EXPECT_EQ(tension(law, 0.25, 0.0, 0.0), 10.0);  // free length 0
}

TEST(CableLaw, SoftplusTendsToTheLinearLaw) {
  CableLaw law = make(LawKind::softplus, 40.0);
  EXPECT_EQ(elastic_tension(law, 0.0, rest), 40.0 * law.beta / 2.0);
  // Far outside, s(e) - e = β²/(4 e) to leading order on the taut side and s(e) = β²/(4 |e|) on the slack one.
  const double far = 50.0 * law.beta, rest_of_series = law.beta * law.beta / (4.0 * far);
  EXPECT_NEAR(elastic_tension(law, far, rest), 40.0 * (far + rest_of_series), 40.0 * rest_of_series * 1e-3);
  EXPECT_NEAR(elastic_tension(law, -far, rest), 40.0 * rest_of_series, 40.0 * rest_of_series * 1e-3);
  for (const double e : elongations) {
    EXPECT_GT(elastic_tension(law, e, rest), 0.0);
    EXPECT_GE(tension(law, e, -100.0, rest), 0.0);
  }
  law.beta = 1e-9;
  EXPECT_NEAR(tension(law, 0.1, 0.5, rest), 4.0 + 1.5, 1e-12);
  EXPECT_NEAR(tension(law, -0.1, 0.5, rest), 0.0, 1e-12);
}

TEST(CableLaw, TableIsLinearBetweenItsPointsAndGoesOnAlongItsEnds) {
  const CableLaw law = table({0.0, 0.1, 0.3}, {0.0, 5.0, 7.0});
  const auto at_strain = [&](double strain) { return elastic_tension(law, strain * rest, rest); };
  EXPECT_NEAR(at_strain(0.05), 2.5, 1e-12);
  EXPECT_NEAR(at_strain(0.1), 5.0, 1e-12);
  EXPECT_NEAR(at_strain(0.2), 6.0, 1e-12);
  EXPECT_NEAR(at_strain(0.5), 9.0, 1e-12);  // above: the last slope, 10 N per unit of strain
  EXPECT_EQ(at_strain(-0.2), 0.0);          // below: the first slope, but never a push
  // A table that starts with a force falls to 0 along its first slope.
  const CableLaw lifted = table({0.02, 0.1}, {3.0, 5.0});
  EXPECT_NEAR(elastic_tension(lifted, 0.0, rest), 2.5, 1e-12);
  EXPECT_NEAR(elastic_tension(lifted, -0.05 * rest, rest), 1.25, 1e-12);
  EXPECT_EQ(elastic_tension(lifted, -0.11 * rest, rest), 0.0);
  // A force that does not depend on the length.
  const CableLaw weight = table({0.0, 1.0}, {4.0, 4.0});
  EXPECT_EQ(elastic_tension(weight, -0.3, rest), 4.0);
  EXPECT_EQ(elastic_tension(weight, 3.0, rest), 4.0);
}

TEST(CableLaw, TableDampsOnlyWhileItPulls) {
  const CableLaw law = table({0.0, 0.1}, {0.0, 5.0});
  EXPECT_NEAR(tension(law, 0.1 * rest, 1.0, rest), 5.0 + 3.0, 1e-12);
  EXPECT_EQ(tension(law, 0.1 * rest, -10.0, rest), 0.0);
  EXPECT_EQ(tension(law, -0.1 * rest, 10.0, rest), 0.0);
}

TEST(CableLaw, RestLengthForTensionIsTheInverse) {
  const double length = 0.8;
  for (const CableLaw& law : all_laws()) {
    for (const double force : {0.3, 2.5, 4.5, 6.0, 8.0}) {
      const double rest_length = rest_length_for_tension(law, length, force);
      ASSERT_GT(rest_length, 0.0) << name(law.kind) << ' ' << force;
      EXPECT_NEAR(elastic_tension(law, length - rest_length, rest_length), force, 1e-12) << name(law.kind);
    }
  }
  // A spring also pushes.
  for (const bool by_EA : {false, true}) {
    const CableLaw spring = make(LawKind::spring, 40.0, by_EA);
    const double rest_length = rest_length_for_tension(spring, length, -3.0);
    EXPECT_NEAR(elastic_tension(spring, length - rest_length, rest_length), -3.0, 1e-12);
  }
}

TEST(CableLaw, ZeroTensionMeansJustTaut) {
  EXPECT_EQ(rest_length_for_tension(make(LawKind::linear, 40.0), 0.8, 0.0), 0.8);
  EXPECT_EQ(rest_length_for_tension(make(LawKind::linear, 40.0, true), 0.8, 0.0), 0.8);
  EXPECT_EQ(rest_length_for_tension(make(LawKind::linear, 0.0), 0.8, 0.0), 0.8);
  EXPECT_EQ(rest_length_for_tension(table({0.0, 0.1}, {0.0, 5.0}), 0.8, 0.0), 0.8);
  EXPECT_NEAR(rest_length_for_tension(table({-0.5, 0.25, 0.5}, {0.0, 0.0, 5.0}), 0.8, 0.0), 0.8 / 1.25, 1e-15);
}

TEST(CableLaw, AnImpossibleTensionHasNoRestLength) {
  const auto none = [](const CableLaw& law, double length, double force) {
    return std::isnan(rest_length_for_tension(law, length, force));
  };
  EXPECT_TRUE(none(make(LawKind::linear, 40.0), 0.8, -1.0));
  EXPECT_TRUE(none(make(LawKind::linear, 40.0), 0.8, 32.0));  // k l: the rest length would be 0
  EXPECT_TRUE(none(make(LawKind::linear, 40.0), 0.8, 100.0));
  EXPECT_TRUE(none(make(LawKind::linear, 0.0), 0.8, 1.0));
  EXPECT_FALSE(none(make(LawKind::spring, 40.0), 0.8, 32.0));  // free length 0 is allowed
  EXPECT_TRUE(none(make(LawKind::spring, 40.0), 0.8, 33.0));
  EXPECT_TRUE(none(make(LawKind::spring, 40.0, true), 0.8, -40.0));
  EXPECT_TRUE(none(make(LawKind::softplus, 40.0), 0.8, 0.0));  // softplus always pulls a little
  EXPECT_TRUE(none(table({0.0, 0.1}, {0.0, 5.0}), 0.8, -1.0));
  EXPECT_TRUE(none(table({0.0, 1.0, 2.0}, {0.0, 5.0, 5.0}), 0.8, 6.0));  // a plateau that is never exceeded
  EXPECT_TRUE(none(table({0.0, 1.0, 2.0}, {4.0, 4.0, 5.0}), 0.8, 3.0));
}

TEST(CableLaw, APlateauIsMetAtItsSmallestStrain) {
  EXPECT_NEAR(rest_length_for_tension(table({0.0, 1.0, 2.0}, {0.0, 5.0, 5.0}), 0.8, 5.0), 0.4, 1e-15);
  EXPECT_NEAR(rest_length_for_tension(table({0.25, 1.0, 2.0}, {5.0, 5.0, 9.0}), 0.8, 5.0), 0.64, 1e-15);
}

}  // namespace
}  // namespace taut
