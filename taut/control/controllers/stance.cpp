#include "taut/control/controllers/stance.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>

namespace taut {

namespace {

constexpr double near_ground = 0.02;  // of the size: as near is as good as down

Vec3 node_at(const double* x, int i) { return Vec3(x + 4 * static_cast<std::ptrdiff_t>(i)); }

// The corners of the convex hull of these nodes seen from above, anticlockwise (Andrew 1979); what is on a side of it
// within rounding is no corner.
std::vector<int> outline(std::vector<int> nodes, const Vec3& up, double size, const double* x) {
  const Vec3 right = up.unitOrthogonal(), ahead = up.cross(right);
  const auto plan = [&](int i) { return std::pair(right.dot(node_at(x, i)), ahead.dot(node_at(x, i))); };
  std::sort(nodes.begin(), nodes.end(), [&](int a, int b) { return plan(a) < plan(b); });
  const auto turns_left = [&](int a, int b, int c) {
    const auto [ax, ay] = plan(a);
    const auto [bx, by] = plan(b);
    const auto [cx, cy] = plan(c);
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 1e-9 * size * size;
  };
  std::vector<int> corners;
  // There along the lower side, and back along the upper one.
  for (const bool back : {false, true}) {
    const std::size_t first = corners.size();
    for (const int node : nodes) {
      while (corners.size() >= first + 2 && !turns_left(*(corners.end() - 2), corners.back(), node)) corners.pop_back();
      corners.push_back(node);
    }
    corners.pop_back();  // the other side begins with it
    if (!back) std::reverse(nodes.begin(), nodes.end());
  }
  return corners;
}

}  // namespace

StanceFinder::StanceFinder(const Model& model)
    : surface_(*model.ground), masses_(node_masses(model)), up_(Vec3::UnitZ()) {
  if (const double gravity = model.gravity.norm(); gravity > 0.0) up_ = -model.gravity / gravity;
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
  std::vector<double> depth(masses_.size());
  for (int i = 0; i < nodes; ++i) {
    stance.centre += masses_[i] / total_mass_ * node_at(x, i);
    depth[i] = surface_.depth(x + 4 * static_cast<std::ptrdiff_t>(i));
    if (depth[i] > -near_ground * size_) stance.base.push_back(i);
  }
  stance.stands = stance.base.size() >= 3;
  if (!stance.stands) {
    // The three of greatest depth; of equals the first.
    stance.base.resize(masses_.size());
    std::iota(stance.base.begin(), stance.base.end(), 0);
    std::stable_sort(stance.base.begin(), stance.base.end(), [&](int a, int b) { return depth[a] > depth[b]; });
    stance.base.resize(3);
    std::sort(stance.base.begin(), stance.base.end());
  }
  const std::vector<int> corners = outline(stance.base, up_, size_, x);
  stance.stands &= corners.size() >= 3;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    stance.edges.push_back(edge(corners[k], corners[(k + 1) % corners.size()], stance.centre, x));
    stance.stands &= stance.edges.back().inside > 0.0;
  }
  return stance;
}

BaseEdge StanceFinder::edge(int a, int b, const Vec3& centre, const double* x) const {
  BaseEdge edge{a, b};
  edge.outward = (node_at(x, b) - node_at(x, a)).cross(up_).normalized();
  edge.inside = edge.outward.dot(node_at(x, a) - centre);
  return edge;
}

}  // namespace taut
