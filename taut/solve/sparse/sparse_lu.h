// A sparse unsymmetric system whose pattern stays while its values change: KLU, analysed once, refactorised in place.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace taut {

class SparseLu {
 public:
  // One entry per (row, column); repeats are summed into one place.
  SparseLu(int size, const std::vector<std::pair<int, int>>& entries);
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  // Where the value of the constructor's k-th entry is added.
  int place(int k) const;
  std::vector<double>& values();
  // False when the matrix is singular.
  bool factorise();
  void solve(double* rhs) const;  // in place

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace taut
