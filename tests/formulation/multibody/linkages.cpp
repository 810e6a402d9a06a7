// Machines for tests, built, placed and moved.
#include "tests/formulation/multibody/linkages.h"

#include <algorithm>
#include <cmath>

#include "taut/solve/dense.h"

namespace taut::testing {

int add_body(multibody::Machine& m, const std::string& name, double mass, const Vec3& centre, const Mat3& inertia) {
  m.bodies.push_back({name, mass, centre, inertia, true, 0});
  return static_cast<int>(m.bodies.size()) - 1;
}

int add_rod(multibody::Machine& m, const std::string& name, double mass, double length) {
  const double J = mass * length * length / 12.0;
  return add_body(m, name, mass, Vec3(0.5 * length, 0.0, 0.0), Vec3(1e-3 * J, J, J).asDiagonal());
}

multibody::Connection& add_joint(multibody::Machine& m, const std::string& name, const multibody::JointKind& kind,
                                 int predecessor, const multibody::Transform& at_predecessor, int successor,
                                 const multibody::Transform& at_successor) {
  multibody::Connection c;
  c.name = name;
  c.joint = multibody::Joint(kind);
  c.predecessor = predecessor, c.successor = successor;
  c.at_predecessor = at_predecessor, c.at_successor = at_successor;
  m.joints.push_back(c);
  return m.joints.back();
}

int add_point(multibody::Machine& m, int body, const Vec3& position) {
  m.points.push_back({"p" + std::to_string(m.points.size()), body, position});
  return static_cast<int>(m.points.size()) - 1;
}

Mat3 random_turn(Random& random) {
  return Eigen::Quaterniond(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0),
                            random.between(-1.0, 1.0))
      .normalized()
      .toRotationMatrix();
}

int add_random_body(multibody::Machine& m, Random& random) {
  const Mat3 R = random_turn(random);
  const double a = random.between(0.1, 1.0), b = random.between(0.1, 1.0), c = random.between(0.1, 1.0);
  const Mat3 inertia = R * Vec3(a + b, b + c, c + a).asDiagonal() * R.transpose();
  return add_body(m, "b" + std::to_string(m.bodies.size()), random.between(0.5, 2.0), random.vector(),
                  0.5 * (inertia + inertia.transpose()));
}

multibody::Machine random_tree(int bodies, Random& random, bool with_torques) {
  multibody::Machine m;
  m.gravity = random.vector(10.0);
  const std::vector<Specimen> kinds = specimens();
  for (int i = 0; i < bodies; ++i) {
    const int body = add_random_body(m, random), other = random.below(i + 1) - 1;
    Specimen specimen = kinds[random.below(static_cast<int>(kinds.size()))];
    if (with_torques && random.chance(0.3)) give_passive(specimen.joint, true, random);
    const bool backwards = random.chance(0.4);
    multibody::Connection& c = add_joint(m, "j" + std::to_string(i), specimen.joint.kind, backwards ? body : other,
                                         random_frame(random), backwards ? other : body, random_frame(random));
    c.joint = specimen.joint;
    const JointState s = random_state(c.joint, random);
    c.start = s.q;
    c.velocity = s.v;
    for (int k = 0; k < 3; ++k) add_point(m, body, random.vector());
  }
  return m;
}

multibody::Machine random_loops(int bodies, int loops, Random& random) {
  using namespace multibody;
  Machine m = random_tree(bodies, random);
  // Where the bodies are.
  Machine copy = m;
  const Topology topology = choose_tree(copy);
  const Tree tree(copy, topology);
  TreeTerms terms = make_terms(tree);
  std::vector<double> q(tree.nq), v(tree.nv, 0.0);
  for (const Link& link : tree.links) std::copy_n(copy.joints[link.joint].start->begin(), link.nq, q.begin() + link.q);
  place(tree, q.data(), v.data(), terms);
  const auto world = [&](int body) {
    if (body == ground) return Transform{};
    const int link = tree.link_of(body);
    return tree.links[link].from_body.inverse() * terms.links[link].world;
  };
  const std::vector<Specimen> kinds = specimens();
  for (int i = 0; i < loops; ++i) {
    const int p = random.below(bodies + 1) - 1;
    int s = p;
    while (s == p) s = random.below(bodies + 1) - 1;
    const int a = random.below(3 * bodies), b = (a + 3 + random.below(3 * bodies - 5)) % (3 * bodies);
    const int choice = random.below(4);
    if (choice == 0 && m.points[a].body != m.points[b].body) {
      const double length = (position(tree, a, terms) - position(tree, b, terms)).norm();
      m.distances.push_back({"d" + std::to_string(i), a, b, length});
    } else if (choice == 1) {
      const int axis = random.below(3);
      PointSum sum{"s" + std::to_string(i), {{a, 1.5}, {b, -0.7}}, axis, 0.0};
      for (const auto& [point, coefficient] : sum.terms) sum.value += coefficient * position(tree, point, terms)[axis];
      m.sums.push_back(sum);
    } else {
      Specimen specimen = kinds[random.below(static_cast<int>(kinds.size()))];
      if (velocities(specimen.joint) < 2 || velocities(specimen.joint) > 5) specimen.joint = Joint(Spherical{});
      if (random.chance(0.5)) give_passive(specimen.joint, true, random);
      const JointState state = random_state(specimen.joint, random);
      const Transform at_p = random_frame(random);
      const Transform at_s = transform(specimen.joint, state.q.data()) * at_p * world(p) * world(s).inverse();
      Connection& c = add_joint(m, "l" + std::to_string(i), specimen.joint.kind, p, at_p, s, at_s);
      c.joint = specimen.joint;
      c.role = Role::loop;
      c.start = state.q;
    }
  }
  return m;
}

multibody::Machine FourBar::build(double angle, const multibody::JointKind& closing,
                                  const multibody::Transform& frame) const {
  multibody::Machine m;
  m.gravity = frame.E.transpose() * Vec3(0.0, -9.81, 0.0);
  const int a = add_rod(m, "crank", 1.0, crank), b = add_rod(m, "coupler", 2.0, coupler),
            c = add_rod(m, "rocker", 1.5, rocker);
  add_joint(m, "A", multibody::Revolute{2}, multibody::ground, frame, a).start = {angle};
  add_joint(m, "D", multibody::Revolute{2}, multibody::ground, at(base, 0.0, 0.0) * frame, c).guess = {1.5};
  add_joint(m, "B", multibody::Revolute{2}, a, at(crank, 0.0, 0.0), b).guess = {0.5 - angle};
  add_joint(m, "C", closing, b, at(coupler, 0.0, 0.0), c, at(rocker, 0.0, 0.0)).role = multibody::Role::loop;
  return m;
}

multibody::Machine CrankSlider::build(double angle) const {
  multibody::Machine m;
  m.gravity = Vec3(0.0, -9.81, 0.0);
  const int a = add_rod(m, "crank", 1.0, crank), b = add_rod(m, "rod", 2.0, rod),
            c = add_body(m, "slider", 3.0, Vec3::Zero(), Mat3::Identity());
  add_joint(m, "A", multibody::Revolute{2}, multibody::ground, {}, a).start = {angle};
  add_joint(m, "S", multibody::Prismatic{0}, multibody::ground, {}, c).guess = {1.0};
  add_joint(m, "B", multibody::Revolute{2}, a, at(crank, 0.0, 0.0), b).guess = {-angle};
  add_joint(m, "C", multibody::Revolute{2}, b, at(rod, 0.0, 0.0), c).role = multibody::Role::loop;
  return m;
}

void Moving::place(const VectorXd& at_q, const VectorXd& at_v, double time) {
  drive(system, time, terms);
  multibody::place(system, at_q.data(), at_v.data(), terms);
  set_weight(system.tree, terms.tree);
  for (std::size_t i = 0; i < forces.size(); ++i) add_force(system.tree, static_cast<int>(i), forces[i], terms.tree);
}

VectorXd Moving::accelerate(const VectorXd& at_q, const VectorXd& at_v, double time, const DriftGains& gains) {
  place(at_q, at_v, time);
  VectorXd v_rate(v.size());
  multibody::accelerate(system, at_q.data(), at_v.data(), gains, terms, v_rate.data());
  return v_rate;
}

VectorXd Moving::accelerate(multibody::Independent& reduced, const DriftGains& gains) {
  place();
  equations(system, q.data(), v.data(), gains, terms);
  reduced.choose(terms);
  const MatrixXd H = mass(), K = jacobian(), &G = reduced.G();
  const std::vector<int>& dependent = reduced.dependent();
  VectorXd a = VectorXd::Zero(v.size());
  if (!dependent.empty()) {
    // Every velocity and every row counts by the inertia that it moves.
    VectorXd rows(K.rows()), columns(static_cast<long>(dependent.size()));
    for (long r = 0; r < rows.size(); ++r)
      rows[r] = terms.loops.size[r] > 0.0 ? 1.0 / std::sqrt(terms.loops.size[r]) : 0.0;
    for (long i = 0; i < columns.size(); ++i) columns[i] = std::sqrt(system.inverse_inertia[dependent[i]]);
    const MatrixXd K_d = rows.asDiagonal() * K(Eigen::all, dependent) * columns.asDiagonal();
    const VectorXd k = rows.cwiseProduct(VectorXd::Map(terms.lambda.data(), K.rows()));
    a(dependent) = columns.cwiseProduct(least_squares(K_d, k).col(0));
  }
  const VectorXd right = VectorXd::Map(terms.bias.data(), v.size());
  if (G.cols() > 0) a += G * solve_symmetric(G.transpose() * H * G, G.transpose() * (right - H * a));
  if (system.has_motion) find_imposed_torques(system, v.data(), terms, a.data());
  return a;
}

VectorXd Moving::rates(const VectorXd& at_q, const VectorXd& at_v) const {
  VectorXd q_rate(q.size());
  coordinate_rates(system.tree, at_q.data(), at_v.data(), q_rate.data());
  return q_rate;
}

VectorXd Moving::along(const VectorXd& at_q, const VectorXd& step) const {
  VectorXd moved = at_q;
  retract(system.tree, moved.data(), step.data());
  return moved;
}

void Moving::advance(double h, int steps, bool projected) {
  for (int i = 0; i < steps; ++i) {
    const VectorXd a1 = accelerate(q, v, t), q1 = rates(q, v);
    const VectorXd v2 = v + 0.5 * h * a1, p2 = q + 0.5 * h * q1, a2 = accelerate(p2, v2, t + 0.5 * h),
                   q2 = rates(p2, v2);
    const VectorXd v3 = v + 0.5 * h * a2, p3 = q + 0.5 * h * q2, a3 = accelerate(p3, v3, t + 0.5 * h),
                   q3 = rates(p3, v3);
    const VectorXd v4 = v + h * a3, p4 = q + h * q3, a4 = accelerate(p4, v4, t + h), q4 = rates(p4, v4);
    q += h / 6.0 * (q1 + 2.0 * q2 + 2.0 * q3 + q4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    t += h;
    if (projected) {
      drive(system, t, terms);
      project(system, q.data(), v.data(), terms);
    }
  }
}

MatrixXd Moving::mass() const {
  MatrixXd H = MatrixXd::Zero(v.size(), v.size());
  const auto pattern = mass_pattern(system.tree);
  std::vector<multibody::Inertia> composite(system.tree.links.size());
  std::vector<double> values(pattern.size());
  mass_matrix(system.tree, terms.tree, composite, values.data());
  for (std::size_t k = 0; k < pattern.size(); ++k)
    H(pattern[k].first, pattern[k].second) = H(pattern[k].second, pattern[k].first) = values[k];
  return H;
}

MatrixXd Moving::jacobian() const {
  MatrixXd K = MatrixXd::Zero(system.loops.rows, v.size());
  for (std::size_t k = 0; k < system.loops.pattern.size(); ++k)
    K(system.loops.pattern[k].first, system.loops.pattern[k].second) += terms.loops.K[k];
  return K;
}

double Moving::energy() {
  place();
  VectorXd unused(v.size());
  multibody::accelerate(system, q.data(), v.data(), {}, terms, unused.data());
  return kinetic_energy(system.tree, terms.tree) + weight_energy(system.tree, terms.tree) + terms.energy;
}

}  // namespace taut::testing
