#include "taut/form/groups.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "taut/equilibrium/members.h"

namespace taut {

namespace {

using Colour = std::uint64_t;

Colour mix(Colour x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

struct Neighbour {
  int node;
  Colour kind;  // of the piece between
};

std::vector<std::vector<Neighbour>> neighbours(const Model& model) {
  std::vector<std::vector<Neighbour>> of(model.nodes.size());
  for (int m = 0; m < member_count(model); ++m) {
    const std::vector<int> path = member_path(model, m);
    const Colour kind = is_cable(model, m) ? 2 + path.size() : 1;
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      of[path[k]].push_back({path[k + 1], kind});
      of[path[k + 1]].push_back({path[k], kind});
    }
  }
  return of;
}

// Colours spread for some rounds; sums, so that the order of neighbours does not matter.
void spread(const std::vector<std::vector<Neighbour>>& of, int rounds, std::vector<Colour>& colour,
            std::vector<Colour>& next) {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      Colour sum = 0;
      for (const Neighbour& n : of[i]) sum += mix(colour[n.node] ^ (n.kind * 0x2545f4914f6cdd1dULL));
      next[i] = mix(colour[i] + 3 * sum);
    }
    colour.swap(next);
  }
}

// Rounds after which the colours tell no more nodes apart.
int rounds_needed(const std::vector<std::vector<Neighbour>>& of, std::vector<Colour> colour) {
  std::vector<Colour> next = colour;
  std::size_t apart = 0;
  for (int rounds = 1; rounds < static_cast<int>(of.size()); ++rounds) {
    spread(of, 1, colour, next);
    std::vector<Colour> sorted = colour;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t count = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
    if (count == apart) return rounds;
    apart = count;
  }
  return static_cast<int>(of.size());
}

template <typename Key>
MemberGroups by_key(const std::vector<Key>& keys) {
  MemberGroups groups;
  std::map<Key, int> group_of;
  for (std::size_t m = 0; m < keys.size(); ++m) {
    const auto [at, fresh] = group_of.try_emplace(keys[m], static_cast<int>(groups.size()));
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(static_cast<int>(m));
  }
  return groups;
}

}  // namespace

MemberGroups groups_by_connections(const Model& model) {
  const auto of = neighbours(model);
  // Supports are part of what is kept.
  std::vector<Colour> plain(model.nodes.size()), next(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    Colour fixed = 0;
    for (int axis = 0; axis < 3; ++axis) fixed = 2 * fixed + (model.nodes[i].fixed[axis] ? 1 : 0);
    plain[i] = mix(fixed);
  }
  std::vector<Colour> keys;
  int rounds = 0;
  for (int m = 0; m < member_count(model); ++m) {
    const std::vector<int> path = member_path(model, m);
    std::vector<Colour> colour = plain;
    for (int node : {path.front(), path.back()}) colour[node] = mix(colour[node] + 77);
    if (m == 0) rounds = 2 + rounds_needed(of, colour);
    spread(of, rounds, colour, next);
    keys.push_back(std::accumulate(colour.begin(), colour.end(), Colour(is_cable(model, m) ? path.size() : 1),
                                   [](Colour sum, Colour c) { return sum + mix(c); }));
  }
  return by_key(keys);
}

MemberGroups groups_by_length(const Model& model, double tolerance) {
  const Eigen::VectorXd x = positions(model);
  const double step = tolerance * mean_member_length(model, x);
  // In ascending order a gap begins a new group.
  std::vector<int> order(member_count(model));
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> length;
  for (int m : order) length.push_back(member_length(model, m, x));
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(!is_cable(model, a), length[a]) < std::pair(!is_cable(model, b), length[b]);
  });
  std::vector<int> keys(order.size());
  for (std::size_t k = 0, group = 0; k < order.size(); ++k) {
    if (k > 0 &&
        (is_cable(model, order[k]) != is_cable(model, order[k - 1]) || length[order[k]] - length[order[k - 1]] > step))
      ++group;
    keys[order[k]] = static_cast<int>(group);
  }
  return by_key(keys);
}

MemberGroups groups_of_one(const Model& model) {
  MemberGroups groups;
  for (int m = 0; m < member_count(model); ++m) groups.push_back({m});
  return groups;
}

MemberGroups with_given(const Model& model, const MemberGroups& given, const MemberGroups& others) {
  std::vector<char> taken(member_count(model), 0);
  MemberGroups groups = given;
  for (const auto& group : given)
    for (int m : group) taken[m] = 1;
  for (const auto& group : others) {
    std::vector<int> left;
    for (int m : group)
      if (!taken[m]) left.push_back(m), taken[m] = 1;
    if (!left.empty()) groups.push_back(left);
  }
  return groups;
}

}  // namespace taut
