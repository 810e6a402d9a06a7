#include "taut/solve/kkt.h"

#include <algorithm>

namespace taut {

Kkt::Kkt(int unknowns, int rows, const Pattern& mass, const Pattern& jacobian, const std::vector<double>& weight,
         const std::vector<int>& follower)
    : unknowns_(unknowns), rows_(rows), weight_(weight) {
  std::vector<std::vector<std::pair<int, int>>> entries(rows);  // unknown, index of the value
  std::vector<std::vector<int>> bound(rows);
  Pattern inside;  // mass between unknowns
  for (const auto& [i, j] : mass)
    if (i >= 0 && j >= 0) inside.emplace_back(i, j);
  for (int k = 0; k < static_cast<int>(jacobian.size()); ++k)
    if (jacobian[k].second >= 0) {
      entries[jacobian[k].first].emplace_back(jacobian[k].second, k);
      bound[jacobian[k].first].push_back(jacobian[k].second);
      jacobian_.push_back(jacobian[k]);
      jacobian_index_.push_back(k);
    }

  // Unknowns by minimum degree, each row of K right after the last of its unknowns.
  place_ = elimination_places(unknowns, inside, bound, follower);
  const int size = unknowns + rows;
  row_of_place_.assign(size, -1);
  for (int r = 0; r < rows; ++r) row_of_place_[place_[unknowns + r]] = r;

  // The upper triangle of the permuted matrix by columns.
  std::vector<std::vector<Source>> columns(size);
  const auto put = [&](int i, int j, int first, int second, double w) {
    const int p = std::min(place_[i], place_[j]), q = std::max(place_[i], place_[j]);
    columns[q].push_back({p, first, second, w});
  };
  for (int k = 0; k < static_cast<int>(mass.size()); ++k)
    if (mass[k].first >= 0 && mass[k].second >= 0) put(mass[k].first, mass[k].second, k, mass_value, 1.0);
  for (int r = 0; r < rows; ++r)
    for (std::size_t a = 0; a < entries[r].size(); ++a) {
      put(entries[r][a].first, unknowns + r, entries[r][a].second, jacobian_value, 1.0);
      for (std::size_t b = 0; weight[r] > 0.0 && b <= a; ++b)
        put(entries[r][a].first, entries[r][b].first, entries[r][a].second, entries[r][b].second, weight[r]);
    }
  ldl_ = SparseLdl(lay_columns(columns, sources_, source_start_));
}

KktFactor Kkt::make_factor() const {
  KktFactor factor;
  ldl_.make_factor(factor);
  factor.scratch.assign(place_.size(), 0.0);
  return factor;
}

void Kkt::factorise(const double* mass, const double* jacobian, const double* row_size, double mu,
                    KktFactor& factor) const {
  constexpr double row_tolerance = 1e-12, unknown_tolerance = 1e-13;
  factor.left_out = 0;
  factor.singular = -1;
  // Column k of the matrix.
  const auto scatter = [&](int k, double* y) {
    double diagonal = row_of_place_[k] >= 0 ? -mu : 0.0;
    for (int p = source_start_[k]; p < source_start_[k + 1]; ++p) {
      const Source& s = sources_[p];
      const double value = s.second == mass_value       ? mass[s.first]
                           : s.second == jacobian_value ? jacobian[s.first]
                                                        : s.weight * jacobian[s.first] * jacobian[s.second];
      if (s.row == k)
        diagonal += value;
      else
        y[s.row] += value;
    }
    return diagonal;
  };
  // A dependent row is left out; an unknown without inertia must not be.
  const auto invert = [&](int k, double diagonal, double pivot) {
    const int row = row_of_place_[k];
    if (row >= 0 ? -pivot > row_tolerance * row_size[row] : pivot > unknown_tolerance * diagonal) return 1.0 / pivot;
    if (row >= 0)
      ++factor.left_out;
    else if (factor.singular < 0)
      factor.singular = static_cast<int>(std::find(place_.begin(), place_.end(), k) - place_.begin());
    return 0.0;
  };
  ldl_.factorise(scatter, invert, factor);
}

void Kkt::solve(KktFactor& factor, const double* jacobian, double* x) const {
  const int size = unknowns_ + rows_;
  for (std::size_t i = 0; i < jacobian_.size(); ++i) {
    const auto& [row, unknown] = jacobian_[i];
    if (weight_[row] > 0.0) x[unknown] += weight_[row] * jacobian[jacobian_index_[i]] * x[unknowns_ + row];
  }
  double* const y = factor.scratch.data();
  for (int i = 0; i < size; ++i) y[place_[i]] = x[i];
  ldl_.solve(factor, y);
  for (int i = 0; i < size; ++i) x[i] = y[place_[i]];
}

}  // namespace taut
