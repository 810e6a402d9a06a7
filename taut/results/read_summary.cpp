#include "taut/results/read_summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <unordered_map>

#include "taut/base/error.h"

namespace taut {
namespace {

using Parsed = nlohmann::json;

[[noreturn]] void refuse(const std::string& why) { throw InputError("the summary " + why); }

// What is not there, or null, leaves `to` as it is.
template <class Value>
void get(const Parsed& from, const char* key, Value& to) {
  if (!from.contains(key)) return;
  const Parsed& value = from[key];
  const bool fits = std::is_same_v<Value, std::string> ? value.is_string() : value.is_number();
  if (fits)
    to = value.get<Value>();
  else if (!value.is_null())
    refuse(fmt::format("has a value of the wrong kind under \"{}\"", key));
}

Parsed list(const Parsed& from, const char* key) {
  return from.contains(key) && from[key].is_array() ? from[key] : Parsed::array();
}

RunStatus read_status(const Parsed& json) {
  std::string status = name(RunStatus::done);
  get(json, "status", status);
  for (const RunStatus known : {RunStatus::done, RunStatus::failed, RunStatus::interrupted})
    if (status == name(known)) return known;
  refuse(fmt::format("has the status \"{}\", which is not known", status));
}

// Cables come by name.
void read_slack_events(const Parsed& json, const Model& model, std::vector<SlackEvent>& events) {
  std::unordered_map<std::string, int> cables;
  for (std::size_t i = 0; i < model.cables.size(); ++i) cables.emplace(model.cables[i].name, static_cast<int>(i));
  for (const PulleySpec& pulley : model.pulleys) cables.emplace(pulley.name, static_cast<int>(cables.size()));
  for (const Parsed& entry : list(json, "slack_events")) {
    std::string cable, kind;
    double time = 0.0;
    if (!entry.is_object()) refuse("has a slack event that is not an object");
    get(entry, "cable", cable);
    get(entry, "kind", kind);
    get(entry, "time", time);
    const auto found = cables.find(cable);
    if (found == cables.end()) refuse(fmt::format("names the cable \"{}\", which the model does not have", cable));
    events.push_back({time, found->second, kind == "taut"});
  }
}

void read_yielded(const Parsed& json, std::vector<YieldedMember>& yielded) {
  for (const Parsed& entry : list(json, "yielded")) {
    if (!entry.is_object()) refuse("has a yielded member that is not an object");
    YieldedMember& y = yielded.emplace_back();
    get(entry, "member", y.member);
    get(entry, "time", y.time);
    get(entry, "permanent", y.permanent);
  }
}

void read_control_events(const Parsed& json, std::vector<ControlEvent>& events) {
  for (const Parsed& entry : list(json, "control_events")) {
    ControlEvent event;
    if (!entry.is_object()) refuse("has a control event that is not an object");
    get(entry, "time", event.time);
    get(entry, "controller", event.controller);
    get(entry, "what", event.what);
    events.push_back(std::move(event));
  }
}

// Entries of a list that must be objects.
void require_object(const Parsed& part, const char* key) {
  if (!part.is_object()) refuse(fmt::format("has something under \"{}\" that is not an object", key));
}

void read_controller(const Parsed& entry, ControllerSummary& controller) {
  if (!entry.is_object()) refuse("has a controller that is not an object");
  get(entry, "name", controller.name);
  get(entry, "kind", controller.kind);
  for (const Parsed& part : list(entry, "targets")) {
    require_object(part, "targets");
    ControllerSummary::Target& target = controller.targets.emplace_back();
    get(part, "name", target.name);
    get(part, "unit", target.unit);
    get(part, "max_error", target.max_error);
    get(part, "rms_error", target.rms_error);
  }
  for (const Parsed& part : list(entry, "inputs")) {
    require_object(part, "inputs");
    ControllerSummary::Input& input = controller.inputs.emplace_back();
    get(part, "name", input.name);
    get(part, "saturations", input.saturations);
    get(part, "saturated_s", input.saturated_s);
  }
}

}  // namespace

Summary parse_summary(const std::string& text, const Model& model) {
  Summary summary;
  const Parsed json = Parsed::parse(text, nullptr, false);
  if (!json.is_object()) refuse("is not a JSON object");
  summary.status = read_status(json);
  get(json, "reason", summary.reason);
  get(json, "formulation", summary.formulation);
  get(json, "integrator", summary.integrator);
  get(json, "integrator_reason", summary.integrator_reason);
  get(json, "steps", summary.steps);
  get(json, "rejected", summary.rejected);
  get(json, "rhs", summary.rhs);
  get(json, "wall_s", summary.wall_s);
  get(json, "start_s", summary.start_s);
  get(json, "simulated_s", summary.simulated_s);
  get(json, "max_bar_length_error", summary.max_bar_length_error);
  get(json, "energy_drift", summary.energy_drift);
  get(json, "slack_events_dropped", summary.slack_events_dropped);
  summary.hard_contact = json.contains("contact_sweeps");
  get(json, "contact_residual", summary.contact_residual);
  get(json, "contact_sweeps", summary.contact_sweeps);
  for (const Parsed& warning : list(json, "warnings"))
    if (warning.is_string()) summary.warnings.push_back(warning.get<std::string>());
  read_slack_events(json, model, summary.slack_events);
  read_yielded(json, summary.yielded);
  read_control_events(json, summary.control_events);
  get(json, "control_events_dropped", summary.control_events_dropped);
  for (const Parsed& entry : list(json, "controllers")) read_controller(entry, summary.controllers.emplace_back());
  return summary;
}

}  // namespace taut
