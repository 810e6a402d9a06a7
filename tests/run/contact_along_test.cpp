// Motions with contact along bars, on the shapes of bodies, and with friction between bars, against closed forms.
#include <gtest/gtest.h>

#include "taut/file/read/read_toml.h"
#include "taut/model/shape/ground_points.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

constexpr double g = 9.81;
const std::vector<std::string> formulations = {"nodal", "minimal", "quaternion", "point_mass", "multibody"};

// A ridge of 0.5 m along y, smooth over a grid of 0.25 m.
Ground ridge() {
  Ground ground;
  ground.damping = 1e3;
  ground.heights = {-2.0, -2.0, 0.25, 2.0, 17, 3, {}};
  for (int i = 0; i < 3 * 17; ++i) ground.heights.heights.push_back(0.5 * std::exp(-std::pow((i % 17 - 8) * 0.5, 2)));
  return ground;
}

// A bar of 2 m and 2 kg that falls flat on it.
Scenario bar_over_ridge(double height, double duration) {
  Scenario s = empty_scenario(duration, 0.05);
  s.model.gravity = {0, 0, -g};
  s.model.ground = ridge();
  add_node(s.model, {-1, 0, height}), add_node(s.model, {1, 0, height});
  add_bar(s.model, 0, 1, 2.0);
  return s;
}

// All the mass of every bar at its ends, half and half: the one bar that formulation point_mass knows.
void as_point_masses(Model& model) {
  for (Bar& bar : model.bars) {
    bar.rest_length = start_length(model, bar);
    bar.inertia = 0.25 * bar.mass * bar.rest_length * bar.rest_length;
  }
}

TEST(AlongABar, ABarDroppedOverARidgeRestsOnIt) {
  for (const std::string& formulation : formulations) {
    Scenario s = bar_over_ridge(0.6, 2.0);
    s.simulation.formulation = formulation;
    const Motion motion = run(s);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << formulation << motion.summary.reason;
    EXPECT_LT(motion.summary.energy_drift, 1e-3) << formulation;
    const Sample& last = motion.last();
    const Vec3 ends[] = {position(last, 0), position(last, 1)};
    // On the point in its middle: m g/k deep; the next ones are a millimetre higher above the ground.
    const double sunk = 2.0 * g / s.model.ground->stiffness;
    EXPECT_NEAR(0.5 * (ends[0] + ends[1]).z(), 0.5 - sunk, 1e-6) << formulation;
    EXPECT_LT(std::abs(ends[0].z() - ends[1].z()), 1e-6) << formulation;
    EXPECT_NEAR(last.contact_forces[2] + last.contact_forces[5], 2.0 * g, 1e-4) << formulation;
    EXPECT_NEAR(last.energy[contact], 0.5 * sunk * 2.0 * g, 1e-5) << formulation;
    EXPECT_LT(last.energy[kinetic], 1e-8) << formulation;
  }
}

// Not in the middle: it slips down, and the same in every formulation and integrator.
TEST(AlongABar, FormulationsAndIntegratorsAgreeAboutASlidingBar) {
  Scenario s = bar_over_ridge(0.52, 0.5);
  s.model.ground->friction = 0.2, s.model.ground->slip_speed = 2e-2, s.model.ground->damping = 200.0;
  for (Node& node : s.model.nodes) node.position += Vec3(0.15, 0.1, 0.0);
  s.model.nodes[1].position.y() += 0.3;
  as_point_masses(s.model);
  const Motion reference = run(s, "dopri5", 1e-11);
  ASSERT_EQ(reference.summary.status, RunStatus::done) << reference.summary.reason;
  EXPECT_LT(reference.summary.energy_drift, 1e-6);
  EXPECT_GT(reference.last().energy[dissipated], 0.1);
  EXPECT_GT(std::abs(position(reference.last(), 0).z() - position(reference.last(), 1).z()), 0.1);
  for (const std::string& formulation : formulations) {
    Scenario other = s;
    other.simulation.formulation = formulation;
    for (const auto& [method, accuracy, error] : {std::tuple{"dopri5", 1e-11, 1e-6}, {"cvode", 1e-10, 1e-4}}) {
      const Motion motion = run(other, method, accuracy);
      ASSERT_EQ(motion.summary.status, RunStatus::done) << formulation << method << motion.summary.reason;
      EXPECT_LT(distance(motion.last(), reference.last()), error) << formulation << method;
    }
  }
  EXPECT_LT(distance(run(s, "rk4", 2e-5).last(), reference.last()), 1e-4);
  EXPECT_LT(distance(run(s, "symplectic", 2e-5).last(), reference.last()), 1e-3);
}

TEST(AlongABar, AnElasticBarRestsOnTheRidgeAsWell) {
  Scenario s = bar_over_ridge(0.5, 1.0);
  s.model.bars[0].elastic = true;
  s.model.bars[0].EA = 1e5;
  s.model.bars[0].rest_length = 2.0;
  const Motion motion = run(s);
  EXPECT_LT(motion.summary.energy_drift, 1e-3);
  EXPECT_NEAR(motion.last().contact_forces[2] + motion.last().contact_forces[5], 2.0 * g, 1e-3);
  EXPECT_NEAR(position(motion.last(), 0).z(), 0.5 - 2.0 * g / s.model.ground->stiffness, 1e-5);
}

TEST(AlongABar, WithoutContactOfItsNodesItFallsThrough) {
  Scenario s = bar_over_ridge(0.6, 0.5);
  for (Node& node : s.model.nodes) node.contact = false;
  EXPECT_NEAR(position(run(s).last(), 0).z(), 0.6 - 0.5 * g * 0.25, 1e-6);
}

// Along the ridge's crest a bar slides as on a plane: a straight crest has no bumps.
TEST(AlongABar, ABumpIsNoHigherThanAThousandthOfACell) {
  // Across a ridge, held flat: what the points feel as it slides by half a spacing.
  const Scenario s = bar_over_ridge(0.5, 1.0);
  const GroundSurface surface(*s.model.ground);
  double low = 1e9, high = -1e9;
  for (int i = 0; i < 200; ++i) {
    double depth = -1e9;
    Model moved = s.model;
    for (Node& node : moved.nodes) node.position.x() += i * 1e-3;
    each_ground_point(moved, surface, [&](EntityKind, int, const Vec3& at, double) {
      depth = std::max(depth, surface.depth(at.data()));
    });
    low = std::min(low, depth), high = std::max(high, depth);
  }
  EXPECT_LT(high - low, 1e-3 * 0.25);
  EXPECT_GT(high - low, 1e-6);
}

Scenario body_scenario(const std::string& shape, const std::string& more, double duration) {
  return read_scenario_text(
      "[environment]\nground = { stiffness = 1e5, damping = 1e3 }\n[nodes]\ne = [0, 0, 0.5]\n"
      "[[bodies]]\nname = \"b\"\nnodes = [\"e\"]\nmass = 2.0\n" +
          shape + "\n[simulation]\nduration = " + std::to_string(duration) + "\noutput_step = 0.05\n" + more,
      "m.toml", {});
}

// Every body falls 10 cm on its shape and rests there: so deep as its points share the weight.
TEST(Bodies, RestOnTheirShapes) {
  struct Case {
    const char* shape;
    double height;  // of the centre above its lowest point
    int points;     // that carry it
  };
  for (const Case& c :
       {Case{"shape = \"box\"\nsize = [0.4, 0.3, 0.2]", 0.1, 4}, Case{"shape = \"sphere\"\nradius = 0.1", 0.1, 1},
        Case{"shape = \"cylinder\"\nradius = 0.1\nlength = 0.4\naxis = [1, 0, 0]", 0.1, 2},
        Case{"shape = \"cylinder\"\nradius = 0.1\nlength = 0.2\naxis = [0, 0, 1]", 0.1, 1},
        Case{"shape = \"tube\"\nradius = 0.1\ninner_radius = 0.05\nlength = 0.3\naxis = [0, 1, 0]", 0.1, 2}})
    for (const char* formulation : {"nodal", "multibody"}) {
      Scenario s = body_scenario(c.shape, "", 1.0);
      s.model.ground->height = 0.5 - c.height - 0.1;
      s.simulation.formulation = formulation;
      const Motion motion = run(s);
      ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
      EXPECT_LT(motion.summary.energy_drift, 1e-3) << c.shape;
      EXPECT_NEAR(position(motion.last(), 0).z(), 0.4 - 2.0 * g / (1e5 * c.points), 2e-6) << c.shape << formulation;
      double carried = 0.0;
      for (std::size_t i = 2; i < motion.last().contact_forces.size(); i += 3)
        carried += motion.last().contact_forces[i];
      EXPECT_NEAR(carried, 2.0 * g, 2e-3) << c.shape;
    }
}

// A ball that slides begins to roll: 5/7 of its speed, whatever the friction.
TEST(Bodies, ASlidingBallRollsAtFiveSeventhsOfItsSpeed) {
  for (const char* formulation : {"nodal", "multibody"}) {
    Scenario s = body_scenario("shape = \"sphere\"\nradius = 0.1\nvelocity = [1, 0, 0]", "", 0.5);
    s.model.ground->height = 0.4 + 2.0 * g / 1e5;
    s.model.ground->friction = 0.3;
    s.simulation.formulation = formulation;
    const Motion motion = run(s);
    EXPECT_NEAR(velocity(motion.last(), 0).x(), 5.0 / 7.0, 2e-3) << formulation;
    EXPECT_LT(motion.summary.energy_drift, 1e-4);
  }
}

// A cylinder rolls down a slope at 2/3 g sin θ.
TEST(Bodies, ACylinderRollsDownASlope) {
  const double angle = 0.2;
  Scenario s = body_scenario("shape = \"cylinder\"\nradius = 0.1\nlength = 0.4\naxis = [0, 1, 0]", "", 0.6);
  Ground& ground = *s.model.ground;
  ground.normal = {-std::sin(angle), 0.0, std::cos(angle)};
  // Its centre is at (0, 0, 0.5): r - sunk above the plane.
  ground.height = 0.5 - (0.1 - 2.0 * g * std::cos(angle) / 2e5) / std::cos(angle);
  const Motion motion = run(s);
  const double a = 2.0 / 3.0 * g * std::sin(angle), way = 0.5 * a * 0.36;
  EXPECT_NEAR((position(motion.last(), 0) - Vec3(0, 0, 0.5)).norm(), way, 3e-3 * way);
  EXPECT_LT(motion.summary.energy_drift, 1e-4);
}

// A rod that slides on two held rods, pressed by its weight: it stops after v²/(2μg), or sticks on a slope.
Scenario on_rails(double mu, const Vec3& speed, double angle, double duration) {
  Scenario s = empty_scenario(duration, duration / 10.0);
  Model& m = s.model;
  m.gravity = g * Vec3(std::sin(angle), 0.0, -std::cos(angle));
  m.collision.emplace();
  m.collision->damping = 200.0;
  m.collision->friction = mu;
  for (const double y : {-0.4, 0.4}) {
    add_node(m, {-2, y, 0}, 0.0, all_fixed), add_node(m, {2, y, 0}, 0.0, all_fixed);
    add_bar(m, static_cast<int>(m.nodes.size()) - 2, static_cast<int>(m.nodes.size()) - 1, 1.0);
  }
  const double z = 0.02 - 0.5 * 3.0 * g * std::cos(angle) / m.collision->stiffness;
  add_node(m, {0, -0.5, z}, 0.0, {}, speed), add_node(m, {0, 0.5, z}, 0.0, {}, speed);
  add_bar(m, 4, 5, 3.0);
  return s;
}

TEST(Rub, ARodOnRailsStopsAtVSquaredOverTwoMuG) {
  const double v = 1.5, mu = 0.4, stop = v * v / (2.0 * mu * g);
  const Motion motion = run(on_rails(mu, {v, 0, 0}, 0.0, 0.6));
  EXPECT_NEAR(position(motion.last(), 4).x(), stop, 2e-3 * stop);
  EXPECT_LT(velocity(motion.last(), 4).norm(), 1e-4);
  EXPECT_LT(motion.summary.energy_drift, 1e-4);
  EXPECT_NEAR(motion.last().energy[dissipated], 0.5 * 3.0 * v * v, 2e-3 * 3.4);
  // Along its own axis as well.
  const Motion along = run(on_rails(mu, {0, 0.1, 0}, 0.0, 0.1));
  EXPECT_NEAR(position(along.last(), 4).y() + 0.5, 0.01 / (2.0 * mu * g), 3e-5);
}

TEST(Rub, SticksBelowTheFrictionAngleAndSlidesAbove) {
  const double angle = 0.3, T = 0.5;
  const Motion sticks = run(on_rails(1.02 * std::tan(angle), Vec3::Zero(), angle, T));
  EXPECT_LT(std::abs(position(sticks.last(), 4).x()), 1e-3 * T);
  const double mu = 0.8 * std::tan(angle), a = g * (std::sin(angle) - mu * std::cos(angle));
  const Motion slides = run(on_rails(mu, Vec3::Zero(), angle, T));
  EXPECT_NEAR(position(slides.last(), 4).x(), 0.5 * a * T * T, 4e-3 * 0.5 * a * T * T + 1e-3 * T);
}

// Free rods that strike each other obliquely: both momenta to rounding, in every formulation.
TEST(Rub, FreeRodsKeepBothMomenta) {
  for (const std::string& formulation : formulations) {
    Scenario s = empty_scenario(0.3, 0.01);
    Model& m = s.model;
    m.collision = Collision{PressKind::linear, 2e4, 20.0};
    m.collision->friction = 0.5, m.collision->slip_speed = 1e-2;
    const Vec3 v(0.6, 0.8, -1.0);
    add_node(m, {-0.5, 0, 0}), add_node(m, {0.5, 0, 0});
    add_node(m, {0.2, -0.5, 0.1}, 0.0, {}, v), add_node(m, {0.1, 0.5, 0.12}, 0.0, {}, v);
    add_bar(m, 0, 1, 1.0), add_bar(m, 2, 3, 2.0);
    as_point_masses(m);
    s.simulation.formulation = formulation;
    const Motion motion = run(s, "dopri5", 1e-10);
    ASSERT_EQ(motion.summary.status, RunStatus::done) << motion.summary.reason;
    const Momentum first = momentum(m, motion.rows.front()), last = momentum(m, motion.last());
    EXPECT_LT((last.linear - first.linear).norm(), 1e-9) << formulation;
    EXPECT_LT((last.angular - first.angular).norm(), 1e-8) << formulation;
    EXPECT_LT(motion.summary.energy_drift, 1e-6) << formulation;
    EXPECT_GT(velocity(motion.last(), 0).head<2>().norm(), 0.05) << "nothing rubbed";
  }
}

}  // namespace
}  // namespace taut::testing
