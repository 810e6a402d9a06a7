#include "taut/formulation/nodal/rigid_groups.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "taut/model/shape/affine_base.h"
#include "taut/model/shape/body_mass.h"
#include "taut/solve/dense.h"

namespace taut {

namespace {

// Relative size below which an area or a volume of bars counts as zero.
constexpr double flat = 1e-9;

// A distance that is kept: by a rigid bar, or (bar = -1) because both nodes are fixed or belong to a body.
struct BarLink {
  int a, b, bar;
};

using Neighbours = std::vector<std::vector<int>>;

// Where the nodes are, and whether the whole structure is held in one plane; then the coordinate across it is 0.
struct Positions {
  std::vector<Vec3> at;
  bool planar = false;

  explicit Positions(const Model& model) {
    for (const Node& node : model.nodes) at.push_back(node.position);
    for (int axis = 0; axis < 3; ++axis) {
      if (!std::all_of(model.nodes.begin(), model.nodes.end(), [&](const Node& node) { return node.fixed[axis]; }))
        continue;
      planar = true;
      for (Vec3& x : at) x[axis] = 0.0;
    }
  }

  std::vector<int> span(const std::vector<int>& nodes, double relative = flat) const {
    return spanning(at, nodes, relative * extent(at, nodes));
  }
  bool in_span(std::vector<int> base, int node) const {
    const std::size_t size = base.size();
    base.push_back(node);
    return span(base).size() == size;
  }
};

// Whether bars from `node` to these nodes of a rigid set pin it: three that are not in line, or two it is in line with.
bool pinned(const Positions& positions, const std::vector<int>& anchors, int node) {
  if (anchors.size() < 2) return false;
  const std::vector<int> base = positions.span(anchors);
  if (base.size() >= 3 || (positions.planar && base.size() == 2)) return true;
  return base.size() == 2 && positions.in_span(base, node);
}

std::vector<int> grow(const Positions& positions, const Neighbours& neighbours, std::vector<int> set) {
  std::set<int> inside(set.begin(), set.end());
  for (std::size_t k = 0; k < set.size(); ++k)
    for (int candidate : neighbours[set[k]]) {
      if (inside.count(candidate)) continue;
      std::vector<int> anchors;
      for (int j : neighbours[candidate])
        if (inside.count(j)) anchors.push_back(j);
      if (!pinned(positions, anchors, candidate)) continue;
      inside.insert(candidate);
      set.push_back(candidate);  // its own neighbours are looked at when its turn comes
    }
  return set;
}

// What is rigid with a set of nodes. One that lies on a line grows along it; in space, the triangles on it grow further.
std::vector<int> largest_about(const Positions& positions, const Neighbours& neighbours, const std::vector<int>& seed) {
  std::vector<int> largest = grow(positions, neighbours, seed);
  const std::vector<int> base = positions.span(seed);
  if (base.size() != 2) return largest;
  for (int third : neighbours[base[0]]) {
    if (!std::binary_search(neighbours[base[1]].begin(), neighbours[base[1]].end(), third)) continue;
    std::vector<int> set = seed;
    if (std::find(set.begin(), set.end(), third) == set.end()) set.push_back(third);
    set = grow(positions, neighbours, std::move(set));
    if (set.size() > largest.size()) largest = std::move(set);
  }
  return largest;
}

// Whether the length constraints among the nodes depend on each other: by rank for small sets, by count for large ones
// (where the elimination itself drops what depends on the rest).
bool dependent(const Positions& positions, const std::vector<BarLink>& links, const std::vector<int>& nodes) {
  if (links.size() > 3 * nodes.size() - 6) return true;
  if (nodes.size() > 100) return false;
  std::unordered_map<int, int> index;
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) index[nodes[i]] = i;
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(3 * static_cast<int>(nodes.size()), static_cast<int>(links.size()));
  for (int k = 0; k < static_cast<int>(links.size()); ++k) {
    const Vec3 u = (positions.at[links[k].b] - positions.at[links[k].a]).normalized();
    columns.block<3, 1>(3 * index[links[k].a], k) = -u;
    columns.block<3, 1>(3 * index[links[k].b], k) = u;
  }
  PivotedQr qr(columns);
  qr.set_tolerance(1e-7);
  return qr.rank() < static_cast<int>(links.size());
}

// A body: its base keeps all its distances, and so does every other node to the base.
void add_body(const Positions& positions, const std::vector<int>& nodes, std::vector<BarLink>& links) {
  const std::vector<int> base = positions.span(nodes, body_flatness);
  for (std::size_t i = 0; i < base.size(); ++i)
    for (std::size_t j = i + 1; j < base.size(); ++j) links.push_back({base[i], base[j], -1});
  for (int node : nodes)
    if (std::find(base.begin(), base.end(), node) == base.end())
      for (int other : base) links.push_back({node, other, -1});
}

// Fixed ends of bars keep their distances. (A structure with very many of them is left to the elimination.)
void add_supports(const Model& model, std::vector<BarLink>& links) {
  std::set<int> fixed;
  for (const BarLink& link : links)
    for (int node : {link.a, link.b})
      if (model.nodes[node].fixed == Axes{true, true, true}) fixed.insert(node);
  if (fixed.size() > 60) return;
  for (auto i = fixed.begin(); i != fixed.end(); ++i)
    for (auto j = std::next(i); j != fixed.end(); ++j)
      if (model.nodes[*i].position != model.nodes[*j].position) links.push_back({*i, *j, -1});
}

// Base and weights of a set of nodes.
void write_as_base(const Positions& positions, const std::vector<int>& nodes, double relative, RigidGroup& group) {
  group.nodes = positions.span(nodes, relative);
  group.base = static_cast<int>(group.nodes.size());
  const std::vector<int> base = group.nodes;
  for (int node : nodes)
    if (std::find(base.begin(), base.end(), node) == base.end()) {
      group.nodes.push_back(node);
      group.weights.push_back(affine_weights(positions.at, base, positions.at[node]));
    }
}

// The groups so far. A later one may contain an earlier one whole, and then stands for it.
class Groups {
 public:
  explicit Groups(int nodes) : at_node_(nodes) {}

  void add(RigidGroup group) {
    const std::set<int> inside(group.nodes.begin(), group.nodes.end());
    for (int node : inside)
      for (int k : at_node_[node]) {
        RigidGroup& earlier = list_[k];
        const auto within = [&](int i) { return inside.count(i) > 0; };
        if (earlier.nodes.empty() || !std::all_of(earlier.nodes.begin(), earlier.nodes.end(), within)) continue;
        group.bars.insert(group.bars.end(), earlier.bars.begin(), earlier.bars.end());
        earlier = {};
      }
    for (int node : inside) at_node_[node].push_back(static_cast<int>(list_.size()));
    list_.push_back(std::move(group));
  }
  std::vector<RigidGroup> take() {
    std::erase_if(list_, [](const RigidGroup& group) { return group.nodes.empty(); });
    return std::move(list_);
  }

 private:
  std::vector<RigidGroup> list_;
  std::vector<std::vector<int>> at_node_;
};

}  // namespace

namespace {

// What keeps its distance, by node, and where groups may begin.
struct Connections {
  std::vector<BarLink> links;
  std::vector<std::vector<int>> seeds;  // nodes of bodies, then of bars
  std::size_t bodies;                   // of the seeds
  Neighbours neighbours, links_of;      // of each node; a link is of its node a
};

Connections connect(const Model& model, const Positions& positions, const std::vector<int>& bars) {
  const int n = static_cast<int>(model.nodes.size());
  Connections all{{}, {}, 0, Neighbours(n), Neighbours(n)};
  auto& [links, seeds, bodies, neighbours, links_of] = all;
  for (int k : bars) links.push_back({model.bars[k].a, model.bars[k].b, k});
  for (const Body& body : rigid_bodies(model)) {
    add_body(positions, body.nodes, links);
    seeds.push_back(body.nodes);
  }
  bodies = seeds.size();
  for (int k : bars) seeds.push_back({model.bars[k].a, model.bars[k].b});
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
  return all;
}

// The links inside a set of nodes. Notes its bars that were not seen before: one on the edge of two groups counts for
// both; it is replaced once.
std::vector<BarLink> links_inside(const Connections& all, const std::vector<int>& nodes, const std::set<int>& inside,
                                  std::vector<char>& seen, std::vector<int>& bars) {
  std::vector<BarLink> found;
  for (int node : nodes)
    for (int k : all.links_of[node]) {
      const BarLink& link = all.links[k];
      if (!inside.count(link.b)) continue;
      found.push_back(link);
      if (link.bar < 0 || seen[link.bar]) continue;
      bars.push_back(link.bar);
      seen[link.bar] = 1;
    }
  return found;
}

}  // namespace

std::vector<RigidGroup> find_rigid_groups(const Model& model, const std::vector<int>& bars) {
  const Positions positions(model);
  const Connections all = connect(model, positions, bars);
  const std::size_t bodies = all.bodies;
  Groups groups(static_cast<int>(model.nodes.size()));
  std::vector<char> seen(model.bars.size(), 0), done(bodies, 0);
  for (std::size_t s = 0; s < all.seeds.size(); ++s) {
    const bool body = s < bodies;
    if (body ? done[s] : seen[bars[s - bodies]]) continue;
    const std::vector<int> largest = largest_about(positions, all.neighbours, all.seeds[s]);
    const std::set<int> inside(largest.begin(), largest.end());
    bool holds_body = body;
    for (std::size_t k = 0; k < bodies; ++k) {
      const std::vector<int>& nodes = all.seeds[k];
      if (std::all_of(nodes.begin(), nodes.end(), [&](int node) { return inside.count(node) > 0; }))
        done[k] = 1, holds_body = true;
    }
    RigidGroup group;
    const std::vector<BarLink> links = links_inside(all, largest, inside, seen, group.bars);
    if (!holds_body && (links.size() < 2 || !dependent(positions, links, largest))) continue;
    group.body = holds_body;
    write_as_base(positions, largest, holds_body ? body_flatness : flat, group);
    groups.add(std::move(group));
  }
  return groups.take();
}

int rigid_rank(const Model& model, const std::vector<int>& nodes) {
  Vec3 centre = Vec3::Zero();
  double size = 0.0;
  for (int i : nodes) centre += model.nodes[i].position / static_cast<double>(nodes.size());
  for (int i : nodes) size = std::max(size, (model.nodes[i].position - centre).norm());
  // Velocities along every coordinate under three translations and three rotations.
  const long n = static_cast<long>(nodes.size());
  Eigen::MatrixXd held = Eigen::MatrixXd::Zero(3 * n, 6), all = held;
  int free = 0;
  for (long i = 0; i < n; ++i) {
    const Node& node = model.nodes[nodes[i]];
    const Vec3 r = (node.position - centre) / (size > 0.0 ? size : 1.0);
    Mat3 turn;
    turn << 0.0, r.z(), -r.y(), -r.z(), 0.0, r.x(), r.y(), -r.x(), 0.0;
    all.block<3, 6>(3 * i, 0) << Mat3::Identity(), turn;
    for (int axis = 0; axis < 3; ++axis) {
      free += !node.fixed[axis];
      if (node.fixed[axis]) held.row(3 * i + axis) = all.row(3 * i + axis);
    }
  }
  // Motions that the supports allow, counted by the velocities they make.
  const Eigen::MatrixXd allowed = kernel(held.transpose() * held, 1e-10);
  if (allowed.cols() == 0) return free;
  PivotedQr fields(all * allowed);
  fields.set_tolerance(1e-6);
  return free - static_cast<int>(fields.rank());
}

}  // namespace taut
