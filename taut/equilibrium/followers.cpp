#include "taut/equilibrium/followers.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace taut {

namespace {

using Row = std::map<int, double>;

// The unknown to solve a row for: of those with large coefficients the one in the fewest rows; -1 if nothing is left.
int choose(const Row& row, double before, const std::vector<int>& uses) {
  double largest = 0.0;
  for (const auto& [i, c] : row) largest = std::max(largest, std::abs(c));
  if (!(largest > 1e-9 * before)) return -1;
  int best = -1;
  for (const auto& [i, c] : row)
    if (std::abs(c) >= 0.1 * largest && (best < 0 || uses[i] < uses[best])) best = i;
  return best;
}

}  // namespace

Followers::Followers(int unknowns, const std::vector<std::vector<std::pair<int, double>>>& rows)
    : none_(rows.empty()), terms_(unknowns) {
  std::vector<int> uses(unknowns, 0);
  for (const auto& row : rows)
    for (const auto& [i, c] : row) ++uses[i];
  std::map<int, Row> follows;
  std::vector<std::vector<int>> followed_by(unknowns);  // may name some that no longer do
  const auto put = [](const Row& terms, double times, Row& into) {
    for (const auto& [i, c] : terms)
      if (const double sum = into[i] += times * c; sum == 0.0) into.erase(i);
  };
  for (const auto& entries : rows) {
    // The row in what does not follow yet.
    Row row;
    double before = 0.0;
    for (const auto& [i, c] : entries) {
      before = std::max(before, std::abs(c));
      const auto known = follows.find(i);
      put(known == follows.end() ? Row{{i, 1.0}} : known->second, c, row);
    }
    const int lead = choose(row, before, uses);
    if (lead < 0) continue;
    Row terms;
    for (const auto& [i, c] : row)
      if (i != lead && std::abs(c) > 1e-15 * before) terms[i] = -c / row[lead];
    // Whatever followed it follows these now.
    std::vector<int> changed = std::move(followed_by[lead]);
    for (const int k : changed) {
      const auto at = follows[k].find(lead);
      if (at == follows[k].end()) continue;
      const double times = at->second;
      follows[k].erase(at);
      put(terms, times, follows[k]);
    }
    changed.push_back(lead);
    for (const auto& [i, c] : terms) followed_by[i].insert(followed_by[i].end(), changed.begin(), changed.end());
    follows[lead] = std::move(terms);
  }
  for (int i = 0; i < unknowns; ++i) {
    if (const auto known = follows.find(i); known != follows.end())
      terms_[i].assign(known->second.begin(), known->second.end());
    else
      terms_[i] = {{i, 1.0}};
  }
}

std::vector<SparseEntry> Followers::carried(const std::vector<SparseEntry>& upper) const {
  if (none_) return upper;
  std::vector<SparseEntry> result;
  result.reserve(upper.size());
  for (const SparseEntry& e : upper)
    for (const auto& [i, a] : terms_[e.row])
      for (const auto& [j, b] : terms_[e.column]) {
        // An entry off the diagonal stands for two, of which both may fall on one place.
        if (e.row == e.column && i > j) continue;
        const double times = e.row != e.column && i == j ? 2.0 : 1.0;
        result.push_back({std::min(i, j), std::max(i, j), times * a * b * e.value});
      }
  return result;
}

}  // namespace taut
