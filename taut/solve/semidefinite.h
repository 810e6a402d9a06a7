// A x = b for a small symmetric positive semi-definite A, by LDLᵀ with diagonal pivoting. Rows that depend on the
// others are left out: their x is 0.
#pragma once

#include <utility>

namespace taut {

// In place: A (n × n, n <= 8, row-major) is destroyed, b becomes x. `kept`, if given, says which rows were used.
// Returns the rank: pivots above `tolerance` times the largest.
inline int solve_semidefinite(double* A, double* b, int n, bool* kept = nullptr, double tolerance = 1e-10) {
  int order[8];
  double largest = 0.0;
  for (int i = 0; i < n; ++i) {
    order[i] = i;
    if (A[i * n + i] > largest) largest = A[i * n + i];
  }
  if (kept)
    for (int i = 0; i < n; ++i) kept[i] = false;
  // Eliminate, the largest pivot first.
  int rank = 0;
  for (; rank < n; ++rank) {
    int best = rank;
    for (int i = rank + 1; i < n; ++i)
      if (A[order[i] * n + order[i]] > A[order[best] * n + order[best]]) best = i;
    std::swap(order[rank], order[best]);
    const int p = order[rank];
    const double pivot = A[p * n + p];
    if (!(pivot > tolerance * largest)) break;
    if (kept) kept[p] = true;
    for (int i = rank + 1; i < n; ++i) {
      const int r = order[i];
      const double factor = A[r * n + p] / pivot;
      for (int j = rank + 1; j < n; ++j) A[r * n + order[j]] -= factor * A[p * n + order[j]];
      b[r] -= factor * b[p];
    }
  }
  // Back.
  for (int i = rank; i < n; ++i) b[order[i]] = 0.0;
  for (int i = rank - 1; i >= 0; --i) {
    const int p = order[i];
    for (int j = i + 1; j < rank; ++j) b[p] -= A[p * n + order[j]] * b[order[j]];
    b[p] /= A[p * n + p];
  }
  return rank;
}

}  // namespace taut
