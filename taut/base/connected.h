// Things 0, 1, ... that are joined one pair after another, and which of them are connected (union-find).
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace taut {

class Connected {
 public:
  explicit Connected(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  // One of those that i is connected with, the same for all of them.
  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  bool joined(int a, int b) { return root(a) == root(b); }
  // False: they already were.
  bool join(int a, int b) {
    const int i = root(a), j = root(b);
    parent_[std::max(i, j)] = std::min(i, j);
    return i != j;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace taut
