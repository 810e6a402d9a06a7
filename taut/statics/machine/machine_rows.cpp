#include "taut/statics/machine/machine_rows.h"

#include <algorithm>
#include <cmath>

#include "taut/formulation/node_arrays.h"
#include "taut/model/laws/bar_law.h"
#include "taut/statics/cable_slope.h"

namespace taut {

using namespace multibody;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// ∂l₀/∂v of a cable on pulleys that is not rigid; nothing: it is.
std::vector<double> free_length_slope(const Joint& joint) {
  if (const auto* one = std::get_if<Involute>(&joint.kind)) return {one->radius, 0.0};
  if (const auto* two = std::get_if<TwoPulley>(&joint.kind)) return {two->pulleys.first, two->pulleys.second, 0.0};
  return {};
}

std::vector<int> path_of(const Model& model, const MachineMember& member) {
  if (member.kind == MachineMemberKind::cable) return model.cables[member.index].path;
  return {model.bars[member.index].a, model.bars[member.index].b};
}

}  // namespace

MachineRows::MachineRows(MachineForces& forces) : forces_(forces), model_(forces.model()), s_(forces.system()) {
  q_ = forces.coordinates();
  loop_torque_ = forces.machine().loop_torque;
  add_node_members();
  add_joint_members();
  std::vector<char> taken(s_.loops.rows, 0);
  for (int row : row_of_)
    if (row >= 0) taken[row] = 1;
  for (int r = 0; r < s_.loops.rows; ++r)
    if (!taken[r]) inner_.push_back(r);
  present_.resize(columns());
  for (std::size_t i = 0; i < members_.size(); ++i) present_[static_cast<long>(i)] = members_[i].present;
  for (std::size_t i = 0; i < inner_.size(); ++i)
    present_[static_cast<long>(members_.size() + i)] = forces.machine().lambda[inner_[i]];
}

std::vector<Vec3> MachineRows::start_positions() const {
  std::vector<Vec3> at;
  for (std::size_t i = 0; i < model_.nodes.size(); ++i)
    at.push_back(at3(forces_.terms().x.data(), static_cast<int>(i)));
  return at;
}

double MachineRows::length_of(const std::vector<int>& path) const {
  const std::vector<Vec3> at = start_positions();
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < path.size(); ++k) sum += (at[path[k + 1]] - at[path[k]]).norm();
  return sum;
}

// Cables, and bars that are no bodies.
void MachineRows::add_node_members() {
  const MachineTensions now = forces_.tensions();
  for (std::size_t i = 0; i < model_.cables.size(); ++i) {
    const Cable& cable = model_.cables[i];
    const bool pulls = cable.law.kind == LawKind::linear || cable.law.kind == LawKind::table;
    members_.push_back({cable.name, MachineMemberKind::cable, static_cast<int>(i), length_of(cable.path), pulls, false,
                        now.cables[i]});
  }
  row_of_.assign(members_.size(), -1);
  for (std::size_t i = 0; i < model_.bars.size(); ++i) {
    const Bar& bar = model_.bars[i];
    int row = -1;
    for (const RowGroup& group : s_.loops.groups)
      if (group.kind == RowGroup::Kind::distance && s_.loops.distances[group.index].name == bar.name)
        row = group.first_row;
    if (!bar.elastic && row < 0) continue;
    members_.push_back({bar.name, MachineMemberKind::bar, static_cast<int>(i), length_of({bar.a, bar.b}), false,
                        !bar.elastic, now.bars[i]});
    row_of_.push_back(row);
  }
}

// Cables on pulleys, springs and drives.
void MachineRows::add_joint_members() {
  const MachineTensions now = forces_.tensions();
  for (std::size_t i = 0; i < model_.pulleys.size(); ++i) {
    const JointIndices at = forces_.formulation().joints()->pulley_indices(static_cast<int>(i));
    // One that closes a loop has no coordinates of its own: what it carries counts as given.
    const int link = at.v >= 0 ? s_.tree.link_of_velocity[at.v] : -1;
    link_of_pulley_.push_back(link);
    strain_.push_back(0.0);
    if (link < 0) continue;
    CableStatus status;
    const JointVelocity rest{};
    cable_status(s_.tree.joints[link], q_.data() + at.q, rest.data(), status);
    strain_.back() = status.strain;
    if (free_length_slope(s_.tree.joints[link]).empty()) continue;
    members_.push_back({model_.pulleys[i].name, MachineMemberKind::pulley, static_cast<int>(i), status.length, true,
                        false, now.pulleys[i]});
  }
  JointTorque torque;
  const JointVelocity rest{};
  const SystemTerms& own = forces_.machine();
  for (std::size_t i = 0; i < s_.tree.links.size(); ++i) {
    const Link& link = s_.tree.links[i];
    const Connection& c = s_.machine.joints[link.joint];
    Joint springs = s_.tree.joints[i];
    const bool cable = !free_length_slope(springs).empty();
    for (int k = 0; k < link.nv; ++k) {
      const std::string name = link.nv > 1 ? c.name + "." + coordinate_name(c.joint, k) : c.name;
      if (!cable && springs.passive.stiffness[k] != 0.0) {
        internal_torque(springs, q_.data() + link.q, rest.data(), torque);
        members_.push_back({name + " (spring)", MachineMemberKind::spring, link.v + k, s_.length, false, false,
                            torque.torque[k] / s_.length});
      }
      if (c.motion || c.torque)
        members_.push_back({name, MachineMemberKind::drive, link.v + k, s_.length, false, true,
                            (c.motion ? own.torque : own.applied)[link.v + k] / s_.length});
    }
  }
  row_of_.resize(members_.size(), -1);
}

// Of cables and elastic bars, along the straight pieces of their paths.
void MachineRows::add_tensions(const VectorXd& forces, const std::vector<Vec3>& at, std::vector<Vec3>& on) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const MachineMember& member = members_[i];
    const bool straight = member.kind == MachineMemberKind::cable || member.kind == MachineMemberKind::bar;
    const double force = forces[static_cast<long>(i)];
    if (!straight || row_of_[i] >= 0 || force == 0.0) continue;
    const std::vector<int> path = path_of(model_, member);
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      const Vec3 d = at[path[k + 1]] - at[path[k]];
      if (!(d.norm() > 0.0)) continue;
      const Vec3 pull = force * d.normalized();
      on[path[k]] += pull;
      on[path[k + 1]] -= pull;
    }
  }
}

// Of all rows: a row pushes the ends of its bar apart.
VectorXd MachineRows::multipliers(const VectorXd& forces) const {
  VectorXd lambda = VectorXd::Zero(s_.loops.rows);
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (row_of_[i] >= 0) lambda[row_of_[i]] = -forces[static_cast<long>(i)];
  for (std::size_t i = 0; i < inner_.size(); ++i) lambda[inner_[i]] = forces[static_cast<long>(members_.size() + i)];
  return lambda;
}

VectorXd MachineRows::pull(const MachineMember& pulley, const double* q) const {
  const int number = link_of_pulley_[pulley.index];
  const Link& link = s_.tree.links[number];
  const Joint& joint = s_.tree.joints[number];
  const JointVelocity rest{};
  const CableLength length = cable_length(joint, q + link.q, rest.data());
  const std::vector<double> free = free_length_slope(joint);
  VectorXd by = VectorXd::Zero(s_.tree.nv);
  for (int k = 0; k < link.nv; ++k) {
    by[link.v + k] = length.by[k] - free[k];
    if (model_.pulleys[pulley.index].conservative) by[link.v + k] -= 0.5 * strain_[pulley.index] * free[k];
  }
  return by;
}

VectorXd MachineRows::acting(const VectorXd& q, const VectorXd& forces, bool external) const {
  SystemTerms t = make_terms(s_);
  const VectorXd rest = VectorXd::Zero(s_.tree.nv);
  multibody::place(s_, q.data(), rest.data(), t);
  for (LinkTerms& link : t.tree.links) link.external.setZero();
  if (external) set_weight(s_.tree, t.tree);
  std::vector<Vec3> at, on(model_.nodes.size(), Vec3::Zero());
  for (std::size_t i = 0; i < model_.nodes.size(); ++i) at.push_back(position(s_.tree, static_cast<int>(i), t.tree));
  add_tensions(forces, at, on);
  if (external)
    for (const Load& load : model_.loads)
      if (load.from <= 0.0 && load.to > 0.0) on[load.node] += load.force;
  for (std::size_t i = 0; i < on.size(); ++i) add_force(s_.tree, static_cast<int>(i), on[i], t.tree);
  for (std::size_t i = 0; external && i < s_.loops.joints.size(); ++i)
    if (s_.loops.joints[i].has_torque)
      add_loop_torque(s_.loops, static_cast<int>(i), t.loops, loop_torque_[i].torque.data(), t.tree);
  accelerations(s_.tree, nullptr, t.tree);
  VectorXd P(s_.tree.nv);
  joint_forces(s_.tree, t.tree, P.data());
  P = -P;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const double force = forces[static_cast<long>(i)];
    if (members_[i].kind == MachineMemberKind::pulley && force != 0.0) P -= force * pull(members_[i], q.data());
    if (members_[i].kind == MachineMemberKind::spring || members_[i].kind == MachineMemberKind::drive)
      P[members_[i].index] += force * s_.length;
  }
  const VectorXd lambda = multipliers(forces);
  if (lambda.size() > 0) add_transposed(s_.loops, t.loops, lambda.data(), P.data());
  return P;
}

MatrixXd MachineRows::columns_at_start() const {
  MatrixXd A(s_.tree.nv, columns());
  for (long k = 0; k < columns(); ++k) A.col(k) = acting(q_, VectorXd::Unit(columns(), k), false);
  return A;
}

// k of a member that carries this force.
double MachineRows::slope(const MachineMember& member, double force) const {
  switch (member.kind) {
    case MachineMemberKind::cable: {
      const Cable& cable = model_.cables[member.index];
      if (member.pulls_only && !(force > 0.0)) return 0.0;
      return cable_slope(cable.law, member.length, cable.rest_length, force);
    }
    case MachineMemberKind::bar:
      return member.keeps ? 0.0 : model_.bars[member.index].EA / model_.bars[member.index].rest_length;
    case MachineMemberKind::pulley: {
      const double EA = model_.pulleys[member.index].EA;
      return force > 0.0 ? EA * (1.0 + force / EA) / member.length : 0.0;  // EA/l₀
    }
    case MachineMemberKind::spring: {
      const int link = s_.tree.link_of_velocity[member.index];
      // Of forces over lengths: the column is the typical length.
      return s_.tree.joints[link].passive.stiffness[member.index - s_.tree.links[link].v] / (s_.length * s_.length);
    }
    case MachineMemberKind::drive:
      return 0.0;
  }
  return 0.0;
}

MatrixXd MachineRows::material_stiffness(const MatrixXd& A, const VectorXd& forces) const {
  MatrixXd K = MatrixXd::Zero(s_.tree.nv, s_.tree.nv);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const double force = forces[static_cast<long>(i)], k = slope(members_[i], force);
    if (k == 0.0) continue;
    const VectorXd a = A.col(static_cast<long>(i));
    VectorXd change = a;  // of the force, over k
    if (members_[i].kind == MachineMemberKind::pulley) {
      // F = EA u/l₀, and l₀ changes as the cable unwinds.
      const int number = link_of_pulley_[members_[i].index];
      const Link& link = s_.tree.links[number];
      const std::vector<double> free = free_length_slope(s_.tree.joints[number]);
      const double strain = force / model_.pulleys[members_[i].index].EA;
      const double wound = model_.pulleys[members_[i].index].conservative ? 0.5 : 1.0;
      for (int n = 0; n < link.nv; ++n) change[link.v + n] += wound * strain * free[n];
      if (wound != 1.0) {  // both sides of the gradient of ½ EA ε² l₀
        K += k * change * change.transpose();
        continue;
      }
    }
    K += k * a * change.transpose();
  }
  return K;
}

MatrixXd MachineRows::geometric_stiffness(const VectorXd& forces, bool external) const {
  MatrixXd K(s_.tree.nv, s_.tree.nv);
  for (int c = 0; c < s_.tree.nv; ++c) {
    const double h = 1e-3 * s_.length / forces_.way()[c];
    const auto moved = [&](double step) {
      VectorXd there = q_;
      const VectorXd along = step * VectorXd::Unit(s_.tree.nv, c);
      retract(s_.tree, there.data(), along.data());
      return acting(there, forces, external);
    };
    K.col(c) = -(8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
  }
  return K;
}

std::vector<double> MachineRows::bar_forces(const VectorXd& forces) const {
  std::vector<Vec3> on(model_.nodes.size(), Vec3::Zero());
  add_tensions(forces, start_positions(), on);
  for (const Load& load : model_.loads)
    if (load.from <= 0.0 && load.to > 0.0) on[load.node] += load.force;
  std::vector<double> bars = forces_.bar_forces(on, multipliers(forces));
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].kind == MachineMemberKind::bar) bars[members_[i].index] = forces[static_cast<long>(i)];
  return bars;
}

}  // namespace taut
