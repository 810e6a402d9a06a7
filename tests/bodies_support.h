// Rigid bodies for the tests: a body by its numbers, and its motion worked out on its own from Euler's equations with
// a quaternion, by Runge–Kutta steps that share nothing with taut.
#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "support.h"
#include "taut/model/body_mass.h"
#include "taut/model/read_toml.h"

namespace taut::testing {

inline Scenario read_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_scenario_text(text, "m.toml", overrides);
}

// A body on nodes that are there already; the nodes that it lacks are appended.
inline void add_body(Model& model, const std::string& name, std::vector<int> nodes, double mass, const Vec3& centre,
                     const Mat3& inertia) {
  Body body;
  body.name = name;
  body.nodes = std::move(nodes);
  body.mass = mass;
  body.centre = centre;
  body.inertia = inertia;
  model.bodies.push_back(std::move(body));
  add_body_nodes(model);
}

// A rigid motion at the start: v of the point p and angular velocity w.
inline void move_all(Model& model, const Vec3& p, const Vec3& v, const Vec3& w) {
  for (Node& node : model.nodes)
    for (int axis = 0; axis < 3; ++axis)
      node.velocity[axis] = node.fixed[axis] ? 0.0 : (v + w.cross(node.position - p))[axis];
}

// A rigid body that turns about a point: its centre of mass if it is free, its support if it is pinned there.
//   I ω̇ = M - ω × I ω in its own axes, q̇ = ½ q (0, ω),  M = Qᵀ(d × m g), d from the point to the centre.
class Top {
 public:
  // Inertia about the point, in world axes at the start, where Q = 1.
  Top(const Mat3& inertia, const Vec3& omega, double mass = 0.0, const Vec3& d = Vec3::Zero(),
      const Vec3& gravity = Vec3::Zero())
      : inertia_(inertia), inverse_(inertia.inverse()), arm_(d), weight_(mass * gravity), omega_(omega) {}

  void advance(double time, int steps) {
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
      const Rate k1 = rate(q_, omega_);
      const Rate k2 = rate(q_ + h / 2 * k1.q, omega_ + h / 2 * k1.omega);
      const Rate k3 = rate(q_ + h / 2 * k2.q, omega_ + h / 2 * k2.omega);
      const Rate k4 = rate(q_ + h * k3.q, omega_ + h * k3.omega);
      q_ += h / 6 * (k1.q + 2 * k2.q + 2 * k3.q + k4.q);
      omega_ += h / 6 * (k1.omega + 2 * k2.omega + 2 * k3.omega + k4.omega);
      q_.normalize();
    }
  }

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
  Rate rate(const Quaternion& q, const Vec3& w) const {
    const Eigen::Quaterniond turn = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
    const Vec3 moment = arm_.cross(turn.inverse() * weight_);
    const Vec3 s = q.tail<3>();
    Rate r;
    r.q[0] = -0.5 * s.dot(w);
    r.q.tail<3>() = 0.5 * (q[0] * w + s.cross(w));
    r.omega = inverse_ * (moment - w.cross(inertia_ * w));
    return r;
  }

  Mat3 inertia_, inverse_;
  Vec3 arm_, weight_;
  Quaternion q_ = Quaternion(1, 0, 0, 0);
  Vec3 omega_;
};

// The angular velocity of nodes that move rigidly, by least squares.
inline Vec3 angular_velocity(const Sample& row, const std::vector<int>& nodes) {
  Vec3 x = Vec3::Zero(), v = Vec3::Zero(), turn = Vec3::Zero();
  for (int i : nodes)
    x += position(row, i) / static_cast<double>(nodes.size()),
        v += velocity(row, i) / static_cast<double>(nodes.size());
  Mat3 inertia = Mat3::Zero();
  for (int i : nodes) {
    const Vec3 r = position(row, i) - x;
    inertia += r.squaredNorm() * Mat3::Identity() - r * r.transpose();
    turn += r.cross(velocity(row, i) - v);
  }
  return inertia.inverse() * turn;
}

// An inertia of no symmetry: principal moments along turned axes.
inline Mat3 turned_inertia(double a, double b, double c) {
  const Mat3 R = (Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized())).toRotationMatrix();
  const Mat3 I = R * Vec3(a, b, c).asDiagonal() * R.transpose();
  return 0.5 * (I + I.transpose());
}

}  // namespace taut::testing
