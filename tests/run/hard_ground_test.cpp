// Motions on hard ground (law = "rigid") against closed forms and against each other: sliding, sticking, impacts,
// bounces, symmetric landings, redundant contacts, formulations, compliant ground that gets harder.
#include <gtest/gtest.h>

#include "taut/base/error.h"
#include "taut/model/check/check.h"
#include "taut/model/shape/ground_surface.h"
#include "taut/run/simulation.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

constexpr double earth = 9.81;

Scenario on_hard_ground(double friction, double duration, double output_step = 0.1, double step = 1e-3) {
  Scenario s = empty_scenario(duration, output_step);
  s.model.gravity = {0, 0, -earth};
  Ground& ground = s.model.ground.emplace();
  ground.law = PressKind::rigid;
  ground.friction = friction;
  s.simulation.integrator = "symplectic";
  s.simulation.step = step;
  return s;
}

// A uniform rod between two points.
void add_rod(Model& model, const Vec3& a, const Vec3& b, double mass, const Vec3& velocity = Vec3::Zero(),
             const Vec3& spin = Vec3::Zero()) {
  const Vec3 centre = 0.5 * (a + b);
  const int i = add_node(model, a, 0.0, {}, velocity + spin.cross(a - centre));
  add_bar(model, i, add_node(model, b, 0.0, {}, velocity + spin.cross(b - centre)), mass);
}

// A rod that lies on a slope rising along x, by `angle`.
Scenario lying(double angle, double friction, const Vec3& along, double speed, double duration,
               double output_step = 0.1) {
  Scenario s = on_hard_ground(friction, duration, output_step);
  s.model.ground->normal = {-std::sin(angle), 0.0, std::cos(angle)};
  const Vec3 uphill(std::cos(angle), 0.0, std::sin(angle)), dir = along.x() * uphill + along.y() * Vec3::UnitY();
  add_rod(s.model, -0.4 * dir, 0.4 * dir, 3.0, speed * uphill);
  return s;
}

TEST(HardGround, ARodSlidesAndStopsAtVSquaredOverTwoMuG) {
  const double v = 2.0, mu = 0.5, end = v / (mu * earth);
  for (const Vec3& along : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.6, 0.8, 0)}) {
    const Scenario s = lying(0.0, mu, along, v, 1.0, 0.01);
    const Motion motion = run(s);
    for (const Sample& row : motion.rows) {
      // While it slides the leapfrog is exact at the rows; in the step in which it stops it is off by its order.
      const double t = std::min(row.t, end), x = position(row, 0).x() - s.model.nodes[0].position.x();
      EXPECT_NEAR(x, v * t - 0.5 * mu * earth * t * t, row.t < end - 2e-3 ? 1e-12 : mu * earth * 1e-6);
      EXPECT_NEAR(position(row, 1).z(), 0.0, 1e-15);
    }
    EXPECT_LT(velocity(motion.last(), 0).norm(), 1e-17);
    EXPECT_NEAR(motion.last().energy[dissipated], 0.5 * 3.0 * v * v, 1e-4);
    EXPECT_LT(motion.summary.energy_drift, 1e-5);
    // The length of 0.8 m is known to 1e-16 m, and velocities along the rod to that over the step of 1 ms.
    EXPECT_LT(motion.summary.contact_residual, 1e-12);
    EXPECT_NEAR(motion.last().contact_forces[2] + motion.last().contact_forces[5], 3.0 * earth, 1e-10);
  }
}

TEST(HardGround, SticksBelowTheFrictionAngleWithoutCreepAndSlidesAbove) {
  for (const double degrees : {5.0, 20.0, 40.0}) {
    const double angle = degrees * M_PI / 180.0;
    for (const Vec3& along : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.6, -0.8, 0)}) {
      // 30 s at 1 ms in this test; what creeps at all does it in every step.
      const Scenario sticking = lying(angle, 1.001 * std::tan(angle), along, 0.0, 30.0, 1.0);
      const Motion held = run(sticking);
      // Where friction has 0.1 % to spare, rounding leaves less than 1e-13 m/s.
      EXPECT_LT(distance(held.rows.front(), held.last()), 30.0 * 1e-13) << degrees;
      const double mu = 0.999 * std::tan(angle), a = earth * (std::sin(angle) - mu * std::cos(angle));
      const Scenario sliding = lying(angle, mu, along, 0.0, 1.0);
      const Motion slid = run(sliding);
      for (const Sample& row : slid.rows)
        EXPECT_NEAR((position(row, 0) - sliding.model.nodes[0].position).norm(), 0.5 * a * row.t * row.t, 1e-11);
    }
  }
}

// Up a slope, to rest, and down again: v²/(2 g (sin + μ cos)) up, then with sin - μ cos.
TEST(HardGround, SlidesUpStopsAndComesDown) {
  const double angle = 0.6, mu = 0.3, v = 1.5, up = earth * (std::sin(angle) + mu * std::cos(angle)),
               down = earth * (std::sin(angle) - mu * std::cos(angle)), turn = v / up;
  const Scenario s = lying(angle, mu, {0, 1, 0}, v, 1.0);
  const Motion motion = run(s);
  for (const Sample& row : motion.rows) {
    const double t = row.t - turn;
    const double expected = 0.5 * v * v / up - 0.5 * (t < 0.0 ? up : down) * t * t;
    const Vec3 uphill(std::cos(angle), 0.0, std::sin(angle));
    // Off by half a step where it turns.
    EXPECT_NEAR((position(row, 0) - s.model.nodes[0].position).dot(uphill), expected,
                t < 0.0 ? 1e-12 : 1e-3 * up * t + 1e-5);
  }
}

// A rod falls on one end at the angle θ: P = m v/(1/1 + 3 cos²θ), v_c = -v + P/m, ω = P (L/2) cosθ/(m L²/12); first
// order in the step, since it turns while the impact takes two of them.
TEST(HardGround, ImpactOfARodConvergesToItsClosedForm) {
  const double v = 2.0, mass = 1.5, length = 0.8;
  for (const double angle : {0.2, 0.7, 1.2}) {
    const double cosine = std::cos(angle), impulse = mass * v / (1.0 + 3.0 * cosine * cosine),
                 centre = -v + impulse / mass, omega = 6.0 * impulse * cosine / (mass * length);
    double last = 0.0;
    for (const double step : {1e-3, 1e-4, 1e-5}) {
      Scenario s = on_hard_ground(0.0, 0.0123, 0.0123, step);
      s.model.gravity.setZero();
      const Vec3 foot(0, 0, 0.0201), dir(std::cos(angle), 0.0, std::sin(angle));
      add_rod(s.model, foot, foot + length * dir, mass, {0, 0, -v});
      const Sample row = run(s).last();
      const Vec3 va = velocity(row, 0), vb = velocity(row, 1), b = position(row, 1) - position(row, 0);
      const double turned = b.cross(vb - va).norm() / (length * length);
      const double error = std::abs(0.5 * (va.z() + vb.z()) - centre) / v + std::abs(turned - omega) * length / v;
      EXPECT_LT(error, 40.0 * step) << angle << " " << step;
      EXPECT_NEAR(row.energy[kinetic] + row.energy[dissipated], 0.5 * mass * v * v, 20.0 * step * mass * v * v);
      last = error;
    }
    EXPECT_LT(last, 1e-3);
  }
}

TEST(HardGround, BouncesToESquaredOfTheHeight) {
  for (const double e : {0.0, 0.5, 0.8, 1.0}) {
    Scenario s = on_hard_ground(0.5, 0.9, 1e-3, 1e-4);
    s.model.ground->restitution = e;
    add_node(s.model, {0, 0, 0.5}, 2.0);
    const Motion motion = run(s);
    const double impact = std::sqrt(2.0 * 0.5 / earth);
    double highest = 0.0;
    for (const Sample& row : motion.rows)
      if (row.t > impact + 1e-3) highest = std::max(highest, position(row, 0).z());
    EXPECT_NEAR(highest, 0.5 * e * e, 1e-3) << e;
    for (const Sample& row : motion.rows) EXPECT_GE(position(row, 0).z(), -1e-15);
    // At rest rows and half steps have the same energy; in flight they differ by m (g h/2)²/2.
    const double half_kick = 0.5 * earth * 1e-4;
    EXPECT_LT(motion.summary.energy_drift, 0.5 * half_kick * half_kick / (earth * 0.5)) << e;
  }
}

// Ends in rest: with e < 1 the bounces of a ball add up to a finite time.
TEST(HardGround, BouncesEnd) {
  Scenario s = on_hard_ground(0.5, 4.0, 0.5);
  s.model.ground->restitution = 0.6;
  add_node(s.model, {0, 0, 0.3}, 1.0, {}, {0.7, 0, 0});
  const Sample last = run(s).last();
  EXPECT_EQ(velocity(last, 0), Vec3::Zero());
  EXPECT_NEAR(position(last, 0).z(), 0.0, 1e-15);
}

// Rods of any place, motion, friction and restitution: the dissipation never runs back, the balance closes.
TEST(HardGround, EnergyNeverGrows) {
  Random random(5);
  for (int k = 0; k < 60; ++k) {
    Scenario s = on_hard_ground(random.between(0, 1.2), 1.0, 0.01);
    s.model.ground->restitution = k % 3 == 0 ? 0.0 : random.between(0, 1);
    if (k % 4 == 0) s.model.ground->normal = {random.between(-0.5, 0.5), random.between(-0.5, 0.5), 1.0};
    const Vec3 centre(0, 0, 1.2);
    const Vec3 half = 0.4 * random.vector().normalized();
    add_rod(s.model, centre - half, centre + half, 1.0, random.vector(1.0), random.vector(3.0));
    // Its spin about itself is none.
    const Motion motion = run(s);
    // Of second order in the step: 4e-7 at 0.1 ms.
    EXPECT_LT(motion.summary.energy_drift, 1e-4) << k;
    double before = 0.0;
    for (const Sample& row : motion.rows) {
      // Turning in the step of a bounce with e near 1 may give back up to the same order.
      EXPECT_GT(row.energy[dissipated], before - 3e-4) << k << " at " << row.t;
      before = row.energy[dissipated];
      for (int node : {0, 1}) EXPECT_GT(s.model.ground->normal.normalized().dot(position(row, node)), -1e-13);
    }
  }
}

// A six-bar lands and rolls: the same in every formulation that leaps.
TEST(HardGround, FormulationsAgree) {
  Scenario s = generated("six_bar", {{"stiffness", 500.0}, {"pretension", 20.0}, {"damping", 20.0}, {"spin_x", 0.4}});
  s.model.gravity = {0, 0, -earth};
  Ground& ground = s.model.ground.emplace();
  ground.law = PressKind::rigid, ground.height = -0.6, ground.friction = 0.6;
  s.simulation.duration = 0.6, s.simulation.output_step = 0.05;
  s.simulation.integrator = "auto", s.simulation.step = 1e-3;
  s.simulation.formulation = "nodal";
  const Motion nodal = run(s);
  EXPECT_EQ(nodal.summary.integrator, "symplectic");
  EXPECT_GT(nodal.last().energy[dissipated], 0.1);
  for (const char* other : {"minimal", "quaternion"}) {
    s.simulation.formulation = other;
    EXPECT_LT(distance(run(s).last(), nodal.last()), 1e-9) << other;
  }
}

// The order of nodes and bars does not matter.
TEST(HardGround, OrderOfNodesDoesNotMatter) {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    Scenario s = on_hard_ground(0.4, 0.8, 0.1), t = s;
    const Vec3 half = 0.4 * Vec3(random.between(-1, 1), random.between(-1, 1), k % 2 ? 0.0 : 0.2).normalized();
    const Vec3 centre(0, 0, 0.3), v = random.vector(1.0), spin = random.vector(2.0);
    add_rod(s.model, centre - half, centre + half, 1.0, v, spin);
    add_rod(t.model, centre + half, centre - half, 1.0, v, spin);
    const Sample one = run(s).last(), other = run(t).last();
    EXPECT_NEAR((position(one, 0) - position(other, 1)).norm(), 0.0, 1e-9) << k;
  }
}

// A plate of four nodes that bars hold rigidly (class k) and a rigid body land flat on all corners at once: redundant
// contacts, and nothing tips.
TEST(HardGround, SymmetricLandingsOnRedundantContacts) {
  Scenario s = on_hard_ground(0.5, 1.0, 0.1);
  for (const auto& [x, y] : {std::pair{-0.5, -0.4}, {0.5, -0.4}, {0.5, 0.4}, {-0.5, 0.4}})
    add_node(s.model, {x, y, 0.2}, 0.2, {}, {1.0, 0.0, 0.0});
  const int top = add_node(s.model, {0, 0, 0.5}, 0.3, {}, {1.0, 0.0, 0.0});
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}}) add_bar(s.model, a, b, 0.4);
  for (int k = 0; k < 4; ++k) add_bar(s.model, k, top, 0.4);
  const Motion motion = run(s);
  // Flat and straight on, stopped by μ m v of the impact and μ m g afterwards.
  const double impact = std::sqrt(2.0 * 0.2 / earth), left = std::max(0.0, 1.0 - 0.5 * std::sqrt(2.0 * 0.2 * earth)),
               slid = impact + left * left / (2.0 * 0.5 * earth);
  for (const Sample& row : motion.rows)
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(position(row, k).z(), position(row, 0).z(), 1e-9) << row.t;
  EXPECT_NEAR(position(motion.last(), 0).z(), 0.0, 1e-10);
  EXPECT_NEAR(position(motion.last(), 0).x() + 0.5, slid, 2e-3);
  EXPECT_LT(velocity(motion.last(), 2).norm(), 1e-10);
  EXPECT_LT(motion.summary.contact_residual, 1e-9);
  EXPECT_LT(motion.summary.energy_drift, 1e-3);
}

// A prism on three nodes and a six-bar on a face stand as long as one likes: no node on the ground moves at all.
TEST(HardGround, StructuresStandStill) {
  Scenario s = generated("prism", {{"damping", 200.0}});
  double lowest = 1e9;
  for (Node& node : s.model.nodes) node.fixed = {}, lowest = std::min(lowest, node.position.z());
  s.model.gravity = {0, 0, -earth};
  Ground& ground = s.model.ground.emplace();
  ground.law = PressKind::rigid, ground.height = lowest, ground.friction = 0.6;
  s.simulation.integrator = "symplectic", s.simulation.step = 1e-3;
  s.simulation.duration = 50.0, s.simulation.output_step = 1.0;
  const Motion motion = run(s);
  int feet = 0;
  for (int k = 0; k < static_cast<int>(s.model.nodes.size()); ++k) {
    if (s.model.nodes[k].position.z() > lowest + 1e-9) continue;
    ++feet;
    EXPECT_LT((position(motion.last(), k) - position(motion.rows.front(), k)).norm(), 1e-12);
  }
  EXPECT_EQ(feet, 3);
  double carried = 0.0;
  for (std::size_t k = 2; k < motion.last().contact_forces.size(); k += 3) carried += motion.last().contact_forces[k];
  EXPECT_NEAR(carried, total_mass(s.model) * earth, 1e-3 * carried);
}

// Bars that share nodes go through the saddle system: a rod whose nodes a constraint couples moves as the same rod alone
// does, along the only plane that it knows.
TEST(HardGround, CoupledRodsMoveAsLoneOnes) {
  for (const double e : {0.0, 0.7}) {
    Scenario alone = on_hard_ground(0.4, 0.7, 0.05);
    alone.model.ground->restitution = e;
    add_rod(alone.model, {-0.3, 0, 0.1}, {0.4, 0, 0.5}, 1.2, {0.8, 0, 0}, {0, 2.0, 0});
    Scenario coupled = alone;
    Constraint flat;
    flat.terms = {{0, 1.0}, {1, 1.0}};
    flat.axes = {false, true, false};
    coupled.model.constraints.push_back(flat);
    const Motion one = run(alone), other = run(coupled);
    EXPECT_LT(distance(one.last(), other.last()), 1e-9) << e;
    EXPECT_NEAR(one.last().energy[dissipated], other.last().energy[dissipated], 1e-9);
  }
}

// Compliant ground that gets harder, damped so that nothing bounces, converges to hard ground: at the end the robot lies
// deeper by what k leaves. Where friction acts the motion is in a plane, since an impulse knows one direction of sliding,
// and an impact in space may turn it.
TEST(HardGround, IsTheLimitOfCompliantGround) {
  for (const double friction : {0.0, 0.5}) {
    const double aside = friction > 0.0 ? 0.0 : 0.1;
    Scenario hard = on_hard_ground(friction, 0.45, 0.45, 1e-6);
    add_rod(hard.model, {-0.3, 0, 0.05}, {0.4, aside, 0.35}, 1.0, {0.5, 2.0 * aside, 0});
    const Sample limit = run(hard).last();
    for (const double k : {1e4, 1e6, 1e8}) {
      Scenario soft = hard;
      Ground& ground = *soft.model.ground;
      ground.law = PressKind::linear;
      ground.stiffness = k, ground.damping = 2.0 * std::sqrt(k) * std::pow(k / 1e4, 0.25);
      ground.slip_speed = 1e-2 / std::sqrt(k), ground.beta = 0.0;
      EXPECT_LT(distance(run(soft, "cvode", 1e-8).last(), limit), 0.6 * earth / k + 2e-7) << friction << " " << k;
    }
  }
}

// A field of heights that is a slope is that slope; on a hill a bar touches with its middle, and never goes in.
TEST(HardGround, HeightFields) {
  Scenario plane = on_hard_ground(0.3, 0.6, 0.1), field = plane;
  const auto heights = [](double slope, double bump) {
    HeightGrid grid{-3.0, -3.0, 0.5, 0.5, 13, 13, {}};
    for (int row = 0; row < 13; ++row)
      for (int column = 0; column < 13; ++column) {
        const double x = -3.0 + 0.5 * column, y = -3.0 + 0.5 * row;
        grid.heights.push_back(slope * x + bump * std::exp(-(x * x + y * y)));
      }
    return grid;
  };
  plane.model.ground->normal = {-0.2, 0.0, 1.0};
  field.model.ground->heights = heights(0.2, 0.0);
  for (Scenario* s : {&plane, &field}) add_rod(s->model, {-0.3, 0, 0.3}, {0.4, 0.2, 0.5}, 1.0, {0.5, 0.3, 0});
  EXPECT_LT(distance(run(plane).last(), run(field).last()), 1e-9);

  Scenario hill = on_hard_ground(0.8, 2.0, 0.02);
  hill.model.ground->heights = heights(0.0, 0.6);
  add_rod(hill.model, {-1.0, 0.02, 0.8}, {1.0, 0.0, 0.8}, 1.0);
  const Motion motion = run(hill);
  const GroundSurface surface(*hill.model.ground);
  for (const Sample& row : motion.rows)
    for (int k = 0; k <= 20; ++k) {
      const Vec3 at = (1 - k / 20.0) * position(row, 0) + k / 20.0 * position(row, 1);
      EXPECT_LT(surface.depth(at.data()), 5e-3) << row.t;
    }
  EXPECT_GT(0.5 * (position(motion.last(), 0) + position(motion.last(), 1)).z(), 0.4) << "it lies on the hill";
  EXPECT_LT(motion.summary.energy_drift, 0.02);
}

// An elastic bar without stiffness over a hill: its nodes move as if it were not there.
TEST(HardGround, ElasticBarsTouchHeightFieldsByTheirNodes) {
  Scenario s = on_hard_ground(0.5, 0.6, 0.1);
  HeightGrid& grid = s.model.ground->heights;
  grid = {-3.0, -3.0, 0.5, 0.5, 13, 13, {}};
  for (int k = 0; k < 169; ++k) {
    const double x = -3.0 + 0.5 * (k % 13), y = -3.0 + 0.5 * (k / 13);
    grid.heights.push_back(0.6 * std::exp(-(x * x + y * y)));
  }
  const int a = add_node(s.model, {-1.0, 0.1, 0.62}, 1.0), b = add_node(s.model, {1.0, -0.1, 0.62}, 1.0);
  const Sample apart = run(s).last();
  taut::add_bar(s.model, a, b, {.EA = 1e-9});
  EXPECT_LT(distance(run(s).last(), apart), 1e-8);
}

// Rows are states to go on from, to the last bit; snapshots too.
TEST(HardGround, GoesOnExactly) {
  Scenario s = on_hard_ground(0.5, 1.0, 0.1);
  add_rod(s.model, {-0.3, 0, 0.2}, {0.4, 0.1, 0.3}, 1.0, {1.0, 0.2, 0});
  Simulation one(s), other(s);
  one.advance(0.35);
  const Snapshot here = one.snapshot();
  one.advance(0.3);
  other.advance(0.1);
  other.restore(here);
  other.advance(0.3);
  EXPECT_EQ(one.nodes(), other.nodes());
  EXPECT_EQ(one.velocities(), other.velocities());
}

TEST(HardGround, RefusesWhatItCannot) {
  Scenario s = on_hard_ground(0.5, 1.0);
  add_rod(s.model, {-0.3, 0, 0.2}, {0.4, 0.1, 0.3}, 1.0);
  for (const char* integrator : {"dopri5", "rk4", "euler", "cvode"}) {
    try {
      run(s, integrator, 1e-3);
      FAIL() << integrator;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("expected symplectic"), std::string::npos) << error.what();
    }
  }
  s.model.ground->restitution = 1.5;
  EXPECT_THROW(validate(s.model), InputError);
  s.model.ground->restitution = 0.5;
  EXPECT_NO_THROW(validate(s.model));
  s.model.ground->law = PressKind::linear;
  EXPECT_THROW(validate(s.model), InputError);
  // Inside by more than rounding.
  s.model.ground->law = PressKind::rigid, s.model.ground->height = 0.2001;
  EXPECT_THROW(validate(s.model), InputError);
}

}  // namespace
}  // namespace taut::testing
