#include "taut/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "taut/base/error.h"
#include "taut/model/body_mass.h"
#include "taut/model/check.h"

namespace taut {

namespace {

const char* list_name(Part part) {
  switch (part) {
    case Part::node:
      return "nodes";
    case Part::bar:
      return "bars";
    case Part::body:
      return "bodies";
    case Part::joint:
      return "joints";
    case Part::pulley:
      return "pulleys";
    case Part::cable:
      return "cables";
    case Part::constraint:
      return "constraints";
    case Part::actuator:
    case Part::drive:
      return "actuators";
    case Part::controller:
      return "controllers";
    case Part::load:
      return "loads";
    case Part::frame:
      return "outputs";
    case Part::target:
      return "targets";
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

double total_mass(const Model& model) {
  double mass = 0.0;
  for (const Node& node : model.nodes) mass += node.mass;
  for (const Bar& bar : model.bars) mass += bar.mass;
  for (const Body& body : model.bodies) mass += body.mass;
  for (const Cable& cable : model.cables) mass += cable.mass;
  return mass;
}

std::vector<double> node_masses(const Model& model) {
  std::vector<double> mass(model.nodes.size(), 0.0);
  for (size_t i = 0; i < model.nodes.size(); ++i) mass[i] += model.nodes[i].mass;
  for (const Bar& bar : model.bars) {
    if (!bar.attached.empty() && !is_mechanism(model)) continue;
    const double share = bar.elastic ? 0.5 : bar.com;
    mass[bar.a] += (1.0 - share) * bar.mass;
    mass[bar.b] += share * bar.mass;
  }
  for (const Body& body : rigid_bodies(model)) {
    if (body.mass == 0.0 || is_mechanism(model)) continue;
    const BodyMass share = body_mass(model, body);
    for (size_t i = 0; i < share.base.size(); ++i) mass[share.base[i]] += share.share[static_cast<long>(i)];
  }
  for (const Cable& cable : model.cables) {
    if (cable.mass == 0.0) continue;
    const double total = start_length(model, cable);
    for (size_t k = 0; k + 1 < cable.path.size(); ++k) {
      const int a = cable.path[k], b = cable.path[k + 1];
      const double piece = (model.nodes[b].position - model.nodes[a].position).norm();
      mass[a] += 0.5 * cable.mass * piece / total;
      mass[b] += 0.5 * cable.mass * piece / total;
    }
  }
  return mass;
}

std::vector<int> driven_cables(const Model& model) {
  std::vector<int> cables;
  for (const Actuator& actuator : model.actuators) cables.push_back(actuator.cable);
  for (const ControllerSpec& spec : model.controllers) {
    for (const ControlInput& input : spec.steer.inputs)
      if (input.cable >= 0) cables.push_back(input.cable);
    // A rolling robot drives them all.
    if (spec.kind != ControllerKind::roll) continue;
    cables.resize(model.cables.size());
    std::iota(cables.begin(), cables.end(), 0);
  }
  std::sort(cables.begin(), cables.end());
  cables.erase(std::unique(cables.begin(), cables.end()), cables.end());
  return cables;
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
