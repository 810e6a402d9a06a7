// Rigid bodies for the tests: a body by its numbers, and its motion worked out on its own from Euler's equations with
// a quaternion, by Runge–Kutta steps that share nothing with taut.
#pragma once

#include <Eigen/LU>

#include "taut/file/read/read_toml.h"
#include "taut/model/shape/body_mass.h"
#include "tests/support/support.h"

namespace taut::testing {

Scenario read_text(const std::string& text, const std::vector<std::string>& overrides = {});

// A body on nodes that are there already; the nodes that it lacks are appended.
void add_body(Model& model, const std::string& name, std::vector<int> nodes, double mass, const Vec3& centre,
              const Mat3& inertia);

// A rigid motion at the start: v of the point p and angular velocity w.
void move_all(Model& model, const Vec3& p, const Vec3& v, const Vec3& w);

// A rigid body that turns about a point: its centre of mass if it is free, its support if it is pinned there.
//   I ω̇ = M - ω × I ω in its own axes, q̇ = ½ q (0, ω),  M = Qᵀ(d × m g), d from the point to the centre.
class Top {
 public:
  // Inertia about the point, in world axes at the start, where Q = 1.
  Top(const Mat3& inertia, const Vec3& omega, double mass = 0.0, const Vec3& d = Vec3::Zero(),
      const Vec3& gravity = Vec3::Zero())
      : inertia_(inertia), inverse_(inertia.inverse()), arm_(d), weight_(mass * gravity), omega_(omega) {}

  void advance(double time, int steps);

  Mat3 turn() const { return Eigen::Quaterniond(q_[0], q_[1], q_[2], q_[3]).toRotationMatrix(); }
  Vec3 angular_velocity() const { return turn() * omega_; }
  Vec3 angular_momentum() const { return turn() * (inertia_ * omega_); }
  double energy() const { return 0.5 * omega_.dot(inertia_ * omega_); }
  // Of the centre of mass, if the point does not move.
  Vec3 acceleration() const { return turn() * (rate(q_, omega_).omega.cross(arm_) + omega_.cross(omega_.cross(arm_))); }

 private:
  using Quaternion = Eigen::Vector4d;  // w, x, y, z
  struct Rate {
    Quaternion q;
    Vec3 omega;
  };
  Rate rate(const Quaternion& q, const Vec3& w) const;

  Mat3 inertia_, inverse_;
  Vec3 arm_, weight_;
  Quaternion q_ = Quaternion(1, 0, 0, 0);
  Vec3 omega_;
};

// The angular velocity of nodes that move rigidly, by least squares.
Vec3 angular_velocity(const Sample& row, const std::vector<int>& nodes);

// An inertia of no symmetry: principal moments along turned axes.
Mat3 turned_inertia(double a, double b, double c);

}  // namespace taut::testing
