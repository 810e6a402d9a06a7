// Frames on three nodes: their axes, poses relative to each other and Euler angles, against rotations built otherwise.
#include "taut/model/shape/frame_pose.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "tests/support/support.h"

namespace taut {
namespace {

constexpr double pi = std::numbers::pi;
using Eigen::AngleAxisd;

// Three turns one after another, about z, the new y and the new x.
Mat3 turned(double yaw, double pitch, double roll) {
  return (AngleAxisd(yaw, Vec3::UnitZ()) * AngleAxisd(pitch, Vec3::UnitY()) * AngleAxisd(roll, Vec3::UnitX()))
      .toRotationMatrix();
}

// Homogeneous, as in eq. 16 of Fadeyev et al. (2019).
Eigen::Matrix4d matrix_of(const Pose& pose) {
  Eigen::Matrix4d C = Eigen::Matrix4d::Identity();
  C.topLeftCorner<3, 3>() = pose.axes;
  C.topRightCorner<3, 1>() = pose.origin;
  return C;
}

// A triangle whose own frame is that of the world, turned and moved, has the turn and the move as its pose.
TEST(FramePose, KnownAnglesComeBack) {
  testing::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double yaw = random.between(-pi, pi), pitch = random.between(-1.5, 1.5), roll = random.between(-pi, pi);
    const Mat3 R = turned(yaw, pitch, roll);
    const Vec3 at = random.vector(10.0);
    const Vec3 a(random.between(0.1, 2.0), 0.0, 0.0), b(random.between(-1.0, 1.0), random.between(0.1, 2.0), 0.0);
    const Vec3 c = -a - b;
    Pose pose;
    ASSERT_TRUE(place_frame(at + R * a, at + R * b, at + R * c, pose));
    // Corners are rounded to 2e-15 m and the triangle is at least 0.1 m wide and 4 m long; cos(pitch) is at least 0.07.
    EXPECT_NEAR((pose.origin - at).norm(), 0.0, 1e-14);
    EXPECT_NEAR((pose.axes - R).norm(), 0.0, 1e-12);
    const EulerAngles angles = euler_angles(pose.axes);
    EXPECT_NEAR(angles.yaw, yaw, 1e-11);
    EXPECT_NEAR(angles.pitch, pitch, 1e-11);
    EXPECT_NEAR(angles.roll, roll, 1e-11);
  }
}

// Fadeyev et al. (2019) write z once as (c - r) × (a - r) and once as (b - r) × (c - r): it is all the same, as a + b + c = 3 r.
TEST(FramePose, AxesAreThoseOfThePaper) {
  testing::Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3 a = random.vector(), b = random.vector(), c = random.vector(), r = (a + b + c) / 3.0;
    Pose pose;
    ASSERT_TRUE(place_frame(a, b, c, pose));
    const Vec3 x = (a - r).normalized(), z = (c - r).cross(a - r).normalized(),
               again = (b - r).cross(c - r).normalized();
    EXPECT_NEAR((pose.axes.col(0) - x).norm(), 0.0, 1e-14);
    EXPECT_NEAR((pose.axes.col(2) - z).norm(), 0.0, 1e-12);
    EXPECT_NEAR((pose.axes.col(2) - again).norm(), 0.0, 1e-12);
    EXPECT_NEAR((pose.axes.transpose() * pose.axes - Mat3::Identity()).norm(), 0.0, 1e-15);
    EXPECT_NEAR(pose.axes.determinant(), 1.0, 1e-15);
  }
}

// r = (0, 1, 1), a - r = (0, 2, -1), (a - r) × (b - r) = (3, 0, 0): x = (0, 2, -1)/√5, y = (0, 1, 2)/√5, z = (1, 0, 0).
TEST(FramePose, ByHand) {
  Pose pose;
  ASSERT_TRUE(place_frame({0, 3, 0}, {0, 0, 3}, {0, 0, 0}, pose));
  EXPECT_EQ(pose.origin, Vec3(0, 1, 1));
  const double s = 1.0 / std::sqrt(5.0);
  Mat3 axes;
  axes << 0, 0, 1, 2 * s, s, 0, -s, 2 * s, 0;
  EXPECT_NEAR((pose.axes - axes).norm(), 0.0, 1e-15);
  const EulerAngles angles = euler_angles(pose.axes);
  EXPECT_NEAR(angles.yaw, pi / 2, 1e-15);
  EXPECT_NEAR(angles.pitch, std::atan(0.5), 1e-15);
  EXPECT_NEAR(angles.roll, pi / 2, 1e-15);
}

TEST(FramePose, RelativePoseIsTheQuotientOfMatrices) {
  testing::Random random(3);
  for (int i = 0; i < 100; ++i) {
    const auto any = [&] {
      return Pose{random.vector(), turned(random.between(-pi, pi), random.between(-1.5, 1.5), random.between(-pi, pi))};
    };
    const Pose base = any(), pose = any();
    const Eigen::Matrix4d quotient = matrix_of(base).inverse() * matrix_of(pose);
    EXPECT_NEAR((matrix_of(relative_pose(base, pose)) - quotient).norm(), 0.0, 1e-14);
  }
}

// At ±90° of pitch only yaw ∓ roll is known: roll is 0, and the turn is still the same.
TEST(EulerAngles, AtGimbalLockAllIsYaw) {
  testing::Random random(4);
  for (int i = 0; i < 200; ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0;
    const double yaw = random.between(-pi, pi), roll = random.between(-pi, pi);
    const Mat3 R = turned(yaw, sign * pi / 2, roll);
    const EulerAngles angles = euler_angles(R);
    EXPECT_EQ(angles.roll, 0.0);
    EXPECT_NEAR(angles.pitch, sign * pi / 2, 1e-15);
    EXPECT_NEAR(std::remainder(angles.yaw - (yaw - sign * roll), 2 * pi), 0.0, 1e-14);
    EXPECT_NEAR((turned(angles.yaw, angles.pitch, angles.roll) - R).norm(), 0.0, 1e-14);
  }
  // Exact zeros where rounding would have left something.
  Mat3 R;
  R << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  EXPECT_EQ(euler_angles(R).yaw, 0.0);
  EXPECT_EQ(euler_angles(R).pitch, pi / 2);
}

// Near it yaw and roll are uncertain one by one, but never together.
TEST(EulerAngles, NearGimbalLockTheTurnStaysExact) {
  testing::Random random(5);
  for (double off = 1e-3; off > 1e-14; off *= 0.3)
    for (const double sign : {-1.0, 1.0}) {
      const Mat3 R = turned(random.between(-pi, pi), sign * (pi / 2 - off), random.between(-pi, pi));
      const EulerAngles angles = euler_angles(R);
      const double error = (turned(angles.yaw, angles.pitch, angles.roll) - R).norm();
      // Within 1e-9 rad the lock is taken as complete.
      EXPECT_LE(error, off > 1.1e-9 ? 1e-14 : 3.0 * off + 1e-14) << off;
    }
}

TEST(EulerAngles, HalfTurnsArePositive) {
  for (const double zero : {0.0, -0.0}) {
    Mat3 about_z, about_x;
    about_z << -1, zero, 0, zero, -1, 0, 0, 0, 1;
    about_x << 1, 0, 0, 0, -1, zero, 0, zero, -1;
    EXPECT_EQ(euler_angles(about_z).yaw, pi);
    EXPECT_EQ(euler_angles(about_x).roll, pi);
  }
  const EulerAngles none = euler_angles(Mat3::Identity());
  for (const double angle : {none.yaw, none.pitch, none.roll}) {
    EXPECT_EQ(angle, 0.0);
    EXPECT_FALSE(std::signbit(angle));
  }
}

TEST(FramePose, NodesInOneLineGiveNoAxes) {
  const Mat3 before = turned(0.3, 0.2, 0.1);
  const auto refuses = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    Pose pose{Vec3::Zero(), before};
    EXPECT_FALSE(place_frame(a, b, c, pose));
    EXPECT_EQ(pose.axes, before);
    EXPECT_NEAR((pose.origin - (a + b + c) / 3.0).norm(), 0.0, 1e-15 * pose.origin.norm());
  };
  refuses({0.1, 0.1, 0.1}, {0.2, 0.2, 0.2}, {0.7, 0.7, 0.7});  // with rounding
  refuses({1, 2, 3}, {1, 2, 3}, {4, 5, 7});
  refuses({1, 2, 3}, {1, 2, 3}, {1, 2, 3});
  refuses({0, 0, 0}, {1, 0, 0}, {-1, 0, 0});  // the first in the middle: x would have no direction
  refuses({0, 0, 0}, {1e-170, 0, 0}, {3e-170, 0, 0});
  // Far away the corners are rounded more coarsely: this triangle is no wider than that.
  const Vec3 far(1e7, 2e7, 3e7), along(0.1, 0.3, 0.07);
  refuses(far, far + along, far + 3.3 * along);
  Pose pose;
  EXPECT_FALSE(place_frame({NAN, 0, 0}, {1, 0, 0}, {0, 1, 0}, pose));
  EXPECT_TRUE(pose.axes.allFinite());
}

TEST(FramePose, SizeDoesNotMatter) {
  for (const double size : {1e-150, 1e-9, 1.0, 1e9, 1e150}) {
    Pose pose;
    ASSERT_TRUE(place_frame({size, 0, 0}, {0, size, 0}, {-size, -size, 0}, pose)) << size;
    EXPECT_NEAR((pose.axes - Mat3::Identity()).norm(), 0.0, 1e-15) << size;
    // Narrow, but a triangle.
    ASSERT_TRUE(place_frame({size, 0, 0}, {-0.5 * size, 1e-6 * size, 0}, {-0.5 * size, -1e-6 * size, 0}, pose));
    EXPECT_NEAR((pose.axes - Mat3::Identity()).norm(), 0.0, 1e-15) << size;
  }
}

// Rounding tilts the normal of a narrow triangle, by 1e-10 here; the axes are at right angles all the same.
TEST(FramePose, AxesOfANarrowTriangleAreAtRightAngles) {
  testing::Random random(6);
  for (int i = 0; i < 100; ++i) {
    const Mat3 R = turned(random.between(-pi, pi), random.between(-1.5, 1.5), random.between(-pi, pi));
    const Vec3 at = random.vector(10.0);
    Pose pose;
    ASSERT_TRUE(place_frame(at + R * Vec3(1, 0, 0), at + R * Vec3(-0.5, 1e-6, 0), at + R * Vec3(-0.5, -1e-6, 0), pose));
    ASSERT_NEAR((pose.axes.transpose() * pose.axes - Mat3::Identity()).norm(), 0.0, 2e-15);
  }
}

// While its nodes pass through a line, a frame keeps its last axes and goes on with its origin.
TEST(FramePoses, KeepTheLastAxesInALine) {
  Model model;
  for (const Vec3& at : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-1, -1, 0)}) testing::add_node(model, at, 1.0);
  model.frames = {{"F", {0, 1, 2}, -1}, {"G", {1, 2, 0}, 0}};
  FramePoses poses(model);
  std::vector<double> columns;
  const auto rows = [&](std::vector<double> nodes) {
    poses.place(nodes, columns);
    return columns;
  };
  // Before any row the axes are those of the start.
  EXPECT_EQ(rows({1, 0, 0, 2, 0, 0, 3, 0, 0}).size(), 12u);
  EXPECT_EQ(columns[0], 2.0);
  for (const int angle : {3, 4, 5}) EXPECT_EQ(columns[angle], 0.0);
  // Turned a quarter about z, then in a line.
  const std::vector<double> quarter = rows({0, 1, 0, -1, 0, 0, 1, -1, 0});
  EXPECT_NEAR(quarter[3], pi / 2, 1e-15);
  const std::vector<double> line = rows({0, 3, 0, 0, 0, 0, 0, -1.5, 0});
  EXPECT_EQ(line[1], 0.5);
  for (const int angle : {3, 4, 5, 9, 10, 11}) EXPECT_EQ(line[angle], quarter[angle]);
}

}  // namespace
}  // namespace taut
