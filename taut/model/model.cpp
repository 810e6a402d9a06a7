#include "taut/model/model.h"

#include <fmt/format.h>

#include "taut/base/error.h"
#include "taut/model/check.h"

namespace taut {

namespace {

const char* list_name(Part part) {
  switch (part) {
    case Part::node:
      return "nodes";
    case Part::bar:
      return "bars";
    case Part::cable:
      return "cables";
    case Part::constraint:
      return "constraints";
    case Part::actuator:
      return "actuators";
    case Part::load:
      return "loads";
    case Part::environment:
      return "environment";
    case Part::simulation:
      return "simulation";
    case Part::model:
      break;
  }
  return "";
}

std::string key_of(const Finding& finding) {
  std::string key = list_name(finding.part);
  if (finding.index >= 0) key += fmt::format("[{}]", finding.index);
  if (!key.empty() && !finding.key.empty()) key += '.';
  return key + finding.key;
}

}  // namespace

double start_length(const Model& model, const Bar& bar) {
  return (model.nodes[bar.b].position - model.nodes[bar.a].position).norm();
}

double start_length(const Model& model, const Cable& cable) {
  double length = 0.0;
  for (size_t i = 1; i < cable.path.size(); ++i) {
    length += (model.nodes[cable.path[i]].position - model.nodes[cable.path[i - 1]].position).norm();
  }
  return length;
}

void validate(const Model& model) {
  std::vector<Finding> findings = check_entities(model);
  if (findings.empty()) findings = check_structure(model);
  if (findings.empty()) return;
  std::vector<Problem> problems;
  for (const Finding& f : findings) problems.push_back({{}, key_of(f), f.message});
  throw InputError(std::move(problems));
}

}  // namespace taut
