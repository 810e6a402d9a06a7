// The algebra of spatial vectors against plain 3-vectors and 6 × 6 matrices: transforms, cross products, inertia,
// exponential. All to rounding.
#include "taut/formulation/multibody/system/spatial.h"

#include <gtest/gtest.h>

#include "tests/support/dense.h"
#include "tests/support/support.h"

namespace taut::testing {
namespace {

using namespace multibody;

constexpr double rounding = 1e-13;

Vec6 random6(Random& random) {
  const Vec3 a = random.vector(), b = random.vector();
  return spatial(a, b);
}
Transform random_transform(Random& random) {
  const Vec3 turn = random.vector(2.0), r = random.vector(2.0);
  return {exponential(spatial(turn, Vec3::Zero())).E, r};
}
Inertia random_inertia(Random& random) {
  const Mat3 a = Mat3::NullaryExpr([&] { return random.between(-1.0, 1.0); });
  const Vec3 centre = random.vector();
  return rigid_inertia(random.between(0.5, 2.0), centre, a * a.transpose());
}

// v × as a matrix, from the 3 × 3 blocks.
Mat6 cross_matrix(const Vec6& v) {
  Mat6 m;
  m << skew(v.head<3>()), Mat3::Zero(), skew(v.tail<3>()), skew(v.head<3>());
  return m;
}

TEST(Spatial, TransformsMoveVelocitiesAndForcesOfARigidBody) {
  Random random(1);
  for (int n = 0; n < 20; ++n) {
    const Transform X = random_transform(random);
    const Vec6 m = random6(random), f = random6(random);
    // The velocity of the point at B's origin, and the moment about it, in B's axes.
    const Vec3 w = m.head<3>(), v = m.tail<3>(), moment = f.head<3>(), force = f.tail<3>();
    EXPECT_LT((X.motion(m) - spatial(X.E * w, X.E * (v + w.cross(X.r)))).norm(), rounding);
    EXPECT_LT((X.force(f) - spatial(X.E * (moment + (-X.r).cross(force)), X.E * force)).norm(), rounding);
    EXPECT_NEAR(X.force(f).dot(X.motion(m)), f.dot(m), rounding);
    // As matrices.
    EXPECT_LT((X.matrix() * m - X.motion(m)).norm(), rounding);
    EXPECT_LT((X.matrix().transpose() * f - X.force_back(f)).norm(), rounding);
    EXPECT_LT((dense_inverse(X.matrix()) * m - X.motion_back(m)).norm(), rounding);
    EXPECT_LT((dense_inverse(X.matrix()).transpose() * f - X.force(f)).norm(), rounding);
    EXPECT_LT((X.inverse().matrix() - dense_inverse(X.matrix())).norm(), rounding);
    const Transform Y = random_transform(random);
    EXPECT_LT(((Y * X).matrix() - Y.matrix() * X.matrix()).norm(), rounding);
    const Vec3 p = random.vector();
    EXPECT_LT((X.point_back(X.point(p)) - p).norm(), rounding);
    EXPECT_LT(((Y * X).point(p) - Y.point(X.point(p))).norm(), rounding);
  }
}

TEST(Spatial, CrossProductsAreTheRateOfATransform) {
  Random random(2);
  for (int n = 0; n < 20; ++n) {
    const Vec6 v = random6(random), m = random6(random), f = random6(random);
    EXPECT_LT((cross_matrix(v) * m - cross_motion(v, m)).norm(), rounding);
    EXPECT_LT((-cross_matrix(v).transpose() * f - cross_force(v, f)).norm(), rounding);
    // A vector fixed in the moving frame: d/dt X⁻¹ m = v × m at the start.
    constexpr double h = 1e-4;
    const Vec6 rate = (exponential(h * v).motion_back(m) - exponential(-h * v).motion_back(m)) / (2.0 * h);
    EXPECT_LT((rate - cross_motion(v, m)).norm(), 1e-7);  // h² |v|³
  }
}

TEST(Spatial, InertiaIsThatOfAllItsPoints) {
  Random random(3);
  for (int n = 0; n < 20; ++n) {
    // A body of five point masses: momentum, sums and kinetic energy point by point.
    Inertia body;
    const Vec6 v = random6(random);
    Vec6 momentum = Vec6::Zero();
    double energy = 0.0;
    for (int i = 0; i < 5; ++i) {
      const double mass = random.between(0.1, 1.0);
      const Vec3 at = random.vector(), speed = v.tail<3>() + Vec3(v.head<3>()).cross(at);
      body += rigid_inertia(mass, at, Mat3::Zero());
      momentum += spatial(at.cross(mass * speed), mass * speed);
      energy += 0.5 * mass * speed.squaredNorm();
    }
    EXPECT_LT((body * v - momentum).norm(), rounding);
    EXPECT_NEAR(body.kinetic_energy(v), energy, rounding);
  }
}

TEST(Spatial, InertiaChangesFrames) {
  Random random(4);
  for (int n = 0; n < 20; ++n) {
    const Inertia I = random_inertia(random);
    const Transform X = random_transform(random);
    const Mat6 M = X.matrix();
    EXPECT_LT((I.matrix() - I.matrix().transpose()).norm(), rounding);
    EXPECT_LT((inertia_back(X, I).matrix() - M.transpose() * I.matrix() * M).norm(), 10.0 * rounding);
    EXPECT_LT((inertia_to(X, inertia_back(X, I)).matrix() - I.matrix()).norm(), 10.0 * rounding);
    const Vec6 v = random6(random);
    EXPECT_LT((I.matrix() * v - I * v).norm(), rounding);
    EXPECT_NEAR(inertia_back(X, I).kinetic_energy(X.motion_back(v)), I.kinetic_energy(v), 10.0 * rounding);
  }
}

// exp of the twist as a 6 × 6 matrix, by its series: X = exp(-twist×).
TEST(Spatial, ExponentialIsThatOfTheMatrix) {
  Random random(5);
  for (const double size : {0.0, 1e-9, 1e-4, 0.3, 0.499, 0.501, 2.0}) {
    const Vec6 twist = size * random6(random);
    Mat6 sum = Mat6::Identity(), term = Mat6::Identity();
    for (int k = 1; k < 60; ++k) {
      term = -term * cross_matrix(twist) / k;
      sum += term;
    }
    EXPECT_LT((exponential(twist).matrix() - sum).norm(), rounding) << size;
    // And back.
    EXPECT_LT((rotation_vector(exponential(twist).E.transpose()) - twist.head<3>()).norm(), rounding) << size;
  }
  // The quotients do not lose digits where they change to series: the sum of both sides of sin² + cos² = 1.
  for (double x = 0.0; x < 3.0; x += 1.0 / 64.0) {
    const AngleSeries s = angle_series(x);
    EXPECT_NEAR(s.s1, 1.0 - x * x * s.s3, 1e-15);
    EXPECT_NEAR(s.s1 * s.s1, 2.0 * s.s2 - x * x * s.s2 * s.s2, 1e-15);
  }
}

TEST(Spatial, RotationVectorReachesHalfATurn) {
  for (const double angle : {1e-8, 1.0, 3.0, 3.14159, 3.14159265}) {
    const Vec3 turn = angle * Vec3(0.6, 0.0, -0.8);
    const Mat3 R = exponential(spatial(turn, Vec3::Zero())).E.transpose();
    EXPECT_LT((rotation_vector(R) - turn).norm(), 1e-14 + 1e-15 * angle) << angle;
  }
}

}  // namespace
}  // namespace taut::testing
