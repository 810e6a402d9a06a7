// The machines of Lieskovský (2022) and of Arsenault and Gosselin (2005), built body by body.
#include "tests/formulation/multibody/machines.h"

#include <algorithm>
#include <cmath>

namespace taut::testing {

void add_winch(WorldBuilder& b, const std::string& name, const Winch& w, int base, const Vec3& block_axis,
               const Vec3& centre, const Vec3& along, const Vec3& outward, int target_body) {
  using namespace multibody;
  const Vec3 axis = along.cross(outward), third = block_axis.cross(axis).normalized();
  const Transform block_frame = WorldBuilder::frame(centre, third, block_axis.cross(third));
  const int block = b.body(name + "-block", block_frame, w.block_mass, w.block_moments);
  b.join(name + "-blockJt", Revolute{2}, base, block, block_frame);
  // The cable's end, then the pulley's frame from it.
  const Vec3 end = centre + w.radius * outward + w.length * along;
  const Transform end_frame = WorldBuilder::frame(end, along, outward);
  const double free = w.length / (1.0 + w.strain), phi = free / w.radius;
  const double last = w.cable.last == CableCoordinate::epsilon ? w.strain
                      : w.cable.last == CableCoordinate::u     ? w.length - free
                                                               : w.length;
  const JointPosition q = {phi, last};
  const Transform pulley_frame = transform(Joint(w.cable), q.data()).inverse() * end_frame;
  const double m = w.pulley_mass, r = w.radius;
  const int pulley = b.body(name + "-pulley", pulley_frame, m, m * Vec3(0.25, 0.25, 0.5) * r * r);
  b.join(name + "-pulleyJt", Revolute{2}, block, pulley, pulley_frame);
  const int cable = b.body(name + "-cable", end_frame);
  b.join(name + "-involuteJt", w.cable, pulley, cable, end_frame, q);
  b.join(name + "-loopJt", Spherical{}, target_body, cable, end_frame);
}

multibody::Transform WorldBuilder::frame(const Vec3& origin, const Vec3& x, const Vec3& y) {
  Mat3 E;
  E << x.transpose(), y.transpose(), x.cross(y).transpose();
  return {E, origin};
}

int WorldBuilder::body(const std::string& name, const multibody::Transform& pose, double mass, const Vec3& moments) {
  poses.push_back(pose);
  return add_body(m, name, mass, Vec3::Zero(), moments.asDiagonal());
}

multibody::Connection& WorldBuilder::join(const std::string& name, const multibody::JointKind& kind, int predecessor,
                                          int successor, const multibody::Transform& on_successor,
                                          const multibody::JointPosition& q) {
  const auto pose = [&](int b) { return b == multibody::ground ? multibody::Transform{} : poses[b]; };
  multibody::Connection& c = add_joint(m, name, kind, predecessor, {}, successor);
  multibody::JointPosition start = q;
  if (q == multibody::JointPosition{}) neutral(c.joint, start.data());
  const multibody::Transform on_predecessor = transform(c.joint, start.data()).inverse() * on_successor;
  c.at_successor = on_successor * pose(successor).inverse();
  c.at_predecessor = on_predecessor * pose(predecessor).inverse();
  c.start = start;
  return c;
}

multibody::Machine SingleStrut::build() const {
  using namespace multibody;
  WorldBuilder b;
  const double Q = std::sqrt(2.0) * R, a = l - Q, r = 0.5 * D, mass = rho * M_PI * r * r * l;
  const Vec3 moments = mass * Vec3(r * r / 4.0 + l * l / 12.0, r * r / 4.0 + l * l / 12.0, r * r / 2.0);
  const Transform foot;
  if (cross_shaft) {
    const int shaft = b.body("cross-shaft", foot);
    b.join("x-revoluteJt", Revolute{0}, ground, shaft, foot);
    const int strut = b.body("strut", at(0.0, 0.0, 0.5 * l), mass, moments);
    b.join("y-revoluteJt", Revolute{1}, shaft, strut, foot);
  } else {
    const int strut = b.body("strut", at(0.0, 0.0, 0.5 * l), mass, moments);
    b.join("universalJt", Universal{}, ground, strut, foot);
  }
  const int strut = static_cast<int>(b.m.bodies.size()) - 1;
  const double block = heavy_blocks ? rho * Q * Q * Q : 0.0, tangent = std::sqrt(a * a + l * l - R * R);
  const Winch winch{R,
                    tangent,
                    strain,
                    rho * M_PI * R * R * h,
                    block,
                    Vec3::Constant(block * Q * Q / 6.0),
                    Involute{R, last, CableMaterial{EA, damping, true, false}, {}}};
  for (int i = 0; i < 3; ++i) {
    const double azimuth = 2.0 * M_PI / 3.0 * i;
    const Vec3 radial(std::cos(azimuth), std::sin(azimuth), 0.0), up(0.0, 0.0, 1.0);
    add_winch(b, "B" + std::to_string(i + 1), winch, ground, up, a * radial, (up - radial).normalized(),
              (up + radial).normalized(), strut);
  }
  add_point(b.m, strut, Vec3(0.0, 0.0, 0.5 * l));
  return b.m;
}

multibody::Machine Manipulator::build() const {
  using namespace multibody;
  WorldBuilder b;
  const double a = l / std::sqrt(2.0), Q = std::sqrt(2.0) * R;
  const Vec3 up(0.0, 0.0, 1.0);
  std::array<Vec3, 3> foot, tip;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * M_PI / 3.0 * i;
    foot[i] = a / std::sqrt(3.0) * Vec3(std::cos(angle), std::sin(angle), 0.0);
  }
  for (int i = 0; i < 3; ++i) tip[i] = foot[(i + 1) % 3] + a * up;
  const Vec3 hand = (tip[0] + tip[1] + tip[2]) / 3.0 + std::sqrt(2.0 / 3.0) * a * up;
  const int effector = b.body("end-effector", at(hand));
  b.join("floatingJt", Floating{}, ground, effector, at(hand)).role = Role::tree;
  const auto name = [](int i) { return "B" + std::to_string(i + 1); };
  std::array<int, 3> link, strut;
  for (int i = 0; i < 3; ++i) {
    const Vec3 along = (tip[(i + 2) % 3] - hand) / a, across = up.cross(along).normalized();
    const Transform frame = WorldBuilder::frame(hand, along, across.cross(along));
    link[i] = b.body(name(i) + "-link", frame);
    b.join(name(i) + "-linkJt", Revolute{2}, effector, link[i], frame);
  }
  const double ro = 0.5 * D, ri = 0.5 * d, mass = rho * M_PI * (ro * ro - ri * ri) * l, s = ro * ro + ri * ri;
  const Vec3 moments = mass * Vec3(s / 4.0 + l * l / 12.0, s / 4.0 + l * l / 12.0, s / 2.0);
  const double block = rho * 3.0 * h * 2.0 * Q * Q;
  const Winch winch{R,
                    a - R,
                    strain,
                    rho * M_PI * R * R * 2.0 * h,
                    block,
                    Vec3::Constant(block * Q * Q / 4.0),
                    Involute{R, CableCoordinate::epsilon, CableMaterial{EA, 0.0, true, false}, {}}};
  std::array<Vec3, 3> direction;
  for (int i = 0; i < 3; ++i) {
    direction[i] = (tip[i] - foot[i]) / l;
    const Vec3 x = direction[i].unitOrthogonal();
    const Transform frame = WorldBuilder::frame(foot[i], x, direction[i].cross(x));
    const int dummy = b.body(name(i) + "-dummy", frame);
    b.join(name(i) + "-dummyJt", Revolute{0}, ground, dummy, frame);
    strut[i] = b.body(name(i) + "-strut", {frame.E, foot[i] + 0.5 * l * direction[i]}, mass, moments);
    b.join(name(i) + "-strutJt", Revolute{1}, dummy, strut[i], frame);
  }
  for (int i = 0; i < 3; ++i) {
    const int other = (i + 2) % 3;
    for (const bool top : {true, false}) {
      const Vec3 vertex = top ? tip[i] : foot[i], inwards = top ? Vec3(-direction[i]) : direction[i];
      const Vec3 edge = (tip[other] - vertex) / a;
      add_winch(b, name(i) + (top ? "-top" : "-bot"), winch, strut[i], direction[i], vertex + Q * inwards, edge,
                edge - std::sqrt(2.0) * inwards, strut[other]);
    }
  }
  for (int i = 0; i < 3; ++i)
    b.join(name(i) + "-level-loopJt", Spherical{}, strut[(i + 2) % 3], link[i], at(tip[(i + 2) % 3]));
  add_point(b.m, effector, Vec3::Zero());
  return b.m;
}

multibody::Machine ThreeLegs::build() const {
  using namespace multibody;
  Machine machine;
  machine.gravity.setZero();
  const Vec3 up(0.0, 0.0, 1.0);
  const std::array<double, 3> zeta = {M_PI / 6.0, 5.0 * M_PI / 6.0, -0.5 * M_PI};
  const double J = m * Ls * Ls / 12.0;
  for (int i = 0; i < 3; ++i) {
    const std::string leg = std::to_string(i + 1);
    int base = ground;
    const auto slide = [&](int axis, double guess) {
      const int carriage = add_body(machine, "carriage" + leg + "xyz"[axis], 0.0);
      add_joint(
          machine, "slide" + leg + "xyz" [axis], Prismatic { axis }, base, {}, carriage)
          .guess = {guess};
      base = carriage;
    };
    if (i > 0) slide(0, i == 1 ? L : 0.5 * L);
    if (i == 2) slide(1, 0.8 * L);
    // First about e₃, then about e₂: x and y of the joint. The rods lie along -z.
    const Vec3 e1(std::cos(zeta[i]), std::sin(zeta[i]), 0.0), e3 = e1.cross(up);
    Mat3 E;
    E << e3.transpose(), up.transpose(), -e1.transpose();
    const Vec3 middle(0.0, 0.0, -0.5 * Ls);
    const int upper = add_body(machine, "proximal" + leg, m, middle, Vec3(J, J, 0.0).asDiagonal()),
              lower = add_body(machine, "distal" + leg, m, middle, Vec3(J, J, 0.0).asDiagonal());
    add_joint(machine, "universal" + leg, Universal{}, base, {E, Vec3::Zero()}, upper).guess = {1.1, 0.8};
    Connection& knee = add_joint(machine, "knee" + leg, Revolute{1}, upper, at(0.0, 0.0, -Ls), lower);
    knee.start = {start[i]};
    if (driven) {
      knee.start.reset();
      knee.motion = [from = start[i], by = end[i] - start[i]](double t, double* q, double* v, double* a) {
        const double s = std::clamp(t, 1.0, 3.0), w = 0.5 * M_PI, moving = t >= 1.0 && t < 3.0 ? 1.0 : 0.0;  // (38)
        q[0] = from - 0.5 * by * (std::cos(w * (s - 1.0)) - 1.0);
        v[0] = 0.5 * by * w * std::sin(w * (s - 1.0));
        a[0] = moving * 0.5 * by * w * w * std::cos(w * (s - 1.0));
      };
    }
  }
  const std::array<int, 3> upper = {0, 3, 7}, lower = {1, 4, 8};
  for (int i = 0; i < 3; ++i) add_point(machine, upper[i], Vec3::Zero());
  for (int i = 0; i < 3; ++i) add_point(machine, lower[i], Vec3(0.0, 0.0, -Ls));
  for (int i = 0; i < 3; ++i) machine.distances.push_back({"cable" + std::to_string(i + 1), 3 + i, 3 + (i + 1) % 3, L});
  return machine;
}

void ThreeLegs::pull(Moving& moving) const {
  for (Vec3& f : moving.forces) f.setZero();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) {
      if (j == i + 3 || j <= i) continue;
      const Vec3 b = moving.point(j) - moving.point(i), rate = moving.point_velocity(j) - moving.point_velocity(i);
      const Vec3 f = K * b + damping * b.dot(rate) / b.squaredNorm() * b;
      moving.forces[i] += f;
      moving.forces[j] -= f;
    }
}

}  // namespace taut::testing
