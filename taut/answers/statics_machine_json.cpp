// Of machines.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "taut/answers/check.h"
#include "taut/answers/statics.h"
#include "taut/base/text/text.h"

namespace taut {
namespace {

using Eigen::VectorXd;

Json forces_json(const MachineStatics& s, const VectorXd& forces, bool torques) {
  Json map = Json::object();
  for (std::size_t i = 0; i < s.members.size(); ++i)
    if (is_torque(s.members[i]) == torques)
      map[s.members[i].name] = value_of(s.members[i], forces[static_cast<long>(i)]);
  return map;
}

// Of velocities, those that move most first.
std::vector<int> largest(const VectorXd& motion, double down_to) {
  std::vector<int> order;
  const double most = motion.cwiseAbs().maxCoeff();
  for (int c = 0; c < motion.size(); ++c)
    if (std::abs(motion[c]) > down_to * most) order.push_back(c);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return std::abs(motion[a]) > std::abs(motion[b]); });
  return order;
}

Json nodes_json(const Model& model, const MachineStatics& s, const VectorXd& motion) {
  const VectorXd moves = s.node_map * motion;
  Json map = Json::object();
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const Vec3 move = moves.segment<3>(3 * static_cast<long>(i));
    if (move.norm() > 1e-12) map[model.nodes[i].name] = Json::array({move[0], move[1], move[2]});
  }
  return map;
}

Json velocities_json(const MachineStatics& s, const VectorXd& motion) {
  Json map = Json::object();
  for (int c : largest(motion, 1e-12)) map[s.velocities[c]] = motion[c];
  return map;
}

Json names(const MachineStatics& s, const std::vector<int>& members) {
  Json list = Json::array();
  for (int i : members) list.push_back(s.members[i].name);
  return list;
}

int count(const MachineStatics& s, MechanismKind kind) {
  return static_cast<int>(std::count_if(s.mechanisms.begin(), s.mechanisms.end(),
                                        [&](const MachineMechanism& m) { return m.kind == kind; }));
}

void add_softness(const Model& model, const MachineStatics& s, Json& object) {
  object["min_stiffness_eigenvalue"] = s.held ? Json(s.held->eigenvalue) : Json();
  object["softest_motion"] = s.held ? nodes_json(model, s, s.held->motion) : Json();
  object["softest_joints"] = s.held ? velocities_json(s, s.held->motion) : Json();
  object["min_stiffness_under_torques"] = s.given ? Json(s.given->eigenvalue) : Json();
  object["stable_under_torques"] = !s.given || s.given->eigenvalue > no_stiffness * s.given->scale;
  object["compliance"] = Json::object();
  for (const Compliance& c : s.compliances) {
    Json rows = Json::array();
    for (int i = 0; i < 3; ++i) rows.push_back(Json::array({c.matrix(i, 0), c.matrix(i, 1), c.matrix(i, 2)}));
    object["compliance"][model.nodes[c.node].name] = c.bounded ? rows : Json();
  }
}

}  // namespace

bool is_torque(const MachineMember& m) {
  return m.kind == MachineMemberKind::spring || m.kind == MachineMemberKind::drive;
}

double value_of(const MachineMember& m, double force) { return is_torque(m) ? force * m.length : force; }

std::string motion_text(const MachineStatics& s, const VectorXd& motion) {
  std::vector<std::string> names;
  for (int c : largest(motion, 0.5)) names.push_back(s.velocities[c]);
  return listed(names, 4);
}

Json machine_statics_json(const Model& model, const MachineStatics& s) {
  Json object;
  object["self_stress_states"] = s.states;
  object["mechanisms"] = s.mechanisms.size();
  object["finite_mechanisms"] = count(s, MechanismKind::finite);
  object["infinitesimal_mechanisms"] = count(s, MechanismKind::infinitesimal);
  object["undecided_mechanisms"] = count(s, MechanismKind::undecided);
  object["rigid_motions"] = s.rigid_motions;
  object["rank"] = s.rank;
  object["imbalance"] = s.imbalance;
  object["in_balance"] = s.imbalance <= rounding_of_files;
  object["stability"] = name(s.stability);
  object["sign_feasible"] = s.sign_feasible;
  object["idle"] = names(s, s.unreached);
  object["forces_of_start"] = s.at_start;
  object["member_forces"] = forces_json(s, s.forces, false);
  for (std::size_t i = 0; i < model.bars.size(); ++i) object["member_forces"][model.bars[i].name] = s.bar_forces[i];
  object["torques"] = forces_json(s, s.forces, true);
  object["forces_feasible"] = s.forces_feasible;
  object["out_of_bounds"] = names(s, s.offending);
  object["loads"] = name(s.load_state);
  object["self_stress_forces"] = Json::array();
  object["self_stress_torques"] = Json::array();
  for (long k = 0; k < s.self_stress.cols(); ++k) {
    const VectorXd state = s.states == 1 ? s.unit_stress : VectorXd(s.self_stress.col(k));
    object["self_stress_forces"].push_back(forces_json(s, state, false));
    object["self_stress_torques"].push_back(forces_json(s, state, true));
  }
  add_softness(model, s, object);
  object["mechanism_list"] = Json::array();
  for (const MachineMechanism& m : s.mechanisms)
    object["mechanism_list"].push_back({{"kind", name(m.kind)},
                                        {"text", motion_text(s, m.motion)},
                                        {"stiffening", m.stiffening},
                                        {"joints", velocities_json(s, m.motion)},
                                        {"shape", nodes_json(model, s, m.motion)}});
  return object;
}

}  // namespace taut
