// The ground: surfaces of every kind, force as minus the gradient of the energy, a height field that is a plane.
#include <gtest/gtest.h>

#include "taut/forces/contact_tangent.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using Eigen::Matrix3d;

HeightGrid grid_of(int columns, int rows, double dx, double dy, const std::function<double(double, double)>& h) {
  HeightGrid grid{-1.0, -2.0, dx, dy, columns, rows, {}};
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) grid.heights.push_back(h(grid.x0 + c * dx, grid.y0 + r * dy));
  return grid;
}

Ground hilly() {
  Ground ground;
  ground.heights = grid_of(9, 11, 0.3, 0.4,
                           [](double x, double y) { return 0.2 * std::sin(2.0 * x) + 0.1 * std::cos(3.0 * y + x); });
  ground.height = 0.05;
  return ground;
}

TEST(GroundSurface, PlaneIsTheDistanceToIt) {
  Ground ground;
  ground.normal = {1.0, -2.0, 4.0};
  ground.height = 0.3;
  const GroundSurface surface(ground);
  const Vec3 n = ground.normal.normalized(), x(0.2, 0.5, -1.0);
  EXPECT_NEAR(surface.depth(x.data()), n.dot(Vec3(0, 0, 0.3) - x), 1e-15);
  EXPECT_NEAR(surface.height(0.0, 0.0), 0.3, 1e-15);
  const Vec3 foot(1.0, 2.0, surface.height(1.0, 2.0));
  EXPECT_NEAR(surface.depth(foot.data()), 0.0, 1e-15);
  ground.radius = 0.1;
  EXPECT_NEAR(GroundSurface(ground).depth(foot.data()), 0.1, 1e-15);
}

TEST(GroundSurface, SplineMeetsEveryHeightAndIsTwiceSmooth) {
  const Ground ground = hilly();
  const HeightGrid& grid = ground.heights;
  const GroundSurface surface(ground);
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.columns; ++c)
      EXPECT_NEAR(surface.height(grid.x0 + c * grid.dx, grid.y0 + r * grid.dy),
                  0.05 + grid.heights[r * grid.columns + c], 1e-13);
  // Value, slope and curvature from both sides of the lines of the grid and of its edges.
  const double h = 1e-4;
  for (double x : {-1.0, -0.7, 0.2, 1.4}) {
    const double y = 0.33;
    const auto at = [&](double u) { return surface.height(u, y); };
    const double left = (at(x) - 2.0 * at(x - h) + at(x - 2.0 * h)) / (h * h),
                 right = (at(x) - 2.0 * at(x + h) + at(x + 2.0 * h)) / (h * h);
    EXPECT_NEAR(left, right, 0.02) << "at " << x;  // third derivative times 2h, and rounding
    EXPECT_NEAR((at(x) - at(x - h)) / h, (at(x + h) - at(x)) / h, 2.0 * h);
  }
  // Beyond the grid it goes on straight.
  const double edge = 1.4, step = 0.7;
  EXPECT_NEAR(surface.height(edge + 2.0 * step, 0.1) - surface.height(edge + step, 0.1),
              surface.height(edge + step, 0.1) - surface.height(edge, 0.1), 1e-13);
}

TEST(GroundSurface, DerivativesOfTheDepth) {
  const GroundSurface surface(hilly());
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    Vec3 x(random.between(-1.5, 1.9), random.between(-2.5, 2.5), 0.0);
    x.z() = surface.height(x.x(), x.y()) + random.between(-0.05, 0.05);
    const auto [d, gradient] = surface.depth_and_gradient(x.data());
    EXPECT_NEAR(d, surface.depth(x.data()), 1e-15);
    for (int axis = 0; axis < 3; ++axis) {
      const double h = 1e-6;
      Vec3 above = x, below = x;
      above[axis] += h, below[axis] -= h;
      EXPECT_NEAR(gradient[axis], (surface.depth(above.data()) - surface.depth(below.data())) / (2.0 * h), 1e-8);
    }
  }
  // On the surface itself the gradient has length 1, and the curvature is exact.
  for (int i = 0; i < 50; ++i) {
    Vec3 x(random.between(-0.9, 1.3), random.between(-1.9, 1.9), 0.0);
    x.z() = surface.height(x.x(), x.y());
    EXPECT_NEAR(surface.depth_and_gradient(x.data()).gradient.norm(), 1.0, 1e-12);
    const Matrix3d bend = surface.curvature(x.data());
    for (int axis = 0; axis < 3; ++axis) {
      const double h = 1e-6;
      Vec3 above = x, below = x;
      above[axis] += h, below[axis] -= h;
      const Vec3 column =
          (surface.depth_and_gradient(above.data()).gradient - surface.depth_and_gradient(below.data()).gradient) /
          (2.0 * h);
      EXPECT_NEAR((bend.col(axis) - column).norm(), 0.0, 2e-5);
    }
  }
}

// One node on a ground; the force and its derivatives as the formulations see them.
struct Foot {
  Model model;
  Foot(const Ground& ground, double friction) {
    model.ground = ground;
    model.ground->friction = friction;
    add_node(model, {0, 0, 0}, 1.0);
  }
  Vec3 force(const Vec3& x, const Vec3& v, double* power = nullptr) const {
    const Contact contact(model);
    ContactTerms terms = contact.make_terms();
    AlignedDoubles at = {x[0], x[1], x[2], 0.0}, rate = {v[0], v[1], v[2], 0.0}, f(4, 0.0);
    contact.apply(at.data(), rate.data(), f.data(), terms);
    if (power) *power = terms.dissipated_power;
    return {f[0], f[1], f[2]};
  }
};

std::vector<Ground> grounds() {
  Ground sloped;
  sloped.normal = {0.3, -0.2, 1.0};
  sloped.viscous = 20.0;
  Ground smooth = sloped;
  smooth.law = PressKind::smooth;
  smooth.beta = 1e-2;
  Ground hunt = sloped;
  hunt.law = PressKind::hunt_crossley;
  hunt.stiffness = 1e6, hunt.damping = 0.5, hunt.radius = 0.1;
  Ground hills = hilly();
  hills.viscous = 5.0;
  return {sloped, smooth, hunt, hills};
}

TEST(GroundContact, ElasticForceIsMinusTheGradientOfTheEnergy) {
  for (Ground ground : grounds()) {
    ground.damping = ground.viscous = 0.0;
    const Foot foot(ground, 0.0);
    const GroundContact contact(foot.model);
    const GroundSurface surface(ground);
    Random random(11);
    for (int i = 0; i < 50; ++i) {
      Vec3 x(random.between(-0.9, 1.3), random.between(-1.5, 1.5), 0.0);
      x.z() = surface.height(x.x(), x.y()) + ground.radius - random.between(1e-3, 3e-2);
      const Vec3 f = foot.force(x, random.vector(1.0));
      for (int axis = 0; axis < 3; ++axis) {
        const double h = 1e-7;
        AlignedDoubles above = {x[0], x[1], x[2], 0.0}, below = above;
        above[axis] += h, below[axis] -= h;
        EXPECT_NEAR(f[axis], -(contact.energy(above.data()) - contact.energy(below.data())) / (2.0 * h),
                    1e-5 * (1.0 + f.norm()));
      }
    }
  }
}

TEST(GroundContact, PowerBalancesAndNeverPulls) {
  for (const Ground& ground : grounds()) {
    const Foot foot(ground, 0.7);
    const GroundContact contact(foot.model);
    const GroundSurface surface(ground);
    Random random(12);
    for (int i = 0; i < 200; ++i) {
      Vec3 x(random.between(-0.9, 1.3), random.between(-1.5, 1.5), 0.0);
      x.z() = surface.height(x.x(), x.y()) + ground.radius - random.between(-1e-2, 2e-2);
      const Vec3 v = random.vector(1.0);
      double dissipated = 0.0;
      const Vec3 f = foot.force(x, v, &dissipated);
      const auto [d, g] = surface.depth_and_gradient(x.data());
      EXPECT_LE(f.dot(g), 1e-12) << "pulled into the ground";
      EXPECT_GE(dissipated, 0.0);
      // f·v + dU/dt + dissipated = 0.
      const double h = 1e-8;
      AlignedDoubles after = {x[0] + h * v[0], x[1] + h * v[1], x[2] + h * v[2], 0.0},
                     before = {x[0] - h * v[0], x[1] - h * v[1], x[2] - h * v[2], 0.0};
      const double stored = (contact.energy(after.data()) - contact.energy(before.data())) / (2.0 * h);
      EXPECT_NEAR(f.dot(v) + stored + dissipated, 0.0, 1e-4 * (1.0 + std::abs(f.dot(v))));
    }
  }
}

TEST(GroundContact, DerivativesAgainstDifferences) {
  for (const Ground& ground : grounds()) {
    const bool flat = ground.heights.heights.empty();
    const Foot foot(ground, 0.7);
    const GroundContact contact(foot.model);
    const GroundSurface surface(ground);
    Random random(13);
    for (int i = 0; i < 60; ++i) {
      Vec3 x(random.between(-0.9, 1.3), random.between(-1.5, 1.5), 0.0);
      // Hills: near the surface, where what the derivative leaves out is small.
      x.z() = surface.height(x.x(), x.y()) + ground.radius - (flat ? random.between(2e-3, 2e-2) : 3e-4);
      const Vec3 v = random.vector(i % 2 == 0 ? 1e-4 : 0.2);  // sticking, sliding
      Matrix3d by_position, by_velocity;
      ASSERT_TRUE(contact.derivatives(x.data(), v.data(), by_position, by_velocity));
      if (foot.force(x, v).norm() < 1.0) continue;  // next to where it is clipped
      for (int axis = 0; axis < 3; ++axis) {
        const double h = 1e-8;
        Vec3 step = Vec3::Zero();
        step[axis] = h;
        const Vec3 in_x = (foot.force(x + step, v) - foot.force(x - step, v)) / (2.0 * h);
        const Vec3 in_v = (foot.force(x, v + step) - foot.force(x, v - step)) / (2.0 * h);
        EXPECT_LT((in_x - by_position.col(axis)).norm(), (flat ? 2e-6 : 2e-3) * (1.0 + by_position.norm()));
        EXPECT_LT((in_v - by_velocity.col(axis)).norm(), 2e-6 * (1.0 + by_velocity.norm()));
      }
    }
  }
}

// A height field that lies in a plane gives the plane's forces, inside the grid and far beyond it.
TEST(GroundContact, FlatAndSlopedHeightFieldsArePlanes) {
  for (const Vec3& normal : {Vec3(0, 0, 1), Vec3(0.4, -0.3, 1.0)}) {
    Ground plane, field;
    plane.normal = normal;
    plane.height = field.height = 0.2;
    plane.viscous = field.viscous = 3.0;
    field.heights =
        grid_of(4, 5, 0.5, 0.25, [&](double x, double y) { return -(normal.x() * x + normal.y() * y) / normal.z(); });
    const Foot a(plane, 0.6), b(field, 0.6);
    Random random(21);
    for (int i = 0; i < 100; ++i) {
      Vec3 x(random.between(-4.0, 4.0), random.between(-4.0, 4.0), 0.0);
      x.z() = GroundSurface(plane).height(x.x(), x.y()) - random.between(-0.01, 0.03);
      const Vec3 v = random.vector(1.0), f = a.force(x, v);
      EXPECT_LT((f - b.force(x, v)).norm(), 1e-9 * (1.0 + f.norm()));
    }
  }
}

}  // namespace
}  // namespace taut::testing
