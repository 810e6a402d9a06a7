// Of structures.
#include <nlohmann/json.hpp>

#include "taut/answers/statics.h"
#include "taut/model/shape/affine_base.h"

namespace taut {
namespace {

using Eigen::VectorXd;

Json vector_json(const Vec3& v) { return Json::array({v[0], v[1], v[2]}); }

Json densities(const Statics& s, const VectorXd& forces) {
  Json map = Json::object();
  for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i)
    map[s.rows.members[i].name] = force_density(s, i, forces);
  return map;
}

Json forces_json(const Statics& s, const VectorXd& forces) {
  Json map = Json::object();
  for (std::size_t i = 0; i < s.rows.members.size(); ++i) map[s.rows.members[i].name] = forces[static_cast<long>(i)];
  return map;
}

Json names(const Statics& s, const std::vector<int>& members) {
  Json list = Json::array();
  for (int i : members) list.push_back(s.rows.members[i].name);
  return list;
}

// Each state with its largest cable density (bar density, without cables) 1, cables pulling rather than pushing.
Json states_json(const Statics& s, bool as_forces) {
  Json list = Json::array();
  for (long j = 0; j < s.spaces.self_stress.cols(); ++j) {
    VectorXd state = s.spaces.states == 1 ? s.self_stress : VectorXd(s.spaces.self_stress.col(j));
    double cables = 0.0, all = 0.0, sign = 0.0;
    for (int i = 0; i < static_cast<int>(s.rows.members.size()); ++i) {
      const double q = force_density(s, i, state);
      all = std::max(all, std::abs(q));
      if (s.rows.members[i].cable < 0) continue;
      cables = std::max(cables, std::abs(q));
      sign += q;
    }
    if (s.spaces.states > 1 && sign < 0.0) state = -state;
    if (const double largest = cables > 1e-9 * all ? cables : all; largest > 0.0) state /= largest;
    list.push_back(as_forces ? forces_json(s, state) : densities(s, state));
  }
  return list;
}

Json motion_json(const Model& model, const Statics& s, const VectorXd& motion) {
  Json map = Json::object();
  for (const NodeMove& m : largest_moves(s.rows, motion, 0.0))
    if (m.move != Vec3::Zero()) map[model.nodes[m.node].name] = vector_json(m.move);
  return map;
}

Json mechanism_json(const Model& model, const Statics& s, const Mechanism& m, bool with_shape) {
  Json object;
  object["kind"] = name(m.kind);
  object["nodes"] = Json::array();
  for (const NodeMove& move : largest_moves(s.rows, m.shape)) object["nodes"].push_back(model.nodes[move.node].name);
  object["text"] = motion_text(model, s.rows, m.shape);
  object["stiffening"] = m.stiffening;
  if (with_shape) object["shape"] = motion_json(model, s, m.shape);
  return object;
}

Json name(VerdictForces forces) {
  switch (forces) {
    case VerdictForces::none:
      return {};
    case VerdictForces::at_hand:
      return "member_forces";
    case VerdictForces::self_stress:
      return "self_stress";
    case VerdictForces::stabilising:
      return "stabilising_forces";
  }
  return {};
}

void add_loads(const Model& model, const Statics& s, Json& object) {
  object["loads"] = name(s.load_state);
  object["loaded_motion"] = s.load_state == LoadState::not_held || s.load_state == LoadState::on_mechanism
                                ? motion_json(model, s, s.loaded_motion)
                                : Json();
  object["weight_left_out"] = !s.falling.empty();
  object["reactions"] = Json::object();
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    if (model.nodes[i].fixed != Axes{}) object["reactions"][model.nodes[i].name] = vector_json(s.reactions[i]);
}

void add_stiffness(const Model& model, const Statics& s, Json& object) {
  object["stable_with_forces"] = is_stiff(s) && all_pull(s);
  object["min_stiffness_eigenvalue"] = s.softest ? Json(s.softest->eigenvalue) : Json();
  object["softest_motion"] = s.softest ? motion_json(model, s, s.softest->motion) : Json();
  object["compliance"] = Json::object();
  for (const Compliance& c : s.compliances) {
    Json rows = Json::array();
    for (int i = 0; i < 3; ++i) rows.push_back(vector_json(c.matrix.row(i)));
    object["compliance"][model.nodes[c.node].name] = c.bounded ? rows : Json();
  }
  object["buckling_factor"] = s.buckling && s.buckling->found ? Json(s.buckling->factor) : Json();
}

}  // namespace

int dimension_of(const Model& model) {
  std::vector<Vec3> at;
  std::vector<int> all;
  for (const Node& node : model.nodes) {
    all.push_back(static_cast<int>(at.size()));
    at.push_back(node.position);
  }
  return static_cast<int>(spanning(at, all, 1e-9 * extent(at, all)).size()) - 1;
}

Json statics_json(const Model& model, const Statics& s) {
  Json object;
  object["self_stress_states"] = s.spaces.states;
  object["mechanisms"] = s.spaces.mechanisms;
  object["finite_mechanisms"] = s.finite;
  object["infinitesimal_mechanisms"] = s.infinitesimal;
  object["undecided_mechanisms"] = s.undecided;
  object["rigid_motions"] = s.spaces.rigid.count;
  object["parts"] = s.parts.count;
  object["dimension"] = dimension_of(model);
  object["rank"] = s.spaces.rank;
  object["stability"] = name(s.stability);
  object["stability_of"] = name(s.stability_of);
  object["self_stress_stability"] = name(s.self_stress_stability);
  object["stable_up_to"] = s.stable_up_to ? Json(*s.stable_up_to) : Json();
  object["by_other_forces"] = s.by_other_forces;
  object["sign_feasible"] = s.sign_feasible;
  object["pushing"] = names(s, s.pushing);
  object["idle"] = names(s, s.idle);
  object["force_densities"] = densities(s, s.forces);
  object["member_forces"] = forces_json(s, s.forces);
  object["forces_feasible"] = s.forces_feasible;
  object["out_of_bounds"] = names(s, s.offending);
  object["conflict"] = names(s, s.conflict);
  object["below_pretension"] = names(s, s.below_pretension);
  add_loads(model, s, object);
  object["self_stress"] = states_json(s, false);
  if (s.spaces.states <= 20) object["self_stress_forces"] = states_json(s, true);
  if (s.by_other_forces) object["stabilising_forces"] = forces_json(s, s.stabilising);
  object["stress_matrix_eigenvalues"] = std::vector<double>(s.stress_eigenvalues.begin(), s.stress_eigenvalues.end());
  add_stiffness(model, s, object);
  // Shapes of very many mechanisms would be more than anyone reads.
  object["mechanism_list"] = Json::array();
  for (const Mechanism& m : s.mechanisms)
    object["mechanism_list"].push_back(mechanism_json(model, s, m, s.mechanisms.size() <= 50));
  return object;
}

}  // namespace taut
