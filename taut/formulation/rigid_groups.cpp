#include "taut/formulation/rigid_groups.h"

#include <Eigen/Dense>
#include <algorithm>
#include <set>
#include <unordered_map>

namespace taut {

namespace {

// Relative size below which an area or a volume counts as zero.
constexpr double flat = 1e-9;

// The nodes that span what a set of nodes spans: up to four, each as far as possible from the earlier ones' span.
std::vector<int> spanning(const Model& model, const std::vector<int>& nodes) {
  std::vector<int> base;
  std::vector<Vec3> axes;
  double size = 0.0;
  for (int i : nodes) size = std::max(size, (model.nodes[i].position - model.nodes[nodes[0]].position).norm());
  while (base.size() < 4) {
    int best = -1;
    double distance = base.empty() ? -1.0 : flat * size;
    for (int i : nodes) {
      if (base.empty()) {
        best = i;
        break;
      }
      Vec3 d = model.nodes[i].position - model.nodes[base[0]].position;
      for (const Vec3& axis : axes) d -= axis.dot(d) * axis;
      if (d.norm() > distance) distance = d.norm(), best = i;
    }
    if (best < 0) break;
    if (!base.empty()) {
      Vec3 d = model.nodes[best].position - model.nodes[base[0]].position;
      for (const Vec3& axis : axes) d -= axis.dot(d) * axis;
      axes.push_back(d.normalized());
    }
    base.push_back(best);
  }
  return base;
}

// The affine weights of a point with respect to a base; exact when the point is in its span.
std::vector<double> affine_weights(const Model& model, const std::vector<int>& base, int node) {
  const int n = static_cast<int>(base.size());
  Eigen::MatrixXd a(3, n - 1);
  for (int i = 1; i < n; ++i) a.col(i - 1) = model.nodes[base[i]].position - model.nodes[base[0]].position;
  const Eigen::VectorXd beta =
      a.colPivHouseholderQr().solve(model.nodes[node].position - model.nodes[base[0]].position);
  std::vector<double> weights(n, 0.0);
  weights[0] = 1.0 - beta.sum();
  for (int i = 1; i < n; ++i) weights[i] = beta[i - 1];
  return weights;
}

bool in_span(const Model& model, const std::vector<int>& base, int node) {
  std::vector<int> more = base;
  more.push_back(node);
  return spanning(model, more).size() == base.size();
}

// A distance that is kept: by a rigid bar, or (bar = -1) because both nodes are fixed.
struct Link {
  int a, b, bar;
};

using Neighbours = std::vector<std::vector<int>>;

// Whether bars from `node` to these nodes of a rigid set pin it: three that are not in line, or two it is in line with.
bool pinned(const Model& model, const std::vector<int>& anchors, int node, bool planar) {
  if (anchors.size() < 2) return false;
  const std::vector<int> base = spanning(model, anchors);
  if (base.size() >= 3 || (planar && base.size() == 2)) return true;
  return base.size() == 2 && in_span(model, base, node);
}

std::vector<int> grow(const Model& model, const Neighbours& neighbours, std::vector<int> set, bool planar) {
  std::set<int> inside(set.begin(), set.end());
  for (std::size_t k = 0; k < set.size(); ++k)
    for (int candidate : neighbours[set[k]]) {
      if (inside.count(candidate)) continue;
      std::vector<int> anchors;
      for (int j : neighbours[candidate])
        if (inside.count(j)) anchors.push_back(j);
      if (!pinned(model, anchors, candidate, planar)) continue;
      inside.insert(candidate);
      set.push_back(candidate);  // its own neighbours are looked at when its turn comes
    }
  return set;
}

// Whether the length constraints among the nodes depend on each other: by rank for small sets, by count for large ones
// (where the elimination itself drops what depends on the rest).
bool dependent(const Model& model, const std::vector<Link>& links, const std::vector<int>& nodes) {
  if (links.size() > 3 * nodes.size() - 6) return true;
  if (nodes.size() > 100) return false;
  std::unordered_map<int, int> index;
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) index[nodes[i]] = i;
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(3 * static_cast<int>(nodes.size()), static_cast<int>(links.size()));
  for (int k = 0; k < static_cast<int>(links.size()); ++k) {
    const Vec3 u = (model.nodes[links[k].b].position - model.nodes[links[k].a].position).normalized();
    columns.block<3, 1>(3 * index[links[k].a], k) = -u;
    columns.block<3, 1>(3 * index[links[k].b], k) = u;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
  qr.setThreshold(1e-7);
  return qr.rank() < static_cast<int>(links.size());
}

// Fixed ends of bars keep their distances. (A structure with very many of them is left to the elimination.)
void add_supports(const Model& model, std::vector<Link>& links) {
  std::set<int> fixed;
  for (const Link& link : links)
    for (int node : {link.a, link.b})
      if (model.nodes[node].fixed == Axes{true, true, true}) fixed.insert(node);
  if (fixed.size() > 60) return;
  for (auto i = fixed.begin(); i != fixed.end(); ++i)
    for (auto j = std::next(i); j != fixed.end(); ++j)
      if (model.nodes[*i].position != model.nodes[*j].position) links.push_back({*i, *j, -1});
}

}  // namespace

std::vector<RigidGroup> find_rigid_groups(const Model& model, const std::vector<int>& bars) {
  const int n = static_cast<int>(model.nodes.size());
  Neighbours neighbours(n), links_of(n);
  std::vector<Link> links;
  for (int k : bars) links.push_back({model.bars[k].a, model.bars[k].b, k});
  add_supports(model, links);
  for (int k = 0; k < static_cast<int>(links.size()); ++k) {
    neighbours[links[k].a].push_back(links[k].b);
    neighbours[links[k].b].push_back(links[k].a);
    links_of[links[k].a].push_back(k);
  }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  // A structure held in one plane needs one bar less per node.
  bool planar = false;
  for (int axis = 0; axis < 3; ++axis)
    planar |= std::all_of(model.nodes.begin(), model.nodes.end(), [&](const Node& node) { return node.fixed[axis]; });

  std::vector<RigidGroup> groups;
  std::vector<char> seen(model.bars.size(), 0);
  for (int seed : bars) {
    if (seen[seed]) continue;
    // A bar grows along its line; in space, the triangles on it grow further.
    const int a = model.bars[seed].a, b = model.bars[seed].b;
    std::vector<int> largest = grow(model, neighbours, {a, b}, planar);
    for (int third : neighbours[a]) {
      if (!std::binary_search(neighbours[b].begin(), neighbours[b].end(), third)) continue;
      std::vector<int> set = grow(model, neighbours, {a, b, third}, planar);
      if (set.size() > largest.size()) largest = std::move(set);
    }
    const std::set<int> inside(largest.begin(), largest.end());
    // A bar on the edge of two groups counts for both; it is replaced once.
    RigidGroup group;
    std::vector<Link> all;
    for (int node : largest)
      for (int k : links_of[node]) {
        if (!inside.count(links[k].b)) continue;
        all.push_back(links[k]);
        if (const int bar = links[k].bar; bar >= 0 && !seen[bar]) {
          group.bars.push_back(bar);
          seen[bar] = 1;
        }
      }
    if (all.size() < 2 || !dependent(model, all, largest)) continue;
    group.nodes = spanning(model, largest);
    group.base = static_cast<int>(group.nodes.size());
    const std::vector<int> base = group.nodes;
    for (int node : largest)
      if (std::find(base.begin(), base.end(), node) == base.end()) {
        group.nodes.push_back(node);
        group.weights.push_back(affine_weights(model, base, node));
      }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace taut
