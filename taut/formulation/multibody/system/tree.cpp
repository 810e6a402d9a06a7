#include "taut/formulation/multibody/system/tree.h"

#include <algorithm>

namespace taut::multibody {

Tree::Tree(const Machine& m, const Topology& topology) : link_of_body(m.bodies.size(), ground), gravity(m.gravity) {
  for (const Topology::Branch& b : topology.tree) {
    const Connection& joint = m.joints[b.joint];
    const RigidBody& body = m.bodies[b.body];
    link_of_body[b.body] = static_cast<int>(links.size());
    Link link;
    link.body = b.body, link.parent = b.parent, link.joint = b.joint;
    link.nq = coordinates(joint.joint), link.nv = velocities(joint.joint);
    link.q = nq, link.v = nv;
    link.reversed = b.reversed;
    link.imposed = static_cast<bool>(joint.motion);
    link.has_torque = has_internal_torque(joint.joint);
    link.from_body = b.reversed ? joint.at_predecessor : joint.at_successor;
    link.before = b.reversed ? joint.at_successor : joint.at_predecessor;
    if (b.parent != ground) link.before = link.before * links[b.parent].from_body.inverse();
    link.inertia = inertia_to(link.from_body, rigid_inertia(body.mass, body.centre, body.inertia));
    link.weighs = body.weighs && body.mass > 0.0 && gravity != Vec3::Zero();
    for (int i = 0; i < link.nv; ++i) {
      link_of_velocity.push_back(static_cast<int>(links.size()));
      imposed.push_back(link.imposed);
    }
    nq += link.nq;
    nv += link.nv;
    links.push_back(link);
    joints.push_back(joint.joint);
  }
  for (const Point& point : m.points) {
    const int link = link_of(point.body);
    points.push_back({link, link == ground ? point.position : links[link].from_body.point(point.position)});
  }
}

TreeTerms make_terms(const Tree& tree) {
  TreeTerms terms;
  terms.links.resize(tree.links.size());
  for (LinkTerms& t : terms.links) {
    t.velocity.setZero();
    t.bias.setZero();
    t.acceleration.setZero();
    t.force.setZero();
    t.external.setZero();
  }
  terms.S.assign(tree.nv, Vec6::Zero());
  return terms;
}

void place(const Tree& tree, const double* q, const double* v, TreeTerms& terms) {
  JointMotion m;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    LinkTerms& t = terms.links[i];
    move(tree.joints[i], q + link.q, v + link.v, m);
    Vec6* const S = terms.S.data() + link.v;
    if (link.reversed) {
      for (int c = 0; c < link.nv; ++c) S[c] = -m.X.motion_back(m.S.col(c));
      m.velocity = -m.X.motion_back(m.velocity);
      m.bias = -m.X.motion_back(m.bias);
      m.X = m.X.inverse();
    } else {
      for (int c = 0; c < link.nv; ++c) S[c] = m.S.col(c);
    }
    t.X = m.X * link.before;
    if (link.parent == ground) {
      t.world = t.X;
      t.velocity = m.velocity;
      t.bias = m.bias;
    } else {
      const LinkTerms& parent = terms.links[link.parent];
      t.world = t.X * parent.world;
      t.velocity = t.X.motion(parent.velocity) + m.velocity;
      t.bias = m.bias + cross_motion(t.velocity, m.velocity);
    }
  }
}

void accelerations(const Tree& tree, const double* v_rate, TreeTerms& terms) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    LinkTerms& t = terms.links[i];
    t.acceleration = t.bias;
    if (link.parent != ground) t.acceleration += t.X.motion(terms.links[link.parent].acceleration);
    if (v_rate)
      for (int c = link.v; c < link.v + link.nv; ++c) t.acceleration += v_rate[c] * terms.S[c];
  }
}

void set_weight(const Tree& tree, TreeTerms& terms) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    LinkTerms& t = terms.links[i];
    if (link.weighs) {
      const Vec3 g = t.world.E * tree.gravity;
      t.external = spatial(link.inertia.moment.cross(g), link.inertia.mass * g);
    } else {
      t.external.setZero();
    }
  }
}

void add_force(const Tree& tree, int point, const Vec3& force, TreeTerms& terms) {
  const LinkPoint& p = tree.points[point];
  if (p.link == ground) return;
  LinkTerms& t = terms.links[p.link];
  const Vec3 f = t.world.E * force;
  t.external += spatial(p.position.cross(f), f);
}

void body_forces(const Tree& tree, TreeTerms& terms) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Inertia& I = tree.links[i].inertia;
    LinkTerms& t = terms.links[i];
    t.force = I * t.acceleration + cross_force(t.velocity, I * t.velocity) - t.external;
  }
}

void joint_forces(const Tree& tree, TreeTerms& terms, double* torque) {
  body_forces(tree, terms);
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const Link& link = tree.links[i];
    const LinkTerms& t = terms.links[i];
    for (int c = link.v; c < link.v + link.nv; ++c) torque[c] = terms.S[c].dot(t.force);
    if (link.parent != ground) terms.links[link.parent].force += t.X.force_back(t.force);
  }
}

Vec3 position(const Tree& tree, int point, const TreeTerms& terms) {
  const LinkPoint& p = tree.points[point];
  return p.link == ground ? p.position : terms.links[p.link].world.point_back(p.position);
}

Vec3 velocity(const Tree& tree, int point, const TreeTerms& terms) {
  const LinkPoint& p = tree.points[point];
  if (p.link == ground) return Vec3::Zero();
  const LinkTerms& t = terms.links[p.link];
  return t.world.E.transpose() * (linear(t.velocity) + angular(t.velocity).cross(p.position));
}

Vec3 acceleration(const LinkTerms& t, const Vec3& place) {
  const Vec3 w = angular(t.velocity);
  return linear(t.acceleration) + angular(t.acceleration).cross(place) +
         w.cross(Vec3(linear(t.velocity) + w.cross(place)));
}

Vec3 acceleration(const Tree& tree, int point, const TreeTerms& terms) {
  const LinkPoint& p = tree.points[point];
  if (p.link == ground) return Vec3::Zero();
  return terms.links[p.link].world.E.transpose() * acceleration(terms.links[p.link], p.position);
}

double kinetic_energy(const Tree& tree, const TreeTerms& terms) {
  double sum = 0.0;
  for (std::size_t i = 0; i < tree.links.size(); ++i)
    sum += tree.links[i].inertia.kinetic_energy(terms.links[i].velocity);
  return sum;
}

double weight_energy(const Tree& tree, const TreeTerms& terms) {
  double sum = 0.0;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    const Transform& world = terms.links[i].world;
    if (link.weighs) sum -= tree.gravity.dot(world.E.transpose() * link.inertia.moment + link.inertia.mass * world.r);
  }
  return sum;
}

std::vector<std::pair<int, int>> mass_pattern(const Tree& tree) {
  std::vector<std::pair<int, int>> pattern;
  for (const Link& link : tree.links)
    for (int c = link.v; c < link.v + link.nv; ++c) {
      for (int d = link.v; d <= c; ++d) pattern.emplace_back(c, d);
      for (int j = link.parent; j != ground; j = tree.links[j].parent)
        for (int d = tree.links[j].v; d < tree.links[j].v + tree.links[j].nv; ++d) pattern.emplace_back(c, d);
    }
  return pattern;
}

void mass_matrix(const Tree& tree, const TreeTerms& terms, std::vector<Inertia>& composite, double* values) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) composite[i] = tree.links[i].inertia;
  for (std::size_t i = tree.links.size(); i-- > 0;)
    if (const int parent = tree.links[i].parent; parent != ground)
      composite[parent] += inertia_back(terms.links[i].X, composite[i]);
  const Vec6* const S = terms.S.data();
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    for (int c = link.v; c < link.v + link.nv; ++c) {
      Vec6 force = composite[i] * S[c];
      for (int d = link.v; d <= c; ++d) *values++ = S[d].dot(force);
      const Transform* X = &terms.links[i].X;
      for (int j = link.parent; j != ground; j = tree.links[j].parent) {
        force = X->force_back(force);
        for (int d = tree.links[j].v; d < tree.links[j].v + tree.links[j].nv; ++d) *values++ = S[d].dot(force);
        X = &terms.links[j].X;
      }
    }
  }
}

void coordinate_rates(const Tree& tree, const double* q, const double* v, double* q_rate) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    rates(tree.joints[i], q + link.q, v + link.v, q_rate + link.q);
  }
}

void retract(const Tree& tree, double* q, const double* step) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    retract(tree.joints[i], q + link.q, step + link.v, q + link.q);
  }
}

double normalise(const Tree& tree, double* q) {
  double off = 0.0;
  for (std::size_t i = 0; i < tree.links.size(); ++i)
    off = std::max(off, normalise(tree.joints[i], q + tree.links[i].q));
  return off;
}

}  // namespace taut::multibody
