#include "taut/generators/assemble/projective.h"

#include <algorithm>
#include <map>

namespace taut {

std::vector<double> taper_nodes(Model& model, double ratio) {
  double top = 0.0;
  for (const Node& node : model.nodes) top = std::max(top, node.position.z());
  std::vector<double> weight;
  for (Node& node : model.nodes) {
    const double w = 1.0 + (1.0 / ratio - 1.0) * node.position.z() / top;
    node.position /= w;
    node.position.z() /= ratio;
    weight.push_back(w);
  }
  return weight;
}

void add_weighted_cables(Model& model, const Pairs& pairs, const CableLaw& law, double density,
                         const std::vector<double>& weight, int n) {
  std::map<std::pair<int, int>, Pairs> between;
  for (const auto& [a, b] : pairs) between[{a / n, b / n}].emplace_back(a, b);
  for (const auto& [rings, alike] : between) {
    const auto& [a, b] = alike.front();
    const double length = (model.nodes[a].position - model.nodes[b].position).norm();
    add_cables(model, alike, law, density * weight[a] * weight[b] * length);
  }
}

}  // namespace taut
