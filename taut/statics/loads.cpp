#include "taut/statics/loads.h"

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/at_rest.h"
#include "taut/equilibrium/tolerances.h"

namespace taut {

namespace {

using Eigen::VectorXd;

}  // namespace

void gather_loads(const Model& model, Statics& s) {
  const VectorXd weight = on_unknowns(s.rows, s.rows.weight);
  for (int p = 0; p < s.parts.count; ++p) {
    VectorXd own = VectorXd::Zero(weight.size());
    for (int i : s.spaces.rigid.parts[p].unknowns) own[i] = weight[i];
    if (s.spaces.rigid.part_along(p, own).norm() > no_push * own.norm()) s.falling.push_back(p);
  }
  s.external = s.rows.load;
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (!std::binary_search(s.falling.begin(), s.falling.end(), s.parts.of_node[i])) s.external[i] += s.rows.weight[i];
  const VectorXd f = on_unknowns(s.rows, s.external);
  const double size = f.norm();
  s.loaded_motion = VectorXd::Zero(f.size());
  bool any = false;
  for (const Vec3& e : s.external) any = any || e.norm() > 0.0;
  if (!any) return;
  s.load_state = LoadState::balanced;
  for (int p = 0; p < s.parts.count; ++p)
    if (s.spaces.rigid.part_along(p, f).norm() > no_push * size) s.load_state = LoadState::not_held;
  VectorXd rest = s.spaces.equilibrium->out_of_reach(f);
  if (s.load_state == LoadState::not_held) {
    VectorXd internal = f;
    s.spaces.rigid.remove(internal);
    s.loaded_motion = f - internal;
  } else if (rest.norm() > not_carried * size) {
    s.load_state = LoadState::on_mechanism;
    s.loaded_motion = rest;
  }
  // What cannot be balanced does not count.
  if (s.load_state != LoadState::balanced) s.external.assign(model.nodes.size(), Vec3::Zero());
  if (const double norm = s.loaded_motion.norm(); norm > 0.0) s.loaded_motion /= norm;
}

std::vector<Vec3> support_reactions(const Statics& s) {
  std::vector<Vec3> reactions(s.external.size(), Vec3::Zero());
  for (std::size_t i = 0; i < s.external.size(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (s.rows.unknown_of[3 * i + axis] < 0) reactions[i][axis] = -s.external[i][axis];
  for (const SparseEntry& e : gradients(s.rows, s.rows.start))
    if (s.rows.unknown_of[e.column] < 0) reactions[e.column / 3][e.column % 3] += e.value * s.forces[e.row];
  double largest = 0.0;
  for (const Vec3& r : reactions) largest = std::max(largest, r.cwiseAbs().maxCoeff());
  // Neither rounding nor -0.
  for (Vec3& r : reactions)
    for (double& component : r) component = std::abs(component) < cleared_force * largest ? 0.0 : component + 0.0;
  return reactions;
}

namespace {

// Gives a member the rest length by which it carries the force, as stiff as it is in the model. False if there is none.
bool set_force(const StaticMember& member, double force, double stiffness, Model& model) {
  if (member.cable >= 0) {
    Cable& cable = model.cables[member.cable];
    cable.friction = {};
    cable.mass = 0.0;
    // As stiff as it is in the model, whatever it carries.
    if (cable.law.by_EA && cable.law.kind != LawKind::table)
      cable.law.stiffness = stiffness_at(cable.law, cable.rest_length), cable.law.by_EA = false;
    cable.rest_length =
        force > 0.0 || !member.pulls_only ? rest_length_for_tension(cable.law, member.length, force) : member.length;
    return cable.rest_length > 0.0;
  }
  if (member.rigid) return true;
  Bar& bar = model.bars[member.bar];
  if (!(stiffness > 0.0)) return false;
  bar.yield = 0.0;
  bar.rest_length = member.length - force / stiffness;
  bar.EA = stiffness * bar.rest_length;
  return bar.rest_length > 0.0;
}

}  // namespace

std::optional<Buckling> loaded_buckling(const Model& model, const Statics& s) {
  // What nothing resists as it is has no load left to bear.
  if (s.rows.unknowns() == 0 || (!is_stiff(s) && !gives_way(s))) return std::nullopt;
  // Nothing acts but the members at their forces and the loads; masses do not matter.
  Model loaded = at_rest(model);
  loaded.ground.reset();
  loaded.collision.reset();
  loaded.gravity.setZero();
  loaded.controllers.clear();
  loaded.loads.clear();
  for (Node& node : loaded.nodes) node.mass = 1.0;
  for (Body& body : loaded.bodies) body.mass = 0.0;
  for (Bar& bar : loaded.bars) bar.mass = bar.inertia = bar.axial_inertia = 0.0;
  for (int i = 0; i < static_cast<int>(s.external.size()); ++i)
    if (s.external[i] != Vec3::Zero()) loaded.loads.push_back({i, s.external[i]});
  for (std::size_t k = 0; k < s.rows.members.size(); ++k)
    if (!set_force(s.rows.members[k], s.forces[static_cast<long>(k)], s.tangent.stiffness[k], loaded))
      return std::nullopt;
  try {
    return find_buckling(loaded);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace taut
