// Energies of joints and what their results are.
#include <fmt/format.h>

#include "taut/formulation/multibody/multibody.h"
#include "taut/model/shape/body_pose.h"

namespace taut {

using namespace multibody;

namespace {

constexpr double nearest = 0.05;  // radii: a cable that is shorter is wound up

// Radius of a cable's first pulley, and whether there is a second.
std::pair<double, bool> radii(const Joint& joint) {
  if (const auto* a = std::get_if<InvoluteRigid>(&joint.kind)) return {a->radius, false};
  if (const auto* b = std::get_if<Involute>(&joint.kind)) return {b->radius, false};
  if (const auto* c = std::get_if<TwoPulleyRigid>(&joint.kind)) return {c->pulleys.first, true};
  return {std::get<TwoPulley>(joint.kind).pulleys.first, true};
}

}  // namespace

JointIndices Multibody::indices_of(int joint) const {
  if (link_of_joint_[joint] < 0) return {};
  const Link& link = system_.tree.links[link_of_joint_[joint]];
  return {link.q, link.v, link.nv, link.imposed};
}

std::string Multibody::open_loop(const double* q, double time) const {
  SystemTerms t = multibody::make_terms(system_);
  drive(system_, time, t);
  const std::vector<double> rest(facts_.nv, 0.0);
  place(system_, q, rest.data(), t);
  int worst = -1;
  double most = 1e-9 * system_.length;
  for (int r = 0; r < system_.loops.rows; ++r)
    if (const double size = std::abs(t.loops.g[r]) * (system_.loops.is_turn[r] ? system_.length : 1.0); size > most)
      most = size, worst = r;
  if (worst < 0) return "";
  return fmt::format("{} is open by {:.3g} m", row_name(system_, worst), most);
}

JointEnergy Multibody::joint_energy(const Terms& terms) const {
  const SystemTerms& last = own(terms);
  return {last.energy, weight_energy(system_.tree, last.tree)};
}

void Multibody::body_poses(const Terms& terms, double* poses) const {
  for (const int body : joints_.posed) {
    const int link = system_.tree.link_of(body);
    const Transform pose = system_.tree.links[link].from_body.inverse() * own(terms).tree.links[link].world;
    put_pose(pose.r, pose.E.transpose(), poses);
    poses += pose_columns;
  }
}

void Multibody::joint_values(const double* q, const double* v, const Terms& terms, double* values) const {
  const SystemTerms& last = own(terms);
  const auto position_of = [&](int number) {
    const int link = link_of_joint_[number];
    return link >= 0 ? q + system_.tree.links[link].q : last.loops.joints[loop_of_joint_[number]].q.data();
  };
  const auto velocity_of = [&](int number) {
    const int link = link_of_joint_[number];
    return link >= 0 ? v + system_.tree.links[link].v : last.loops.joints[loop_of_joint_[number]].v.data();
  };
  const auto add = [&](int number) {
    const Connection& c = system_.machine.joints[number];
    values = std::copy_n(position_of(number), multibody::coordinates(c.joint), values);
    values = std::copy_n(velocity_of(number), multibody::velocities(c.joint), values);
    if (c.motion || (c.torque && link_of_joint_[number] >= 0)) {
      const AlignedDoubles& torque = c.motion ? last.torque : last.applied;
      values = std::copy_n(torque.data() + system_.tree.links[link_of_joint_[number]].v, multibody::velocities(c.joint),
                           values);
    } else if (c.torque) {
      c.torque(terms.time, values);
      values += multibody::velocities(c.joint);
    }
  };
  for (int number : joints_.joints) add(number);
  if (joints_.pulleys.empty()) return;
  // What joints transmit, for rigid cables.
  TreeTerms t = last.tree;
  std::vector<double> unused(facts_.nv);
  bool found = false;
  const auto transmitted = [&](int number) {
    if (!found) {
      add_loop_forces(last, t);
      joint_forces(system_.tree, t, unused.data());
      found = true;
    }
    const int i = link_of_joint_[number];
    const Link& link = system_.tree.links[i];
    // On the successor, in its frame at the cable's end.
    return link.reversed ? Vec6(-t.links[i].X.force_back(t.links[i].force)) : t.links[i].force;
  };
  for (int number : joints_.pulleys) {
    const Joint& joint = system_.machine.joints[number].joint;
    add(number);
    CableStatus status;
    cable_status(joint, position_of(number), velocity_of(number), status);
    *values++ = status.length;
    const bool rigid =
        std::holds_alternative<InvoluteRigid>(joint.kind) || std::holds_alternative<TwoPulleyRigid>(joint.kind);
    double tension = status.tension;
    if (rigid) {
      // The last constraint is the tension: its direction along the cable.
      Mat6 T;
      constraint_forces(joint, position_of(number), T);
      tension = -T.col(5 - multibody::velocities(joint)).tail<3>().dot(linear(transmitted(number)));
    }
    *values++ = tension;
    // Where the cable leaves, from the pulley's frame turned to the cable's.
    const Link& link = system_.tree.links[link_of_joint_[number]];
    const Transform above = link.parent == ground ? Transform{} : last.tree.links[link.parent].world;
    const Transform pulley = link.reversed ? last.tree.links[link_of_joint_[number]].world : link.before * above;
    const auto [r1, second] = radii(joint);
    const double phi = position_of(number)[0];
    const Transform cable = {turn_about(2, std::sin(phi), std::cos(phi)) * pulley.E, pulley.r};
    const Vec3 leaves = cable.point_back(Vec3(0.0, r1, 0.0)), meets = cable.point_back(Vec3(status.length, r1, 0.0));
    values = std::copy_n(leaves.data(), 3, values);
    if (second) values = std::copy_n(meets.data(), 3, values);
  }
}

void Multibody::joint_cables(const double* q, const double* v, JointCable* cables) const {
  for (int number : joints_.pulleys) {
    const Link& link = system_.tree.links[link_of_joint_[number]];
    CableStatus s;
    cable_status(system_.machine.joints[number].joint, q + link.q, v + link.v, s);
    // So near to the pulley the forces grow without limit, and no integrator gets any further.
    const double least = nearest * radii(system_.machine.joints[number].joint).first;
    *cables++ = {s.switch_value, s.free_length < least || s.length < least, s.overlaps, s.off_pulley};
  }
}

JointCableLength Multibody::cable_length(int pulley, const double* q, const double* v) const {
  const int number = link_of_joint_[joints_.pulleys[pulley]];
  const Link& link = system_.tree.links[number];
  const CableLength length = multibody::cable_length(system_.tree.joints[number], q + link.q, v + link.v);
  return {length.value, length.drift, length.by};
}

}  // namespace taut
