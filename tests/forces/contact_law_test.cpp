// The laws of contact by themselves: force = dU/dd, nothing is pulled, damping only takes energy, derivatives against
// differences; the friction law's limits.
#include "taut/forces/contact_law.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace taut::testing {
namespace {

std::vector<ContactLaw> laws() {
  return {{PressKind::linear, 1e4, 50.0, 2e-3, 1.0, 1.0},       {PressKind::linear, 1e4, 50.0, 0.0, 1.0, 1.0},
          {PressKind::smooth, 1e4, 50.0, 2e-3, 1.0, 1.0},       {PressKind::hunt_crossley, 1e5, 0.7, 2e-3, 1.5, 1.0},
          {PressKind::hunt_crossley, 1e5, 0.7, 2e-3, 2.2, 1.0}, {PressKind::exponential, 1e4, 50.0, 2e-3, 1.0, 5e-3}};
}

TEST(ContactLaw, ElasticForceIsTheSlopeOfTheEnergy) {
  for (const ContactLaw& law : laws())
    for (double d : {-0.5, -3e-3, -1e-4, 1e-4, 1e-3, 4e-3, 2e-2}) {
      const double h = 1e-6 * std::abs(d);
      const Elastic e = elastic_press(law, d);
      const double slope = (contact_energy(law, d + h) - contact_energy(law, d - h)) / (2.0 * h);
      EXPECT_NEAR(e.force, slope, 1e-7 * (1.0 + e.force)) << name(law.kind) << " at " << d;
      EXPECT_NEAR(e.slope, (elastic_press(law, d + h).force - elastic_press(law, d - h).force) / (2.0 * h),
                  1e-6 * (1.0 + e.slope));
    }
}

TEST(ContactLaw, NeverPullsAndDampingOnlyTakes) {
  Random random(3);
  for (const ContactLaw& law : laws())
    for (int i = 0; i < 2000; ++i) {
      const double d = random.between(-5e-3, 1e-2), rate = random.between(-5.0, 5.0);
      const Press p = press(law, d, rate);
      EXPECT_GE(p.force, 0.0);
      EXPECT_GE((p.force - p.elastic) * rate, 0.0) << name(law.kind) << " d " << d << " rate " << rate;
      if (d <= 0.0 && law.kind != PressKind::smooth) {
        EXPECT_EQ(p.force, 0.0);
      }
      if (p.force == 0.0) continue;
      const double h = 1e-7;
      const auto force = [&](double at, double at_rate) { return press(law, at, at_rate).force; };
      if (std::abs(d) < 2.0 * h || std::abs(d - law.beta) < 2.0 * h || force(d - h, rate) == 0.0 ||
          force(d + h, rate) == 0.0)
        continue;
      EXPECT_NEAR(p.by_depth, (force(d + h, rate) - force(d - h, rate)) / (2.0 * h),
                  1e-4 * (1e4 + std::abs(p.by_depth)));
      EXPECT_NEAR(p.by_rate, (force(d, rate + h) - force(d, rate - h)) / (2.0 * h), 1e-4 * (1.0 + p.by_rate));
    }
}

// The Berkeley chapter (3.31), (3.32) with the stiffness that it lacks.
TEST(ContactLaw, SmoothIsTheSeedsLaw) {
  const ContactLaw law{PressKind::smooth, 700.0, 300.0, 1e-3, 1.0, 1.0};
  for (double d : {-2e-3, 0.0, 1e-3, 5e-3})
    for (double rate : {0.0, 0.4}) {
      const double root = std::sqrt(d * d + 1e-6);
      EXPECT_NEAR(press(law, d, rate).force, 700.0 * (root + d) / 2.0 + 300.0 * 0.5 * (d / root + 1.0) * rate, 1e-11);
    }
}

// The force begins at zero at touch-down whatever the speed; with beta = 0 it jumps by c v.
TEST(ContactLaw, DampingSetsInWithTheDepth) {
  const ContactLaw law{PressKind::linear, 1e4, 100.0, 1e-4, 1.0, 1.0},
      sudden{PressKind::linear, 1e4, 100.0, 0.0, 1.0, 1.0};
  EXPECT_LT(press(law, 1e-9, 3.0).force, 1e-4);
  EXPECT_NEAR(press(law, 1e-4, 3.0).force, 1.0 + 300.0, 1e-9);
  EXPECT_NEAR(press(sudden, 1e-9, 3.0).force, 300.0, 1e-4);
}

TEST(Slip, CoulombFromTheSlipSpeedOnAndNoJumps) {
  const double mu = 0.6, vs = 1e-3;
  const auto force = [&](double v) { return slip(mu, vs, v).factor * v; };
  EXPECT_EQ(force(0.0), 0.0);
  for (double v : {vs, 1.5 * vs, 0.1, 10.0}) EXPECT_NEAR(force(v), mu, 1e-14);
  double last = 0.0;
  for (int i = 1; i <= 1000; ++i) {
    const double v = i * vs / 1000.0;
    EXPECT_GT(force(v), last);
    EXPECT_LT(force(v) - last, 3.0 * mu / 1000.0);
    last = force(v);
  }
  for (double v : {0.3 * vs, 0.9 * vs, 2.0 * vs, 1.0}) {
    const double h = 1e-6 * v;
    EXPECT_NEAR(slip(mu, vs, v).slope_over_speed * v,
                (slip(mu, vs, v + h).factor - slip(mu, vs, v - h).factor) / (2.0 * h), 1e-5 * mu / (v * v));
  }
}

}  // namespace
}  // namespace taut::testing
