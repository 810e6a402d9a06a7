#include "taut/forces/contact_tangent.h"

#include <algorithm>

namespace taut {

ContactTangent::ContactTangent(const Model& model) : contact_(model) {
  for (const int node : contact_.ground().nodes()) blocks_.emplace_back(node, node);
  for (int k = 0; k < contact_.ground().riders(); ++k)
    for (const int i : contact_.ground().rider_nodes(k))
      for (const int j : contact_.ground().rider_nodes(k)) blocks_.emplace_back(i, j);
}

bool ContactTangent::evaluate(const double* x, const double* v, const ContactTerms& terms,
                              std::vector<double>& by_position, std::vector<double>& by_velocity) {
  // Blocks for bars that touch for the first time.
  bool grown = false;
  pressing_.clear();
  if (contact_.collision().any()) contact_.collision().pressing(x, terms.collision, pressing_);
  for (const auto& pair : pressing_) {
    const auto at = std::lower_bound(bars_.begin(), bars_.end(), pair);
    if (at != bars_.end() && *at == pair) continue;
    first_block_.insert(first_block_.begin() + (at - bars_.begin()), blocks_.size());
    bars_.insert(at, pair);
    const std::array<int, 4> nodes = contact_.collision().nodes(pair.first, pair.second);
    for (const int i : nodes)
      for (const int j : nodes) blocks_.emplace_back(i, j);
    grown = true;
  }
  by_position.assign(9 * blocks_.size(), 0.0);
  by_velocity.assign(9 * blocks_.size(), 0.0);

  Eigen::Matrix3d at_x, at_v;
  for (std::size_t k = 0; k < contact_.ground().nodes().size(); ++k) {
    const int node = contact_.ground().nodes()[k];
    if (!contact_.ground().derivatives(x + 4 * node, v + 4 * node, at_x, at_v)) continue;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        by_position[9 * k + 3 * r + c] = at_x(r, c), by_velocity[9 * k + 3 * r + c] = at_v(r, c);
  }
  Eigen::Matrix<double, 12, 12> all_x, all_v;
  // The first `count` nodes of a group, whose blocks begin at `first`.
  const auto put = [&](std::size_t first, int count) {
    for (int row = 0; row < 3 * count; ++row)
      for (int column = 0; column < 3 * count; ++column) {
        const std::size_t place = 9 * (first + count * (row / 3) + column / 3) + 3 * (row % 3) + column % 3;
        by_position[place] = all_x(row, column);
        by_velocity[place] = all_v(row, column);
      }
  };
  std::size_t next = contact_.ground().nodes().size();
  for (int k = 0; k < contact_.ground().riders(); ++k) {
    const int count = static_cast<int>(contact_.ground().rider_nodes(k).size());
    if (contact_.ground().rider_derivatives(k, x, v, all_x, all_v)) put(next, count);
    next += static_cast<std::size_t>(count) * count;
  }
  for (const auto& pair : pressing_) {
    const std::size_t first = first_block_[std::lower_bound(bars_.begin(), bars_.end(), pair) - bars_.begin()];
    contact_.collision().derivatives(x, v, pair.first, pair.second, all_x, all_v);
    put(first, 4);
  }
  return grown;
}

}  // namespace taut
