#include "taut/answers/check.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "taut/answers/from_run.h"
#include "taut/base/error.h"
#include "taut/dynamics/dynamics.h"
#include "taut/formulation/formulation.h"
#include "taut/integrate/integrator.h"
#include "taut/model/words.h"

namespace taut {
namespace {

void judge_settings_in(const Scenario& scenario, std::string_view formulation) {
  const RunSettings& s = scenario.simulation;
  const Dynamics dynamics(scenario.model, formulation, s.constraints, {s.k_s, s.k_d}, s.corrections);
  if (s.integrator != "auto") make_integrator(s.integrator, dynamics, {s.step, s.tolerance});
}

Json machine_json(const MachineCheck& check) {
  Json object;
  object["ok"] = true;
  object["errors"] = Json::array();
  object["imbalance"] = check.imbalance;
  object["in_balance"] = check.imbalance <= rounding_of_files;
  object["worst_coordinate"] = check.worst.empty() ? Json() : Json(check.worst);
  object["mean_member_force"] = check.mean_force;
  object["slack"] = check.slack;
  object["degrees_of_freedom"] = check.degrees_of_freedom;
  object["imposed_coordinates"] = check.imposed;
  object["loops"] = check.loops;
  object["loop_constraints"] = check.constraints;
  object["redundant_constraints"] = check.redundant;
  object["parts"] = check.parts;
  object["topology"] = check.topology;
  return object;
}

}  // namespace

void judge_settings(const Scenario& scenario) {
  if (scenario.simulation.formulation != "all") return judge_settings_in(scenario, scenario.simulation.formulation);
  // One of all must do.
  std::vector<Problem> refusals;
  for (const std::string_view name : equivalent_formulations(scenario.model)) try {
      return judge_settings_in(scenario, name);
    } catch (const InputError& error) {
      refusals.insert(refusals.end(), error.problems().begin(), error.problems().end());
    }
  throw InputError(std::move(refusals));
}

CheckAnswer answer_check(Scenario scenario, const RecordedState* from) {
  CheckAnswer answer;
  answer.scenario = std::move(scenario);
  const std::optional<State> at = from ? start_at(*from, answer.scenario) : std::nullopt;
  const Model& model = answer.scenario.model;
  if (has_joints(model)) {
    answer.machine = inspect_machine(answer.scenario, at ? &*at : nullptr);
    return answer;
  }
  const auto formulation = make_formulation("nodal", model);
  answer.degrees_of_freedom = formulation->facts().degrees_of_freedom;
  answer.redundant = formulation->facts().redundant_constraints;
  answer.parts = find_parts(model);
  answer.balance = start_balance(model);
  return answer;
}

Json json_of(const CheckAnswer& answer) {
  if (answer.machine) return machine_json(*answer.machine);
  const Model& model = answer.scenario.model;
  const Balance& b = answer.balance;
  Json object;
  object["ok"] = true;
  object["errors"] = Json::array();
  object["imbalance"] = b.imbalance;
  object["in_balance"] = b.imbalance <= rounding_of_files;
  object["worst_node"] = b.worst_node >= 0 ? Json(model.nodes[b.worst_node].name) : Json();
  object["mean_member_force"] = b.mean_force;
  object["slack"] = cable_names(model, b.slack);
  object["degrees_of_freedom"] = answer.degrees_of_freedom;
  object["redundant_constraints"] = answer.redundant;
  object["parts"] = answer.parts.count;
  object["rigid_motions"] = answer.parts.total_rigid_motions();
  object["weight_left_out"] = b.weight_left_out;
  return object;
}

Json json_of(const InputError& refusal, const std::string& file) {
  Json object;
  object["ok"] = false;
  object["errors"] = Json::array();
  for (const Problem& p : refusal.problems())
    object["errors"].push_back({{"file", p.place.file.empty() ? file : p.place.file},
                                {"line", p.place.line},
                                {"column", p.place.column},
                                {"key", p.key},
                                {"message", p.message}});
  for (const char* key : {"imbalance", "degrees_of_freedom", "parts"}) object[key] = nullptr;
  object["slack"] = Json::array();
  return object;
}

}  // namespace taut
