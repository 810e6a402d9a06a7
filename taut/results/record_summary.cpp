#include "taut/results/record_summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "taut/base/version.h"
#include "taut/model/words.h"
#include "taut/results/hdf5/record_hdf5.h"
#include "taut/results/sundials_version.h"

namespace taut {
namespace {

using Json = nlohmann::ordered_json;

Json versions() {
  return {{"taut", version()},
          {"compiler", fmt::format("g++ {}", __VERSION__)},
          {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
          {"sundials", sundials_version()},
          {"hdf5", hdf5_version()},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)}};
}

Json controllers_json(const Summary& summary) {
  Json list = Json::array();
  for (const ControllerSummary& controller : summary.controllers) {
    Json targets = Json::array(), inputs = Json::array();
    for (const ControllerSummary::Target& t : controller.targets)
      targets.push_back({{"name", t.name}, {"unit", t.unit}, {"max_error", t.max_error}, {"rms_error", t.rms_error}});
    for (const ControllerSummary::Input& i : controller.inputs)
      inputs.push_back({{"name", i.name}, {"saturations", i.saturations}, {"saturated_s", i.saturated_s}});
    list.push_back({{"name", controller.name}, {"kind", controller.kind}, {"targets", targets}, {"inputs", inputs}});
  }
  return list;
}

}  // namespace

std::string summary_json(const Summary& summary, const Model& model, SummaryParts parts) {
  Json json;
  json["status"] = name(summary.status);
  if (summary.status != RunStatus::done) json["reason"] = summary.reason;
  json["model"] = model.name;
  json["formulation"] = summary.formulation;
  json["integrator"] = summary.integrator;
  if (!summary.integrator_reason.empty()) json["integrator_reason"] = summary.integrator_reason;
  json["steps"] = summary.steps;
  json["rejected"] = summary.rejected;
  json["rhs"] = summary.rhs;
  const bool all = parts == SummaryParts::all;
  if (all) json["wall_s"] = summary.wall_s;
  if (summary.start_s > 0.0) json["start_s"] = summary.start_s;
  json["simulated_s"] = summary.simulated_s;
  if (all) json["real_time_factor"] = (summary.simulated_s - summary.start_s) / summary.wall_s;
  json["max_bar_length_error"] = summary.max_bar_length_error;
  json["energy_drift"] = summary.energy_drift;
  Json events = Json::array();
  for (const SlackEvent& event : summary.slack_events)
    events.push_back(
        {{"time", event.time}, {"cable", cable_name(model, event.cable)}, {"kind", event.taut ? "taut" : "slack"}});
  json["slack_events"] = std::move(events);
  json["slack_events_dropped"] = summary.slack_events_dropped;
  if (!summary.yielded.empty()) {
    Json members = Json::array();
    for (const YieldedMember& y : summary.yielded)
      members.push_back({{"member", y.member}, {"time", y.time}, {"permanent", y.permanent}});
    json["yielded"] = std::move(members);
  }
  if (!model.controllers.empty()) {
    Json reports = Json::array();
    for (const ControlEvent& event : summary.control_events)
      reports.push_back({{"time", event.time}, {"controller", event.controller}, {"what", event.what}});
    json["control_events"] = std::move(reports);
    json["control_events_dropped"] = summary.control_events_dropped;
    json["controllers"] = controllers_json(summary);
  }
  if (summary.chart_switches > 0 || summary.formulation == "minimal") json["chart_switches"] = summary.chart_switches;
  if (summary.hard_contact) {
    json["contact_residual"] = summary.contact_residual;
    json["contact_sweeps"] = summary.contact_sweeps;
  }
  if (!summary.formulations.empty()) {
    Json runs = Json::array();
    for (const FormulationRun& run : summary.formulations) {
      if (!run.refused.empty())
        runs.push_back({{"name", run.name}, {"refused", run.refused}});
      else
        runs.push_back({{"name", run.name},
                        {"status", name(run.status)},
                        {"integrator", run.integrator},
                        {"steps", run.steps},
                        {"rhs", run.rhs},
                        {"wall_s", all ? Json(run.wall_s) : Json()},
                        {"difference", run.difference}});
    }
    json["formulations"] = std::move(runs);
    json["largest_difference"] = summary.largest_difference;
  }
  json["warnings"] = summary.warnings;
  if (all) json["versions"] = versions();
  // Numbers that are not finite become null; bytes that are not UTF-8 become the replacement character.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void SummaryRecorder::finish(const Summary& summary) {
  file_.append(summary_json(summary, *model_), summary.simulated_s);
  file_.finish(summary.simulated_s);
}

}  // namespace taut
