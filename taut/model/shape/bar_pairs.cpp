#include "taut/model/shape/bar_pairs.h"

#include <algorithm>

namespace taut {

BarPairs::BarPairs(const Model& model) {
  const Axes all = {true, true, true};
  std::vector<std::vector<int>> at_node(model.nodes.size());
  for (const Bar& bar : model.bars) {
    const int index = static_cast<int>(capsules_.size());
    capsules_.push_back({bar.a, bar.b, bar.radius});
    held_.push_back(model.nodes[bar.a].fixed == all && model.nodes[bar.b].fixed == all);
    at_node[bar.a].push_back(index);
    at_node[bar.b].push_back(index);
  }
  const auto join = [&](std::vector<int> bars) {
    std::sort(bars.begin(), bars.end());
    bars.erase(std::unique(bars.begin(), bars.end()), bars.end());
    for (std::size_t i = 0; i < bars.size(); ++i)
      for (std::size_t j = i + 1; j < bars.size(); ++j) joined_.emplace_back(bars[i], bars[j]);
  };
  // Nodes that ride on a bar.
  std::vector<int> carried;
  for (std::size_t i = 0; i < model.bars.size(); ++i)
    for (int node : model.bars[i].attached) {
      at_node[node].push_back(static_cast<int>(i));
      carried.push_back(node);
    }
  for (int node : carried) join(at_node[node]);
  for (const Body& body : model.bodies) {
    const auto inside = [&](int node) {
      return std::find(body.nodes.begin(), body.nodes.end(), node) != body.nodes.end();
    };
    std::vector<int> bars;
    for (int node : body.nodes)
      for (int bar : at_node[node])
        if (inside(model.bars[bar].a) && inside(model.bars[bar].b)) bars.push_back(bar);
    join(std::move(bars));
  }
  for (const Constraint& constraint : model.constraints) {
    std::vector<int> bars;
    for (const auto& [node, coefficient] : constraint.terms)
      bars.insert(bars.end(), at_node[node].begin(), at_node[node].end());
    join(std::move(bars));
  }
  std::sort(joined_.begin(), joined_.end());
  joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
}

bool BarPairs::may_collide(int i, int j) const {
  const Capsule &a = capsules_[i], &b = capsules_[j];
  if (a.a == b.a || a.a == b.b || a.b == b.a || a.b == b.b || (held_[i] && held_[j])) return false;
  return !std::binary_search(joined_.begin(), joined_.end(), std::pair<int, int>(std::minmax(i, j)));
}

}  // namespace taut
