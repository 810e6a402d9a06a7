#include "taut/control/stance.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

namespace taut {

namespace {

constexpr double near_ground = 0.02;  // of the size: as near is as good as down

}  // namespace

StanceFinder::StanceFinder(const Model& model) : surface_(*model.ground), masses_(node_masses(model)) {
  total_mass_ = std::accumulate(masses_.begin(), masses_.end(), 0.0);
  Vec3 low = model.nodes.front().position, high = low;
  for (const Node& node : model.nodes) {
    low = low.cwiseMin(node.position);
    high = high.cwiseMax(node.position);
  }
  size_ = (high - low).maxCoeff();
}

Stance StanceFinder::find(const double* x) const {
  Stance stance;
  const int nodes = static_cast<int>(masses_.size());
  const auto at = [&](int i) { return Vec3(x[4 * i], x[4 * i + 1], x[4 * i + 2]); };
  for (int i = 0; i < nodes; ++i) stance.centre += masses_[i] / total_mass_ * at(i);
  // The three of greatest depth; of equals the first.
  std::array<double, 3> depth{};
  depth.fill(-INFINITY);
  for (int i = 0; i < nodes; ++i) {
    const double d = surface_.depth(x + 4 * i);
    if (!(d > depth[2])) continue;
    int place = 2;
    for (; place > 0 && d > depth[place - 1]; --place) {
      depth[place] = depth[place - 1];
      stance.base[place] = stance.base[place - 1];
    }
    depth[place] = d;
    stance.base[place] = i;
  }
  stance.stands = depth[2] > -near_ground * size_;
  std::sort(stance.base.begin(), stance.base.end());
  for (int k = 0; k < 3; ++k) {
    BaseEdge& edge = stance.edges[k];
    edge.a = stance.base[(k + 1) % 3];
    edge.b = stance.base[(k + 2) % 3];
    const Vec3 along = at(edge.b) - at(edge.a);
    Vec3 across(along.y(), -along.x(), 0.0);
    if (across.dot(at(stance.base[k]) - at(edge.a)) > 0.0) across = -across;
    edge.outward = across.normalized();
    edge.inside = edge.outward.dot(at(edge.a) - stance.centre);
    stance.stands &= edge.inside > 0.0;
  }
  return stance;
}

}  // namespace taut
