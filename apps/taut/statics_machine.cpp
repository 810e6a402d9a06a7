#include "apps/taut/statics_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/taut/check_machine.h"
#include "apps/taut/json.h"
#include "taut/base/text/text.h"
#include "taut/model/words.h"

namespace taut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

bool is_torque(const MachineMember& m) {
  return m.kind == MachineMemberKind::spring || m.kind == MachineMemberKind::drive;
}

// N, or N m where the typical length makes a torque of it.
double value_of(const MachineMember& m, double force) { return is_torque(m) ? force * m.length : force; }

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

std::string motion_text(const MachineStatics& s, const VectorXd& motion) {
  std::vector<std::string> names;
  for (int c : largest(motion, 0.5)) names.push_back(s.velocities[c]);
  return listed(names, 4);
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

Json triplets(const MatrixXd& matrix) {
  Json list = Json::array();
  for (int i = 0; i < matrix.rows(); ++i)
    for (int j = 0; j < matrix.cols(); ++j)
      if (matrix(i, j) != 0.0) list.push_back(Json::array({i, j, matrix(i, j)}));
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

void print_motions(const MachineStatics& s) {
  if (s.states == 0)
    fmt::print("It has no state of self-stress.\n");
  else
    fmt::print("It has {}{}.\n", plural(s.states, "state of self-stress", "states of self-stress"),
               s.sign_feasible ? "" : ", none of which keeps all cables in tension");
  if (s.mechanisms.empty())
    fmt::print("With its drives held it has no mechanism.\n");
  else
    fmt::print("With its drives held it has {}:\n",
               plural(static_cast<int>(s.mechanisms.size()), "mechanism", "mechanisms"));
  for (std::size_t k = 0; k < std::min<std::size_t>(s.mechanisms.size(), 6); ++k)
    fmt::print("  {}: {}\n", name(s.mechanisms[k].kind), motion_text(s, s.mechanisms[k].motion));
  if (s.mechanisms.size() > 6) fmt::print("  and {} more\n", s.mechanisms.size() - 6);
  if (s.rigid_motions > 0)
    fmt::print("The ground leaves {} free.\n", plural(s.rigid_motions, "rigid motion", "rigid motions"));
}

void print_softness(const MachineStatics& s, const std::optional<MachineSoftness>& soft, const char* with) {
  if (!soft) {
    fmt::print("{} nothing can move.\n", with);
    return;
  }
  const double none = no_stiffness * soft->scale;
  const char* word = soft->eigenvalue > none    ? "it is stable; softest"
                     : soft->eigenvalue < -none ? "it gives way by itself"
                                                : "nothing resists";
  fmt::print("{} {}: {:.4g} N/m, {}.\n", with, word, std::abs(soft->eigenvalue) <= none ? 0.0 : soft->eigenvalue,
             motion_text(s, soft->motion));
}

// At the place; rigid bars keep the length that they are drawn with.
double length_of_bar(const Model& model, const MachineStatics& s, int bar) {
  for (const MachineMember& m : s.members)
    if (m.kind == MachineMemberKind::bar && m.index == bar) return m.length;
  return start_length(model, model.bars[bar]);
}

void print_table(const Model& model, const MachineStatics& s) {
  // What a linear solution leaves in place of 0.
  double rounding = 1e-13 * s.forces.lpNorm<Eigen::Infinity>();
  for (const double force : s.bar_forces) rounding = std::max(rounding, 1e-13 * std::abs(force));
  const auto shown = [&](double force) { return std::abs(force) <= rounding ? 0.0 : force; };
  std::size_t width = 6;
  for (const MachineMember& m : s.members) width = std::max(width, m.name.size());
  for (const Bar& bar : model.bars) width = std::max(width, bar.name.size());
  fmt::print("\n  {:<{}}  {:>12}  {:>12}\n", "member", width, "force, N", "length, m");
  for (std::size_t i = 0; i < s.members.size(); ++i)
    if (const MachineMember& m = s.members[i]; !is_torque(m) && m.kind != MachineMemberKind::bar)
      fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}\n", m.name, width, shown(s.forces[static_cast<long>(i)]), m.length);
  for (std::size_t i = 0; i < model.bars.size(); ++i)
    fmt::print("  {:<{}}  {:>12.6g}  {:>12.6g}\n", model.bars[i].name, width, shown(s.bar_forces[i]),
               length_of_bar(model, s, static_cast<int>(i)));
  bool first = true;
  for (std::size_t i = 0; i < s.members.size(); ++i) {
    if (!is_torque(s.members[i])) continue;
    if (first) fmt::print("\n  {:<{}}  {:>12}\n", "joint", width, "N m or N");
    first = false;
    fmt::print("  {:<{}}  {:>12.6g}\n", s.members[i].name, width,
               value_of(s.members[i], shown(s.forces[static_cast<long>(i)])));
  }
}

}  // namespace

std::string machine_statics_json(const Model& model, const MachineStatics& s, bool matrices) {
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
  if (matrices) {
    Json members = Json::array();
    for (const MachineMember& m : s.members) members.push_back(m.name);
    object["matrices"] = {{"coordinates", s.velocities},
                          {"members", members},
                          {"equilibrium", triplets(s.equilibrium.leftCols(static_cast<long>(s.members.size())))},
                          {"loops", triplets(s.equilibrium.rightCols(s.inner))},
                          {"stiffness", triplets(s.stiffness)}};
  }
  return text_of(object);
}

void print_machine_statics(const Model& model, const MachineStatics& s) {
  fmt::print("{}: {}\n", model.name.empty() ? "model" : model.name, counts_text(model));
  print_motions(s);
  if (s.at_start)
    fmt::print("The start is in balance; the forces below are those of the start.\n");
  else if (s.load_state == LoadState::balanced)
    fmt::print("The forces below balance weight and loads{}.\n",
               s.forces_feasible ? "" : ", but leave the bounds of members");
  else if (s.load_state == LoadState::none)
    fmt::print("The forces below are a self-stress{}.\n", s.forces_feasible ? "" : ", but leave the bounds of members");
  else
    fmt::print("Weight and loads cannot be balanced here: they push along {}. They are left out.\n",
               s.load_state == LoadState::not_held ? "a rigid motion" : "a mechanism");
  fmt::print("Stability: {}.\n", name(s.stability));
  print_softness(s, s.held, "With its drives held");
  const bool torques =
      std::any_of(model.drives.begin(), model.drives.end(), [](const JointDrive& d) { return !d.imposed; });
  if (torques) print_softness(s, s.given, "With torques that stay what they are");
  for (const Compliance& c : s.compliances) {
    fmt::print("Node {} {}\n", model.nodes[c.node].name,
               c.bounded ? "gives way under 1 N by, m/N:" : "gives way without limit.");
    for (int i = 0; i < 3 && c.bounded; ++i)
      fmt::print("  {:>12.4e} {:>12.4e} {:>12.4e}\n", c.matrix(i, 0), c.matrix(i, 1), c.matrix(i, 2));
  }
  print_table(model, s);
}

}  // namespace taut
