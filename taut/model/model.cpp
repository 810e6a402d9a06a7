#include "taut/model/model.h"

#include <algorithm>
#include <numeric>

#include "taut/base/error.h"
#include "taut/model/shape/body_mass.h"

namespace taut {

Model::Model() = default;
Model::Model(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model&) = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

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
    if (!bar.attached.empty() && !has_joints(model)) continue;
    const double share = bar.elastic ? 0.5 : bar.com;
    mass[bar.a] += (1.0 - share) * bar.mass;
    mass[bar.b] += share * bar.mass;
  }
  for (const Body& body : rigid_bodies(model)) {
    if (body.mass == 0.0 || has_joints(model)) continue;
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

bool drives_rigid_bars(const Model& model) {
  return std::any_of(model.bar_drives.begin(), model.bar_drives.end(),
                     [&](const BarDrive& drive) { return !model.bars[drive.bar].elastic; });
}

std::vector<int> driven_cables(const Model& model) {
  std::vector<int> cables;
  for (const Actuator& actuator : model.actuators) cables.push_back(actuator.cable);
  for (const ControllerSpec& spec : model.controllers) {
    for (const ControlInput& input : spec.steer.inputs)
      if (input.cable >= 0) cables.push_back(input.cable);
    // A rolling robot drives them all, unless it names some.
    if (spec.kind != ControllerKind::roll || !spec.steer.inputs.empty()) continue;
    cables.resize(model.cables.size());
    std::iota(cables.begin(), cables.end(), 0);
  }
  std::sort(cables.begin(), cables.end());
  cables.erase(std::unique(cables.begin(), cables.end()), cables.end());
  return cables;
}

}  // namespace taut
