// Motions with contact against closed forms: bounces, sliding, sticking, restitution, collisions.
#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace taut::testing {
namespace {

constexpr double g = 9.81;

// One mass above the ground; no friction.
Scenario ball(double height, double speed_down, double gravity, double duration) {
  Scenario s = empty_scenario(duration, duration);
  s.model.gravity = {0, 0, -gravity};
  s.model.ground.emplace();
  s.model.ground->stiffness = 1e4;
  s.model.ground->damping = s.model.ground->friction = 0.0;
  add_node(s.model, {0, 0, height}, 2.0, {}, {0, 0, -speed_down});
  return s;
}

// Without gravity an undamped linear contact lasts half a period, π √(m/k), and gives the speed back.
TEST(Bounce, LastsHalfAPeriod) {
  const double v = 1.5, contact = M_PI * std::sqrt(2.0 / 1e4), before = 0.1 / v;
  const Scenario s = ball(0.1, v, 0.0, 0.3);
  for (const auto& [method, accuracy, error] :
       {std::tuple{"dopri5", 1e-11, 1e-8}, {"cvode", 1e-10, 1e-6}, {"rk4", 1e-5, 1e-6}, {"symplectic", 1e-5, 1e-6}}) {
    const Sample last = run(s, method, accuracy).last();
    EXPECT_NEAR(position(last, 0).z(), v * (0.3 - before - contact), error) << method;
    EXPECT_NEAR(velocity(last, 0).z(), v, 10.0 * error) << method;
  }
}

// A drop of height H comes back to H: two falls √(2H/g) and one contact of (2/ω)(π - atan(ω v/g)).
TEST(Bounce, ReturnsToItsHeight) {
  const double H = 0.4, v = std::sqrt(2.0 * g * H), w = std::sqrt(1e4 / 2.0);
  const double period = 2.0 * v / g + 2.0 / w * (M_PI - std::atan(w * v / g));
  const Sample last = run(ball(H, 0.0, g, period), "dopri5", 1e-11).last();
  EXPECT_NEAR(position(last, 0).z(), H, 1e-8);
  EXPECT_NEAR(velocity(last, 0).z(), 0.0, 1e-6);
}

// m v dv/dd = -k dⁿ (1 + c v) both ways: c v - ln(1 + c v) is the same before and after, whatever k and n.
// For a small c the restitution is 1 - (2/3) c v.
TEST(Bounce, HuntCrossleyRestitution) {
  for (const double c : {0.01, 0.5, 3.0})
    for (const double n : {1.0, 1.5, 2.0}) {
      Scenario s = ball(0.05, 1.2, 0.0, 0.4);
      s.model.ground->law = PressKind::hunt_crossley;
      s.model.ground->damping = c, s.model.ground->exponent = n, s.model.ground->stiffness = 1e5;
      const double out = velocity(run(s, "dopri5", 1e-11).last(), 0).z(), in = 1.2;
      const auto side = [&](double v) { return c * v - std::log1p(c * v); };
      EXPECT_NEAR(side(in), side(-out), 1e-7 * side(in)) << "c " << c << " n " << n;
      if (c == 0.01) {
        EXPECT_NEAR(out / in, 1.0 - 2.0 / 3.0 * c * in, 2.0 * c * c * in * in);
      }
    }
}

// Linear law, damping from the first depth on: restitution exp(-ζ (π - ...)) of the clipped damped half wave; here by
// energy: what is dissipated is what is missing.
TEST(Bounce, DampedContactLosesWhatItSays) {
  for (const PressKind law : {PressKind::linear, PressKind::smooth}) {
    Scenario s = ball(0.2, 0.0, g, 0.6);
    s.model.ground->law = law, s.model.ground->damping = 60.0,
    s.model.ground->beta = law == PressKind::smooth ? 1e-3 : 1e-4;
    s.simulation.output_step = 1e-3;
    const Motion motion = run(s, "dopri5", 1e-11);
    EXPECT_LT(motion.summary.energy_drift, 1e-8) << name(law);
    EXPECT_GT(motion.last().energy[dissipated], 0.1);
    for (const Sample& row : motion.rows) EXPECT_GE(row.contact_forces[2], 0.0);  // never pulled
  }
}

// A mass rests at the depth m g/k, and the ground carries its weight.
TEST(Rest, DepthAndForce) {
  Scenario s = ball(0.01, 0.0, g, 2.0);
  s.model.ground->damping = 100.0;
  const Sample last = run(s).last();
  EXPECT_NEAR(position(last, 0).z(), -2.0 * g / 1e4, 1e-7);
  EXPECT_NEAR(last.contact_forces[2], 2.0 * g, 1e-3);
  EXPECT_NEAR(last.energy[contact], 0.5 * std::pow(2.0 * g, 2) / 1e4, 1e-6);
}

// A bar that lies on a slope that rises along x, settled; along the slope or across it.
Scenario lying_bar(double angle, double friction, const Vec3& along, const Vec3& start_velocity, double duration) {
  Scenario s = empty_scenario(duration, duration);
  s.model.gravity = {0, 0, -g};
  Ground& ground = s.model.ground.emplace();
  ground.normal = {-std::sin(angle), 0.0, std::cos(angle)};
  ground.friction = friction;
  const double mass = 3.0, sunk = 0.5 * mass * g * std::cos(angle) / ground.stiffness;
  const Vec3 at = -sunk * ground.normal, uphill(std::cos(angle), 0.0, std::sin(angle)),
             dir = along.x() * uphill + along.y() * Vec3::UnitY();
  for (double side : {-0.4, 0.4}) add_node(s.model, at + side * dir, 0.0, {}, start_velocity);
  add_bar(s.model, 0, 1, mass);
  return s;
}

TEST(Friction, ASlidingBarStopsAtVSquaredOverTwoMuG) {
  const double v = 2.0, mu = 0.5, stop = v * v / (2.0 * mu * g);
  for (const Vec3& along : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.6, 0.8, 0)}) {
    const Scenario s = lying_bar(0.0, mu, along, {v, 0, 0}, 1.0);
    const Motion motion = run(s);
    const double moved = position(motion.last(), 0).x() - s.model.nodes[0].position.x();
    EXPECT_NEAR(moved, stop, 0.01 * stop);
    EXPECT_NEAR(moved, stop, 1e-3 * stop);
    EXPECT_LT(velocity(motion.last(), 0).norm(), 1e-9);
    EXPECT_LT(motion.summary.energy_drift, 1e-6);
    EXPECT_NEAR(motion.last().energy[dissipated], 0.5 * 3.0 * v * v, 1e-4 * 6.0);
  }
}

TEST(Friction, SticksJustBelowTheFrictionAngleAndSlidesJustAbove) {
  for (const double degrees : {5.0, 20.0, 40.0}) {
    const double angle = degrees * M_PI / 180.0, slip_speed = Ground{}.slip_speed, T = 1.0;
    for (const Vec3& along : {Vec3(1, 0, 0), Vec3(0, 1, 0)}) {
      const Scenario sticking = lying_bar(angle, 1.01 * std::tan(angle), along, Vec3::Zero(), T);
      const Vec3 held = position(run(sticking).last(), 0) - sticking.model.nodes[0].position;
      EXPECT_LT(held.norm(), slip_speed * T) << degrees;
      const double mu = 0.99 * std::tan(angle), a = g * (std::sin(angle) - mu * std::cos(angle));
      const Scenario sliding = lying_bar(angle, mu, along, Vec3::Zero(), T);
      const Vec3 slid = position(run(sliding).last(), 0) - sliding.model.nodes[0].position;
      // Below the slip speed friction is weaker: a head start of less than the slip speed times the time.
      EXPECT_NEAR(slid.norm(), 0.5 * a * T * T, slip_speed * T + 0.002 * a * T * T) << degrees;
      EXPECT_GT(slid.norm(), 2.0 * slip_speed * T);
    }
  }
}

// The viscous part alone: v = v0 exp(-2 c t/m), two nodes in contact.
TEST(Friction, ViscousDragDecaysExponentially) {
  Scenario s = lying_bar(0.0, 0.0, {1, 0, 0}, {1.0, 0, 0}, 0.5);
  s.model.ground->viscous = 2.0;
  s.model.ground->beta = 0.0;  // in full from the first depth on
  EXPECT_NEAR(velocity(run(s, "dopri5", 1e-10).last(), 0).x(), std::exp(-2.0 * 2.0 * 0.5 / 3.0), 1e-7);
}

// Two free rods that meet: momenta to rounding, energy to the tolerance, also for parallel rods and rods on one line.
TEST(Collide, TwoRodsKeepMomentumAndEnergy) {
  for (const PressKind law : {PressKind::linear, PressKind::exponential})
    for (int kind = 0; kind < 4; ++kind) {
      Scenario s = empty_scenario(0.4, 0.01);
      Model& m = s.model;
      m.collision = Collision{law, 2e4, 0.0, 1e-4, 0.01};
      const Vec3 v(0, 0, -1.0);
      add_node(m, {-0.5, 0, 0}), add_node(m, {0.5, 0, 0});
      if (kind == 0) add_node(m, {0.2, -0.5, 0.1}, 0.0, {}, v), add_node(m, {0.1, 0.5, 0.12}, 0.0, {}, v);
      if (kind == 1) add_node(m, {-0.3, 0, 0.1}, 0.0, {}, v), add_node(m, {0.6, 0, 0.1}, 0.0, {}, v);
      if (kind == 2) add_node(m, {0.4, 0, 0.1}, 0.0, {}, v), add_node(m, {0.9, 0.1, 0.9}, 0.0, {}, v);
      if (kind == 3) add_node(m, {0.6, 0, 0}, 0.0, {}, {-1, 0, 0}), add_node(m, {1.4, 0, 0.0}, 0.0, {}, {-1, 0, 0});
      add_bar(m, 0, 1, 1.0);
      add_bar(m, 2, 3, 2.0);
      const Motion motion = run(s, "dopri5", 1e-10);
      ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
      const Momentum first = momentum(m, motion.rows.front()), last = momentum(m, motion.last());
      EXPECT_LT((last.linear - first.linear).norm(), 1e-10) << kind;
      EXPECT_LT((last.angular - first.angular).norm(), 1e-9) << kind;
      EXPECT_LT(motion.summary.energy_drift, 1e-7) << kind;
      EXPECT_GT(velocity(motion.last(), kind == 3 ? 1 : 0).norm(), 0.05) << "they did not meet";
      EXPECT_NEAR(motion.last().energy[contact], 0.0, 1e-12) << "they have parted";
    }
}

// In line and head on it is a collision of two masses: speeds follow from momentum and energy.
TEST(Collide, HeadOnIsTheElasticCollisionOfTwoMasses) {
  Scenario s = empty_scenario(0.5, 0.5);
  s.model.collision = Collision{PressKind::linear, 5e4};
  add_node(s.model, {0, 0, 0}), add_node(s.model, {1, 0, 0});
  add_node(s.model, {1.1, 0, 0}, 0.0, {}, {-1.5, 0, 0}), add_node(s.model, {2, 0, 0}, 0.0, {}, {-1.5, 0, 0});
  add_bar(s.model, 0, 1, 1.0);
  add_bar(s.model, 2, 3, 3.0);
  const Sample last = run(s, "dopri5", 1e-10).last();
  EXPECT_NEAR(velocity(last, 0).x(), 2.0 * 3.0 / 4.0 * -1.5, 1e-7);
  EXPECT_NEAR(velocity(last, 2).x(), (3.0 - 1.0) / 4.0 * -1.5, 1e-7);
  // Damped: less energy, the same momentum, and the balance closes.
  s.model.collision->damping = 100.0;
  const Motion damped = run(s, "dopri5", 1e-10);
  EXPECT_NEAR(velocity(damped.last(), 0).x() + 3.0 * velocity(damped.last(), 2).x(), -4.5, 1e-9);
  EXPECT_GT(damped.last().energy[dissipated], 0.1);
  EXPECT_LT(damped.summary.energy_drift, 1e-7);
}

// Two parallel rods that cables press together: the closest points do not chatter from end to end, and they come to
// rest where the press carries the pull.
TEST(Collide, ParallelRodsPressedTogetherComeToRest) {
  Scenario s = empty_scenario(3.0, 3.0);
  s.model.collision = Collision{PressKind::linear, 2e4, 50.0};
  add_node(s.model, {-0.5, 0, 0}), add_node(s.model, {0.5, 0, 0});
  add_node(s.model, {-0.5, 0, 0.05}), add_node(s.model, {0.5, 0, 0.051});
  add_bar(s.model, 0, 1, 1.0);
  add_bar(s.model, 2, 3, 1.0);
  add_cable(s.model, {0, 2}, linear_law(500.0, 5.0), 0.001);
  add_cable(s.model, {1, 3}, linear_law(500.0, 5.0), 0.001);
  for (const char* method : {"dopri5", "cvode"}) {
    const Motion motion = run(s, method, 1e-8);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << method << ": " << motion.summary.reason;
    EXPECT_LT(motion.last().energy[kinetic], 1e-6);  // of about 1 J; sway across the cables is hardly damped
    // Between the middles, k (2r - D) = 2 · 500 (D - 0.001).
    const double apart = (2e4 * 0.02 + 1.0) / (2e4 + 1e3);
    EXPECT_NEAR(position(motion.last(), 2).z() - position(motion.last(), 0).z(), apart, 1e-6) << method;
  }
}

}  // namespace
}  // namespace taut::testing
