#include "taut/run/read_summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <unordered_map>

#include "taut/base/error.h"

namespace taut {
namespace {

using Json = nlohmann::json;

}  // namespace

Summary parse_summary(const std::string& text, const Model& model) {
  Summary summary;
  const auto refuse = [](const std::string& why) { throw InputError("the summary " + why); };
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) refuse("is not a JSON object");
  const auto get = [&](const Json& from, const char* key, auto& to) {
    using Value = std::remove_reference_t<decltype(to)>;
    if (!from.contains(key)) return;
    const Json& value = from[key];
    const bool fits = std::is_same_v<Value, std::string> ? value.is_string() : value.is_number();
    if (fits)
      to = value.get<Value>();
    else if (!value.is_null())
      refuse(fmt::format("has a value of the wrong kind under \"{}\"", key));
  };
  get(json, "status", summary.status);
  get(json, "reason", summary.reason);
  get(json, "formulation", summary.formulation);
  get(json, "integrator", summary.integrator);
  get(json, "integrator_reason", summary.integrator_reason);
  get(json, "steps", summary.steps);
  get(json, "rejected", summary.rejected);
  get(json, "rhs", summary.rhs);
  get(json, "wall_s", summary.wall_s);
  get(json, "simulated_s", summary.simulated_s);
  get(json, "max_bar_length_error", summary.max_bar_length_error);
  get(json, "energy_drift", summary.energy_drift);
  get(json, "slack_events_dropped", summary.slack_events_dropped);
  const auto list = [&](const char* key) {
    return json.contains(key) && json[key].is_array() ? json[key] : Json::array();
  };
  for (const Json& warning : list("warnings"))
    if (warning.is_string()) summary.warnings.push_back(warning.get<std::string>());

  // Cables come by name.
  std::unordered_map<std::string, int> cables;
  for (std::size_t i = 0; i < model.cables.size(); ++i) cables.emplace(model.cables[i].name, static_cast<int>(i));
  for (const PulleySpec& pulley : model.pulleys) cables.emplace(pulley.name, static_cast<int>(cables.size()));
  for (const Json& entry : list("slack_events")) {
    std::string cable, kind;
    double time = 0.0;
    if (!entry.is_object()) refuse("has a slack event that is not an object");
    get(entry, "cable", cable);
    get(entry, "kind", kind);
    get(entry, "time", time);
    const auto found = cables.find(cable);
    if (found == cables.end()) refuse(fmt::format("names the cable \"{}\", which the model has not", cable));
    summary.slack_events.push_back({time, found->second, kind == "taut"});
  }
  for (const Json& entry : list("yielded")) {
    if (!entry.is_object()) refuse("has a yielded member that is not an object");
    YieldedMember& y = summary.yielded.emplace_back();
    get(entry, "member", y.member);
    get(entry, "time", y.time);
    get(entry, "permanent", y.permanent);
  }
  for (const Json& entry : list("control_events")) {
    ControlEvent event;
    if (!entry.is_object()) refuse("has a control event that is not an object");
    get(entry, "time", event.time);
    get(entry, "controller", event.controller);
    get(entry, "what", event.what);
    summary.control_events.push_back(std::move(event));
  }
  get(json, "control_events_dropped", summary.control_events_dropped);
  for (const Json& entry : list("controllers")) {
    ControllerSummary& controller = summary.controllers.emplace_back();
    if (!entry.is_object()) refuse("has a controller that is not an object");
    get(entry, "name", controller.name);
    get(entry, "kind", controller.kind);
    const auto each = [&](const char* key, const auto& read) {
      if (!entry.contains(key) || !entry[key].is_array()) return;
      for (const Json& part : entry[key])
        part.is_object() ? read(part) : refuse(fmt::format("has something under \"{}\" that is no object", key));
    };
    each("targets", [&](const Json& part) {
      ControllerSummary::Target& target = controller.targets.emplace_back();
      get(part, "name", target.name);
      get(part, "unit", target.unit);
      get(part, "max_error", target.max_error);
      get(part, "rms_error", target.rms_error);
    });
    each("inputs", [&](const Json& part) {
      ControllerSummary::Input& input = controller.inputs.emplace_back();
      get(part, "name", input.name);
      get(part, "saturations", input.saturations);
      get(part, "saturated_s", input.saturated_s);
    });
  }
  return summary;
}

}  // namespace taut
