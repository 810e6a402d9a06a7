#include "taut/form/prestress/prestress_start.h"

#include <algorithm>
#include <cmath>

#include "taut/base/error.h"
#include "taut/equilibrium/balance.h"
#include "taut/model/shape/affine_base.h"

namespace taut {

namespace {

// A cable that joins fixed nodes only: nothing asks how it is strung.
bool is_held(const Model& model, const Cable& cable) {
  return std::all_of(cable.path.begin(), cable.path.end(), [&](int node) {
    return model.nodes[node].fixed == Axes{true, true, true};
  });
}

}  // namespace

std::vector<WantedTension> wanted_tensions(const Model& model) {
  const std::vector<double> present = start_balance(model).cable_tension;
  std::vector<WantedTension> wanted = model.wanted_tensions;
  std::vector<char> given(model.cables.size(), 0);
  for (const WantedTension& entry : wanted)
    for (int cable : entry.cables) given[cable] |= !entry.mean;
  WantedTension mean{{}, 0.0, true};
  for (int i = 0; i < static_cast<int>(model.cables.size()); ++i) {
    const bool held = is_held(model, model.cables[i]);
    if (held && !given[i]) wanted.push_back({{i}, present[i], false});
    if (!held && model.cables[i].law.kind != LawKind::spring) mean.cables.push_back(i), mean.tension += present[i];
  }
  if (model.wanted_tensions.empty()) {
    if (mean.cables.empty() && !model.cables.empty())
      throw InputError(
          "prestress: no cable that only pulls has an end that can move, so that there is no tension to choose; "
          "expected "
          "a cable to a node that is free, or [[targets]]");
    if (!(mean.tension > 0.0))
      throw InputError(
          "prestress: no cable has a tension to begin with; say what to carry, such as [[targets]] cables = [\"...\"], "
          "tension = 100.0");
    mean.tension /= static_cast<double>(mean.cables.size());
    wanted.insert(wanted.begin(), mean);
  } else if (std::all_of(model.wanted_tensions.begin(), model.wanted_tensions.end(),
                         [](const WantedTension& t) { return t.tension == 0.0; })) {
    throw InputError(
        "prestress: all wanted tensions are 0 N: nothing would be taut; give at least one tension above 0");
  }
  return wanted;
}

std::vector<char> derived_nodes(const Model& model) {
  std::vector<char> derived(model.nodes.size(), 0);
  for (const Constraint& constraint : model.constraints) {
    int node = -1;
    double largest = 0.0;
    for (const auto& [i, coefficient] : constraint.terms)
      if (std::abs(coefficient) >= largest && model.nodes[i].fixed == Axes{}) largest = std::abs(coefficient), node = i;
    if (node >= 0 && constraint.terms.size() > 1 && constraint.axes == Axes{true, true, true}) derived[node] = 1;
  }
  std::vector<Vec3> at;
  for (const Node& node : model.nodes) at.push_back(node.position);
  for (const Body& body : model.bodies) {
    const std::vector<int> base = spanning(at, body.nodes, 1e-9 * extent(at, body.nodes));
    for (int node : body.nodes)
      if (std::find(base.begin(), base.end(), node) == base.end()) derived[node] = 1;
  }
  return derived;
}

}  // namespace taut
