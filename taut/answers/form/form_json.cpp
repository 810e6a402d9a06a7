// What each method of `taut form` answers, as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>

#include "taut/answers/form/form.h"
#include "taut/equilibrium/members.h"
#include "taut/model/joint_columns.h"
#include "taut/model/words.h"

namespace taut {
namespace {

Json node_json(const Model& model, int node) { return node >= 0 ? Json(model.nodes[node].name) : Json(); }

Json file_json(const FormResult& r, const std::string& file) {
  return r.converged && !file.empty() ? Json(file) : Json();
}

Json by_member(const Model& model, const Eigen::VectorXd& values) {
  Json object = Json::object();
  for (int m = 0; m < values.size(); ++m) object[member_name(model, m)] = values[m];
  return object;
}

Json form_json(const FormResult& r, const std::string& file) {
  Json object;
  object["converged"] = r.converged;
  object["reason"] = r.reason;
  object["notes"] = r.notes;
  object["stable"] = r.converged ? Json(r.stable) : Json();
  object["free_motion"] = r.converged && !r.free.empty() ? Json(r.free) : Json();
  object["imbalance"] = r.residual;
  object["net_force"] = r.net_force;
  object["mean_member_force"] = r.mean_force;
  object["iterations"] = r.iterations;
  object["largest_move"] = r.largest_move;
  object["moved_node"] = r.moved_node >= 0 ? Json(r.model.nodes[r.moved_node].name) : Json();
  object["tensions"] = object["rest_lengths"] = object["bar_forces"] = object["bar_lengths"] = Json::object();
  for (std::size_t i = 0; i < r.tensions.size(); ++i) {
    object["tensions"][cable_name(r.model, static_cast<int>(i))] = r.tensions[i];
    if (i < r.model.cables.size()) object["rest_lengths"][r.model.cables[i].name] = r.model.cables[i].rest_length;
  }
  for (std::size_t i = 0; i < r.bar_forces.size(); ++i) {
    object["bar_forces"][r.model.bars[i].name] = r.bar_forces[i];
    object["bar_lengths"][r.model.bars[i].name] = start_length(r.model, r.model.bars[i]);
  }
  object["file"] = file_json(r, file);
  return object;
}

Json form_json(const RelaxResult& r, const std::string& file) {
  Json object;
  object["converged"] = r.converged;
  object["reason"] = r.reason;
  object["stable"] = r.converged ? Json(r.stable) : Json();
  object["free_motion"] = r.converged && !r.free.empty() ? Json(r.free) : Json();
  object["imbalance"] = r.residual;
  object["start_imbalance"] = r.start_residual;
  object["net_force"] = r.net_force;
  object["worst_node"] = node_json(r.model, r.worst_node);
  if (has_joints(r.model)) object["worst_joint"] = r.worst_joint.empty() ? Json() : Json(r.worst_joint);
  object["mean_member_force"] = r.mean_force;
  object["steps"] = r.steps;
  object["peaks"] = r.peaks;
  object["newton_steps"] = r.newton_steps;
  object["largest_move"] = r.largest_move;
  object["moved_node"] = node_json(r.model, r.moved_node);
  object["slack"] = cable_names(r.model, r.slack);
  object["tensions"] = object["rest_lengths"] = object["bar_forces"] = Json::object();
  for (std::size_t i = 0; r.converged && i < r.tensions.size(); ++i)
    object["tensions"][cable_name(r.model, static_cast<int>(i))] = r.tensions[i];
  for (std::size_t i = 0; r.converged && i < r.model.cables.size(); ++i)
    object["rest_lengths"][r.model.cables[i].name] = r.model.cables[i].rest_length;
  for (std::size_t i = 0; r.converged && i < r.model.bars.size(); ++i)
    object["bar_forces"][r.model.bars[i].name] = r.bar_forces[i];
  object["file"] = file_json(r, file);
  return object;
}

Json form_json(const ForceDensityResult& r, const std::string& file) {
  Json object = form_json(static_cast<const FormResult&>(r), file);
  object["force_densities"] = r.converged ? by_member(r.model, r.densities) : Json::object();
  object["groups"] = Json::array();
  for (const auto& group : r.groups) {
    Json names = Json::array();
    for (int m : group) names.push_back(member_name(r.model, m));
    object["groups"].push_back(names);
  }
  object["lowest_eigenvalues"] = std::vector<double>(r.lowest.data(), r.lowest.data() + r.lowest.size());
  object["super_stable"] = r.super_stable;
  return object;
}

// What else the tensions of a machine ask for: strains of cables on pulleys, torques of drives.
void add_machine(const PrestressResult& r, Json& object) {
  object["strains"] = object["torques"] = Json::object();
  for (const PulleySpec& pulley : r.model.pulleys)
    if (r.converged && pulley.variant != PulleyVariant::rigid) object["strains"][pulley.name] = pulley.strain;
  for (const JointDrive& drive : r.model.drives) {
    if (!r.converged || drive.imposed) continue;
    const JointSpec& joint = r.model.joints[drive.joint];
    const bool alone = joint_velocities(joint.type) == 1;
    object["torques"]
          [alone ? joint.name : fmt::format("{}.{}", joint.name, coordinate_names(joint.type)[drive.coordinate])] =
              value(drive.signal, 0.0);
  }
}

Json form_json(const PrestressAnswer& r, const std::string& file) {
  const Judgement& j = r.judgement;
  Json object;
  object["converged"] = r.converged;
  object["reason"] = r.reason;
  object["imbalance"] = r.residual;
  object["net_force"] = r.net_force;
  object["start_imbalance"] = r.start_residual;
  object["mean_member_force"] = r.mean_force;
  object["iterations"] = r.iterations;
  object["distance"] = r.distance;
  object["largest_move"] = r.largest_move;
  object["moved_node"] = node_json(r.model, r.moved_node);
  object["unbalanced"] = Json::array();
  for (const NodeForce& u : r.unbalanced)
    object["unbalanced"].push_back({{"node", node_json(r.model, u.node)}, {"force", u.force}});
  object["tensions"] = Json::object();
  object["rest_lengths"] = Json::object();
  for (std::size_t i = 0; i < r.tensions.size(); ++i)
    object["tensions"][cable_name(r.model, static_cast<int>(i))] = r.tensions[i];
  for (std::size_t i = 0; r.converged && i < r.model.cables.size(); ++i)
    object["rest_lengths"][r.model.cables[i].name] = r.model.cables[i].rest_length;
  if (has_joints(r.model)) add_machine(r, object);
  object["at_least"] = cable_names(r.model, r.at_least);
  object["bar_forces"] = Json::object();
  for (std::size_t i = 0; i < r.bar_forces.size(); ++i) object["bar_forces"][r.model.bars[i].name] = r.bar_forces[i];
  object["stable"] = r.converged ? Json(j.stable) : Json();
  object["free_motion"] = r.converged && !j.free.empty() ? Json(j.free) : Json();
  object["frequencies_hz"] = j.frequencies;
  object["rigid_motions"] = j.rigid_motions;
  if (r.converged && j.buckling.loaded && (j.buckling.stable || j.buckling.found))
    object["buckling"] = {{"found", j.buckling.found},
                          {"factor", j.buckling.factor},
                          {"load", j.buckling.load},
                          {"node", node_json(r.model, j.buckling.softest_node)}};
  else
    object["buckling"] = nullptr;
  object["file"] = file_json(r, file);
  return object;
}

Json event_json(const Model& model, const PathEvent& event) {
  return {{"kind", name(event.kind)},
          {"factor", event.at.p},
          {"arc_length", event.at.arc},
          {"node", event.node >= 0 ? Json(model.nodes[event.node].name) : Json()},
          {"along", {event.along[0], event.along[1], event.along[2]}},
          {"motions", event.motions},
          {"stability_lost", event.lost},
          {"crosses", event.crosses},
          {"followed", event.followed},
          {"cables", cable_names(model, event.cables)}};
}

Json form_json(const PathAnswer& r, const FormFiles& files) {
  Json object = form_json(static_cast<const FormResult&>(r), files.model);
  const std::vector<PathPoint>& points = r.path.points;
  Json events = Json::array();
  for (const PathEvent& event : r.path.events) events.push_back(event_json(r.model, event));
  object["path"] = {{"kind", path_words()[static_cast<std::size_t>(r.kind)]},
                    {"to", r.to},
                    {"reached", points.empty() ? 0.0 : points.back().p},
                    {"points", points.size()},
                    {"events", events},
                    {"file", points.empty() || files.table.empty() ? Json() : Json(files.table)}};
  return object;
}

Json form_json(const OptimiseResult& r, const std::string& file) {
  Json object = form_json(static_cast<const FormResult&>(r), file);
  object["objective"] = r.objective;
  object["length_error"] = r.length_error;
  object["lengths"] = Json::object();
  for (std::size_t m = 0; m < r.lengths.size(); ++m)
    object["lengths"][member_name(r.model, static_cast<int>(m))] = r.lengths[m];
  return object;
}

}  // namespace

Json json_of(const FormAnswer& answer, const FormFiles& files) {
  return std::visit(
      [&](const auto& found) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(found)>, PathAnswer>)
          return form_json(found, files);
        else
          return form_json(found, files.model);
      },
      answer.found);
}

}  // namespace taut
