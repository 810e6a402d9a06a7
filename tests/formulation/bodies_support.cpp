// Rigid bodies from their numbers, and their motion by Euler's equations.
#include "tests/formulation/bodies_support.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace taut::testing {

Scenario read_text(const std::string& text, const std::vector<std::string>& overrides) {
  return read_scenario_text(text, "m.toml", overrides);
}

void add_body(Model& model, const std::string& name, std::vector<int> nodes, double mass, const Vec3& centre,
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

void move_all(Model& model, const Vec3& p, const Vec3& v, const Vec3& w) {
  for (Node& node : model.nodes)
    for (int axis = 0; axis < 3; ++axis)
      node.velocity[axis] = node.fixed[axis] ? 0.0 : (v + w.cross(node.position - p))[axis];
}

Vec3 angular_velocity(const Sample& row, const std::vector<int>& nodes) {
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

Mat3 turned_inertia(double a, double b, double c) {
  const Mat3 R = (Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized())).toRotationMatrix();
  const Mat3 I = R * Vec3(a, b, c).asDiagonal() * R.transpose();
  return 0.5 * (I + I.transpose());
}

void Top::advance(double time, int steps) {
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

Top::Rate Top::rate(const Quaternion& q, const Vec3& w) const {
  const Eigen::Quaterniond turn = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  const Vec3 moment = arm_.cross(turn.inverse() * weight_);
  const Vec3 s = q.tail<3>();
  Rate r;
  r.q[0] = -0.5 * s.dot(w);
  r.q.tail<3>() = 0.5 * (q[0] * w + s.cross(w));
  r.omega = inverse_ * (moment - w.cross(inertia_ * w));
  return r;
}

}  // namespace taut::testing
