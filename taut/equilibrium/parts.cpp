#include "taut/equilibrium/parts.h"

#include <numeric>

#include "taut/base/connected.h"
#include "taut/equilibrium/stiffness/rigid_motions.h"

namespace taut {

int Parts::total_rigid_motions() const { return std::accumulate(rigid_motions.begin(), rigid_motions.end(), 0); }

Parts find_parts(const Model& model) {
  const int n = static_cast<int>(model.nodes.size());
  Connected nodes(model.nodes.size());
  for (const Bar& bar : model.bars) {
    nodes.join(bar.a, bar.b);
    for (int node : bar.attached) nodes.join(bar.a, node);
  }
  for (const Body& body : model.bodies)
    for (int node : body.nodes) nodes.join(body.nodes.front(), node);
  for (const Cable& cable : model.cables)
    for (int node : cable.path) nodes.join(cable.path.front(), node);
  for (const Constraint& constraint : model.constraints)
    for (const auto& [node, unused] : constraint.terms) nodes.join(constraint.terms.front().first, node);

  Parts parts;
  std::vector<int> number(n, -1);
  for (int i = 0; i < n; ++i) {
    int& part = number[nodes.root(i)];
    if (part < 0) part = parts.count++;
    parts.of_node.push_back(part);
  }

  parts.rigid_motions = count_rigid_motions(model, parts.of_node, parts.count);
  return parts;
}

}  // namespace taut
