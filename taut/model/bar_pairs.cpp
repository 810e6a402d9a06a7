#include "taut/model/bar_pairs.h"

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
  for (const Constraint& constraint : model.constraints) {
    std::vector<int> bars;
    for (const auto& [node, coefficient] : constraint.terms)
      bars.insert(bars.end(), at_node[node].begin(), at_node[node].end());
    std::sort(bars.begin(), bars.end());
    bars.erase(std::unique(bars.begin(), bars.end()), bars.end());
    for (std::size_t i = 0; i < bars.size(); ++i)
      for (std::size_t j = i + 1; j < bars.size(); ++j) joined_.emplace_back(bars[i], bars[j]);
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
