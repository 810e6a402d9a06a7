#include "taut/gradient/gradient_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace taut {

namespace {

Json by_key(const Sensitivity& sensitivity, const std::vector<double>& by) {
  Json object = Json::object();
  for (std::size_t i = 0; i < by.size(); ++i) object[sensitivity.parameters[i].key] = by[i];
  return object;
}

}  // namespace

Json json_of(const Sensitivity& sensitivity) {
  Json object;
  object["formulation"] = sensitivity.summary.formulation;
  object["integrator"] = sensitivity.summary.integrator;
  object["simulated_s"] = sensitivity.summary.simulated_s;
  object["parameters"] = Json::object();
  for (const Sensitivity::Number& number : sensitivity.parameters) object["parameters"][number.key] = number.value;
  object["outcomes"] = Json::array();
  for (const Sensitivity::Outcome& outcome : sensitivity.outcomes)
    object["outcomes"].push_back(
        {{"of", outcome.text}, {"value", outcome.value}, {"by", by_key(sensitivity, outcome.by)}});
  object["switches"] = Json::array();
  for (const Sensitivity::Switch& s : sensitivity.switches)
    object["switches"].push_back(
        {{"kind", s.kind}, {"name", s.name}, {"time", s.time}, {"by", by_key(sensitivity, s.by)}});
  object["not_differentiable"] = Json::array();
  for (const Sensitivity::Corner& corner : sensitivity.corners) {
    Json entry = {{"by", corner.key}, {"reason", corner.reason}};
    if (!corner.outcome.empty()) entry["of"] = corner.outcome;
    if (!corner.name.empty()) entry["name"] = corner.name;
    if (std::isfinite(corner.time)) entry["time"] = corner.time;
    object["not_differentiable"].push_back(std::move(entry));
  }
  object["warnings"] = sensitivity.summary.warnings;
  return object;
}

}  // namespace taut
