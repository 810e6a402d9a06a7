// Rules that concern the structure as a whole: mass of every free node, and all that must fit at the start.
#include <fmt/format.h>

#include <algorithm>

#include "taut/model/check/check_values.h"

namespace taut {

namespace {

// Which nodes move with a positive mass along an axis. The mass matrix of a rigid bar is positive unless its
// inertia is 0; then it holds only the mean (1 - com) v_a + com v_b, and one end carries mass once the other does.
std::vector<bool> nodes_with_mass(const Model& model, int axis) {
  std::vector<bool> heavy(model.nodes.size(), false);
  std::vector<int> fresh;
  const auto mark = [&](int node) {
    if (heavy[node]) return;
    heavy[node] = true;
    fresh.push_back(node);
  };
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    if (model.nodes[i].fixed[axis] || model.nodes[i].mass > 0.0) mark(static_cast<int>(i));
  }
  for (const Cable& cable : model.cables) {
    if (cable.mass > 0.0) std::for_each(cable.path.begin(), cable.path.end(), mark);
  }

  // A body whose nodes span its mass gives it to all of them.
  for (const Body& body : model.bodies) std::for_each(body.nodes.begin(), body.nodes.end(), mark);

  // Bars with mass but no inertia pass mass on; those with both give it to both ends.
  std::vector<std::vector<int>> passing(model.nodes.size());
  for (const Bar& bar : model.bars) {
    if (!(bar.mass > 0.0)) continue;
    std::for_each(bar.attached.begin(), bar.attached.end(), mark);
    if (bar.elastic || bar.inertia > 0.0) {
      mark(bar.a);
      mark(bar.b);
    } else if (bar.com == 0.0) {
      mark(bar.a);
    } else if (bar.com == 1.0) {
      mark(bar.b);
    } else {
      passing[bar.a].push_back(bar.b);
      passing[bar.b].push_back(bar.a);
    }
  }
  while (!fresh.empty()) {
    const int node = fresh.back();
    fresh.pop_back();
    for (const int other : passing[node]) mark(other);
  }
  return heavy;
}

void check_masses(const Model& model, std::vector<Finding>& findings) {
  std::vector<bool> told(model.nodes.size(), false);
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<bool> heavy = nodes_with_mass(model, axis);
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      if (heavy[i] || told[i]) continue;
      told[i] = true;
      findings.push_back(
          {EntityKind::node, static_cast<int>(i), "",
           fmt::format("node \"{}\" has no mass: give it a mass, or attach a bar or a cable that has one",
                       model.nodes[i].name)});
    }
  }
}

}  // namespace

std::vector<Finding> check_structure(const Model& model) {
  std::vector<Finding> findings;
  check_masses(model, findings);
  check_start_bodies(model, findings);
  check_constraints(model, findings);
  check_start_contact(model, findings);
  check_start_frames(model, findings);
  return findings;
}

}  // namespace taut
