#include "bench/peers/machine_plan.h"

#include <stdexcept>
#include <type_traits>

#include "taut/formulation/multibody/joints/coordinates.h"
#include "taut/formulation/multibody/system/system.h"

namespace taut::bench {

using namespace multibody;

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw std::runtime_error("\"" + name + "\": no plan for " + what);
}

// Columns: the frame's axes so that `first` comes first.
Mat3 cyclic(int first) {
  Mat3 axes = Mat3::Zero();
  for (int i = 0; i < 3; ++i) axes((first + i) % 3, i) = 1.0;
  return axes;
}

struct KindAndAxes {
  PlanKind kind;
  Mat3 axes = Mat3::Identity();
};
KindAndAxes kind_of(const Connection& c) {
  return std::visit(
      [&](const auto& joint) -> KindAndAxes {
        using Kind = std::decay_t<decltype(joint)>;
        if constexpr (std::is_same_v<Kind, Fixed>) return {PlanKind::weld};
        if constexpr (std::is_same_v<Kind, Revolute>) return {PlanKind::pin, cyclic((joint.axis + 1) % 3)};
        if constexpr (std::is_same_v<Kind, Prismatic>) return {PlanKind::slider, cyclic(joint.axis)};
        if constexpr (std::is_same_v<Kind, Universal>) return {PlanKind::universal};
        if constexpr (std::is_same_v<Kind, Spherical>) return {PlanKind::ball};
        if constexpr (std::is_same_v<Kind, Floating>) return {PlanKind::free};
        if constexpr (std::is_same_v<Kind, Involute>) return {PlanKind::cable};
        refuse(c.name, std::string("a joint of kind ") + kind_name(c.joint));
      },
      c.joint.kind);
}

PlanJoint joint_of(const System& s, const Connection& c) {
  const KindAndAxes known = kind_of(c);
  const auto placed = [&](const Transform& X) { return Placement{X.E.transpose() * known.axes, X.r}; };
  return {known.kind, s.tree.link_of(c.predecessor), s.tree.link_of(c.successor), placed(c.at_predecessor),
          placed(c.at_successor)};
}

bool plain(PlanKind kind) { return kind != PlanKind::ball && kind != PlanKind::free; }

// Coordinates and velocities of the start as a plan has them.
void set_start(const System& s, const Link& link, PlanLink& out) {
  const double *q = s.q.data() + link.q, *v = s.v.data() + link.v;
  out.q.assign(q, q + link.nq);
  out.u.assign(v, v + link.nv);
  if (!plain(out.joint.kind)) {
    const Mat3 R = rotation(q);
    for (int i = 0; i < link.nv; i += 3) Vec3::Map(out.u.data() + i) = R * Vec3::Map(v + i);
  }
  const Joint& joint = s.machine.joints[link.joint].joint;
  if (const auto* cable = std::get_if<Involute>(&joint.kind)) {
    const CableLength length = cable_length(joint, q, v);
    const CableMaterial& m = cable->material;
    out.cable = {cable->radius, m.EA, m.damping, m.clip, m.conservative};
    out.q[1] = length.value;
    out.u[1] = length.by[0] * v[0] + length.by[1] * v[1];
  }
}

void set_torques(const Connection& c, PlanLink& out) {
  const Passive& p = c.joint.passive;
  if (c.motion) refuse(c.name, "imposed motion");
  for (int i = 0; i < velocities(c.joint); ++i) {
    if (p.friction[i] != 0.0) refuse(c.name, "friction");
    const bool passive = p.stiffness[i] != 0.0 || p.damping[i] != 0.0;
    if (passive && (!plain(out.joint.kind) || out.joint.kind == PlanKind::cable))
      refuse(c.name, "springs and dampers of this joint");
    out.stiffness[i] = p.stiffness[i];
    out.rest[i] = p.rest[i];
    out.damping[i] = p.damping[i];
    out.has_torque = out.has_torque || passive;
  }
  if (c.torque && (!plain(out.joint.kind) || out.joint.kind == PlanKind::cable))
    refuse(c.name, "torques on this joint");
  out.torque = c.torque;
  out.has_torque = out.has_torque || c.torque || out.joint.kind == PlanKind::cable;
}

}  // namespace

MachinePlan plan_of(const System& s) {
  const Machine& m = s.machine;
  MachinePlan plan;
  plan.gravity = m.gravity;
  for (const Link& link : s.tree.links) {
    const RigidBody& body = m.bodies[link.body];
    const Connection& c = m.joints[link.joint];
    if (!body.weighs && body.mass > 0.0 && !m.gravity.isZero()) refuse(body.name, "weight on nodes");
    PlanLink out;
    out.name = body.name;
    out.mass = body.mass;
    out.centre = body.centre;
    out.inertia = body.inertia;
    out.joint = joint_of(s, c);
    out.parent = link.parent;
    out.reversed = link.reversed;
    set_start(s, link, out);
    set_torques(c, out);
    plan.links.push_back(std::move(out));
  }
  for (const LoopJoint& loop : s.loops.joints) {
    const Connection& c = m.joints[s.loops.groups[loop.group].index];
    if (loop.has_torque) refuse(c.name, "torques of a loop joint");
    plan.loops.push_back(joint_of(s, c));
  }
  for (const Distance& d : m.distances) {
    const Point &a = m.points[d.a], &b = m.points[d.b];
    plan.rods.push_back({s.tree.link_of(a.body), s.tree.link_of(b.body), a.position, b.position, d.length});
  }
  if (!m.sums.empty()) refuse(m.sums.front().name, "sums of points");
  return plan;
}

std::vector<BodyMotion> body_motions(const System& s, SystemTerms& t) {
  accelerations(s.tree, t.v_rate.data(), t.tree);
  std::vector<BodyMotion> result;
  for (std::size_t i = 0; i < s.tree.links.size(); ++i) {
    const LinkTerms& link = t.tree.links[i];
    const Transform& from_body = s.tree.links[i].from_body;
    const Mat3 to_world = link.world.E.transpose();
    const Vec3 origin = from_body.point(Vec3::Zero());
    BodyMotion motion;
    motion.axes = to_world * from_body.E;
    motion.position = link.world.point_back(origin);
    motion.turn = to_world * angular(link.velocity);
    motion.velocity = to_world * (linear(link.velocity) + angular(link.velocity).cross(origin));
    motion.turn_rate = to_world * angular(link.acceleration);
    motion.acceleration = to_world * acceleration(link, origin);
    result.push_back(motion);
  }
  return result;
}

Machine with_small_masses(Machine machine) {
  constexpr double mass = 0.01, radius = 0.016;  // kg, m
  for (RigidBody& body : machine.bodies) {
    if (body.mass > 0.0) continue;
    body.mass = mass;
    body.inertia = 0.4 * mass * radius * radius * Mat3::Identity();
  }
  return machine;
}

}  // namespace taut::bench
