#include "taut/solve/positive_definite.h"

#include <cmath>
#include <cstddef>

namespace taut {

bool factorise_positive(int n, double* A) {
  const auto row = [&](int i) { return A + static_cast<std::size_t>(i) * static_cast<std::size_t>(n); };
  for (int k = 0; k < n; ++k) {
    double* const pivot = row(k);
    if (!(pivot[k] > 0.0)) return false;
    const double scale = 1.0 / std::sqrt(pivot[k]);
    for (int j = k; j < n; ++j) pivot[j] *= scale;
    // What remains, row by row.
    for (int i = k + 1; i < n; ++i) {
      const double factor = pivot[i];
      if (factor == 0.0) continue;
      double* const rest = row(i);
      for (int j = i; j < n; ++j) rest[j] -= factor * pivot[j];
    }
  }
  return true;
}

void solve_positive(int n, const double* factor, double* x) {
  const auto row = [&](int i) { return factor + static_cast<std::size_t>(i) * static_cast<std::size_t>(n); };
  for (int k = 0; k < n; ++k) {
    x[k] /= row(k)[k];
    for (int j = k + 1; j < n; ++j) x[j] -= row(k)[j] * x[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) x[k] -= row(k)[j] * x[j];
    x[k] /= row(k)[k];
  }
}

}  // namespace taut
